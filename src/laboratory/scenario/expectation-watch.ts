/** Follows the expectations of a scenario and finds out when each of them is met, or why it is not. */
import { openCount, type Count, type CountMeans } from './condition-count.js';
import type { Expectation } from './scenario.js';

/** What became of an expectation. */
export interface Verdict {
  readonly title: string;
  readonly isMet: boolean;
  /** Simulated time since the scenario began, ms. */
  readonly atMs: number;
  /** What was found instead; absent when it is met. */
  readonly problem?: string;
}

/** One expectation while the scenario is played. */
class Watched {
  readonly expectation: Expectation;
  readonly #count: Count;
  readonly #tell: (verdict: Verdict) => void;
  #isOpen = false;
  verdict: Verdict | undefined;

  constructor(means: CountMeans, expectation: Expectation, nowMs: () => number, tell: (verdict: Verdict) => void) {
    this.expectation = expectation;
    this.#tell = tell;
    this.#count = openCount(means, expectation.condition.subject, () => this.look(nowMs()));
  }

  open(atMs: number): void {
    this.#isOpen = true;
    this.look(atMs);
  }

  refresh(atMs: number): void {
    if (this.verdict !== undefined) return;
    this.#count.refresh();
    this.look(atMs);
  }

  /** Something has changed: an end that does not depend on time comes at once. */
  look(atMs: number): void {
    if (!this.#isOpen || this.verdict !== undefined) return;
    const { mode } = this.expectation;
    if (mode === 'by' && this.#holds) this.#decide(true, atMs);
    if (mode === 'always' && !this.#holds) this.#decide(false, atMs);
    if (mode === 'never' && this.#holds) this.#decide(false, atMs);
  }

  /** Its time is over. */
  close(atMs: number): void {
    const { mode } = this.expectation;
    this.#isOpen = true;
    this.refresh(atMs);
    if (this.verdict === undefined) this.#decide(mode === 'at' ? this.#holds : mode !== 'by', atMs);
    this.#count.close();
  }

  get #holds(): boolean {
    const { min, max } = this.expectation.condition;
    return this.#count.value >= min && this.#count.value <= max;
  }

  #decide(isMet: boolean, atMs: number): void {
    const { title, condition } = this.expectation;
    const problem = isMet ? {} : { problem: `counted ${this.#count.value}, ${boundsText(condition)}` };
    this.verdict = { title, isMet, atMs, ...problem };
    this.#count.close();
    this.#tell(this.verdict);
  }
}

/** See the file header. Times are those of the scenario. */
export class ExpectationWatch {
  readonly #watched: readonly Watched[];

  /** @param tell - told of each verdict at once */
  constructor(
    means: CountMeans,
    expectations: readonly Expectation[],
    nowMs: () => number,
    tell: (verdict: Verdict) => void,
  ) {
    this.#watched = expectations.map((expectation) => new Watched(means, expectation, nowMs, tell));
  }

  get isDecided(): boolean {
    return this.#watched.every(({ verdict }) => verdict !== undefined);
  }

  /** In the order of the file; without those that are not decided yet. */
  get verdicts(): readonly Verdict[] {
    return this.#watched.flatMap(({ verdict }) => verdict ?? []);
  }

  /** Decides those that are past their time by now. */
  closeUntil(atMs: number): void {
    for (const each of this.#watched) {
      const { untilMs = Infinity } = each.expectation;
      if (each.verdict === undefined && untilMs <= atMs) each.close(atMs);
    }
  }

  /** Begins to check those with a time that begins now. */
  openFrom(atMs: number): void {
    for (const each of this.#watched)
      if (each.expectation.mode !== 'at' && each.expectation.fromMs === atMs) each.open(atMs);
  }

  /** An action was taken: what conditions refer to may mean something else. */
  refresh(atMs: number): void {
    for (const each of this.#watched) each.refresh(atMs);
  }

  /** The scenario is over. */
  closeAll(atMs: number): void {
    for (const each of this.#watched) if (each.verdict === undefined) each.close(atMs);
  }
}

function boundsText({ min, max }: { readonly min: number; readonly max: number }): string {
  if (min === max) return `must be ${min}`;
  if (max === Infinity) return `must be ${min} at least`;
  return min === 0 ? `must be ${max} at most` : `must be in ${min}..${max}`;
}
