/**
 * A measurement of a run: named metrics, what they came to over time, and what happened meanwhile. It looks from
 * outside and changes nothing: a run that is measured has the trace hash of one that is not. Everything that it tells
 * is simulated time, so that the same run gives the same numbers on any machine.
 */
import { Subscription } from 'rxjs';
import type { ClusterControllers } from '../assembly/cluster-controllers.js';
import type { SchedulerReplicas } from '../assembly/scheduler-replicas.js';
import type { Bus } from '../bus/bus-types.js';
import { listen } from '../bus/rx/listen.js';
import type { Fault } from '../faults/fault.js';
import type { FaultHandle, FaultInjector } from '../faults/fault-injector.js';
import { getCondition } from '../api/objects/conditions.js';
import type { Node } from '../api/objects/objects.js';
import type { ObjectEvent } from '../apiserver/store/server-types.js';
import type { EngineClock } from '../kernel/engine/clock.js';
import { printedValue } from '../kernel/printed-value.js';
import type { MachineWatch } from '../machines/trail.js';
import type { InvariantMonitor } from '../observers/invariants/invariant-monitor.js';
import type { NodeTruth } from '../observers/node-truth.js';
import type { UnschedulableGroup } from '../observers/unschedulable.js';
import { OptionError } from '../options/option-error.js';
import { describeMetric, METRIC_NAMES, type MetricName } from './metric-catalogue.js';
import { MetricStore, type MetricReading } from './metric-store.js';
import { NodeUse, type ZoneNodes, type ZoneUse } from './node-use.js';
import { PodMetrics, type PodStoryline } from './pod-metrics.js';
import { RequestMetrics } from './request-metrics.js';
import { RunSeries, type LevelTeller, type SeriesColumn, type SeriesSpread } from './run-series.js';
import { ThresholdWatch } from './threshold-watch.js';
import {
  judgeThreshold,
  judgeThresholds,
  thresholdsOf,
  type Threshold,
  type ThresholdMap,
  type ThresholdResult,
} from './thresholds.js';
import { ValueCounts } from './value-counts.js';

/** What a mark is: a fault, a step of a scenario or stage of a scene, a broken promise, an expectation, a remark. */
export type MarkKind = 'fault' | 'step' | 'violation' | 'expectation' | 'note';

/** Something that happened, on the axis of time. */
export interface RunMark {
  readonly atMs: number;
  /** `null` = it has no duration, or lasts. */
  readonly untilMs: number | null;
  readonly kind: MarkKind;
  readonly text: string;
  /** Whether it came out as it should; `null` = that is no question. */
  readonly ok: boolean | null;
}

/** A run over time: all lists have one entry for each slot. */
export interface SeriesReading {
  /** Simulated time of the beginning of the first slot, ms. */
  readonly startMs: number;
  readonly slotMs: number;
  readonly slots: number;
  /** Read when each slot ended. */
  readonly levels: readonly SeriesColumn[];
  /** Added up within each slot. */
  readonly amounts: readonly SeriesColumn[];
  readonly spreads: Readonly<Record<string, SeriesSpread>>;
}

/** Everything that was measured. */
export interface MeasurementReading {
  readonly startMs: number;
  readonly endMs: number;
  readonly metrics: readonly MetricReading[];
  readonly series: SeriesReading;
  readonly marks: readonly RunMark[];
  readonly zones: readonly ZoneNodes[];
  readonly unschedulable: readonly UnschedulableGroup[];
  readonly refused: readonly UnschedulableGroup[];
  readonly slowest: readonly PodStoryline[];
  readonly unstarted: readonly PodStoryline[];
}

/** What is measured. */
export interface MeasuredParts {
  readonly clock: EngineClock;
  readonly bus: Pick<Bus, 'lookout' | 'requests'>;
  readonly machineWatch: MachineWatch;
  readonly faults: Pick<FaultInjector, 'follow'>;
  readonly scheduler: Pick<SchedulerReplicas, 'stats' | 'queue'>;
  readonly controllers: Pick<ClusterControllers, 'queued'>;
  readonly truth: Pick<NodeTruth, 'counts' | 'violations$'>;
  readonly invariants: Pick<InvariantMonitor, 'faults' | 'violations$'>;
  /** Pending pods that cannot be placed, by reason. */
  readonly unschedulable: () => readonly UnschedulableGroup[];
  /** Ends the run that is under way. */
  readonly abort: () => void;
}

