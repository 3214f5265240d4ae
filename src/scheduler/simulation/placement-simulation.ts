/**
 * Where pods could go, asked of the filters of a profile without deciding anything: over a picture of nodes and pods
 * that follows informers, and that may be changed and set back. It scores nothing, binds nothing and preempts nothing.
 * Mirrors cluster-autoscaler v1.34 `simulator/clustersnapshot`; the verdicts are the scheduler's own.
 */
import type { Kind, Node, Pod } from '../../api/objects/objects.js';
import type { Client, Indexers, Informer, InformerHandler } from '../../bus/bus-types.js';
import { assert } from '../../kernel/assert.js';
import type { Clock } from '../../kernel/engine/clock.js';
import { NO_IMAGE_COUNTS } from '../cache/image-states.js';
import { SchedulerCache } from '../cache/scheduler-cache.js';
import { CacheSnapshot } from '../cache/snapshot.js';
import type { SchedulerConfiguration } from '../config/configuration.js';
import { CycleState } from '../framework/cycle-state.js';
import type { Framework } from '../framework/framework.js';
import { PodInfo } from '../framework/pod-info.js';
import { isRejected, messageOf, type Status } from '../framework/status.js';
import { WaitingPods } from '../framework/waiting-pods.js';
import { createPluginHandle, watchForPlugins } from '../plugin-handle.js';
import { DEFAULT_PLUGINS } from '../plugins/registry.js';
import {
  buildPlainProfile,
  buildProfiles,
  hasOwnPlugins,
  mergedRegistry,
  type OwnPlugins,
  type ProfileParts,
} from '../profile.js';
import { FilterWalk } from './filter-walk.js';
import { FullNodes } from './full-nodes.js';
import { KeptPreFilters, type KeptPreFilter } from './kept-pre-filters.js';

/** What a simulation sees the cluster with. */
export interface SimulationSource {
  readonly clock: Clock;
  readonly client: Client;
  informer<K extends Kind>(kind: K, indexers?: Indexers<K>): Informer<K>;
  watch<K extends Kind>(kind: K, handler: InformerHandler<K>): Informer<K>;
}

/** Whose filters are asked, and about what. */
export interface SimulationOptions {
  /** Its first profile counts. @defaultValue upstream's default profile */
  readonly configuration?: SchedulerConfiguration | undefined;
  readonly registry?: OwnPlugins | undefined;
  /** Whether a pod on a node takes its place there. */
  readonly counts: (pod: Pod) => boolean;
  /** Told of nodes whose pods, or that themselves, have changed. */
  readonly onTouched: (node: string) => void;
}

/** Why a pod does not go to a node. */
export interface Rejection {
  readonly plugin: string;
  readonly reasons: readonly string[];
}

/** A node as it is in the picture. */
export interface PlacedNode {
  readonly node: Node;
  readonly pods: readonly Pod[];
  /** Sums of what its pods request. */
  readonly cpuMillis: number;
  readonly memoryBytes: number;
  readonly allocatableCpuMillis: number;
  readonly allocatableMemoryBytes: number;
}

/** Which nodes count. */
type NodeChoice = (nodeName: string) => boolean;

/** See the file header. Every change but those of the informers is one that `revert` takes back. */
export class PlacementSimulation {
  readonly #cache = new SchedulerCache(NO_IMAGE_COUNTS);
  readonly #snapshot = new CacheSnapshot();
  readonly #framework: Framework;
  readonly #walk: FilterWalk;
  readonly #kept: KeptPreFilters;
  /** What walks with {@link search} have found out. */
  readonly #full = new FullNodes();
  #searched: NodeChoice | undefined;
  /** Of pods that are tried again and again. */
  readonly #infos = new WeakMap<Pod, PodInfo>();
  readonly #onTouched: (node: string) => void;
  /** Nodes that are taken out of the picture, and stand in it for want of a reason to take them out of all arrays. */
  readonly #hidden = new Set<string>();
  /** How to take back each change, oldest first. */
  readonly #undo: (() => void)[] = [];
  /** Lengths of `#undo` at each fork that is open. */
  readonly #forks: number[] = [];

