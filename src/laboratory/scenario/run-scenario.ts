/**
 * Plays a scenario: makes its cluster, applies its workloads once the nodes are ready, does what its actions say
 * when they say it, and finds out what becomes of its expectations. Drives the cluster through its public methods.
 *
 * At one and the same moment what is due in the cluster comes first, then expectations past their time are decided,
 * then actions are taken, then expectations begin to be watched.
 */
import { FaultError } from '../../faults/fault-error.js';
import { NodeGroupError } from '../../workload/node-groups.js';
import { BudgetWatch } from '../scene/budget-watch.js';
import { createCluster, type Cluster } from '../../cluster/cluster.js';
import { isSeed, SEED_TEXT } from '../../options/clock-options.js';
import {
  checkedOptions,
  checkValue,
  FLAG,
  FUNCTION,
  withFields,
  LIST,
  MAPPING,
  SIGNAL,
  type Checks,
} from '../../options/option-checks.js';
import { OptionError } from '../../options/option-error.js';
import type { TimelineEntry } from '../../observers/timeline.js';
import type { Measurement, MeasurementReading } from '../../measurements/measurement.js';
import {
  thresholdsOf,
  type Threshold,
  type ThresholdMap,
  type ThresholdResult,
} from '../../measurements/thresholds.js';
import { ExpectationWatch, type Verdict } from './expectation-watch.js';
import type { NodeChoice, Scenario, ScenarioAction } from './scenario.js';
import { ActionTaker, faultOf } from './take-action.js';

/** One thing that happened in a scenario. */
export interface ScenarioEntry {
  /** Simulated time since the scenario began, ms. */
  readonly atMs: number;
  /**
   * `action`: it was taken. `refused`: it could not be. `told`: what a user is told by an action that goes on.
   * `warning`: what kubectl would warn of. `violation`: a promise was broken. `met`, `failed`: of an expectation.
   * `story`: what happened to a pod.
   */
  readonly type: 'action' | 'refused' | 'told' | 'warning' | 'violation' | 'met' | 'failed' | 'story';
  readonly text: string;
  /** Of a `story`. */
  readonly story?: TimelineEntry;
}

/** How to play a scenario. */
export interface ScenarioOptions {
  /** In place of the seed of its `cluster`. */
  readonly seed?: number | string | undefined;
  /** Tells the story of every pod, too. @defaultValue false */
  readonly timeline?: boolean;
  /** Bounds on what is measured, besides those of the scenario: `{ pod_startup_ms: 'p(99)<5000' }`. */
  readonly thresholds?: ThresholdMap | readonly Threshold[] | undefined;
  /** Has everything measured from the beginning on, and hands it over. @defaultValue false */
  readonly measure?: boolean;
  /** Given the measurement when it begins, where there is one: it can be read at any time, afterwards as well. */
  readonly onMeasurement?: ((measurement: Measurement) => void) | undefined;
  /** Told of each thing that happens, in order. */
  readonly onEntry?: (entry: ScenarioEntry) => void;
  /** Changes the cluster before anything happens in it, such as by a controller of your own. */
  readonly prepare?: ((cluster: Cluster) => void) | undefined;
  /** Ends the scenario where it is: what has not come about by then is not met. */
  readonly signal?: AbortSignal | undefined;
  /** Goes on with the cluster when all has been done; it is disposed afterwards. */
  readonly atEnd?: (cluster: Cluster) => Promise<void>;
}

/** What became of a scenario. */
export interface ScenarioResult {
  /** Every expectation was met, every threshold kept, and no action was refused that may not be. */
  readonly isMet: boolean;
  /** In the order of the file. */
  readonly expectations: readonly Verdict[];
  /** Those of the scenario, then those of the options. */
  readonly thresholds: readonly ThresholdResult[];
  /** What was measured, if that was asked for. */
  readonly measured?: MeasurementReading;
  /** Actions that were refused and may not be, in words. */
  readonly refusals: readonly string[];
  readonly violations: {
    readonly unconfirmedDeletions: number;
    readonly splitBrains: number;
    readonly brokenBudgets: readonly string[];
  };
  readonly seed: string;
  /** Simulated time 0 of its cluster in milliseconds since 1970. */
  readonly epochMs: number;
  readonly traceHash: string;
  /** Simulated time of its end since the scenario began, ms. */
  readonly endMs: number;
}

const SCENARIO = withFields('a scenario of parseScenario', {
  cluster: MAPPING,
  workloads: LIST,
  actions: LIST,
  expectations: LIST,
  refuse: FUNCTION,
});
const OPTIONS: Checks<ScenarioOptions> = {
  seed: [SEED_TEXT, isSeed],
  timeline: FLAG,
  thresholds: ['a mapping of metrics to expressions', (value) => typeof value === 'object' && value !== null],
  measure: FLAG,
  onMeasurement: FUNCTION,
  onEntry: FUNCTION,
  prepare: FUNCTION,
  signal: SIGNAL,
  atEnd: FUNCTION,
};

