/**
 * The cluster in which a recording is replayed: API server, scheduler and controllers of ours, served over the network
 * as `kubeloom serve` does it, with fake kubelets on three nodes as in the recording. Names that were generated and
 * the choices of the scheduler are dealt as they were recorded, so that what follows from them can be compared.
 */
import { ApiError } from '../../../src/api/errors/api-error.js';
import { createApiServer } from '../../../src/apiserver/api-server.js';
import { keepCustomServices } from '../../../src/apiserver/requests/custom-services.js';
import { keepKubernetesService } from '../../../src/apiserver/requests/kubernetes-service.js';
import type { ApiServer } from '../../../src/apiserver/store/server-types.js';
import { createInitialObjects } from '../../../src/assembly/initial-objects.js';
import { createBus } from '../../../src/bus/bus.js';
import type { Bus } from '../../../src/bus/bus-types.js';
import { createControllerManager } from '../../../src/controllers/controller-manager.js';
import type { ControllerManager } from '../../../src/controllers/controller-manager.js';
import type { Kernel } from '../../../src/kernel/engine/kernel.js';
import { Metrics } from '../../../src/metrics/metrics.js';
import { ADMINISTRATOR, type ApiRequest } from '../../../src/requests/api-request.js';
import { createRequests } from '../../../src/requests/requests.js';
import { DEFAULT_PLUGINS } from '../../../src/scheduler/plugins/registry.js';
import { createScheduler, type Scheduler } from '../../../src/scheduler/scheduler.js';
import { listen, type Listening } from '../../../src/server/listen.js';
import type { NodeStreams } from '../../../src/server/streams/node-streams.js';
import { dealtKernel, dealtServer, recordedNode, USUAL_OPTIONS } from '../stories/control-plane.js';
import { FakeKubelets, FAKE_NODE } from '../stories/fake-kubelets.js';
import type { HiddenDeletion, HiddenPod } from './hidden-changes.js';
import type { RecordedChoices } from '../stories/recorded-choices.js';

/** The program that made the recorded nodes and played their kubelets. */
const RECORDER = 'recorder';
const NODES = ['node-0', 'node-1', 'node-2'];
const ROOM = { cpu: '8', memory: '32Gi', pods: '110' };
const NODE_ADDRESS = '127.0.0.1';
const KUBELET_PORT = 10_247;
/** From the mark of a pod to its deletion: two that are deleted 12 ms apart were both still seen. */
const DELETION_MS = 20;
/** Where the names of the nodes are not known. */
const NAME_SERVER = '10.0.0.2:53';
/** As long as it takes for all to be settled. */
const WARM_UP_MS = 90_000;
/** So long before the first command the nodes come to be. */
const NODES_BEFORE_MS = 20_000;

/** The recorded server was built by OpenShift, whose servers have a role more than upstream's. */
const BUILDER_ROLE = 'system:openshift:public-info-viewer';
const BUILDER_METADATA = {
  name: BUILDER_ROLE,
  labels: { 'kubernetes.io/bootstrapping': 'rbac-defaults' },
  annotations: { 'rbac.authorization.kubernetes.io/autoupdate': 'true' },
};
const RBAC = 'rbac.authorization.k8s.io';
const BUILDER_ROLES = [
  [
    'ClusterRole',
    { metadata: BUILDER_METADATA, rules: [{ nonResourceURLs: ['/.well-known', '/.well-known/*'], verbs: ['get'] }] },
  ],
  [
    'ClusterRoleBinding',
    {
      metadata: BUILDER_METADATA,
      roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: BUILDER_ROLE },
      subjects: ['system:authenticated', 'system:unauthenticated'].map((name) => {
        return { apiGroup: RBAC, kind: 'Group', name };
      }),
    },
  ],
] as const;

/** See the file header. */
export class WireCluster {
  readonly kernel: Kernel;
  readonly server: ApiServer;
  readonly #bus: Bus;
  readonly #scheduler: Scheduler;
  readonly #controllers: ControllerManager;
  readonly #kubelets: FakeKubelets;
  readonly #metrics = new Metrics();
  /** Simulated time 0 by the recorded clock. */
  readonly #epochMs: number;
  #listening: Listening | undefined;