  constructor(source: SimulationSource, options: SimulationOptions) {
    this.#framework = buildFramework(source, options, this.#snapshot);
    this.#kept = new KeptPreFilters(this.#framework, !hasOwnPlugins(options.registry));
    this.#walk = new FilterWalk(this.#framework);
    this.#onTouched = options.onTouched;
    this.#follow(source, options);
  }

  #follow(source: SimulationSource, { counts, onTouched }: SimulationOptions): void {
    const cache = this.#cache;
    const nodeOf = (pod: Pod): string => {
      const { phase } = pod.status;
      return phase === 'Succeeded' || phase === 'Failed' || !counts(pod) ? '' : (pod.spec.nodeName ?? '');
    };
    const change = (previous: Pod | undefined, pod: Pod | undefined): void => {
      this.#forget();
      const before = previous === undefined ? '' : nodeOf(previous);
      const after = pod === undefined ? '' : nodeOf(pod);
      if (before !== '' && (after === '' || pod?.metadata.uid !== previous?.metadata.uid)) {
        cache.removePod(previous as Pod);
        onTouched(before);
      }
      if (after !== '') {
        cache.updatePod(pod as Pod);
        onTouched(after);
      }
    };
    const setNode = (node: Node): void => {
      this.#forget();
      cache.setNode(node);
      onTouched(node.metadata.name);
    };
    source.watch('Node', {
      onAdd: setNode,
      onUpdate: (_previous, node) => setNode(node),
      onDelete: ({ metadata }) => {
        cache.removeNode(metadata.name);
        onTouched(metadata.name);
      },
    });
    source.watch('Pod', {
      onAdd: (pod) => change(undefined, pod),
      onUpdate: change,
      onDelete: (pod) => change(pod, undefined),
    });
  }

  /** Something else has changed. */
  #forget(): void {
    this.#kept.clear();
    this.#full.forget();
  }

  /** What happens from now on may be taken back. */
  fork(): void {
    this.#forks.push(this.#undo.length);
  }

  /** Takes back everything since the last fork. */
  revert(): void {
    const length = this.#forks.pop();
    assert(length !== undefined, 'what is reverted was forked before');
    while (this.#undo.length > length) this.#undo.pop()?.();
  }

  /** Keeps everything since the last fork, as far as the one before it does. */
  commit(): void {
    assert(this.#forks.pop() !== undefined, 'what is committed was forked before');
  }

  /** `undefined` = it is not in the picture. */
  find(name: string): PlacedNode | undefined {
    const info = this.#hidden.has(name) ? undefined : this.#cache.find(name);
    if (info === undefined) return undefined;
    const { allocatable } = info;
    return {
      node: info.node,
      pods: info.pods.map(({ pod }) => pod),
      cpuMillis: info.cpuMillis,
      memoryBytes: info.memoryBytes,
      allocatableCpuMillis: allocatable.cpuMillis,
      allocatableMemoryBytes: allocatable.memoryBytes,
    };
  }

  /** Whether it is in the picture. */
  has(name: string): boolean {
    return !this.#hidden.has(name) && this.#cache.find(name) !== undefined;
  }

  /** Puts a node with these pods on it into the picture. */
  addNode(node: Node, pods: readonly Pod[]): void {
    const { name } = node.metadata;
    this.#cache.setNode(node);
    this.#full.reopen(name);
    this.#undo.push(() => this.#cache.removeNode(name));
    for (const pod of pods) this.#put(new PodInfo(pod), name);
  }

  /** Takes a node out of the picture with all that is on it. */
  removeNode(name: string): void {
    const found = this.#cache.find(name);
    if (found === undefined) return;
    for (const info of [...found.pods]) this.#take(info, name);
    this.#hidden.add(name);
    this.#undo.push(() => {
      this.#hidden.delete(name);
      this.#full.reopen(name);
    });
  }

  /** An empty node makes a difference to pods that are to be spread; taking one out costs as much as looking at all. */
  #takeOutHidden({ pod: { spec } }: PodInfo): void {
    if ((spec.topologySpreadConstraints ?? []).length === 0) return;
    for (const name of this.#hidden) {
      const node = this.#cache.find(name)?.node;
      if (node === undefined) continue;
      this.#cache.removeNode(name);
      this.#undo.push(() => this.#cache.setNode(node));
    }
  }

  #take(info: PodInfo, nodeName: string): void {
    this.#kept.noteChange(info);
    this.#cache.removePod(info.pod);
    this.#full.reopen(nodeName);
    this.#onTouched(nodeName);
    this.#undo.push(() => {
      this.#kept.noteChange(info);
      this.#cache.restorePod(info);
      this.#onTouched(nodeName);
    });
  }

  /** Puts a pod on a node, whatever the filters say. */
  put(pod: Pod, nodeName: string): void {
    this.#put(new PodInfo(pod), nodeName);
  }

  /** What a pod asks of a node. */
  requestsOf(pod: Pod): { readonly cpuMillis: number; readonly memoryBytes: number } {
    return new PodInfo(pod).usage.requests;
  }

  /** Why the filters keep a pod from a node; `undefined` = they do not. */
  whyNot(pod: Pod, nodeName: string): Rejection | undefined {
    return this.#whyNot(new PodInfo(pod), nodeName);
  }

  /** Puts a pod on a node, if the filters let it. */
  schedule(pod: Pod, nodeName: string): Rejection | undefined {
    const info = this.#infoOf(pod);
    const rejection = this.#whyNot(info, nodeName);
    if (rejection === undefined) this.#put(info, nodeName);
    return rejection;
  }

  /** Puts a pod on the next node that is accepted and that the filters let it go to. @returns its name */
  scheduleAnywhere(pod: Pod, accepts: NodeChoice): string | undefined {
    const info = this.#infoOf(pod);
    this.#takeOutHidden(info);
    const found = this.#walk.next(info, this.#fresh(), this.#shown(accepts));
    if (found !== undefined) this.#put(info, found);
    return found;
  }

  /**
   * As {@link scheduleAnywhere}, for many pods one after the other: what one walk has found full is not walked again.
   *
   * @param accepts - the same function each time; what it has not accepted once it never accepts again
   */
  search(pod: Pod, accepts: NodeChoice): string | undefined {
    if (this.#searched !== accepts) this.#full.forget();
    this.#searched = accepts;
    const info = this.#infoOf(pod);
    const { shape } = info;
    const kept = this.#keptFor(info);
    const open = kept === undefined ? undefined : this.#full.openTo(shape, kept);
    if (kept !== undefined && open !== undefined) return this.#searchAmong(open, info, kept, accepts);
    const found = this.scheduleAnywhere(pod, accepts);
    if (found === undefined && kept !== undefined) this.#full.noteAll(shape, kept);
    return found;
  }

  #searchAmong(open: Set<string>, info: PodInfo, kept: KeptPreFilter, accepts: NodeChoice): string | undefined {
    const isShown = this.#shown(accepts);
    const snapshot = this.#fresh();
    const fitting: number[] = [];
    for (const name of open) {
      const node = this.#cache.find(name);
      const fits =
        node !== undefined &&
        node.node?.spec.unschedulable !== true &&
        isShown(name) &&
        this.#framework.runFilter(kept.state, info, node, kept.filters) === undefined;
      if (fits) fitting.push(node.slot);
      else open.delete(name);
    }
    if (fitting.length === 0) return undefined;
    const found = this.#walk.nextOf(fitting, snapshot);
    this.#put(info, found);
    return found;
  }

  /** What PreFilters leave to be asked of single nodes, where they leave nothing else. */
  #keptFor(info: PodInfo): KeptPreFilter | undefined {
    const known = this.#kept.of(info);
    if (known !== undefined) return known;
    const state = new CycleState();
    const { status, nodeNames } = this.#framework.runPreFilter(state, info, this.#fresh());
    if (status === undefined && nodeNames === undefined) this.#kept.keep(info, state);
    return this.#kept.of(info);
  }

  #shown(accepts: NodeChoice): NodeChoice {
    return (name) => !this.#hidden.has(name) && accepts(name);
  }

  #whyNot(info: PodInfo, nodeName: string): Rejection | undefined {
    const node = this.#cache.find(nodeName);
    assert(node !== undefined, `a pod is tried on a node of the picture, got ${nodeName}`);
    const kept = this.#kept.of(info);
    if (kept !== undefined) {
      const known = this.#framework.runFilter(kept.state, info, node, kept.filters);
      return known === undefined ? undefined : rejectionOf(known);
    }
    this.#takeOutHidden(info);
    const snapshot = this.#fresh();
    const state = new CycleState();
    const { status, nodeNames, narrowedBy } = this.#framework.runPreFilter(state, info, snapshot);
    if (status !== undefined) return rejectionOf(status);
    if (nodeNames !== undefined && !nodeNames.has(nodeName)) {
      return { plugin: [...(narrowedBy ?? [])].join(', '), reasons: [] };
    }
    if (nodeNames === undefined) this.#kept.keep(info, state);
    const verdict = this.#framework.runFilter(state, info, node);
    return verdict === undefined ? undefined : rejectionOf(verdict);
  }

  #put(info: PodInfo, nodeName: string): void {
    this.#kept.noteChange(info);
    this.#cache.assumePod(info.boundTo(nodeName));
    this.#onTouched(nodeName);
    this.#undo.push(() => {
      this.#kept.noteChange(info);
      this.#cache.forgetPod(info.pod);
      this.#full.reopen(nodeName);
      this.#onTouched(nodeName);
    });
  }

  #infoOf(pod: Pod): PodInfo {
    const known = this.#infos.get(pod);
    if (known !== undefined) return known;
    const info = new PodInfo(pod);
    this.#infos.set(pod, info);
    return info;
  }

  #fresh(): CacheSnapshot {
    this.#cache.updateSnapshot(this.#snapshot);
    return this.#snapshot;
  }
}