/**
 * See the file header.
 *
 * @throws OptionError for options that cannot be; ScenarioError for what cannot be in its cluster; ApiError for workloads that are refused
 */
export async function runScenario(scenario: Scenario, options: ScenarioOptions = {}): Promise<ScenarioResult> {
  checkValue('scenario', scenario, SCENARIO);
  const { seed } = checkedOptions('', options, OPTIONS);
  const cluster = createScenarioCluster(scenario, seed);
  try {
    options.prepare?.(cluster);
    checkNodes(cluster, scenario);
    return await new ScenarioPlay(cluster, scenario, options).play();
  } finally {
    await cluster.dispose();
  }
}

/** Looks at what can be seen before anything is played. @throws ScenarioError for what cannot be in its cluster */
export async function checkScenario(scenario: Scenario): Promise<void> {
  const cluster = createScenarioCluster(scenario, undefined);
  try {
    checkNodes(cluster, scenario);
  } finally {
    await cluster.dispose();
  }
}

/** The names of a scenario's errors about its cluster are those of its fields. */
function createScenarioCluster({ cluster, refuse }: Scenario, seed: ScenarioOptions['seed']): Cluster {
  try {
    return createCluster(seed === undefined ? cluster : { ...cluster, seed });
  } catch (error) {
    throw inCluster(error, refuse);
  }
}

/** The error about an option as one about the field of the file that holds it: each message begins with its field. */
function inCluster(error: unknown, refuse: Scenario['refuse']): unknown {
  if (error instanceof NodeGroupError) {
    const { source, field, message } = error;
    return refuse([source, ...field.split('.')], message.slice(`${source}: ${field} `.length));
  }
  if (!(error instanceof OptionError)) return error;
  const [, field = '', problem = ''] = /^(?:option )?(\S+) (.*)$/s.exec(error.message) ?? [];
  return refuse(field.split('.'), problem);
}

/** What actions name must be there before the first is taken. */
function checkNodes(cluster: Cluster, { actions }: Scenario): void {
  for (const { step, refuse } of actions) {
    if (step.verb !== 'fault') continue;
    const { verb, node, target } = step.fault;
    if (node !== undefined && !('name' in node)) continue;
    try {
      cluster.faults.check(faultOf(verb, { ...(node === undefined ? {} : { node: node.name }), ...target }));
    } catch (error) {
      throw error instanceof FaultError ? refuse(error.keys, error.problem) : error;
    }
  }
}

class ScenarioPlay {
  readonly #cluster: Cluster;
  readonly #scenario: Scenario;
  readonly #options: ScenarioOptions;
  readonly #taker: ActionTaker;
  readonly #refusals: string[] = [];
  /** Faults that end by themselves, by their time. */
  readonly #heals: { readonly atMs: number; readonly heal: () => void }[] = [];
  #startMs = 0;
  readonly #thresholds: readonly Threshold[];
  #measurement: Measurement | undefined;

