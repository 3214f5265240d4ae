/**
 * The control plane on which a story is replayed: kubeloom's API server, scheduler and every controller over
 * links of a few milliseconds, fake kubelets and a shared cluster around them as in the recording. It is dealt
 * the recorded choices; it compares nothing.
 */
import { kindRegistry } from '../../../src/api/kinds/registry.js';
import type { Draft, Kind, KindMap } from '../../../src/api/objects/objects.js';
import { createApiServer } from '../../../src/apiserver/api-server.js';
import type { ApiServer, ObjectEvent } from '../../../src/apiserver/store/server-types.js';
import { createBus } from '../../../src/bus/bus.js';
import type { Bus, Latency } from '../../../src/bus/bus-types.js';
import { createControllerManager, type ControllerManager } from '../../../src/controllers/controller-manager.js';
import type { MapOrder } from '../../../src/controllers/runtime/map-order.js';
import { createKernel, type Kernel } from '../../../src/kernel/engine/kernel.js';
import type { PluginFactory } from '../../../src/scheduler/framework/interface.js';
import { DEFAULT_PLUGINS } from '../../../src/scheduler/plugins/registry.js';
import { createScheduler, type Scheduler } from '../../../src/scheduler/scheduler.js';
import { FakeKubelets, FAKE_NODE, type KubeletPace } from './fake-kubelets.js';
import type { Identity, RecordedChoices } from './recorded-choices.js';
import type { SharedCluster } from './shared-cluster.js';
import { kindOf } from './simulated-part.js';
import type { RecordedObject } from './story.js';
import { isObject } from '../recorded-lines.js';

/** The recording took place at some time of its control plane's life; long enough for all to be settled. */
const WARM_UP_MS = 90_000;
/** From the start of the controllers to what their first passes lead to. */
const FIRST_PASS_MS = 25;
const NEIGHBOUR = 'neighbour';
/** What is written as often as its generation tells. */
const GRADUAL_KINDS: ReadonlySet<Kind> = new Set(['Deployment', 'ReplicaSet', 'StatefulSet', 'DaemonSet']);

/** A pass that falls every so often from the start of its controller. */
export interface KnownPass {
  /** Of the story. */
  readonly atMs: number;
  readonly periodMs: number;
}

/** How long messages take, one way, and the identities that objects get. */
export interface PlaneOptions extends KubeletPace {
  readonly seed: string;
  readonly schedulerLatency: Latency;
  readonly controllersLatency: Latency;
  /** What the recorded controllers met first. @defaultValue what came first */
  readonly mapOrder?: MapOrder | undefined;
  /** Some time of the story at which a periodic pass fell. @defaultValue none is known */
  readonly pass?: KnownPass | undefined;
  /** How long the controllers start after the server, ms; put off to a known pass. @defaultValue 0 */
  readonly startMs?: number | undefined;
}

/** As long as requests of the recorded components took: what two of them do at once then comes in the same order. */
export const USUAL_OPTIONS: PlaneOptions = { seed: 'story', schedulerLatency: 2, controllersLatency: 4 };

/** See the file header. */
export class ControlPlane {
  /** Serves the requests of the story, too. */
  readonly server: ApiServer;
  readonly kernel: Kernel;
  readonly #bus: Bus;
  readonly #scheduler: Scheduler;
  readonly #controllers: ControllerManager;
  readonly #kubelets: FakeKubelets;
  #neighbours = 0;
  readonly #startMs: number;
  /** When the controllers start: passes fall every so often from then on. */
  readonly #controllersMs: number;

