import { keyOf, type Node, type Pod } from '../../api/objects/objects.js';
import type { Informer, Lister } from '../../bus/bus-types.js';
import { BY_NODE } from '../../bus/object-index.js';
import type { ControllerContext } from '../runtime/controller-definition.js';
import { withConditionTaints } from './condition-taints.js';
import { EvictionQueue } from './eviction-queue.js';
import { isMarkable } from './mark-pods.js';
import { taintFit } from './no-execute-taints.js';
import { NodeRecord } from './node-record.js';
import { PassTimes } from '../runtime/pass-times.js';
import type { ZoneState } from './zone-state.js';

/** Namespace of the nodes' leases. */
const LEASES = 'kube-node-lease';
/** How often a zone's queue looks for a node to taint. */
const QUEUE_POLL_MS = 100;
/** A lease is renewed every ten seconds: with this much grace, one that is renewed is never late. */
const SAFE_GRACE_MS = 20_000;

/** Prefixes of the keys of this controller: a look at all nodes, a node, a zone, a pod. */
export const MONITOR = 'monitor';
export const NODE = 'node/';
export const ZONE = 'zone/';
export const POD = 'pod/';

/** A zone that has nodes, or had some. */
interface Zone {
  state: ZoneState;
  readonly queue: EvictionQueue;
}

/**
 * What a run of the node lifecycle controller keeps. A pass falls every five seconds from the first one,
 * as upstream's do, but only those are made that could change something: after events that call for one,
 * and when a node has been silent for so long that it is late.
 */
export class LifecycleMemory {
  readonly records = new Map<string, NodeRecord>();
  readonly zones = new Map<string, Zone>();
  /** Nodes that are gone and not yet missed by a pass. */
  readonly removed = new Map<string, Node>();
  /** Nodes with pods still to be marked. */
  readonly unmarked = new Set<string>();
  readonly passes: PassTimes;
  readonly #polls = new PassTimes(QUEUE_POLL_MS);
  readonly #context: ControllerContext;
  readonly #leases: Informer<'Lease'>;
  readonly #pods: Lister<'Pod'>;
  /** Nodes that the next pass has to look at. */
  #due = new Set<string>();
  /** Nodes that may fall silent, or have done so: their lease is not renewed, as far as one hears. */
  readonly #silent = new Set<string>();

