/**
 * A search: plans drawn from seeds, each played to its end, several at once on worker threads. The first
 * violation of a seed is shrunk to the actions that matter. What a seed does follows from the seed and the
 * bounds alone, whichever thread plays it.
 */
import type { Piscina } from 'piscina';
import { drawPlan } from './draw-plan.js';
import type { PlanBase } from './plan-base.js';
import { isFault, withoutFaults, type PlanBounds, type PlanDocument } from './plan-document.js';
import {
  checkedOptions,
  COUNT,
  FLAG,
  FUNCTION,
  withFields,
  MAPPING,
  MAPPINGS,
  TEXTS,
  type Check,
  type Checks,
} from '../../options/option-checks.js';
import { programFile } from '../../kernel/program-file.js';
import { OptionError } from '../../options/option-error.js';
import { NOTHING, together, type Exercise, type PlanOutcome } from './plan-outcome.js';
import { PLAY_CHECKS, playPlan, type PlayOptions } from './play-plan.js';
import { checkBounds } from './read-bounds.js';
import { isSameCause } from './same-cause.js';
import { shrinkPlan } from './shrink-plan.js';

/** What is searched. */
export interface SearchOptions extends Omit<PlayOptions, 'workers'> {
  /** How many seeds. */
  readonly seeds: number;
  /** The first one; the others follow. @defaultValue 1 */
  readonly from?: number;
  readonly bounds?: PlanBounds;
  /** A scenario's cluster, workloads and actions in place of drawn ones; see {@link parseBase}. */
  readonly base?: PlanBase | undefined;
  /** Names of controllers that `prepare` adds: faults befall them as they do the built-in ones. */
  readonly controllers?: readonly string[];
  /** Takes the place of what is drawn, such as workloads of your own; called with the plan of each seed. */
  readonly adapt?: (plan: PlanDocument) => PlanDocument;
  /** Worker threads; 0 = this one. No `prepare`, `adapt`, `invariants` or `onEntry` goes with threads. @defaultValue 0 */
  readonly workers?: number;
  /** Asked before each seed; `false` = begin no more. */
  readonly goesOn?: () => boolean;
  /** The search ends with the first violation. @defaultValue false */
  readonly stopsAtFirst?: boolean;
  /** Whether what is found is made smaller, which takes dozens of plays. @defaultValue true */
  readonly shrinks?: boolean;
  /** Told of each seed as it is done; on threads not in order. */
  readonly onSeed?: (seed: number, outcome: PlanOutcome) => void;
}

/** A seed that went wrong. */
export interface Discovery {
  readonly seed: number;
  /** What the seed stands for. */
  readonly plan: PlanDocument;
  readonly outcome: PlanOutcome;
  /** The same with the actions that matter alone, and what comes of that. */
  readonly shrunk: PlanDocument;
  readonly shrunkOutcome: PlanOutcome;
}

/** What a search has exercised and found. */
export interface SearchSummary extends Exercise {
  readonly seeds: number;
  readonly virtualMs: number;
  /** Actions and faults that were planned, by verb. */
  readonly actions: ReadonlyMap<string, number>;
  /** Actions that were refused. */
  readonly refused: number;
  /** Risks that users took knowingly. */
  readonly asked: number;
  readonly discoveries: readonly Discovery[];
}

/** Fields of an action that are no verb. */
const BESIDES: readonly string[] = ['at', 'for', 'name', 'mayFail'];

const BASE: Check = withFields('the base that parseBase gives', {
  nodes: TEXTS,
  cluster: MAPPING,
  objects: MAPPINGS,
  workloads: MAPPINGS,
  actions: MAPPINGS,
});
const OPTIONS: Checks<SearchOptions> = {
  ...PLAY_CHECKS,
  seeds: COUNT,
  from: COUNT,
  bounds: MAPPING,
  base: BASE,
  controllers: TEXTS,
  adapt: FUNCTION,
  goesOn: FUNCTION,
  stopsAtFirst: FLAG,
  shrinks: FLAG,
  onSeed: FUNCTION,
};

/** See the file header. @throws OptionError for options that cannot be, or do not go together */
export async function search(options: SearchOptions): Promise<SearchSummary> {
  const { workers = 0, adapt, bounds = {}, ...others } = checkedOptions('', options, OPTIONS, ['seeds']);
  const { prepare, invariants, onEntry, signal } = others;
  checkBounds(bounds);
  if (workers > 0 && [prepare, adapt, invariants, onEntry].some((each) => each !== undefined)) {
    const problem = '0 with prepare, adapt, invariants or onEntry, which are functions of this thread';
    throw new OptionError('workers', problem, workers);
  }
  const player =
    workers > 0
      ? new ThreadPlayer(await startThreads(workers), signal)
      : { play: (plan: PlanDocument) => playPlan(plan, { prepare, invariants, onEntry, signal }) };
  try {
    return await new Search(options, player).run(Math.max(1, workers));
  } finally {
    if (player instanceof ThreadPlayer) await player.dispose();
  }
}

interface Player {
  play(plan: PlanDocument): Promise<PlanOutcome>;
}

type Threads = Piscina<PlanDocument, PlanOutcome>;