/** What may be asked of a measurement from its beginning on. */
export interface MeasurementOptions {
  /** Bounds that {@link Measurement.check} compares; one with `abortOnFail` ends the run that breaks it. */
  readonly thresholds?: ThresholdMap | readonly Threshold[];
}

/** What is not counted event by event: see `#settle`. */
const SETTLED: readonly MetricName[] = [
  'virtual_seconds',
  'scheduling_attempts',
  'violations',
  'scheduling_throughput',
  'scheduler_queue',
  'controller_queue',
];

/** Marks that are kept; the first ones tell the most. */
const MOST_MARKS = 2000;

/** See the file header. */
export class Measurement {
  readonly #parts: MeasuredParts;
  readonly #store = new MetricStore();
  readonly #use = new NodeUse();
  readonly #readyNodes = new Set<string>();
  readonly #nodes = new Set<string>();
  readonly #series: RunSeries;
  readonly #pods: PodMetrics;
  readonly #startMs: number;
  readonly #attemptsBefore: number;
  readonly #violationsBefore: ReadonlyMap<string, number>;
  readonly #marks: RunMark[] = [];
  readonly #faults = new Map<number, number>();
  readonly #subscriptions = new Subscription();
  readonly #thresholds: readonly Threshold[];
  readonly #watch: ThresholdWatch;
  #endMs: number | undefined;

