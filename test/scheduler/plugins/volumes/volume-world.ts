/** The volume plugins over a cache of nodes and pods, and storage objects that tests set and change. */
import { keyOf, type AnyObject, type KubeObject, type Node, type Pod } from '../../../../src/api/objects/objects.js';
import type { PersistentVolume, StorageKind, StorageKindMap } from '../../../../src/api/objects/storage-objects.js';
import { VOLUMES_BY_USE } from '../../../../src/api/volumes/volume-rules.js';
import { VirtualClock } from '../../../../src/kernel/engine/virtual-clock.js';
import { SchedulerCache } from '../../../../src/scheduler/cache/scheduler-cache.js';
import { CacheSnapshot } from '../../../../src/scheduler/cache/snapshot.js';
import { CycleState } from '../../../../src/scheduler/framework/cycle-state.js';
import { Framework, type PreFilterOutcome } from '../../../../src/scheduler/framework/framework.js';
import type { AnyPlugin } from '../../../../src/scheduler/framework/interface.js';
import { PodInfo } from '../../../../src/scheduler/framework/pod-info.js';
import { codeName, type Status } from '../../../../src/scheduler/framework/status.js';
import { DynamicResources } from '../../../../src/scheduler/plugins/dynamic-resources/dynamic-resources.js';
import { PrioritySort } from '../../../../src/scheduler/plugins/priority-sort.js';
import { NodeVolumeLimits } from '../../../../src/scheduler/plugins/volumes/node-volume-limits.js';
import { VolumeBinding } from '../../../../src/scheduler/plugins/volumes/volume-binding/volume-binding.js';
import type { ChangeListener, VolumeHandle } from '../../../../src/scheduler/plugins/volumes/volume-listers.js';
import { VolumeRestrictions } from '../../../../src/scheduler/plugins/volumes/volume-restrictions.js';
import { VolumeZone } from '../../../../src/scheduler/plugins/volumes/volume-zone.js';

/** Builds a plugin over a handle. */
export type BuildPlugin = (handle: VolumeHandle) => AnyPlugin;

const VOLUME_PLUGINS: readonly BuildPlugin[] = [
  (handle) => new VolumeRestrictions(handle),
  (handle) => new NodeVolumeLimits(handle),
  (handle) => new VolumeBinding(handle),
  (handle) => new VolumeZone(handle),
  (handle) => new DynamicResources(handle),
];

/** A verdict as text: `Code: reason, reason`, or `fits`. */
export function verdictText(status: Status | undefined): string {
  return status === undefined ? 'fits' : `${codeName(status.code)} ${status.plugin}: ${status.reasons.join(', ')}`;
}

/** One pod's attempt. */
export interface Attempt {
  readonly state: CycleState;
  readonly pod: PodInfo;
  readonly outcome: PreFilterOutcome;
}

/** See the file header. */
export class VolumeWorld {
  readonly clock = new VirtualClock();
  readonly cache = new SchedulerCache();
  readonly snapshot = new CacheSnapshot();
  readonly framework: Framework;
  readonly handle: VolumeHandle;
  /** What was written to the API server, in order. */
  readonly writes: string[] = [];
  /** Told of each write; an error refuses it. */
  onWrite: (object: KubeObject) => Error | undefined = () => undefined;
  readonly #objects = new Map<string, Map<string, KubeObject>>();
  readonly #listeners = new Map<string, ChangeListener[]>();
  #version = 1;

  constructor(plugins: readonly BuildPlugin[] = VOLUME_PLUGINS) {
    const handle: VolumeHandle = {
      clock: this.clock,
      snapshot: this.snapshot,
      bind: () => undefined,
      waitingPod: () => undefined,
      objects: (kind) => (this.#objects.get(kind)?.values() ?? []) as Iterable<AnyObject>,
      object: (kind, key) => this.#objects.get(kind)?.get(key),
      indexed: (_kind, _index, value) =>
        [...(this.#objects.get('PersistentVolume')?.values() ?? [])].filter((volume) =>
          VOLUMES_BY_USE.use(volume as PersistentVolume).includes(value),
        ),
      onChange: (kind, listener) => this.#listeners.set(kind, [...(this.#listeners.get(kind) ?? []), listener]),
      update: (kind, object, answer) => {
        this.writes.push(`${kind} ${keyOf(object)}`);
        const error = this.onWrite(object);
        if (error === undefined) answer(undefined, this.put(object));
        else answer(error, undefined);
      },
    };
    this.handle = handle;
    const built = plugins.map((build) => ({ plugin: build(handle) }));
    this.framework = new Framework([{ plugin: new PrioritySort() }, ...built], this.clock);
  }

  /** Stores objects as they are, with the version that they have. */
  seed(...objects: readonly KubeObject[]): void {
    for (const object of objects) {
      let ofKind = this.#objects.get(object.kind);
      if (ofKind === undefined) {
        ofKind = new Map();
        this.#objects.set(object.kind, ofKind);
      }
      const previous = ofKind.get(keyOf(object));
      ofKind.set(keyOf(object), object);
      this.#tell(object.kind, previous, object);
      if (object.kind === 'Node') this.cache.setNode(object as Node);
      if (object.kind === 'Pod' && (object as Pod).spec.nodeName !== undefined) this.cache.addPod(object as Pod);
    }
  }

  /** Stores a newer version of an object. */
  put<T extends KubeObject>(object: T): T {
    this.#version += 1;
    const stored = { ...object, metadata: { ...object.metadata, resourceVersion: String(this.#version) } };
    this.seed(stored);
    return stored;
  }

  remove(kind: string, key: string): void {
    const previous = this.#objects.get(kind)?.get(key);
    this.#objects.get(kind)?.delete(key);
    if (previous !== undefined) this.#tell(kind, previous, undefined);
  }

  find<K extends StorageKind>(kind: K, key: string): StorageKindMap[K] | undefined {
    return this.#objects.get(kind)?.get(key) as StorageKindMap[K] | undefined;
  }

  /** Runs PreFilter. */
  begin(pod: Pod): Attempt {
    this.cache.updateSnapshot(this.snapshot);
    const state = new CycleState();
    const info = new PodInfo(pod);
    return { state, pod: info, outcome: this.framework.runPreFilter(state, info, this.snapshot) };
  }

  /** Runs Filter on one node. */
  filter({ state, pod }: Attempt, nodeName: string): Status | undefined {
    const node = this.snapshot.get(nodeName);
    if (node === undefined) throw new RangeError(`no node ${nodeName}`);
    return this.framework.runFilter(state, pod, node);
  }

  /** The verdict of PreFilter, or else that of each node. */
  judge(pod: Pod): string | Record<string, string> {
    const attempt = this.begin(pod);
    if (attempt.outcome.status !== undefined) return verdictText(attempt.outcome.status);
    const names = this.snapshot.nodes.map(({ name }) => name).sort();
    return Object.fromEntries(names.map((name) => [name, verdictText(this.filter(attempt, name))]));
  }

  /** PreFilter, Filter and Reserve: puts a pod on a node. */
  reserve(pod: Pod, nodeName: string): Attempt {
    const attempt = this.begin(pod);
    this.filter(attempt, nodeName);
    const placed: Pod = { ...pod, spec: { ...pod.spec, nodeName } };
    this.seed(placed);
    const info = new PodInfo(placed);
    this.framework.runReserve(attempt.state, info, nodeName);
    return { ...attempt, pod: info };
  }

  #tell(kind: string, before: KubeObject | undefined, after: KubeObject | undefined): void {
    for (const listener of this.#listeners.get(kind) ?? []) listener(before, after);
  }
}
