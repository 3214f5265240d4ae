/**
 * Keeps a node from running short of memory, disk or process ids: every ten seconds it compares what its pods
 * use with the thresholds, reports pressure, and evicts, one pod at a time. Mirrors the eviction manager of
 * the kubelet (pkg/kubelet/eviction/eviction_manager.go, v1.34). Rounds that could change nothing are left
 * out: the next one that matters is computed from the curves, and a node on which no threshold can be
 * crossed owns no timer.
 */
import type { Clock, Timer } from '../../kernel/engine/clock.js';
import { isCritical } from '../configuration/critical-pod.js';
import type { NodeContext } from '../node/node-context.js';
import { PRESSURES, type Pressure } from '../configuration/node-conditions.js';
import type { ActivePod } from '../node/node-situation.js';
import { evictionOrder, type RankedPod } from './eviction-order.js';
import { evictionText } from './eviction-message.js';
import { COLLECTION_INTERVAL_MS, ImageCollector } from './image-collector.js';
import { machineCapacity, type MachineCapacity } from '../node/machine-capacity.js';
import { addUse, hasCurves, newSums, podUse, type UsageSums } from './pod-usage.js';
import { exceededLimit, nextLimitMs } from './storage-limits.js';
import {
  byEvictionPriority,
  limitOf,
  metThresholds,
  unresolvedThresholds,
  SIGNAL_FACTS,
  type Observation,
  type Observations,
  type Signal,
  type Threshold,
} from '../configuration/threshold.js';
import { LateMap, LateSet } from '../../kernel/late-collections.js';

/** Upstream's evictionMonitoringPeriod. */
const ROUND_MS = 10_000;
/** After an eviction the next round waits for the end of the pod: podCleanupPollFreq and podCleanupTimeout. */
const CLEANUP_POLL_MS = 1000;
const LONGEST_CLEANUP_MS = 30_000;
/** Grace of a pod that is evicted at once, seconds. */
const IMMEDIATE_SECONDS = 1;
const REASON = 'Evicted';
const CONDITION_REASON = 'TerminationByKubelet';
const NONE_OBSERVED: ReadonlyMap<Threshold, number> = new Map();

interface EvictablePod extends RankedPod {
  readonly worker: ActivePod;
}

/** See the file header. */
export class EvictionManager {
  readonly #context: NodeContext;
  readonly #onPressure: () => void;
  readonly #machine: MachineCapacity;
  readonly #collector: ImageCollector | undefined;
  /** Pods with a use that changes over time by itself. */
  readonly #curved = new LateSet<ActivePod>();
  /** Memory in use from which on some threshold is met. */
  readonly #memoryLevel: number;
  /** Bytes of images from which on some threshold of the disk is met. */
  readonly #storageLevel: number;
  readonly #countsProcesses: boolean;
  /** A round that was held, or could have been: all others are multiples of ten seconds after it. */
  #roundMs: number;
  readonly #startMs: number;
  #timer: Timer | undefined;
  #met: readonly Threshold[] = [];
  #firstObservedMs: ReadonlyMap<Threshold, number> = NONE_OBSERVED;
  readonly #lastObservedMs = new LateMap<Pressure, number>();
  #evicted: readonly ActivePod[] = [];
  #cleanupEndMs = 0;
  #isStopped = false;

  /** @param onPressure - told when the node's pressures have changed */
  constructor(context: NodeContext, onPressure: () => void) {
    const { kernel, settings } = context;
    this.#context = context;
    this.#onPressure = onPressure;
    this.#startMs = kernel.clock.now();
    this.#roundMs = this.#startMs;
    this.#machine = machineCapacity(context.machine.capacity, context.machine.allocatable, settings);
    const { diskBytes } = this.#machine;
    this.#collector = diskBytes === undefined ? undefined : new ImageCollector(context, diskBytes);
    this.#memoryLevel = Math.min(...this.#levels('memory').map(({ level }) => level));
    this.#storageLevel = Math.min(...this.#levels('storage').map(({ level }) => level));
    this.#countsProcesses = settings.thresholds.some(({ signal }) => signal === 'pid.available');
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancel();
  }

