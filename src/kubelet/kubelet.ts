/**
 * The kubelet of one node: registers it, runs the pods that are bound to it and reports how they are.
 * It owns one XState actor system (node machine and, under it, one pod machine per pod) and the node's
 * truth: what its runtime runs, whatever the API shows. It talks to the API server alone,
 * never places pods, and costs nothing while nothing happens. Mirrors kubelet v1.34 (pkg/kubelet).
 */
import type { core, Node, ObjectName, ResourceList } from '../api/objects/objects.js';
import { wholeValue } from '../api/values/quantity.js';
import type { Connection, EventRecorder } from '../bus/bus-types.js';
import type { Timer } from '../kernel/engine/clock.js';
import type { Kernel } from '../kernel/engine/kernel.js';
import { MachineWatch, type Trail } from '../machines/trail.js';
import { addressPlanOf, type AddressPlan } from './node/address-plan.js';
import { ConfigCache } from './config/config-cache.js';
import { ContainerRuntime } from './containers/container-runtime.js';
import { machineCapacity } from './node/machine-capacity.js';
import { ImagePuller } from './containers/image-puller.js';
import { ImageStore } from './images/image-store.js';
import { resolveKubeletConfiguration, type KubeletSettings } from './configuration/kubelet-configuration.js';
import { machineMemory } from './resumption/machine-memory.js';
import { resumeMachine } from './resumption/resume-machine.js';
import type { MachineMemory, ResumedMachine } from './resumed/resumed-machine.js';
import { OomKiller, type MachineLimits } from './memory/oom-killer.js';
import { NodeAgent, type NodeAgentParts } from './node-agent.js';
import type { NodeContext } from './node/node-context.js';
import { NodeLease, RENEW_INTERVAL_MS, type RenewLease } from './node/node-lease.js';
import { NodeEvents } from './node/node-events.js';
import { allocatableOf, capacityOf } from './node/node-allocatable.js';
import { allLabels, bootIdOf, type Machine, type NodeSetup } from './node/node-object.js';
import { NodeResources } from './node/node-resources.js';
import { NodeSituation, type ActivePod, type NodeFacts } from './node/node-situation.js';
import { PodNetwork } from './network/pod-network.js';
import { createPlayGround, type PlayGround } from './playing/play-ground.js';
import { Players } from './playing/players.js';
import { PodEvents } from './events/pod-events.js';
import type { Condemnation } from './node/pod-verdict.js';
import { ProcessWatch } from './containers/process-facts.js';
import { ProbeManager } from './probes/probe-manager.js';
import { RetryTimes } from './retry-times.js';
import { requestServers, type RequestServer, type RequestWork } from './containers/request-work.js';
import {
  presentUses,
  resourceUseOf,
  steadyUses,
  type PodResourceUse,
  type PresentUse,
  type SteadyUse,
} from './pods/resource-use.js';
import type { RuntimeProfile } from './scripts/runtime-profile.js';
import type { MountTable } from './volumes/mount-table.js';
import { VolumeGrowth } from './volumes/volume-growth.js';
import { VolumeManager } from './volumes/volume-manager.js';
import { createScriptSource } from './scripts/script-source.js';
import type { ScriptSource } from './scripts/script-types.js';
import { sharedPartsOf } from './status/shared-parts.js';
import { staticPod } from './static-pods/static-pod.js';

export type { NodeSetup } from './node/node-object.js';

/** From the release of the last inhibitor lock until the system has stopped its services and is off. */
const SYSTEM_STOP_MS = 1000;

