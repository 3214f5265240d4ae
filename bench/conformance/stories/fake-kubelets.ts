/**
 * The outside world of the recordings: kubelets that only say what a kubelet would say. A node with the
 * annotation `kwok.x-k8s.io/node` is ready, and is so again at once when another writer says otherwise; a
 * pod that is bound to one runs and is ready, one of a Job has then succeeded; a pod that is to go is
 * deleted with grace 0 once no finalizer holds it, also from a node that does not exist. The leases of the
 * nodes are kept. Mirrors kwok's fast stages.
 */
import type { Kind, KindMap, Node, ObjectName, Pod } from '../../../src/api/objects/objects.js';
import type { ApiServer } from '../../../src/apiserver/store/server-types.js';
import type { Kernel } from '../../../src/kernel/engine/kernel.js';
import type { PodStart } from './recorded-choices.js';

/** Milliseconds from a change to what is said about it: of a pod, and of a node. */
const POD_REACTION_MS = 10;
const NODE_REACTION_MS = 15;
const LEASE_NAMESPACE = 'kube-node-lease';
/** Of every machine, as its pods see it. */
const HOST_ADDRESS = '10.0.0.1';

/** What kubelets take, ms. */
export interface KubeletPace {
  /** From the mark of a pod that is to go to its deletion. @defaultValue 10 */
  readonly deletionMs?: number | undefined;
  /** From another change of a pod to what is said about it. @defaultValue 10 */
  readonly reactionMs?: number | undefined;
}

/** Marks the nodes that have a fake kubelet. */
export const FAKE_NODE = { 'kwok.x-k8s.io/node': 'fake' } as const;

const HEALTHY = [
  ['Ready', 'True', 'KubeletReady', 'kubelet is posting ready status'],
  ['MemoryPressure', 'False', 'KubeletHasSufficientMemory', 'kubelet has sufficient memory available'],
  ['DiskPressure', 'False', 'KubeletHasNoDiskPressure', 'kubelet has no disk pressure'],
  ['PIDPressure', 'False', 'KubeletHasSufficientPID', 'kubelet has sufficient PID available'],
  ['NetworkUnavailable', 'False', 'RouteCreated', 'RouteController created a route'],
] as const;

/** See the file header. */
export class FakeKubelets {
  readonly #kernel: Kernel;
  readonly #server: ApiServer;
  readonly #startOf: (uid: string) => PodStart | undefined;
  /** Nodes that have no fake kubelet yet. */
  readonly #silent = new Set<string>();
  readonly #leased = new Set<string>();

  readonly #nodeAddress: string;
  readonly #pace: KubeletPace;

  /**
   * @param startOf - how a pod is to start, if that is laid down
   * @param pace - how long they take to say what they say
   */
  constructor(
    kernel: Kernel,
    server: ApiServer,
    startOf: (uid: string) => PodStart | undefined,
    nodeAddress: string = HOST_ADDRESS,
    pace: KubeletPace = {},
  ) {
    this.#kernel = kernel;
    this.#server = server;
    this.#startOf = startOf;
    this.#nodeAddress = nodeAddress;
    this.#pace = pace;
  }

  start(): void {
    const isOfInterest = (node: Node): boolean => isUnready(node) || !this.#leased.has(node.metadata.uid);
    this.#react(
      'Node',
      () => NODE_REACTION_MS,
      isOfInterest,
      (name) => this.#lookAtNode(name),
    );
    const { deletionMs = POD_REACTION_MS, reactionMs = POD_REACTION_MS } = this.#pace;
    const delayOf = ({ metadata }: Pod): number => (metadata.deletionTimestamp === undefined ? reactionMs : deletionMs);
    this.#react('Pod', delayOf, isBound, (name) => this.#lookAtPod(name));
  }

  /** The node has no kubelet before {@link speakFor}. */
  silence(node: string): void {
    this.#silent.add(node);
  }

  speakFor(node: string): void {
    this.#silent.delete(node);
    this.#lookAtNode({ name: node });
  }

  #react<K extends Kind>(
    kind: K,
    delayOf: (object: KindMap[K]) => number,
    isOfInterest: (object: KindMap[K]) => boolean,
    look: (name: ObjectName) => void,
  ): void {
    this.#server.watch(kind, {}, (event) => {
      if (event.type === 'BOOKMARK' || event.type === 'DELETED' || !isOfInterest(event.object)) return;
      const { namespace, name } = event.object.metadata;
      this.#kernel.clock.schedule(delayOf(event.object), () => look({ namespace, name }));
    });
  }

  #lookAtNode(name: ObjectName): void {
    const node = this.#server.find('Node', name);
    if (node === undefined || !isFake(node) || this.#silent.has(node.metadata.name)) return;
    this.#lease(node);
    if (!isUnready(node)) return;
    const time = this.#now();
    this.#server.patch(
      'Node',
      name,
      { type: 'strategic', body: { status: healthyStatus(node, time, this.#nodeAddress) } },
      'status',
    );
  }

  /** Renewed whenever it is read. */
  #lease({ metadata: { name, uid } }: Node): void {
    if (this.#leased.has(uid)) return;
    this.#leased.add(uid);
    const { clock, timestamps } = this.#kernel;
    const renewTime = timestamps.toMicroTime(clock.now());
    const spec = { holderIdentity: name, leaseDurationSeconds: 40, renewTime };
    const key = { namespace: LEASE_NAMESPACE, name };
    if (this.#server.find('Lease', key) === undefined) this.#server.create('Lease', { metadata: key, spec });
    this.#server.renewLease(name, { firstMs: clock.now(), periodMs: 10_000 });
  }

  #lookAtPod(name: ObjectName): void {
    const pod = this.#server.find('Pod', name);
    if (pod?.spec.nodeName === undefined) return;
    const { metadata, status } = pod;
    const node = this.#server.find('Node', { name: pod.spec.nodeName });
    if (node !== undefined && !isFake(node)) return;
    if (metadata.deletionTimestamp !== undefined) {
      if ((metadata.finalizers ?? []).length === 0) this.#server.delete('Pod', name, { gracePeriodSeconds: 0 });
      return;
    }
    if (node === undefined) return;
    if (status.podIP === undefined)
      this.#say(pod, runningStatus(pod, this.#startOf(metadata.uid) ?? this.#anyStart(pod)));
    else if (status.phase === 'Running' && metadata.ownerReferences?.some(({ kind }) => kind === 'Job') === true)
      this.#say(pod, succeededStatus(pod, this.#now()));
  }

  #anyStart({ metadata: { uid } }: Pod): PodStart {
    return { address: podAddress(uid), time: this.#now() };
  }

  #say(pod: Pod, status: object): void {
    this.#server.patch('Pod', pod.metadata, { type: 'strategic', body: { status } }, 'status');
  }

  #now(): string {
    return this.#kernel.timestamps.toTime(this.#kernel.clock.now());
  }
}