  constructor(cluster: Cluster, scenario: Scenario, options: ScenarioOptions) {
    this.#cluster = cluster;
    this.#scenario = scenario;
    this.#options = options;
    this.#thresholds = [...scenario.thresholds, ...thresholdsOf(options.thresholds ?? [])];
    this.#taker = new ActionTaker(cluster, {
      told: (_action, text) => this.#tell('told', text),
      failed: (action, reason) => this.#refused(action, reason),
      lasts: (action, heal) => this.#lasts(action, heal),
    });
  }

  async play(): Promise<ScenarioResult> {
    const cluster = this.#cluster;
    const end = (): void => cluster.pause();
    this.#options.signal?.addEventListener('abort', end);
    try {
      return await this.#playToEnd();
    } finally {
      this.#options.signal?.removeEventListener('abort', end);
    }
  }

  async #playToEnd(): Promise<ScenarioResult> {
    const cluster = this.#cluster;
    if (!this.#isEnded) await cluster.ready();
    this.#startMs = cluster.nowMs;
    if (this.#options.measure === true || this.#thresholds.length > 0) {
      this.#measurement = cluster.measure({ thresholds: this.#thresholds });
      this.#options.onMeasurement?.(this.#measurement);
    }
    this.#listen();
    const budgets = new BudgetWatch(cluster, (budget, pod) => {
      this.#tell('violation', `budget ${budget} was broken: ${pod} was asked to go`);
      watch.refresh(this.#nowMs);
    });
    const watch = this.#watch(budgets);
    cluster.apply(this.#scenario.workloads);
    await this.#run(watch);
    // What is told in a tick of its own at this very moment.
    if (!this.#isEnded) await cluster.run({ limit: 0 });
    watch.closeAll(this.#nowMs);
    budgets.close();
    this.#measurement?.stop();
    if (!this.#isEnded) await this.#options.atEnd?.(cluster);
    for (const what of this.#taker.unfinished) this.#refusals.push(`${what} was not finished`);
    return this.#result(watch, budgets);
  }

  /** From outside, before its time. */
  get #isEnded(): boolean {
    return this.#options.signal?.aborted === true || this.#measurement?.isAborted === true;
  }

  get #nowMs(): number {
    return this.#cluster.nowMs - this.#startMs;
  }

  #listen(): void {
    const cluster = this.#cluster;
    cluster.warnings$.subscribe(({ text }) => this.#tell('warning', text));
    cluster.truth.violations$.subscribe(({ text }) => this.#tell('violation', text));
    if (this.#options.timeline !== true) return;
    cluster.timeline().subscribe((story) => {
      this.#options.onEntry?.({
        atMs: story.atMs - this.#startMs,
        type: 'story',
        text: `${story.pod} ${story.by}: ${story.text.join('; ')}`,
        story,
      });
    });
  }

  #watch(budgets: BudgetWatch): ExpectationWatch {
    const means = {
      cluster: this.#cluster,
      brokenBudgets: budgets.broken,
      nodeName: (choice: NodeChoice) => this.#taker.nodeName(choice),
    };
    return new ExpectationWatch(
      means,
      this.#scenario.expectations,
      () => this.#nowMs,
      ({ title, isMet, problem }) => {
        const text = isMet ? title : `${title} (${problem ?? ''})`;
        this.#tell(isMet ? 'met' : 'failed', text);
        this.#measurement?.mark(text, { kind: 'expectation', ok: isMet });
      },
    );
  }

  /** From one moment that the scenario names to the next. */
  async #run(watch: ExpectationWatch): Promise<void> {
    const { actions, untilMs, endMs } = this.#scenario;
    const waiting = [...actions];
    for (;;) {
      const nowMs = this.#nowMs;
      watch.closeUntil(nowMs);
      this.#healUntil(nowMs);
      const due = waiting.splice(0, waiting.findLastIndex(({ atMs }) => atMs <= nowMs) + 1);
      for (const action of due) this.#take(action);
      if (due.length > 0) watch.refresh(nowMs);
      watch.openFrom(nowMs);
      if (nowMs >= endMs || this.#isEnded) return;
      const isDone = (): boolean => waiting.length === 0 && this.#heals.length === 0 && watch.isDecided;
      const isOver = (): boolean => this.#nowMs >= untilMs && isDone();
      const nextMs = this.#nextMoment(nowMs, waiting);
      const { end } = await this.#cluster.run({ until: isOver, limit: nextMs - nowMs });
      if (end === 'done' || end === 'aborted') return;
    }
  }

  #nextMoment(nowMs: number, waiting: readonly ScenarioAction[]): number {
    const moments = [
      this.#scenario.untilMs,
      this.#scenario.endMs,
      ...waiting.map(({ atMs }) => atMs),
      ...this.#heals.map(({ atMs }) => atMs),
      ...this.#scenario.expectations.flatMap(({ fromMs, untilMs }) => [fromMs, untilMs ?? fromMs]),
    ];
    return Math.min(...moments.filter((moment) => moment > nowMs));
  }

  #take(action: ScenarioAction): void {
    const done = this.#taker.take(action);
    if (done === undefined) return;
    const text = action.name === undefined ? done : `${done} (${action.name})`;
    this.#tell('action', text);
    // Faults are marked by the measurement itself, with their duration.
    if (action.step.verb !== 'fault') this.#measurement?.mark(text, { kind: 'step' });
  }

  #refused({ mayFail, name, step }: ScenarioAction, reason: string): void {
    const what = name ?? (step.verb === 'fault' ? step.fault.verb : step.verb);
    this.#tell('refused', `${what}: ${reason}`);
    if (!mayFail) this.#refusals.push(`${what}: ${reason}`);
  }

  #lasts({ step }: ScenarioAction, heal: () => void): void {
    if ((step.verb !== 'fault' && step.verb !== 'edit') || step.forMs === undefined) return;
    this.#heals.push({ atMs: this.#nowMs + step.forMs, heal });
    this.#heals.sort((a, b) => a.atMs - b.atMs);
  }

  #healUntil(nowMs: number): void {
    while (this.#heals[0] !== undefined && this.#heals[0].atMs <= nowMs) this.#heals.shift()?.heal();
  }

  #tell(type: ScenarioEntry['type'], text: string): void {
    this.#options.onEntry?.({ atMs: this.#nowMs, type, text });
  }

  #result(watch: ExpectationWatch, budgets: BudgetWatch): ScenarioResult {
    const cluster = this.#cluster;
    const { verdicts } = watch;
    const thresholds = this.#measurement?.check() ?? [];
    const isKept = verdicts.every(({ isMet }) => isMet) && thresholds.every(({ ok }) => ok);
    return {
      isMet: !this.#isEnded && this.#refusals.length === 0 && isKept,
      expectations: verdicts,
      thresholds,
      ...(this.#options.measure === true && this.#measurement !== undefined
        ? { measured: this.#measurement.read() }
        : {}),
      refusals: this.#refusals,
      violations: { ...cluster.truth.counts, brokenBudgets: budgets.broken },
      seed: cluster.seed,
      epochMs: cluster.epochMs,
      traceHash: cluster.traceHash,
      endMs: this.#nowMs,
    };
  }
}
