/**
 * The kubelet of one node: registers it, runs the pods that are bound to it and reports how they are.
 * It owns one XState actor system (node machine and, under it, one pod machine per pod) and the node's
 * truth: what its runtime runs, whatever the API shows. It never talks to anyone but the API server,
 * never places pods, and costs nothing while nothing happens. Mirrors kubelet v1.34 (pkg/kubelet).
 */
import type { core, Lease } from '../api/objects.js';
import type { Connection } from '../bus/bus-types.js';
import type { Kernel } from '../kernel/kernel.js';
import { addressPlanOf } from './address-plan.js';
import { ContainerRuntime } from './container-runtime.js';
import { ImageStore } from './image-store.js';
import { resolveKubeletConfiguration, type KubeletSettings } from './kubelet-configuration.js';
import { NodeAgent, type NodeAgentParts } from './node-agent.js';
import { NodeLease, RENEW_INTERVAL_MS } from './node-lease.js';
import { NodeEvents } from './node-events.js';
import { allLabels, allocatableOf, bootIdOf, capacityOf, type Machine, type NodeSetup } from './node-object.js';
import { NodeResources } from './node-resources.js';
import { NodeSituation, type NodeFacts } from './node-situation.js';
import { PodEvents } from './pod-events.js';
import type { Condemnation } from './pod-verdict.js';
import { ProcessWatch } from './process-facts.js';
import { ProbeManager } from './probes/probe-manager.js';
import type { RuntimeProfile } from './runtime-profile.js';
import { createScriptSource } from './scripts/script-source.js';
import type { ScriptSource } from './scripts/script-types.js';
import { sharedPartsOf } from './shared-parts.js';
import { staticPod } from './static-pods/static-pod.js';

export type { NodeSetup } from './node-object.js';

/** What a kubelet is made of. */
export interface KubeletOptions {
  readonly kernel: Kernel;
  /** Of the party `kubelet/<node>`; closed by {@link Kubelet.dispose}. */
  readonly connection: Connection;
  readonly node: NodeSetup;
  readonly runtime: RuntimeProfile;
  /** Checked already; the node's own configuration is in it. @defaultValue of the node's setup */
  readonly settings?: KubeletSettings | undefined;
  /** Where containers' scripts come from. @defaultValue annotations alone */
  readonly scripts?: ScriptSource | undefined;
  /** Told what processes do on the machine. */
  readonly processes?: ProcessWatch | undefined;
  /**
   * Registers how the node's lease is shown to readers, and returns how to take that away: a healthy
   * lease is not written every ten seconds but computed when it is read.
   */
  readonly setLeaseView?: ((view: (stored: Lease) => Lease) => () => void) | undefined;
}

/** A node agent that can be switched off and on. */
export interface Kubelet {
  /** The node's name. */
  readonly name: string;
  /** What runs on the machine, whatever its kubelet knows of it: faults act on it. */
  readonly runtime: ContainerRuntime;
  /** Registers the node, or takes an existing one over, and begins to run its pods. */
  start(): void;
  /** Ends a pod for the node's sake, as an eviction does; a pod that is not there is left alone. */
  condemn(uid: string, condemnation: Condemnation): void;
  /**
   * Says that the machine is going to be switched off: the node turns not ready at once, takes no pods any
   * more, and ends those that it has, as its configuration gives them time.
   *
   * @param onDone - told when they have ended, or their time is over
   * @returns `false` when the configuration gives no time: then nothing happens
   */
  shutDown(onDone?: () => void): boolean;
  /** Ends the kubelet's process: nothing is written any more; containers go on running. */
  stop(): void;
  /** Switches off the machine: ends the process and every container, and closes the connection. */
  dispose(): void;
}

/** Builds the kubelet of one node; nothing happens before {@link Kubelet.start}. */
export function createKubelet(options: KubeletOptions): Kubelet {
  return new NodeKubelet(options);
}

class NodeKubelet implements Kubelet {
  readonly name: string;
  readonly runtime: ContainerRuntime;
  readonly #options: KubeletOptions;
  readonly #parts: NodeAgentParts;
  #agent: NodeAgent | undefined;
  #removeLeaseView: (() => void) | undefined;

  constructor(options: KubeletOptions) {
    this.name = options.node.name;
    this.#options = options;
    this.#parts = partsOf(options, () => this.#agent?.imagesChanged());
    this.runtime = this.#parts.context.runtime;
  }

  start(): void {
    if (this.#agent !== undefined) return;
    const { lease } = this.#parts;
    this.#removeLeaseView ??= this.#options.setLeaseView?.((stored) => lease.view(stored));
    this.#agent = new NodeAgent(this.#parts);
    this.#agent.start();
  }

  condemn(uid: string, condemnation: Condemnation): void {
    this.#agent?.condemn(uid, condemnation);
  }

  shutDown(onDone: () => void = () => undefined): boolean {
    return this.#agent?.shutDown(onDone) ?? false;
  }

  stop(): void {
    this.#agent?.stop();
    this.#agent = undefined;
  }

  dispose(): void {
    this.stop();
    this.#removeLeaseView?.();
    this.#removeLeaseView = undefined;
    this.#parts.context.runtime.powerOff();
    this.#options.connection.dispose();
  }
}

/** What a machine keeps over the restarts of its kubelet. */
function partsOf(options: KubeletOptions, onImageKept: () => void): NodeAgentParts {
  const { kernel, connection, node, runtime } = options;
  const plan = addressPlanOf(kernel);
  const random = kernel.random(`kubelet/${node.name}`);
  const phaseMs = random.int(0, RENEW_INTERVAL_MS - 1);
  const addresses = addressesOf(node, plan.hostAddress());
  const hostIp = addresses.find(({ type }) => type === 'InternalIP')?.address;
  for (const manifest of node.staticPods ?? []) staticPod(manifest, node.name, '');
  const settings = options.settings ?? resolveKubeletConfiguration(node.kubelet);
  const machine = machineOf(kernel, node, addresses, settings);
  const { allocatable } = machine;
  const recorder = connection.recorder('kubelet', node.name);
  const context = {
    nodeName: node.name,
    machine,
    settings,
    kernel,
    client: connection.client,
    events: new PodEvents(recorder),
    nodeEvents: new NodeEvents(recorder, node.name),
    profile: runtime,
    scripts: options.scripts ?? createScriptSource({ kernel, profile: runtime }),
    random,
    runtime: new ContainerRuntime(kernel.clock, node.name, options.processes ?? new ProcessWatch()),
    probes: new ProbeManager(() => kernel.random(`kubelet/${node.name}/probes`)),
    images: new ImageStore(node.images ?? []),
    podRange: plan.podRange(Number(allocatable['pods'])),
    resources: new NodeResources(allocatable),
    situation: new NodeSituation(registeredFacts(node)),
    parts: sharedPartsOf(kernel),
    hostIps: hostIp === undefined ? [] : [{ ip: hostIp }],
    onImageKept,
  };
  return { context, connection, setup: node, lease: new NodeLease(kernel, node.name, phaseMs), phaseMs };
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
  return { name, addresses, capacity, allocatable, bootId: bootIdOf(name, kernel.clock.now()) };
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
