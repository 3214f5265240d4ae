/**
 * A search for bugs of an operator: what users do and what goes wrong is drawn from seeds and played against it. Its
 * promises are looked at with every write; when all is healed, what is expected of it must come about, and stay. The
 * first seed that goes wrong is shrunk to the steps that matter.
 */
import { ApiError } from '../api/errors/api-error.js';
import { createCluster, type Cluster } from '../cluster/cluster.js';
import type { ClusterOptions } from '../cluster/options.js';
import { randomStream, type RandomStream } from '../kernel/random.js';
import type { Invariant } from '../observers/invariants/invariant.js';
import {
  checkedOptions,
  checkValue,
  COUNT,
  DURATION,
  FLAG,
  FUNCTION,
  MAPPING,
  MAPPINGS,
  SIGNAL,
  type Checks,
} from '../options/option-checks.js';
import { durationMs, type Duration } from '../options/durations.js';
import { OptionError } from '../options/option-error.js';
import type { CarriedWrite } from '../server/listen.js';
import { drawSteps, OPERATOR_TROUBLES, planMs, type OperatorBounds, type PlannedStep } from './operator-plan.js';
import { checkSubject, type OperatorSubject } from './operator-subject.js';
import { PACE, type OperatorPace } from './running-operator.js';
import { subjectOf, type PlayedSubject } from './played-subject.js';

/** Something that users do; drawn as often as the others. */
export interface OperatorAction {
  readonly name: string;
  /** Refusals of the API (`ApiError`) are none of the operator's. */
  readonly act: (cluster: Cluster, random: RandomStream) => void;
}

/** What must come about once nothing is wrong any more. */
export interface OperatorExpectation {
  readonly name: string;
  /** `true`, or what is not so. */
  readonly holds: (cluster: Cluster) => boolean | string;
}

/** What is searched. */
export interface OperatorSearchOptions {
  readonly operator: OperatorSubject;
  /** How many seeds. */
  readonly seeds: number;
  /** The first one; the others follow. @defaultValue 1 */
  readonly from?: number;
  /** Of each seed's cluster. @defaultValue two nodes */
  readonly cluster?: Omit<ClusterOptions, 'seed' | 'invariants'>;
  /** What is there before the operator starts, such as its definitions. */
  readonly prepare?: (cluster: Cluster) => void;
  readonly actions: readonly OperatorAction[];
  /** Looked at with every write. */
  readonly invariants?: readonly Invariant[];
  readonly expectations?: readonly OperatorExpectation[];
  readonly bounds?: OperatorBounds;
  /** Simulated time in which the expectations must come about. @defaultValue 10m */
  readonly within?: Duration;
  readonly pace?: OperatorPace;
  /** The search ends with the first find. @defaultValue true */
  readonly stopsAtFirst?: boolean;
  /** Whether a find is made smaller, which takes a dozen plays or more. @defaultValue true */
  readonly shrinks?: boolean;
  /** Told of each seed as it is done. */
  readonly onSeed?: (seed: number, play: OperatorPlay) => void;
  readonly signal?: AbortSignal;
}

/** How a seed went. */
export interface OperatorPlay {
  /** What went wrong; empty = nothing. */
  readonly violations: readonly OperatorViolation[];
  /** Requests of an operator over the network that may have written, with what became of each. */
  readonly writes: readonly CarriedWrite[];
  readonly restarts: number;
  /** Processes that ended by themselves, and what they printed. */
  readonly failures: readonly string[];
  readonly virtualMs: number;
}

/** A promise or an expectation that did not hold. */
export interface OperatorViolation {
  readonly name: string;
  readonly atMs: number;
  readonly text: string;
}

/** A seed that went wrong. */
export interface OperatorFind {
  readonly seed: number;
  readonly steps: readonly PlannedStep[];
  readonly play: OperatorPlay;
  /** The steps that matter, and what came of them. */
  readonly shrunk: readonly PlannedStep[];
  readonly shrunkPlay: OperatorPlay;
}

const OPTIONS: Checks<OperatorSearchOptions> = {
  operator: MAPPING,
  seeds: COUNT,
  from: COUNT,
  cluster: MAPPING,
  prepare: FUNCTION,
  actions: MAPPINGS,
  invariants: MAPPINGS,
  expectations: MAPPINGS,
  bounds: MAPPING,
  within: DURATION,
  pace: MAPPING,
  stopsAtFirst: FLAG,
  shrinks: FLAG,
  onSeed: FUNCTION,
  signal: SIGNAL,
};

/** Simulated time for which what is expected must stay so, ms. */
const STAYS_MS = 30_000;

/** Real time without a request after which an operator is taken to do nothing more about what is expected, ms. */
const IDLE_MS = 2000;
const IDLE_STEP_MS = 1000;

/** See the file header. @returns what was found; empty = nothing @throws OptionError; what `prepare` or an action throws */
export async function searchOperator(options: OperatorSearchOptions): Promise<readonly OperatorFind[]> {
  checkSearch(options);
  const { operator, seeds, from = 1, bounds = {}, stopsAtFirst = true, onSeed, signal, actions } = options;
  const finds: OperatorFind[] = [];
  const names = actions.map(({ name }) => name);
  const party = `operator/${operator.name}`;
  for (let seed = from; seed < from + seeds; seed += 1) {
    if (signal?.aborted === true) break;
    const steps = drawSteps(seed, bounds, names, party);
    const play = await playSteps(options, seed, steps);
    onSeed?.(seed, play);
    const [violation] = play.violations;
    if (violation === undefined) continue;
    const shrunk = options.shrinks === false ? { steps, play } : await shrink(options, seed, { steps, play });
    finds.push({ seed, steps, play, shrunk: shrunk.steps, shrunkPlay: shrunk.play });
    if (stopsAtFirst) break;
  }
  return finds;
}

