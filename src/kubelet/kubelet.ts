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
import { NodeAgent, type NodeAgentParts } from './node-agent.js';
import { NodeLease, RENEW_INTERVAL_MS } from './node-lease.js';
import { withPods, type NodeSetup } from './node-object.js';
import { NodeResources } from './node-resources.js';
import { PodEvents } from './pod-events.js';
import type { RuntimeProfile } from './runtime-profile.js';
import { sharedPartsOf } from './shared-parts.js';

export type { NodeSetup } from './node-object.js';

/** What a kubelet is made of. */
export interface KubeletOptions {
  readonly kernel: Kernel;
  /** Of the party `kubelet/<node>`; closed by {@link Kubelet.dispose}. */
  readonly connection: Connection;
  readonly node: NodeSetup;
  readonly runtime: RuntimeProfile;
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
  /** Registers the node, or takes an existing one over, and begins to run its pods. */
  start(): void;
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
  readonly #options: KubeletOptions;
  readonly #parts: NodeAgentParts;
  #agent: NodeAgent | undefined;
  #removeLeaseView: (() => void) | undefined;

  constructor(options: KubeletOptions) {
    this.name = options.node.name;
    this.#options = options;
    this.#parts = partsOf(options, () => this.#agent?.noteChange());
  }

  start(): void {
    if (this.#agent !== undefined) return;
    const { lease } = this.#parts;
    this.#removeLeaseView ??= this.#options.setLeaseView?.((stored) => lease.view(stored));
    this.#agent = new NodeAgent(this.#parts);
    this.#agent.start();
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
function partsOf({ kernel, connection, node, runtime }: KubeletOptions, onImageKept: () => void): NodeAgentParts {
  const plan = addressPlanOf(kernel);
  const random = kernel.random(`kubelet/${node.name}`);
  const phaseMs = random.int(0, RENEW_INTERVAL_MS - 1);
  const addresses = addressesOf(node, plan.hostAddress());
  const hostIp = addresses.find(({ type }) => type === 'InternalIP')?.address;
  const { pods = '' } = withPods(node.allocatable ?? node.capacity);
  const context = {
    nodeName: node.name,
    kernel,
    client: connection.client,
    events: new PodEvents(connection.recorder('kubelet', node.name)),
    profile: runtime,
    random,
    runtime: new ContainerRuntime(kernel.clock, random),
    images: new ImageStore(node.images ?? []),
    podRange: plan.podRange(Number(pods)),
    resources: new NodeResources(withPods(node.allocatable ?? node.capacity)),
    parts: sharedPartsOf(kernel),
    hostIps: hostIp === undefined ? [] : [{ ip: hostIp }],
    onImageKept,
  };
  return { context, connection, setup: node, addresses, lease: new NodeLease(kernel, node.name, phaseMs), phaseMs };
}

function addressesOf({ name, addresses }: NodeSetup, hostAddress: string): core.NodeAddress[] {
  if (addresses !== undefined) return [...addresses];
  return [
    { type: 'InternalIP', address: hostAddress },
    { type: 'Hostname', address: name },
  ];
}
