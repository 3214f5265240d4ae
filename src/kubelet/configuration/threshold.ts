/** What a node watches so as not to run short of something. Pure. Mirrors pkg/kubelet/eviction (v1.34). */
import type { Pressure } from './node-conditions.js';

/** What can be observed of a node, under the names of a kubelet's configuration. */
export const SIGNALS = [
  'memory.available',
  'nodefs.available',
  'nodefs.inodesFree',
  'imagefs.available',
  'imagefs.inodesFree',
  'pid.available',
] as const;

export type ConfiguredSignal = (typeof SIGNALS)[number];

/** With what the kubelet watches by itself: the memory of the pods' own cgroup. */
export type Signal = ConfiguredSignal | 'allocatableMemory.available';

/** An amount, or a share of what there is. */
export type ThresholdValue = { readonly amount: number; readonly text: string } | { readonly share: number };

/** One limit below which a signal must not fall. */
export interface Threshold {
  readonly signal: Signal;
  readonly value: ThresholdValue;
  /** How long it must be met before pods are evicted; 0 = a hard threshold. */
  readonly graceMs: number;
  /** How much more than the threshold must be free again before it is given up. */
  readonly minReclaim: ThresholdValue | undefined;
}

/** What is there, and how much of it is free. */
export interface Observation {
  readonly available: number;
  readonly capacity: number;
}

export type Observations = ReadonlyMap<Signal, Observation>;

interface SignalFacts {
  readonly pressure: Pressure;
  /** As events and messages call it. */
  readonly resource: 'memory' | 'ephemeral-storage' | 'inodes' | 'pids';
}

const DISK: SignalFacts = { pressure: 'DiskPressure', resource: 'ephemeral-storage' };
const INODES: SignalFacts = { pressure: 'DiskPressure', resource: 'inodes' };
const MEMORY: SignalFacts = { pressure: 'MemoryPressure', resource: 'memory' };

/** What it means when a signal falls below its threshold. */
export const SIGNAL_FACTS: Readonly<Record<Signal, SignalFacts>> = {
  'memory.available': MEMORY,
  'allocatableMemory.available': MEMORY,
  'nodefs.available': DISK,
  'imagefs.available': DISK,
  'nodefs.inodesFree': INODES,
  'imagefs.inodesFree': INODES,
  'pid.available': { pressure: 'PIDPressure', resource: 'pids' },
};

/** What a value comes to; shares are rounded down. */
export function amountOf(value: ThresholdValue, capacity: number): number {
  return 'amount' in value ? value.amount : Math.trunc(capacity * value.share);
}

/** The amount below which a threshold is met. */
export function limitOf({ value }: Threshold, capacity: number): number {
  return amountOf(value, capacity);
}

/** The amount from which on a threshold that was met is resolved. */
function resolvedLimitOf({ value, minReclaim }: Threshold, capacity: number): number {
  const limit = amountOf(value, capacity);
  return minReclaim === undefined ? limit : limit + amountOf(minReclaim, capacity);
}

/** The thresholds that are met; what cannot be observed is not. */
export function metThresholds(thresholds: readonly Threshold[], observations: Observations): Threshold[] {
  return thresholds.filter((threshold) => isBelow(threshold, observations, limitOf));
}

/** Those of thresholds that were met which have not got their minimum reclaim back yet. */
export function unresolvedThresholds(thresholds: readonly Threshold[], observations: Observations): Threshold[] {
  return thresholds.filter((threshold) => isBelow(threshold, observations, resolvedLimitOf));
}

function isBelow(threshold: Threshold, observations: Observations, limit: typeof limitOf): boolean {
  const observed = observations.get(threshold.signal);
  return observed !== undefined && observed.available < limit(threshold, observed.capacity);
}

/** Memory comes first, whatever else is met. */
export function byEvictionPriority(thresholds: readonly Threshold[]): Threshold[] {
  const rank = ({ signal }: Threshold): number => (SIGNAL_FACTS[signal].resource === 'memory' ? 0 : 1);
  return thresholds.toSorted((a, b) => rank(a) - rank(b));
}