/** @throws OptionError */
function checkSearch(options: OperatorSearchOptions): void {
  checkedOptions('', options, OPTIONS, ['operator', 'seeds', 'actions']);
  const { operator, actions, expectations = [], bounds = {}, pace = {} } = options;
  checkSubject('operator', operator);
  checkedOptions('pace.', pace, PACE);
  if (actions.length === 0) throw new OptionError('actions', 'at least one action', actions);
  actions.forEach((action, index) => {
    checkValue(`actions[${index}].name`, action.name, ['a text', (value) => typeof value === 'string']);
    checkValue(`actions[${index}].act`, action.act, FUNCTION);
  });
  expectations.forEach(({ holds }, index) => checkValue(`expectations[${index}].holds`, holds, FUNCTION));
  checkBounds(bounds);
}

/** @throws OptionError */
function checkBounds(bounds: OperatorBounds): void {
  checkedOptions('bounds.', bounds, {
    actions: ['[least, most]', isRange],
    faults: ['[least, most]', isRange],
    seconds: COUNT,
    kinds: [`a list of ${OPERATOR_TROUBLES.join(', ')}`, (value) => Array.isArray(value) && value.every(isTrouble)],
  });
}

function isRange(value: unknown): boolean {
  return Array.isArray(value) && value.length === 2 && value.every(COUNT[1]) && Number(value[0]) <= Number(value[1]);
}

function isTrouble(value: unknown): boolean {
  return OPERATOR_TROUBLES.some((each) => each === value);
}

/** Plays the steps of a seed again, such as those that a search has shrunk. @throws OptionError */
export async function playSteps(
  options: OperatorSearchOptions,
  seed: number,
  steps: readonly PlannedStep[],
): Promise<OperatorPlay> {
  const { cluster: given = {}, prepare, invariants = [], expectations = [], within = '10m', signal } = options;
  const cluster = createCluster({ nodes: 2, ...given, seed: String(seed), invariants });
  let subject: PlayedSubject | undefined;
  try {
    await cluster.ready();
    prepare?.(cluster);
    subject = await subjectOf(cluster, options.operator, options.pace ?? {});
    const stop = signal === undefined ? {} : { signal };
    const playing = subject;
    const leftMs = (atMs: number): number => Math.max(0, atMs - (cluster.nowMs - playing.startedMs));
    for (const step of steps) {
      await subject.run({ limit: leftMs(step.atMs), ...stop });
      take(step, cluster, subject, options.actions);
    }
    // What happens last has its time as well, before all is healed.
    await subject.run({ limit: leftMs(planMs(options.bounds)), ...stop });
    cluster.faults.healAll();
    subject.healCrashes();
    const pending = (): string | undefined => firstMissing(expectations, cluster)?.text;
    let seen = -1;
    let isMet = false;
    const until = (): boolean => {
      if (cluster.version !== seen) {
        seen = cluster.version;
        isMet = pending() === undefined;
      }
      return isMet;
    };
    await subject.run({ limit: durationMs('within', within), until, ...stop });
    // A process that has not had the time to do its work, on a machine that is busy, is not taken for one that does not.
    while (pending() !== undefined && subject.idleForMs < IDLE_MS) {
      if (signal?.aborted === true) break;
      await subject.run({ limit: IDLE_STEP_MS, until, ...stop });
    }
    if (pending() === undefined) await subject.run({ limit: STAYS_MS, ...stop });
    return outcome(cluster, subject, expectations);
  } finally {
    await subject?.stop();
    await cluster.dispose();
  }
}

function take(step: PlannedStep, cluster: Cluster, subject: PlayedSubject, actions: readonly OperatorAction[]): void {
  if ('fault' in step) cluster.faults.inject(step.fault);
  else if ('crash' in step) subject.crash(step.crash.forMs, step.crash.afterWrites);
  else {
    const random = randomStream(String(step.choice), step.action);
    try {
      actions.find(({ name }) => name === step.action)?.act(cluster, random);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
    }
  }
}

function firstMissing(
  expectations: readonly OperatorExpectation[],
  cluster: Cluster,
): { readonly name: string; readonly text: string } | undefined {
  for (const { name, holds } of expectations) {
    const verdict = holds(cluster);
    if (verdict !== true) return { name, text: verdict === false ? 'it is not so' : verdict };
  }
  return undefined;
}

function outcome(cluster: Cluster, subject: PlayedSubject, expectations: readonly OperatorExpectation[]): OperatorPlay {
  const broken = cluster.invariants.faults.map(({ invariant, atMs, object, text }) => {
    return { name: invariant, atMs, text: `${object} ${text}` };
  });
  const missing = firstMissing(expectations, cluster);
  const late = missing === undefined ? [] : [{ ...missing, atMs: cluster.nowMs }];
  const { writes, restarts, failures } = subject;
  return { violations: [...broken, ...late], writes, restarts, failures, virtualMs: cluster.nowMs };
}

interface Played {
  readonly steps: readonly PlannedStep[];
  readonly play: OperatorPlay;
}

/** Leaves out one step after the other for as long as the same promise is broken. */
async function shrink(options: OperatorSearchOptions, seed: number, found: Played): Promise<Played> {
  const [violation] = found.play.violations;
  let best = found;
  for (let index = found.steps.length - 1; index >= 0 && options.signal?.aborted !== true; index -= 1) {
    const steps = best.steps.filter((step) => step !== found.steps[index]);
    const play = await playSteps(options, seed, steps);
    if (play.violations.some(({ name }) => name === violation?.name)) best = { steps, play };
  }
  return best;
}