function isUnready({ status }: Node): boolean {
  return status.conditions?.some((condition) => condition.type === 'Ready' && condition.status === 'True') !== true;
}

function isBound({ spec }: Pod): boolean {
  return spec.nodeName !== undefined;
}

function isFake({ metadata }: Node): boolean {
  return metadata.annotations?.['kwok.x-k8s.io/node'] !== undefined;
}

function healthyStatus(node: Node, time: string, address: string): object {
  const { capacity, allocatable } = node.status;
  const room = { cpu: '1k', memory: '1Ti', pods: '1M' };
  return {
    ...(allocatable === undefined ? { allocatable: room } : {}),
    ...(capacity === undefined ? { capacity: room } : {}),
    phase: 'Running',
    conditions: HEALTHY.map(([type, status, reason, message]) => ({
      type,
      status,
      reason,
      message,
      lastHeartbeatTime: time,
      lastTransitionTime: time,
    })),
    addresses: [
      { type: 'InternalIP', address },
      { type: 'Hostname', address: node.metadata.name },
    ],
    daemonEndpoints: { kubeletEndpoint: { Port: 10_247 } },
    nodeInfo: {
      architecture: 'amd64',
      bootID: '',
      containerRuntimeVersion: 'kwok-v0.7',
      kernelVersion: 'kwok-v0.7',
      kubeProxyVersion: 'kwok-v0.7',
      kubeletVersion: 'kwok-v0.7',
      machineID: '',
      operatingSystem: 'linux',
      osImage: '',
      systemUUID: '',
    },
  };
}

function runningStatus({ spec }: Pod, { address: ip, time }: PodStart): object {
  const isTrue = (type: string): object => ({ type, status: 'True', lastTransitionTime: time });
  const gates = (spec.readinessGates ?? []).map(({ conditionType }) => isTrue(conditionType));
  const { initContainers = [] } = spec;
  return {
    phase: 'Running',
    conditions: [...['Initialized', 'Ready', 'ContainersReady'].map(isTrue), ...gates],
    hostIP: HOST_ADDRESS,
    hostIPs: [{ ip: HOST_ADDRESS }],
    podIP: ip,
    podIPs: [{ ip }],
    startTime: time,
    containerStatuses: spec.containers.map((container) => ({
      ...statusOf(container),
      ready: true,
      state: { running: { startedAt: time } },
    })),
    ...(initContainers.length === 0
      ? {}
      : {
          initContainerStatuses: initContainers.map((container) =>
            container.restartPolicy === 'Always'
              ? { ...statusOf(container), ready: true, started: true, state: { running: { startedAt: time } } }
              : { ...statusOf(container), ready: true, state: { terminated: ended(time) } },
          ),
        }),
  };
}

function succeededStatus({ spec }: Pod, time: string): object {
  return {
    phase: 'Succeeded',
    containerStatuses: spec.containers.map((container) => ({
      ...statusOf(container),
      ready: false,
      started: false,
      state: { terminated: ended(time) },
    })),
  };
}

function ended(time: string): object {
  return { exitCode: 0, reason: 'Completed', startedAt: time, finishedAt: time };
}

function statusOf({ name, image }: { readonly name: string; readonly image?: string }): object {
  return { name, image: image ?? '', imageID: '', restartCount: 0, lastState: {} };
}

/** An address that no other pod has, or hardly. */
function podAddress(uid: string): string {
  const digits = uid.replaceAll(/[^0-9a-f]/g, '');
  return `10.${[0, 2, 4].map((place) => Number.parseInt(digits.slice(place, place + 2), 16)).join('.')}`;
}