  constructor(choices: RecordedChoices, cluster: SharedCluster, options: PlaneOptions = USUAL_OPTIONS) {
    const secondMs = cluster.startMs % 1000;
    this.#startMs = WARM_UP_MS + secondMs;
    const { pass, startMs = 0 } = options;
    const toPassMs = pass === undefined ? 0 : this.#startMs + pass.atMs - FIRST_PASS_MS - startMs;
    this.#controllersMs = startMs + (pass === undefined ? 0 : toPassMs % pass.periodMs);
    const dealt = dealtKernel(options.seed, new Date(cluster.startMs - secondMs - WARM_UP_MS));
    this.kernel = dealt.kernel;
    this.server = dealtServer(createApiServer(this.kernel), choices, dealt.deal);
    this.#bus = createBus(this.kernel, this.server);
    this.#scheduler = createScheduler({
      kernel: this.kernel,
      connection: this.#bus.connect('kube-scheduler', { latency: options.schedulerLatency }),
      options: {
        plugins: [...DEFAULT_PLUGINS, { name: 'RecordedNode', weight: 10_000 }],
        registry: { RecordedNode: recordedNode(choices) },
      },
    });
    this.#controllers = createControllerManager({
      kernel: this.kernel,
      connection: this.#bus.connect('kube-controller-manager', { latency: options.controllersLatency }),
      mapOrder: options.mapOrder,
    });
    this.#kubelets = new FakeKubelets(this.kernel, this.server, (uid) => choices.startOf(uid), undefined, options);
    const [namespaces, others] = [true, false].map((isFirst) =>
      cluster.objects.filter(({ kind }) => (kind === 'Namespace') === isFirst),
    );
    for (const object of namespaces ?? []) this.#restore(object);
    for (const name of cluster.namespaces) {
      if (this.server.find('Namespace', { name }) === undefined)
        this.server.create('Namespace', { metadata: { name } });
    }
    for (const object of others ?? []) this.#restore(object);
    for (const name of cluster.nodes) if (this.server.find('Node', { name }) === undefined) this.#addNode(name);
  }

  /** Milliseconds since the story began. */
  get nowMs(): number {
    return this.kernel.clock.now() - this.#startMs;
  }

  /** Starts everything and lets it settle; the story begins then. */
  async start(): Promise<void> {
    this.#kubelets.start();
    this.#scheduler.start();
    await this.kernel.clock.run({ untilMs: this.#controllersMs });
    this.#controllers.start();
    await this.kernel.clock.run({ untilMs: this.#startMs });
  }

  /** Runs until a time of the story, or until a condition holds. */
  async runUntil(atMs: number, isDone: () => boolean = () => false): Promise<void> {
    await this.kernel.clock.run({ untilMs: this.#startMs + atMs, isDone });
  }

  /** Tells of every change of a kind from now on, with the time of the story. */
  watch<K extends Kind>(kind: K, sink: (event: ObjectEvent<K>, atMs: number) => void): void {
    this.server.watch(kind, { resourceVersion: String(this.server.version) }, (event) => {
      if (event.type !== 'BOOKMARK') sink(event, event.atMs - this.#startMs);
    });
  }

  /** Brings the nodes of others to a number, some of them not ready. */
  setNeighbours(count: number, notReady: number): void {
    for (; this.#neighbours < count; this.#neighbours += 1) {
      const name = `${NEIGHBOUR}-${this.#neighbours}`;
      this.#kubelets.silence(name);
      this.#addNode(name, [{ type: 'Ready', status: 'False', reason: 'KubeletNotReady' }]);
    }
    for (; this.#neighbours > count; this.#neighbours -= 1)
      this.server.delete('Node', { name: `${NEIGHBOUR}-${this.#neighbours - 1}` });
    for (let index = notReady; index < count; index += 1) this.#kubelets.speakFor(`${NEIGHBOUR}-${index}`);
  }

  /** Whether an object is none of the story's own. */
  isNeighbour(object: { readonly metadata: { readonly name: string } }): boolean {
    return object.metadata.name.startsWith(`${NEIGHBOUR}-`);
  }

  async dispose(): Promise<void> {
    this.#controllers.dispose();
    await this.#scheduler.dispose();
    this.#bus.dispose();
    this.kernel.clock.dispose();
  }

  /** Puts in an object as it was, its status included. */
  #restore(object: RecordedObject): void {
    const kind = kindOf(object);
    if (kind === undefined || this.server.find(kind, object.metadata) !== undefined) return;
    const { uid: _uid, resourceVersion: _version, managedFields: _managers, ...metadata } = object.metadata;
    const { status, spec } = object;
    const write = (draft: object, resourceVersion: string): KindMap[Kind] =>
      this.server.update(kind, { ...object, ...draft, metadata: { ...metadata, resourceVersion } });
    const changes = GRADUAL_KINDS.has(kind) ? Number(metadata['generation'] ?? 1) - 1 : 0;
    const delays = Number((isObject(spec) ? spec['minReadySeconds'] : undefined) ?? 0);
    const changed = (left: number): object =>
      left === 0 ? {} : { spec: { ...(spec as object), minReadySeconds: delays + left } };
    let made: KindMap[Kind] = this.server.create(kind, { ...object, ...changed(changes), metadata });
    for (let left = changes - 1; left >= 0; left -= 1) {
      made = write(changed(left), made.metadata.resourceVersion);
    }
    if (!isObject(status) || !kindRegistry[kind].hasStatus) return;
    const { resourceVersion } = made.metadata;
    this.server.update(kind, { ...object, metadata: { ...metadata, resourceVersion } }, 'status');
  }

  #addNode(name: string, conditions: readonly object[] = []): void {
    const room = { cpu: '32', memory: '256Gi', pods: '110' };
    this.server.create('Node', {
      metadata: { name, labels: { type: 'kwok', 'kubernetes.io/hostname': name }, annotations: FAKE_NODE },
      status: { capacity: room, allocatable: room, conditions },
    });
  }
}

/** A kernel with which the identity of the next object can be laid down. */
export interface DealtKernel {
  readonly kernel: Kernel;
  readonly deal: (next: Identity | undefined) => void;
}

export function dealtKernel(seed: string, epoch: Date): DealtKernel {
  const kernel = createKernel({ seed, epoch: epoch.toISOString().replace('.000Z', 'Z') });
  const { ids, timestamps } = kernel;
  let dealt: Identity | undefined;
  return {
    kernel: {
      ...kernel,
      ids: { uid: () => dealt?.uid ?? ids.uid(), nameSuffix: () => ids.nameSuffix() },
      timestamps: { ...timestamps, toTime: (atMs) => dealt?.created ?? timestamps.toTime(atMs) },
    },
    deal(next) {
      dealt = next;
    },
  };
}

/** A server that takes generated names, uids and times of creation as they are dealt. */
export function dealtServer(server: ApiServer, choices: RecordedChoices, deal: DealtKernel['deal']): ApiServer {
  const create = <K extends Kind>(kind: K, draft: Draft): KindMap[K] => {
    const { name = '', generateName = '' } = draft.metadata ?? {};
    const namespace = server.describe(kind).isNamespaced ? draft.metadata?.namespace || 'default' : '';
    const dealtName = name === '' && generateName !== '' ? choices.nextName(kind, generateName, draft) : undefined;
    const wanted =
      dealtName === undefined
        ? withRecordedHash(kind, draft, choices)
        : { ...draft, metadata: { ...draft.metadata, name: dealtName } };
    const wantedName = wanted.metadata?.name ?? '';
    deal(kind === 'Event' ? undefined : choices.nextIdentity(kind, namespace, wantedName));
    try {
      const created = server.create(kind, wanted);
      if (kind !== 'Event') choices.take(kind, namespace, wantedName, generateName);
      return created;
    } finally {
      deal(undefined);
    }
  };
  return new Proxy(server, {
    get(target, property): unknown {
      if (property === 'create') return create;
      const value: unknown = Reflect.get(target, property, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
    set: (target, property, value) => Reflect.set(target, property, value, target),
  });
}

/** Labels with a hash over something as their value, which also ends the object's name. */
const HASH_LABELS = ['pod-template-hash', 'controller.kubernetes.io/hash', 'controller-revision-hash'];

/** Ours hash a template in their own way: what is named after a hash gets the recorded one, throughout. */
function withRecordedHash(kind: Kind, draft: Draft, choices: RecordedChoices): Draft {
  const { name = '', namespace = '', labels = {}, ownerReferences = [] } = draft.metadata ?? {};
  const owner = ownerReferences.find(({ controller }) => controller === true)?.name;
  const hash = HASH_LABELS.map((label) => labels[label]).find((value) => value !== undefined && value !== null);
  if (owner === undefined || hash === undefined || name !== `${owner}-${hash}`) return draft;
  const recorded = choices.hashedName(kind, namespace, owner, name)?.slice(owner.length + 1);
  if (recorded === undefined || recorded === hash) return draft;
  return JSON.parse(JSON.stringify(draft).replaceAll(hash, recorded)) as Draft;
}

/** Among feasible nodes, the recorded one. */
export function recordedNode(choices: RecordedChoices): PluginFactory {
  return () => ({
    name: 'RecordedNode',
    score: (_state, { pod }, node) => (choices.nodeOf(pod.metadata.uid) === node.name ? 100 : 0),
  });
}