/** What a kubelet is made of. */
export interface KubeletOptions {
  readonly kernel: Kernel;
  /** Of the party `kubelet/<node>`, limited as the settings say; closed by {@link Kubelet.dispose}. */
  readonly connection: Connection;
  readonly node: NodeSetup;
  readonly runtime: RuntimeProfile;
  /** Checked already; the node's own configuration is in it. @defaultValue of the node's setup */
  readonly settings?: KubeletSettings | undefined;
  /** Where containers' scripts come from. @defaultValue annotations alone */
  readonly scripts?: ScriptSource | undefined;
  /** Whether volumes that one node alone may have are mounted only by their attach records. @defaultValue false */
  readonly attachRecords?: boolean | undefined;
  /** Told what processes do on the machine. */
  readonly processes?: ProcessWatch | undefined;
  /** Told of the steps of the machines of the node and its pods. */
  readonly machineWatch?: MachineWatch | undefined;
  /** Which volumes have grown. @defaultValue none, ever */
  readonly growth?: VolumeGrowth | undefined;
  /** What connects its pods with those of other machines. @defaultValue nothing does */
  readonly network?: PodNetwork | undefined;
  /** What requests from outside cost. @defaultValue there are none */
  readonly requestWork?: RequestWork | undefined;
  /** Told when the kubelet's process begins or ends. */
  readonly onTurn?: ((node: string) => void) | undefined;
  /** What the containers of all machines that compute share. @defaultValue one of its own */
  readonly ground?: PlayGround | undefined;
  /**
   * Tells how the node's lease is renewed from now on, or that it no longer is: a healthy lease is not
   * written every ten seconds but computed when it is read.
   */
  readonly renewLease?: RenewLease | undefined;
}

/** A node agent that can be switched off and on. */
export interface Kubelet {
  /** The node's name. */
  readonly name: string;
  /** What runs on the machine, whatever its kubelet knows of it: faults act on it. */
  readonly runtime: ContainerRuntime;
  /** What is mounted on the machine, whatever the API shows. */
  readonly mounts: MountTable;
  /** Where the machines of the node and its pods have been; nothing while the kubelet does not run. */
  machines(): Iterable<Trail>;
  /** What its pods use now; nothing while the kubelet does not run. */
  resourceUse(): Iterable<PodResourceUse>;
  /** What the running containers of one pod use now; `undefined` where it does not run. */
  useOf(name: ObjectName, uid: string): readonly PresentUse[] | undefined;
  /** The same, where it goes on so until a process, a pod, the kubelet or a load of requests turns. */
  steadyUseOf(name: ObjectName, uid: string): readonly SteadyUse[] | undefined;
  /** Registers the node, or takes an existing one over, and begins to run its pods. */
  start(): void;
  /** Those of a pod's containers that requests cost something; `undefined` where no such pod runs. */
  requestServers(name: ObjectName): readonly RequestServer[] | undefined;
  /** What it knows that no object tells. @param node - its node as the API shows it */
  memory(node: Node | undefined): MachineMemory;
  /** Ends a pod for the node's sake, as an eviction does; a pod that is not there is left alone. */
  condemn(uid: string, condemnation: Condemnation): void;
  /** Whether the machine is on. */
  readonly isPowered: boolean;
  /** Since when the kubelet's process runs, simulated ms; absent = it does not. */
  readonly runningSinceMs: number | undefined;
  /**
   * Says that the machine is going to be switched off: the node turns not ready at once, takes no pods any
   * more, and ends those that it has, as its configuration gives them time.
   *
   * @param onReleased - told when nothing holds that up any more: they have ended, or their time is over, or the
   * kubelet's process has ended; and the system has stopped its services
   * @returns `false` when no kubelet runs, or its configuration gives no time: then nothing happens
   */
  shutDown(onReleased?: () => void): boolean;
  /** Says that the machine stays on after all. The pods that were told to end do so; then the node takes others again. */
  callOffShutdown(): void;
  /** Ends the kubelet's process: nothing is written any more; containers go on running. */
  stop(): void;
  /** Switches the machine off: its process and every container end at once, without a word to the API server. */
  powerOff(): void;
  /**
   * Switches it on again, with what its disk has kept: images, and its runtime's records of pods and containers. The
   * kubelet is started by {@link Kubelet.start}.
   */
  powerOn(): void;
  /** Switches off the machine for good and closes the connection. */
  dispose(): void;
  /** Whether that was done. */
  readonly isDisposed: boolean;
}