  /** @internal use `cluster.measure` */
  constructor(parts: MeasuredParts, { thresholds = [] }: MeasurementOptions = {}) {
    const { clock, bus, machineWatch, faults, scheduler, truth, invariants } = parts;
    this.#parts = parts;
    this.#startMs = clock.now();
    this.#attemptsBefore = scheduler.stats.attempts;
    this.#violationsBefore = this.#violations();
    const store = this.#store;
    const series = new RunSeries(this.#startMs, (tell) => this.#tellLevels(tell));
    this.#series = series;
    this.#pods = new PodMetrics({ store, series, use: this.#use, startMs: this.#startMs });
    const requests = new RequestMetrics(store, series);
    const all = this.#subscriptions;
    all.add(listen(bus.lookout.watch('Node'), (event) => this.#nodeWritten(event)));
    all.add(listen(bus.lookout.watch('Pod'), (event) => this.#pods.podWritten(event)));
    all.add(listen(bus.requests.facts$, (fact) => requests.requestEnded(fact)));
    all.add(listen(machineWatch.steps$, (step) => this.#pods.machineMoved(step)));
    all.add(listen(truth.violations$, ({ text }) => this.#broken(text)));
    all.add(listen(invariants.violations$, ({ invariant, text }) => this.#broken(`${invariant}: ${text}`)));
    all.add(faults.follow({ begun: (handle) => this.#begun(handle), healed: (handle) => this.#healed(handle) }));
    this.#thresholds = thresholdsOf(thresholds);
    this.#watch = new ThresholdWatch(this.#thresholds, this.#startMs, (threshold, atMs) =>
      this.#judgeAt(threshold, atMs),
    );
    all.add(
      clock.onPassage((nextMs) => {
        series.passTo(nextMs);
        if (this.#watch.passTo(nextMs)) this.#aborted();
      }),
    );
  }

  /** Whether a threshold with `abortOnFail` did not hold: runs of the cluster end at once while the measurement goes on. */
  get isAborted(): boolean {
    return this.#watch.failure !== undefined;
  }

  /** Ends the measurement; what it came to can be read on. */
  stop(): void {
    if (this.#endMs !== undefined) return;
    this.#settle();
    this.#endMs = this.#parts.clock.now();
    this.#subscriptions.unsubscribe();
  }

  /** @internal has something done when the measurement stops */
  atStop(action: () => void): void {
    this.#subscriptions.add(action);
  }

  /** Notes something on the axis of time, for reports. */
  mark(
    text: string,
    { kind = 'note', ok = null }: { readonly kind?: MarkKind; readonly ok?: boolean | null } = {},
  ): void {
    if (this.#endMs !== undefined || this.#marks.length >= MOST_MARKS) return;
    this.#marks.push({ atMs: this.#parts.clock.now(), untilMs: null, kind, text, ok });
  }

  /** Every metric as a whole and by its tags, as it stands. */
  get metrics(): readonly MetricReading[] {
    this.#settle();
    return this.#store.readings(this.#seconds);
  }

  /** What each counter has come to, where each gauge stands, and how many values each trend has. */
  get totals(): Readonly<Record<MetricName, number>> {
    this.#settle();
    const store = this.#store;
    const totals = METRIC_NAMES.map((name) => {
      const isTrend = describeMetric(name)?.type === 'trend';
      return [name, isTrend ? store.trendWith(name, {}).total : store.levelWith(name, {}).value];
    });
    return Object.fromEntries(totals) as Record<MetricName, number>;
  }

  /** How often there was each value of a trend so far. @throws OptionError for a metric of another type */
  distribution(name: MetricName): ReadonlyMap<number, number> {
    if (describeMetric(name)?.type !== 'trend') throw new OptionError('name', 'the name of a trend', name);
    this.#settle();
    return this.#store.trendWith(name, {}).times;
  }

  /**
   * Compares thresholds with what was measured so far.
   *
   * @param thresholds - by metric, in k6's grammar, or as `parseThresholds` read them; those that the measurement was
   * begun with unless given
   * @example
   * measurement.check({ pod_startup_ms: 'p(99)<5000', unschedulable: 'count==0' }).every(({ ok }) => ok);
   * @throws OptionError that names the field, what it got and what is allowed
   */
  check(thresholds?: ThresholdMap | readonly Threshold[]): readonly ThresholdResult[] {
    const bounds = thresholds === undefined ? this.#thresholds : thresholdsOf(thresholds);
    this.#settle();
    const results = judgeThresholds(this.#store, bounds, this.#seconds);
    const { failure } = this.#watch;
    if (failure === undefined) return results;
    const { threshold, atMs } = failure;
    return results.map((result, index) =>
      bounds[index] === threshold ? { ...result, ok: false, abortedAtMs: atMs } : result,
    );
  }

  /** Everything that was measured so far, as plain data. */
  read(): MeasurementReading {
    const metrics = this.metrics;
    const { slotMs, slots, levels, amounts, spreads } = this.#series.read();
    return {
      startMs: this.#startMs,
      endMs: this.#nowMs,
      metrics,
      series: { startMs: this.#startMs, slotMs, slots, levels, amounts, spreads: Object.fromEntries(spreads) },
      marks: this.#marks.map((mark) => ({ ...mark })),
      zones: this.#use.nodes(),
      unschedulable: this.#parts.unschedulable(),
      refused: this.#pods.refused,
      slowest: this.#pods.slowest(),
      unstarted: this.#pods.unstarted(),
    };
  }

  get #nowMs(): number {
    return this.#endMs ?? this.#parts.clock.now();
  }

  get #seconds(): number {
    return (this.#nowMs - this.#startMs) / 1000;
  }

  #judgeAt(threshold: Threshold, atMs: number): ThresholdResult {
    if (SETTLED.includes(threshold.metric)) this.#settle();
    return judgeThreshold(this.#store, threshold, (atMs - this.#startMs) / 1000);
  }

  #aborted(): void {
    const { metric, expression } = this.#watch.failure?.threshold ?? {};
    this.mark(`ended by the threshold ${metric}: ${expression}`, { kind: 'expectation', ok: false });
    this.#parts.abort();
  }

  /** Brings up to date what is not counted event by event. */
  #settle(): void {
    if (this.#endMs !== undefined) return;
    const store = this.#store;
    store.level('virtual_seconds').set(this.#seconds);
    store.level('scheduling_attempts').set(this.#parts.scheduler.stats.attempts - this.#attemptsBefore);
    for (const [type, count] of this.#violations()) {
      const since = count - (this.#violationsBefore.get(type) ?? 0);
      if (since > 0) store.level('violations', { type }).set(since);
    }
    const throughput = new ValueCounts();
    for (const podsPerSecond of this.#pods.throughputs()) throughput.add(podsPerSecond);
    store.replaceTrend('scheduling_throughput', throughput);
    this.#tellLevels(() => undefined);
  }

  /** How many of each sort there have been since the cluster began. */
  #violations(): ReadonlyMap<string, number> {
    const { unconfirmedDeletions, splitBrains } = this.#parts.truth.counts;
    const counts = new Map([
      ['UnconfirmedDeletion', unconfirmedDeletions],
      ['SplitBrain', splitBrains],
    ]);
    for (const { invariant } of this.#parts.invariants.faults) counts.set(invariant, (counts.get(invariant) ?? 0) + 1);
    return counts;
  }

  #nodeWritten({ type, object }: ObjectEvent<'Node'>): void {
    const { name } = object.metadata;
    const isDeleted = type === 'DELETED';
    this.#use.nodeWritten(object, isDeleted);
    if (isDeleted) this.#nodes.delete(name);
    else this.#nodes.add(name);
    if (!isDeleted && isReady(object)) this.#readyNodes.add(name);
    else this.#readyNodes.delete(name);
    this.#store.level('nodes_total').set(this.#nodes.size);
    this.#store.level('nodes_ready').set(this.#readyNodes.size);
  }

  #broken(text: string): void {
    this.mark(text, { kind: 'violation', ok: false });
  }

  #begun({ id, fault }: FaultHandle): void {
    this.#store.level('faults_injected', { type: verbOf(fault) }).add(1);
    this.#faults.set(id, this.#marks.length);
    this.mark(faultText(fault), { kind: 'fault' });
  }

  #healed({ id }: FaultHandle): void {
    const index = this.#faults.get(id) ?? -1;
    const mark = this.#marks[index];
    if (mark !== undefined) this.#marks[index] = { ...mark, untilMs: this.#parts.clock.now() };
  }

  /** Every level of the present, for the series; queues are read here alone, and so are their highest values. */
  #tellLevels(tell: LevelTeller): void {
    const store = this.#store;
    for (const [phase, count] of Object.entries(this.#pods.byPhase)) tell(`pods ${phase}`, count, 'last');
    tell('ready', store.level('pods_ready').value, 'last');
    tell('waiting', store.level('pods_waiting').value, 'highest');
    tell('unschedulable', store.level('unschedulable').value, 'highest');
    tell('nodes', this.#nodes.size, 'last');
    tell('nodes ready', this.#readyNodes.size, 'last');
    for (const [pool, pods] of Object.entries<number>({ ...this.#parts.scheduler.queue })) {
      store.level('scheduler_queue', { pool }).set(pods);
      tell(`queue ${pool}`, pods, 'highest');
    }
    this.#tellControllers(tell);
    for (const use of this.#use.zones()) tellZone(use, tell);
  }

  #tellControllers(tell: LevelTeller): void {
    const queued = new Map(this.#parts.controllers.queued());
    for (const { controller = '' } of this.#store.tagsOf('controller_queue')) {
      if (!queued.has(controller)) queued.set(controller, 0);
    }
    for (const [controller, keys] of queued) {
      this.#store.level('controller_queue', { controller }).set(keys);
      tell(`controller ${controller}`, keys, 'highest');
    }
  }
}

function tellZone({ zone, nodes, cpu, memory }: ZoneUse, tell: LevelTeller): void {
  tell(`cpu ${zone}`, cpu, 'last');
  tell(`memory ${zone}`, memory, 'last');
  tell(`nodes ${zone}`, nodes, 'last');
}

function isReady({ status }: Node): boolean {
  return getCondition(status?.conditions, 'Ready')?.status === 'True';
}

function verbOf(fault: Fault): string {
  return Object.keys(fault).find((field) => field !== 'for') ?? '';
}

/** Such as `cut {"node":"node-1"}`. */
function faultText(fault: Fault): string {
  const verb = verbOf(fault);
  return `${verb} ${printedValue((fault as unknown as Readonly<Record<string, unknown>>)[verb])}`;
}