  constructor(context: ControllerContext) {
    this.#context = context;
    this.passes = new PassTimes(context.settings.nodeMonitorPeriod);
    this.#leases = context.watch('Lease', {
      onAdd: ({ metadata }) => this.#leaseSeen(metadata),
      onUpdate: (_previous, { metadata }) => this.#leaseSeen(metadata),
      onDelete: ({ metadata }) => this.#leaseSeen(metadata),
      onBreak: () => this.#nothingIsHeard(),
    });
    context.watch('Node', {
      onAdd: (node) => this.#nodeAdded(node),
      onUpdate: (_previous, node) => this.#nodeSeen(node),
      onDelete: (node) => this.#nodeGone(node),
    });
    this.#pods = context.watch(
      'Pod',
      {
        onAdd: (pod) => this.#podBound(pod),
        onUpdate: (previous, pod) => {
          if (previous.spec.nodeName !== pod.spec.nodeName) this.#podBound(pod);
        },
      },
      BY_NODE,
    );
    context.queue.add(MONITOR);
  }

  /** A pass begins: these nodes are to be looked at. */
  takeDue(passMs: number): string[] {
    for (const name of this.#silent) {
      const lateMs = this.#lateMs(name);
      if (lateMs !== undefined && lateMs <= passMs) this.#due.add(name);
    }
    const due = this.#due;
    this.#due = new Set();
    return [...due, ...[...this.unmarked].filter((name) => !due.has(name))];
  }

  /** Sets the next pass, if one could find anything. */
  arm(): void {
    if (this.#due.size + this.unmarked.size + this.removed.size > 0) return this.#armFrom(0);
    let nextMs = Number.POSITIVE_INFINITY;
    for (const name of this.#silent) nextMs = Math.min(nextMs, this.#lateMs(name) ?? nextMs);
    if (nextMs < Number.POSITIVE_INFINITY) this.#armFrom(nextMs);
  }

  /** When the node is late if nothing is heard of it any more, ms. */
  lateMs(record: NodeRecord): number {
    const { nodeMonitorGracePeriod, nodeStartupGracePeriod } = this.#context.settings;
    return this.stampMs(record) + (record.ready === undefined ? nodeStartupGracePeriod : nodeMonitorGracePeriod);
  }

  /** The pass that last found that the node had been heard of, ms. */
  stampMs(record: NodeRecord): number {
    const { name } = record.node.metadata;
    const leaseMs = this.#leases.heardMs(`${LEASES}/${name}`) ?? record.leaseHeardMs;
    const statusMs = record.ready === undefined ? undefined : record.statusHeardMs;
    if (leaseMs === undefined && statusMs === undefined) return record.floorMs;
    return Math.max(record.floorMs, this.passes.from(Math.max(leaseMs ?? 0, statusMs ?? 0)) ?? 0);
  }

  hasLease(name: string): boolean {
    return this.#leases.getByKey(`${LEASES}/${name}`) !== undefined;
  }

  podsOn(node: string): Pod[] {
    return [...this.#pods.byIndex('node', node)].filter(isMarkable);
  }

  pod(key: string): Pod | undefined {
    return this.#pods.getByKey(key);
  }

  /** The zone of a node; a new one begins at the full rate. */
  zoneOf({ zone: key }: NodeRecord): Zone {
    let zone = this.zones.get(key);
    if (zone === undefined) {
      zone = { state: 'Initial', queue: new EvictionQueue(this.#context.settings.nodeEvictionRate) };
      this.zones.set(key, zone);
    }
    return zone;
  }

  /** Lets a zone's queue look when it may give a node. */
  armZone(key: string): void {
    const { kernel, queue } = this.#context;
    const nowMs = kernel.clock.now();
    const nextMs = this.zones.get(key)?.queue.nextMs() ?? Number.POSITIVE_INFINITY;
    this.#polls.begin(this.passes.from(0) ?? nowMs);
    if (nextMs === Number.POSITIVE_INFINITY) return;
    queue.addAfter(ZONE + key, (this.#polls.from(Math.max(nextMs, nowMs + 1)) ?? nowMs) - nowMs);
  }

  /** Sets the first pass that is after the present and not before `ms`. */
  #armFrom(ms: number): void {
    const { kernel, queue } = this.#context;
    const nowMs = kernel.clock.now();
    const passMs = this.passes.from(Math.max(ms, Math.floor(nowMs) + 1));
    if (passMs !== undefined) queue.addAfter(MONITOR, passMs - nowMs);
  }

  /** When a silent node is late; one that is not silent after all, or is Unknown already, is let go. */
  #lateMs(name: string): number | undefined {
    const record = this.records.get(name);
    if (record !== undefined && record.ready !== 'Unknown' && !this.#isHeard(record)) return this.lateMs(record);
    this.#silent.delete(name);
    return undefined;
  }

  #isHeard(record: NodeRecord): boolean {
    const { name } = record.node.metadata;
    if (this.#context.settings.nodeMonitorGracePeriod < SAFE_GRACE_MS) return false;
    if (!record.isKnown || !this.#leases.isRenewing(`${LEASES}/${name}`)) return false;
    return this.#context.kernel.clock.now() - this.stampMs(record) < SAFE_GRACE_MS;
  }

  /** Whether the node is silent from now on shows when it would be late. */
  #leaseSeen({ name, namespace }: { readonly name: string; readonly namespace?: string }): void {
    const record = namespace === LEASES ? this.records.get(name) : undefined;
    if (record === undefined) return;
    record.leaseHeardMs = this.#leases.heardMs(`${LEASES}/${name}`) ?? this.#context.kernel.clock.now();
    this.#silent.add(name);
    const lateMs = this.#lateMs(name);
    if (lateMs !== undefined) this.#armFrom(lateMs);
  }

  #nothingIsHeard(): void {
    for (const name of this.records.keys()) this.#silent.add(name);
    this.arm();
  }

  #nodeAdded(node: Node): void {
    const { name } = node.metadata;
    const record = new NodeRecord(node, this.#context.kernel.clock.now());
    // One that comes back between two passes was never missed.
    record.isKnown = this.removed.delete(name);
    this.records.set(name, record);
    this.#silent.add(name);
    this.#reconcileTaints(node);
    this.lookAt(name);
  }

  #nodeSeen(node: Node): void {
    const { name } = node.metadata;
    const record = this.records.get(name);
    if (record === undefined) return;
    const { ready, zone, isCounted } = record;
    record.seen(node, this.#context.kernel.clock.now());
    this.#reconcileTaints(node);
    if (record.zone !== zone) this.zones.get(zone)?.queue.remove(name);
    const isOther = record.ready !== ready || record.zone !== zone || record.isCounted !== isCounted;
    if (record.ready !== 'Unknown' && ready === 'Unknown') this.#silent.add(name);
    if (isOther || this.#needsTaints(record)) this.lookAt(name);
  }

  #needsTaints(record: NodeRecord): boolean {
    const { ready, node } = record;
    if (ready === undefined) return false;
    const isWaiting = this.zoneOf(record).queue.has(node.metadata.name);
    const fit = taintFit(node, ready);
    return fit === 'missing' ? !isWaiting : fit !== 'right' || (isWaiting && ready === 'True');
  }

  /** The next pass looks at the node. */
  lookAt(name: string): void {
    this.#due.add(name);
    this.#armFrom(0);
  }

  #nodeGone(node: Node): void {
    const { name } = node.metadata;
    const record = this.records.get(name);
    if (record === undefined) return;
    this.records.delete(name);
    this.unmarked.delete(name);
    this.#silent.delete(name);
    this.#due.delete(name);
    this.#context.queue.drop(NODE + node.metadata.name);
    if (!record.isKnown) return;
    this.removed.set(name, node);
    this.#armFrom(0);
  }

  #reconcileTaints(node: Node): void {
    if (withConditionTaints(node, '') !== node) this.#context.queue.add(NODE + node.metadata.name);
  }

  /** A pod that comes to a node that is not ready is not ready either. */
  #podBound(pod: Pod): void {
    const record = this.records.get(pod.spec.nodeName ?? '');
    if (record?.passedReady === undefined || record.passedReady === 'True') return;
    if (isMarkable(pod)) this.#context.queue.add(POD + keyOf(pod));
  }
}