/** Builds the kubelet of one node; nothing happens before {@link Kubelet.start}. */
export function createKubelet(options: KubeletOptions): Kubelet {
  return new NodeKubelet(options);
}

class NodeKubelet implements Kubelet {
  readonly name: string;
  readonly runtime: ContainerRuntime;
  readonly mounts: MountTable;
  readonly #options: KubeletOptions;
  readonly #parts: NodeAgentParts;
  /** What its first process takes over. */
  #resumed: ResumedMachine | undefined;
  #agent: NodeAgent | undefined;
  #isPowered = true;
  #isDisposed = false;
  #startedMs = 0;
  /** Called when a shutdown has come to its end. */
  readonly #awaitingOff: (() => void)[] = [];
  #stopTimer: Timer | undefined;

  constructor(options: KubeletOptions) {
    this.name = options.node.name;
    this.#options = options;
    this.#parts = partsOf(options, () => this.#agent?.imagesChanged());
    this.runtime = this.#parts.context.runtime;
    this.mounts = this.#parts.context.volumes.mounts;
    this.#resumed = options.node.resumed;
    if (this.#resumed === undefined) return;
    resumeMachine(this.#parts.context, this.#resumed);
    if (!this.#resumed.isPowered) this.powerOff();
  }

  start(): void {
    if (this.#agent !== undefined || !this.#isPowered || this.#isDisposed) return;
    this.#agent = new NodeAgent(this.#parts, this.#resumed);
    this.#resumed = undefined;
    this.#startedMs = this.#parts.context.kernel.clock.now();
    this.#agent.start();
    this.#options.onTurn?.(this.name);
  }

  machines(): Iterable<Trail> {
    return this.#agent?.trails() ?? [];
  }

  *resourceUse(): Iterable<PodResourceUse> {
    if (this.#agent === undefined) return;
    const { kernel, situation, requestWork } = this.#parts.context;
    const nowMs = kernel.clock.now();
    for (const { pod, records, sandbox } of situation.active) {
      if (sandbox.isReady) yield resourceUseOf(pod, records, nowMs, requestWork);
    }
  }

  useOf(name: ObjectName, uid: string): readonly PresentUse[] | undefined {
    const found = this.#active(name);
    if (found?.pod.metadata.uid !== uid) return undefined;
    const { kernel, requestWork } = this.#parts.context;
    return presentUses(found.pod, found.records, kernel.clock.now(), requestWork);
  }

  steadyUseOf(name: ObjectName, uid: string): readonly SteadyUse[] | undefined {
    const found = this.#active(name);
    if (found?.pod.metadata.uid !== uid) return undefined;
    const { kernel, requestWork } = this.#parts.context;
    return steadyUses(found.pod, found.records, kernel.clock.now(), requestWork);
  }

  requestServers(name: ObjectName): readonly RequestServer[] | undefined {
    const found = this.#active(name);
    return found && requestServers(found.records, this.#parts.context.machine.allocatable);
  }

  /** The pod of that name, if it runs and the kubelet does. */
  #active({ name, namespace }: ObjectName): ActivePod | undefined {
    if (this.#agent === undefined) return undefined;
    for (const each of this.#parts.context.situation.active) {
      const { metadata } = each.pod;
      if (metadata.name !== name || metadata.namespace !== namespace) continue;
      return each.sandbox.isReady ? each : undefined;
    }
    return undefined;
  }

  memory(node: Node | undefined): MachineMemory {
    const agent = this.#agent;
    const resumed = this.#resumed?.pods;
    const pods = {
      worker: (uid: string) => agent?.worker(uid),
      resumed: (uid: string) => agent?.resumed(uid) ?? resumed?.find(({ pod }) => pod.metadata.uid === uid)?.memory,
    };
    const state = { isRunning: this.#agent !== undefined, isPowered: this.#isPowered };
    return { ...state, ...machineMemory(this.#parts.context, node, pods) };
  }

  condemn(uid: string, condemnation: Condemnation): void {
    this.#agent?.condemn(uid, condemnation);
  }

  get runningSinceMs(): number | undefined {
    return this.#agent === undefined ? undefined : this.#startedMs;
  }

  get isPowered(): boolean {
    return this.#isPowered;
  }

  shutDown(onReleased: () => void = () => undefined): boolean {
    if (this.#agent?.shutdown.shutDown(() => this.#stopServices()) !== true) return false;
    this.#awaitingOff.push(onReleased);
    return true;
  }

  callOffShutdown(): void {
    this.#awaitingOff.length = 0;
    this.#endStop();
    this.#agent?.shutdown.callOff();
  }

  stop(): void {
    this.#agent?.stop();
    this.#agent = undefined;
    this.#options.onTurn?.(this.name);
  }

  powerOff(): void {
    this.stop();
    this.#isPowered = false;
    this.#endStop();
    this.runtime.powerOff();
    this.#parts.context.oomKiller.powerOff();
    this.mounts.clear();
    for (const onReleased of this.#awaitingOff.splice(0)) onReleased();
  }

  powerOn(): void {
    if (this.#isPowered || this.#isDisposed) return;
    this.#isPowered = true;
    this.runtime.powerOn();
    const { machine, kernel } = this.#parts.context;
    machine.bootId = bootIdOf(machine.name, kernel.clock.now());
  }

  get isDisposed(): boolean {
    return this.#isDisposed;
  }

  dispose(): void {
    this.#awaitingOff.length = 0;
    this.#isDisposed = true;
    this.powerOff();
    this.#parts.context.network.leave(this.name);
    this.#options.connection.dispose();
  }

  /** Nothing holds the shutdown up any more. */
  #stopServices(): void {
    const { clock } = this.#parts.context.kernel;
    this.#stopTimer ??= clock.schedule(SYSTEM_STOP_MS, () => {
      this.#stopTimer = undefined;
      for (const onReleased of this.#awaitingOff.splice(0)) onReleased();
    });
  }

  #endStop(): void {
    if (this.#stopTimer !== undefined) this.#parts.context.kernel.clock.cancel(this.#stopTimer);
    this.#stopTimer = undefined;
  }
}

/** What a machine keeps over the restarts of its kubelet. */
function partsOf(options: KubeletOptions, onImageKept: () => void): NodeAgentParts {
  const { kernel, connection, node } = options;
  const plan = addressPlanOf(kernel);
  const random = kernel.random(`kubelet/${node.name}`);
  const phaseMs = random.int(0, RENEW_INTERVAL_MS - 1);
  const { resumed } = node;
  const addresses = addressesOf(node, resumed === undefined ? plan.hostAddress() : node.name);
  if (resumed !== undefined) reserveAddresses(plan, resumed);
  for (const manifest of node.staticPods ?? []) staticPod(manifest, node.name, '');
  const settings = options.settings ?? resolveKubeletConfiguration(node.kubelet);
  const machine = machineOf(kernel, node, addresses, settings);
  const eventClient = connection.openClient(settings.limits.events);
  const recorder = connection.recorder('kubelet', node.name, { client: eventClient });
  const context = contextOf(options, { random, settings, machine, recorder, plan, onImageKept });
  return {
    context,
    connection,
    heartbeat: connection.openClient(undefined),
    eventClient,
    recorder,
    setup: node,
    lease: new NodeLease(kernel, node.name, phaseMs, options.renewLease),
    phaseMs,
  };
}

/** What a node's context is made of besides its options. */
interface ContextMeans extends Pick<NodeContext, 'random' | 'settings' | 'machine' | 'onImageKept'> {
  readonly recorder: EventRecorder;
  readonly plan: AddressPlan;
}

function contextOf(options: KubeletOptions, means: ContextMeans): NodeContext {
  const { kernel, connection, node, runtime: profile, processes = new ProcessWatch() } = options;
  const { random, settings, machine, recorder, plan, onImageKept } = means;
  const { allocatable } = machine;
  const events = new PodEvents(recorder);
  const { network = new PodNetwork(kernel.clock, processes) } = options;
  const runtime = new ContainerRuntime(kernel.clock, node.name, processes);
  network.join(node.name, runtime);
  const images = new ImageStore(node.images ?? []);
  const retryTimes = new RetryTimes(() => kernel.random(`kubelet/${node.name}/retries`));
  const pulls = { clock: kernel.clock, images, runtime, settings: settings.limits.imagePulls, onImageKept };
  const hostIp = machine.addresses.find(({ type }) => type === 'InternalIP')?.address;
  return {
    nodeName: node.name,
    party: connection.link.party,
    machineWatch: options.machineWatch ?? new MachineWatch(kernel.clock),
    machine,
    settings,
    kernel,
    client: connection.client,
    events,
    nodeEvents: new NodeEvents(recorder, node.name),
    profile,
    scripts: options.scripts ?? createScriptSource({ kernel, profile }),
    random,
    runtime,
    oomKiller: new OomKiller(kernel.clock, runtime, limitsOf(machine, settings)),
    probes: new ProbeManager(() => kernel.random(`kubelet/${node.name}/probes`)),
    images,
    puller: new ImagePuller(pulls),
    podRange: plan.podRange(podsOf(allocatable)),
    resources: new NodeResources(allocatable),
    situation: new NodeSituation(registeredFacts(node)),
    parts: sharedPartsOf(kernel),
    volumes: volumesOf(options, { random, events }),
    network,
    requestWork: options.requestWork,
    players: new Players({
      kernel,
      node: node.name,
      hostIp: hostIp ?? '',
      allocatable,
      ground: options.ground ?? createPlayGround(network),
    }),
    hostIps: hostIp === undefined ? [] : [{ ip: hostIp }],
    drawRetryMs: () => retryTimes.drawMs(),
    onImageKept,
  };
}

function volumesOf(
  { kernel, connection, node, runtime: profile, attachRecords = false, growth = new VolumeGrowth() }: KubeletOptions,
  { random, events }: Pick<NodeContext, 'random' | 'events'>,
): VolumeManager {
  const config = new ConfigCache(connection);
  const { client } = connection;
  return new VolumeManager(
    { kernel, client, profile, random, events, config, nodeName: node.name, attachRecords },
    growth,
  );
}

function limitsOf({ capacity, allocatable }: Machine, settings: KubeletSettings): MachineLimits {
  const { machineBytes, podLimitBytes } = machineCapacity(capacity, allocatable, settings);
  return { machineBytes, pods: { limitBytes: podLimitBytes, isMachine: podLimitBytes === machineBytes } };
}

function machineOf(
  kernel: Kernel,
  setup: NodeSetup,
  addresses: core.NodeAddress[],
  settings: KubeletSettings,
): Machine {
  const { name } = setup;
  const capacity = capacityOf(setup, settings);
  const allocatable = allocatableOf(setup, capacity, settings);
  const status = setup.resumed?.node.status;
  if (status === undefined) {
    return { name, addresses, capacity, allocatable, bootId: bootIdOf(name, kernel.clock.now()), info: setup.info };
  }
  return { name, addresses, capacity, allocatable, bootId: status.nodeInfo?.bootID ?? '', info: status };
}

/** The resource `pods`, which is a quantity and may be written as `1k`. */
function podsOf({ pods = '0' }: ResourceList): number {
  return wholeValue(pods);
}

/** What nodes and pods have had before is not given to others. */
function reserveAddresses(plan: AddressPlan, { node, pods }: ResumedMachine): void {
  for (const { address } of node.status.addresses ?? []) plan.reserve(address);
  for (const { pod } of pods) if (pod.status.podIP !== undefined) plan.reserve(pod.status.podIP);
}

function registeredFacts(setup: NodeSetup): NodeFacts {
  return { name: setup.name, labels: allLabels(setup), taints: setup.taints ?? [] };
}

function addressesOf({ name, addresses }: NodeSetup, hostAddress: string): core.NodeAddress[] {
  if (addresses !== undefined) return [...addresses];
  return [
    { type: 'InternalIP', address: hostAddress },
    { type: 'Hostname', address: name },
  ];
}