function rejectionOf(status: Status): Rejection {
  return { plugin: status.plugin, reasons: isRejected(status) ? status.reasons : [messageOf(status)] };
}

function createPreemptor(): never {
  assert(false, 'a simulation does not preempt');
}

/** The profile's plugins over the informers of the source. */
function buildFramework(
  source: SimulationSource,
  { configuration, registry }: SimulationOptions,
  snapshot: CacheSnapshot,
): Framework {
  const { clock, client } = source;
  const informers = new Map<Kind, Informer<Kind>>();
  const informer = <K extends Kind>(kind: K, indexers?: Indexers<K>): Informer<K> => {
    const known = indexers === undefined ? informers.get(kind) : undefined;
    if (known !== undefined) return known as unknown as Informer<K>;
    const made = source.informer(kind, indexers);
    informers.set(kind, made);
    return made;
  };
  const connection = { client, informers: { informer } };
  watchForPlugins(connection);
  const waitingPods = new WaitingPods(clock);
  const parts: ProfileParts = {
    clock,
    waitingPods,
    registry: mergedRegistry(registry),
    createHandle: () => createPluginHandle({ clock, connection, snapshot, waitingPods, createPreemptor }),
  };
  if (configuration === undefined) {
    const plain = { schedulerName: 'default-scheduler', percentageOfNodesToScore: 0, plugins: DEFAULT_PLUGINS };
    return buildPlainProfile(plain, parts).framework;
  }
  const [first] = buildProfiles(configuration, parts);
  assert(first !== undefined, 'a configuration of a scheduler has a profile');
  return first.framework;
}