  /** @param startMs - when the first command begins, by the recorded clock */
  constructor(choices: RecordedChoices, startMs: number) {
    const secondMs = startMs % 1000;
    this.#epochMs = startMs - secondMs - WARM_UP_MS;
    const dealt = dealtKernel('wire', new Date(this.#epochMs));
    this.kernel = dealt.kernel;
    const plain = createApiServer(this.kernel, { serviceAccounts: true });
    plain.tracksFields = true;
    plain.beginsAs = 'kube-apiserver';
    // The recorded servers were told to keep no endpoints of their own.
    keepKubernetesService(this.kernel, plain, { hasEndpoints: false });
    const rolesSince = this.kernel.timestamps.toTime(0);
    createInitialObjects(plain, { serviceAccounts: true, rootCas: true, defaultStorageClass: false, rolesSince });
    keepCustomServices(this.kernel, plain);
    for (const [kind, object] of BUILDER_ROLES) plain.create(kind, object);
    plain.beginsAs = undefined;
    plain.watchesSince = plain.version;
    this.server = dealtServer(plain, choices, dealt.deal);
    this.#bus = createBus(this.kernel, this.server);
    this.#scheduler = createScheduler({
      kernel: this.kernel,
      connection: this.#bus.connect('kube-scheduler', { latency: USUAL_OPTIONS.schedulerLatency }),
      options: {
        plugins: [...DEFAULT_PLUGINS, { name: 'RecordedNode', weight: 10_000 }],
        registry: { RecordedNode: recordedNode(choices) },
      },
    });
    this.#controllers = createControllerManager({
      kernel: this.kernel,
      connection: this.#bus.connect('kube-controller-manager', { latency: USUAL_OPTIONS.controllersLatency }),
      metrics: this.#metrics,
    });
    const recorder = asRecorder(this.server);
    this.#kubelets = new FakeKubelets(this.kernel, recorder, () => undefined, NODE_ADDRESS, {
      deletionMs: DELETION_MS,
    });
  }

  /** Starts everything, and serves it once it has settled. @param namespace - that of the recording */
  async start(namespace: string): Promise<Listening> {
    this.#kubelets.start();
    this.#scheduler.start();
    this.#controllers.start();
    const { clock } = this.kernel;
    await clock.run({ untilMs: WARM_UP_MS - NODES_BEFORE_MS });
    const recorder = asRecorder(this.server);
    for (const [index, name] of NODES.entries()) {
      const labels = { 'kubernetes.io/hostname': name, 'topology.kubernetes.io/zone': `z${index}`, type: 'kwok' };
      const status = { capacity: ROOM, allocatable: ROOM };
      recorder.create('Node', { metadata: { name, labels, annotations: FAKE_NODE }, status });
    }
    if (this.server.find('Namespace', { name: namespace }) === undefined) {
      recorder.create('Namespace', { metadata: { name: namespace } });
    }
    await clock.run({ untilMs: WARM_UP_MS });
    // The recorder had swept away what was told of its nodes.
    for (const { metadata } of this.server.list('Event', { namespace: 'default' }).items) {
      this.server.delete('Event', metadata);
    }
    const requests = createRequests({ server: this.server, kernel: this.kernel });
    this.#listening = await listen(
      {
        clock,
        answer: (request) => requests.answer(asRecordedUser(request)),
        metrics: () => this.#metrics.text(),
        nodes: silentNodes(this.server, this.kernel),
        userOfToken: (token) => requests.userOfToken(token),
        secureTokens: (seal, read) => requests.secureTokens(seal, read),
      },
      { port: 0, insecureHttp: true },
    );
    return this.#listening;
  }

  /** Lets simulated time go on to a moment of the recorded clock. */
  async runUntil(recordedMs: number): Promise<void> {
    const { clock } = this.kernel;
    await clock.run({ untilMs: Math.max(clock.now(), recordedMs - this.#epochMs) });
  }

  /** The present by the recorded clock. */
  get recordedMs(): number {
    return this.kernel.clock.now() + this.#epochMs;
  }

  /** Deletes an object when it was deleted in the recording. @param startMs - of the command, by the recorded clock */
  deleteAt(startMs: number, { kind, name, ms }: HiddenDeletion): void {
    this.#at(startMs + ms, () => {
      if (this.server.find(kind, name) !== undefined) this.server.delete(kind, name);
    });
  }

  /** Makes a pod when it was made in the recording. @param startMs - of the command, by the recorded clock */
  createPodAt(startMs: number, { metadata, containers, ms }: HiddenPod): void {
    this.#at(startMs + ms, () => {
      if (this.server.find('Pod', metadata) !== undefined) return;
      const spec = { containers: [...containers].map(([name, image]) => ({ name, image })) };
      asRecorder(this.server).create('Pod', { metadata, spec });
    });
  }

  #at(recordedMs: number, act: () => void): void {
    this.kernel.clock.schedule(Math.max(0, recordedMs - this.recordedMs), act);
  }

  async dispose(): Promise<void> {
    await this.#listening?.close();
    this.#controllers.dispose();
    await this.#scheduler.dispose();
    this.#bus.dispose();
    this.kernel.clock.dispose();
  }
}

/** The server as the recorder writes to it. */
function asRecorder(server: ApiServer): ApiServer {
  const methods = new Map<PropertyKey, string>([
    ['create', ''],
    ['patch', 'status'],
  ]);
  return new Proxy(server, {
    get(target, property): unknown {
      const value: unknown = Reflect.get(target, property, target);
      if (typeof value !== 'function') return value;
      const subresource = methods.get(property);
      if (subresource === undefined) return value.bind(target) as unknown;
      return (...parameters: readonly unknown[]): unknown => {
        target.fieldManager = { name: RECORDER, subresource };
        try {
          return Reflect.apply(value, target, parameters) as unknown;
        } finally {
          target.fieldManager = undefined;
        }
      };
    },
  });
}

/** Nodes on which no kubelet listens. */
function silentNodes(server: ApiServer, { clock, timestamps }: Kernel): NodeStreams {
  return {
    pod: (namespace, name) => server.get('Pod', { namespace, name }),
    service: (namespace, name) => server.get('Service', { namespace, name }),
    hasNode: () => true,
    servers: {
      isLoaded: true,
      isAtHand: true,
      load: () => Promise.resolve(),
      begin: () => undefined,
      behind: () => undefined,
      at: () => undefined,
    },
    logLines({ metadata: { namespace, name }, spec: { nodeName = '' } }, container) {
      const url = `https://${nodeName}:${KUBELET_PORT}/containerLogs/${namespace}/${name}/${container}`;
      const problem = `dial tcp: lookup ${nodeName} on ${NAME_SERVER}: no such host`;
      throw new ApiError(500, undefined, `Get ${JSON.stringify(url)}: ${problem}`);
    },
    exec: () => ({ input: () => undefined, kill: () => undefined }),
    toMs: (timestamp) => timestamps.toMs(timestamp),
    toTime: (ms) => timestamps.toTime(ms),
    nowMs: () => clock.now(),
  };
}

/** The user of the recorded commands, in place of the one whose credentials the proxy adds. */
function asRecordedUser(request: ApiRequest): ApiRequest {
  return { ...request, user: ADMINISTRATOR };
}