/** Piscina is loaded when threads are asked for. */
async function startThreads(count: number): Promise<Threads> {
  const { Piscina: Pool } = await import('piscina');
  const filename = programFile('workers/play-plan.js').href;
  return new Pool({ filename, minThreads: count, maxThreads: count });
}

class ThreadPlayer implements Player {
  readonly #pool: Threads;
  readonly #signal: AbortSignal | undefined;

  constructor(pool: Threads, signal: AbortSignal | undefined) {
    this.#pool = pool;
    this.#signal = signal;
  }

  play(plan: PlanDocument): Promise<PlanOutcome> {
    return this.#pool.run(plan, this.#signal === undefined ? {} : { signal: this.#signal });
  }

  dispose(): Promise<void> {
    return this.#pool.destroy();
  }
}

class Search {
  readonly #options: SearchOptions;
  readonly #player: Player;
  readonly #actions = new Map<string, number>();
  #exercise: Exercise = NOTHING;
  readonly #discoveries: Discovery[] = [];
  #seeds = 0;
  #virtualMs = 0;
  #refused = 0;
  #asked = 0;
  #next: number;

  constructor(options: SearchOptions, player: Player) {
    this.#options = options;
    this.#player = player;
    this.#next = options.from ?? 1;
  }

  async run(lanes: number): Promise<SearchSummary> {
    await Promise.all(Array.from({ length: lanes }, () => this.#lane()));
    const { evaluated, faults, crashes, failedRequests, podsCreated, processesStarted } = this.#exercise;
    return {
      seeds: this.#seeds,
      virtualMs: this.#virtualMs,
      actions: this.#actions,
      refused: this.#refused,
      evaluated,
      faults,
      crashes,
      failedRequests,
      podsCreated,
      processesStarted,
      asked: this.#asked,
      discoveries: this.#discoveries.toSorted((a, b) => a.seed - b.seed),
    };
  }

  async #lane(): Promise<void> {
    const { onSeed } = this.#options;
    while (this.#goesOn()) {
      const seed = this.#next;
      this.#next += 1;
      const plan = this.#plan(seed);
      const outcome = await this.#play(plan);
      if (outcome === undefined) return;
      this.#count(plan, outcome);
      onSeed?.(seed, outcome);
      if (outcome.violations.length > 0) this.#discoveries.push(await this.#shrink(seed, plan, outcome));
    }
  }

  /** `undefined` = the search was ended meanwhile. */
  async #play(plan: PlanDocument): Promise<PlanOutcome | undefined> {
    try {
      const outcome = await this.#player.play(plan);
      return this.#isEnded ? undefined : outcome;
    } catch (error) {
      if (this.#isEnded) return undefined;
      throw error;
    }
  }

  get #isEnded(): boolean {
    return this.#options.signal?.aborted === true;
  }

  #goesOn(): boolean {
    if (this.#isEnded) return false;
    const { seeds, from = 1, stopsAtFirst = false, goesOn } = this.#options;
    if (this.#next >= from + seeds || (stopsAtFirst && this.#discoveries.length > 0)) return false;
    return goesOn === undefined || goesOn();
  }

  #plan(seed: number): PlanDocument {
    const { bounds, base, controllers, adapt = (plan) => plan } = this.#options;
    return adapt(drawPlan(String(seed), { bounds, base, controllers }));
  }

  /** A smaller plan must go wrong for the same cause: by its faults, where the plan was whole without them. */
  async #shrink(seed: number, plan: PlanDocument, outcome: PlanOutcome): Promise<Discovery> {
    if (this.#options.shrinks === false) return { seed, plan, outcome, shrunk: plan, shrunkOutcome: outcome };
    const [wanted] = outcome.violations;
    const needsFaults = plan.actions.some(isFault) && (await this.#isWholeWithoutFaults(plan));
    let shrunkOutcome = outcome;
    const shrunk = await shrinkPlan(plan, async (candidate) => {
      // A plan that cannot be played any more goes wrong in another way.
      const tried = await this.#play(candidate).catch(() => NOTHING);
      if (tried === undefined || !isSameCause(tried.violations[0], wanted)) return false;
      if (needsFaults && !(await this.#isWholeWithoutFaults(candidate))) return false;
      shrunkOutcome = tried;
      return true;
    });
    return { seed, plan, outcome, shrunk, shrunkOutcome };
  }

  async #isWholeWithoutFaults(plan: PlanDocument): Promise<boolean> {
    const outcome = await this.#play({ ...withoutFaults(plan), reference: false });
    return outcome?.violations.length === 0;
  }

  #count(plan: PlanDocument, outcome: PlanOutcome): void {
    const { virtualMs, refused, asked } = outcome;
    this.#seeds += 1;
    this.#virtualMs += virtualMs;
    this.#refused += refused;
    this.#asked += asked;
    this.#exercise = together(this.#exercise, outcome);
    for (const action of plan.actions) {
      const verb = Object.keys(action).find((field) => !BESIDES.includes(field)) ?? '';
      this.#actions.set(verb, (this.#actions.get(verb) ?? 0) + 1);
    }
  }
}