  /** A pod was admitted, or nothing of it runs any more. */
  podChanged(worker: ActivePod): void {
    if (!worker.isAdmitted) this.#curved.delete(worker);
    else if (hasCurves(worker.records)) this.#curved.add(worker);
    this.usageChanged();
  }

  /** A container was started or has ended, or images came or went. */
  usageChanged(): void {
    if (this.#isStopped || this.#evicted.length > 0) return;
    this.#plan();
  }

  /** Decides when the next round is due. */
  #plan(): void {
    const nowMs = this.#clock.now();
    const wakeMs = Math.min(this.#nextRoundMs(nowMs), this.#nextCollectionMs(nowMs));
    if (this.#timer !== undefined && this.#timer.dueMs === wakeMs) return;
    this.#cancel();
    if (wakeMs !== Infinity) this.#timer = this.#clock.schedule(wakeMs - nowMs, () => this.#wake());
  }

  get #clock(): Clock {
    return this.#context.kernel.clock;
  }

  #cancel(): void {
    if (this.#timer !== undefined) this.#clock.cancel(this.#timer);
    this.#timer = undefined;
  }

  #wake(): void {
    this.#timer = undefined;
    const nowMs = this.#clock.now();
    if (this.#evicted.length > 0) return this.#awaitCleanup(nowMs);
    if (nowMs > this.#startMs && (nowMs - this.#startMs) % COLLECTION_INTERVAL_MS === 0) {
      this.#collector?.collect(this.#diskUse(nowMs));
    }
    if ((nowMs - this.#roundMs) % ROUND_MS === 0) this.#round(nowMs);
    else this.#plan();
  }

  /** Until the pods that were evicted are gone, or half a minute is over, nothing else is looked at. */
  #awaitCleanup(nowMs: number): void {
    const isOver = nowMs >= this.#cleanupEndMs || this.#evicted.every(({ isAdmitted }) => !isAdmitted);
    if (!isOver) {
      this.#timer = this.#clock.schedule(CLEANUP_POLL_MS, () => this.#wake());
      return;
    }
    this.#evicted = [];
    this.#round(nowMs);
  }

  #round(nowMs: number): void {
    this.#roundMs = nowMs;
    this.#evicted = this.#synchronize(nowMs);
    if (this.#evicted.length === 0) return this.#plan();
    this.#cancel();
    this.#cleanupEndMs = nowMs + LONGEST_CLEANUP_MS;
    this.#timer = this.#clock.schedule(CLEANUP_POLL_MS, () => this.#wake());
  }

  /** One round; returns what was evicted. */
  #synchronize(nowMs: number): readonly ActivePod[] {
    const { settings, nodeEvents } = this.#context;
    const observations = this.#observe(nowMs);
    const met = metThresholds(settings.thresholds, observations);
    const unresolved = unresolvedThresholds(this.#met, observations).filter((each) => !met.includes(each));
    const observed = [...met, ...unresolved];
    this.#firstObservedMs =
      observed.length === 0
        ? NONE_OBSERVED
        : new Map(observed.map((each) => [each, this.#firstObservedMs.get(each) ?? nowMs]));
    for (const { signal } of observed) this.#lastObservedMs.set(SIGNAL_FACTS[signal].pressure, nowMs);
    this.#report(nowMs);
    this.#met = observed.filter((each) => nowMs - (this.#firstObservedMs.get(each) ?? nowMs) >= each.graceMs);
    const overLimit = this.#evictOverLimit(nowMs);
    if (overLimit.length > 0) return overLimit;
    const due = byEvictionPriority(this.#met);
    const [threshold] = due;
    if (threshold === undefined) return [];
    nodeEvents.tell(
      'Warning',
      'EvictionThresholdMet',
      `Attempting to reclaim ${SIGNAL_FACTS[threshold.signal].resource}`,
    );
    if (this.#reclaims(threshold, nowMs)) return [];
    return this.#evictOne(threshold, due, observations, nowMs);
  }

  #observe(nowMs: number): Observations {
    const { memoryBytes, podMemoryBytes, diskBytes, processes } = this.#machine;
    const sums = this.#sums();
    const memory = sums.memory.at(nowMs);
    const observations = new Map<Signal, Observation>([
      ['memory.available', observation(memoryBytes, memory)],
      ['allocatableMemory.available', observation(podMemoryBytes, memory)],
      ['pid.available', observation(processes, sums.processes.at(nowMs))],
    ]);
    if (diskBytes !== undefined) {
      const disk = observation(diskBytes, sums.storage.at(nowMs));
      observations.set('nodefs.available', disk);
      observations.set('imagefs.available', disk);
    }
    return observations;
  }

  /** All active pods together, and the images. */
  #sums(): UsageSums {
    const sums = newSums();
    for (const { records } of this.#context.situation.active) addUse(sums, records);
    sums.storage.add(this.#context.images.totalBytes());
    return sums;
  }

  #diskUse(nowMs: number): number {
    return this.#sums().storage.at(nowMs);
  }

  /** A pressure stays for a while after it was observed last. */
  #report(nowMs: number): void {
    const { settings, situation } = this.#context;
    const before = situation.pressures;
    const pressures = PRESSURES.map(({ type }) => type).filter((type) => {
      const lastMs = this.#lastObservedMs.get(type);
      return lastMs !== undefined && (lastMs === nowMs || nowMs - lastMs < settings.pressureTransitionMs);
    });
    if (pressures.length === before.length && pressures.every((type) => before.includes(type))) return;
    situation.pressures = pressures;
    this.#onPressure();
  }

  /** Any number of pods that use more of the disk than they may. */
  #evictOverLimit(nowMs: number): ActivePod[] {
    const evicted: ActivePod[] = [];
    for (const worker of [...this.#curved]) {
      const { pod, records, sandbox } = worker;
      if (!sandbox.isReady) continue;
      const message = exceededLimit(pod, podUse(pod, records, nowMs));
      if (message === undefined || isCritical(pod)) continue;
      this.#context.events.pod(pod, 'Warning', REASON, message);
      worker.condemn({ phase: 'Failed', reason: REASON, message, graceSeconds: IMMEDIATE_SECONDS });
      evicted.push(worker);
    }
    return evicted;
  }

  /** Whether the disk has enough room again once unused images are gone. */
  #reclaims({ signal }: Threshold, nowMs: number): boolean {
    if (SIGNAL_FACTS[signal].pressure !== 'DiskPressure') return false;
    this.#collector?.collectAll();
    return unresolvedThresholds(this.#context.settings.thresholds, this.#observe(nowMs)).length === 0;
  }

  #evictOne(
    threshold: Threshold,
    due: readonly Threshold[],
    observations: Observations,
    nowMs: number,
  ): readonly ActivePod[] {
    const candidates = [...this.#context.situation.active].map((worker): EvictablePod => {
      const { pod, records, sandbox } = worker;
      return { worker, pod, use: sandbox.isReady ? podUse(pod, records, nowMs) : undefined };
    });
    const victim = evictionOrder(candidates, threshold.signal).find(({ pod }) => !isCritical(pod));
    if (victim === undefined) return [];
    const { worker, pod, use } = victim;
    const { resource } = SIGNAL_FACTS[threshold.signal];
    const { message, annotations } = evictionText(resource, pod, use, due, observations);
    this.#context.events.evicted(pod, message, annotations);
    const condition = { reason: CONDITION_REASON, message };
    worker.condemn({
      phase: 'Failed',
      reason: REASON,
      message,
      condition,
      graceSeconds: this.#graceSeconds(threshold, worker),
    });
    return [worker];
  }

  #graceSeconds({ graceMs }: Threshold, { pod }: ActivePod): number {
    if (graceMs === 0) return IMMEDIATE_SECONDS;
    const { maxPodGraceSeconds } = this.#context.settings;
    return Math.min(maxPodGraceSeconds, pod.spec.terminationGracePeriodSeconds ?? maxPodGraceSeconds);
  }

  /** The next round that could tell or do something; Infinity when there is none. */
  #nextRoundMs(nowMs: number): number {
    if (this.#firstObservedMs.size > 0) return this.#roundMs + ROUND_MS;
    let eventMs = this.#nextCrossingMs(nowMs);
    for (const type of this.#context.situation.pressures) {
      const lastMs = this.#lastObservedMs.get(type) ?? nowMs;
      eventMs = Math.min(eventMs, lastMs + this.#context.settings.pressureTransitionMs);
    }
    if (eventMs === Infinity) return Infinity;
    const rounds = Math.max(1, Math.ceil((eventMs - this.#roundMs) / ROUND_MS));
    return this.#roundMs + rounds * ROUND_MS;
  }

  /** When a threshold or a limit is crossed next; now, if one is. */
  #nextCrossingMs(nowMs: number): number {
    if (!this.#canCross()) return Infinity;
    const sums = this.#sums();
    let nextMs = Infinity;
    const consider = (kind: keyof UsageSums): void => {
      for (const { level } of this.#levels(kind)) {
        nextMs = Math.min(nextMs, sums[kind].at(nowMs) > level ? nowMs : sums[kind].nextCrossing(level, nowMs));
      }
    };
    consider('memory');
    consider('storage');
    consider('processes');
    for (const { pod, records } of this.#curved) nextMs = Math.min(nextMs, nextLimitMs(pod, records, nowMs));
    return nextMs;
  }

  /** A cheap test: a node with pods that use what they request is not looked at any closer. */
  #canCross(): boolean {
    return (
      this.#curved.size > 0 ||
      this.#countsProcesses ||
      this.#context.resources.used('memory') > this.#memoryLevel ||
      this.#context.images.totalBytes() > this.#storageLevel
    );
  }

  /** The amounts in use above which thresholds are met. */
  #levels(kind: keyof UsageSums): readonly { readonly level: number }[] {
    const { memoryBytes, podMemoryBytes, diskBytes, processes } = this.#machine;
    const capacityOf = (signal: Signal): number | undefined => {
      switch (signal) {
        case 'memory.available':
          return kind === 'memory' ? memoryBytes : undefined;
        case 'allocatableMemory.available':
          return kind === 'memory' ? podMemoryBytes : undefined;
        case 'pid.available':
          return kind === 'processes' ? processes : undefined;
        case 'nodefs.available':
        case 'imagefs.available':
          return kind === 'storage' ? diskBytes : undefined;
        default:
          return undefined;
      }
    };
    return this.#context.settings.thresholds.flatMap((threshold) => {
      const capacity = capacityOf(threshold.signal);
      return capacity === undefined ? [] : [{ level: capacity - limitOf(threshold, capacity) }];
    });
  }

  /** The next collection of images that would find the disk too full; Infinity when there is none. */
  #nextCollectionMs(nowMs: number): number {
    if (this.#collector === undefined) return Infinity;
    const { highBytes } = this.#collector;
    if (this.#curved.size === 0 && this.#context.images.totalBytes() < highBytes) return Infinity;
    const { storage } = this.#sums();
    const fullMs = storage.at(nowMs) >= highBytes ? nowMs : storage.nextCrossing(highBytes, nowMs);
    if (fullMs === Infinity) return Infinity;
    const marks = Math.floor((nowMs - this.#startMs) / COLLECTION_INTERVAL_MS) + 1;
    return (
      this.#startMs +
      Math.max(marks, Math.ceil((fullMs - this.#startMs) / COLLECTION_INTERVAL_MS)) * COLLECTION_INTERVAL_MS
    );
  }
}

function observation(capacity: number, used: number): Observation {
  return { available: capacity - Math.ceil(used), capacity };
}
