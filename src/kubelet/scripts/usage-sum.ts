/** What several containers use together, and when that crosses a level. Pure. */
import type { UsageCurve } from './script-types.js';
import { usageAt } from './usage-curve.js';

/** A curve that runs since some moment. */
interface RunningCurve {
  readonly curve: UsageCurve;
  readonly startMs: number;
}

/** Pieces of lines that are looked at in one go; then it is asked again from there. */
const LONGEST_LOOK = 2048;

/** Amounts that stay as they are, and curves. */
export class UsageSum {
  #constant = 0;
  #least = 0;
  #most = 0;
  readonly #curves: RunningCurve[] = [];

  add(amount: number): void {
    this.#constant += amount;
    this.#least += amount;
    this.#most += amount;
  }

  /** @param startMs - simulated time at which the run began */
  addCurve(curve: UsageCurve, startMs: number): void {
    this.#curves.push({ curve, startMs });
    const amounts = curve.points.map(([, amount]) => amount);
    this.#least += Math.min(...amounts);
    this.#most += Math.max(...amounts);
  }

  at(nowMs: number): number {
    let sum = this.#constant;
    for (const { curve, startMs } of this.#curves) sum += usageAt(curve, nowMs - startMs);
    return sum;
  }

  /**
   * The next moment after `fromMs` at which the sum changes from at most the level to over it, or back.
   * Infinity when it never does; a moment without a change is one from which to ask again.
   */
  nextCrossing(level: number, fromMs: number): number {
    const isOver = this.at(fromMs) > level;
    if (this.#curves.length === 0 || (isOver ? this.#least > level : this.#most <= level)) return Infinity;
    const changes = (atMs: number): boolean => this.at(atMs) > level !== isOver;
    let leftMs = fromMs;
    for (let looked = 0; looked < LONGEST_LOOK; looked += 1) {
      const rightMs = this.#nextBreak(leftMs);
      if (rightMs === Infinity) return Infinity;
      if (changes(rightMs - 1)) return firstChange(leftMs, rightMs - 1, changes);
      if (changes(rightMs)) return rightMs;
      leftMs = rightMs;
    }
    return leftMs;
  }

  /** Until then all curves are straight lines. */
  #nextBreak(afterMs: number): number {
    let nextMs = Infinity;
    for (const { curve, startMs } of this.#curves)
      nextMs = Math.min(nextMs, startMs + breakAfter(curve, afterMs - startMs));
    return nextMs;
  }
}

/** The first end of a piece, or begin of a round, after a moment of the run. */
function breakAfter({ points, repeatMs }: UsageCurve, sinceStartMs: number): number {
  const baseMs = repeatMs === undefined ? 0 : sinceStartMs - (sinceStartMs % repeatMs);
  for (const [pointMs] of points) if (baseMs + pointMs > sinceStartMs) return baseMs + pointMs;
  return repeatMs === undefined ? Infinity : baseMs + repeatMs;
}

/** By halves: on a straight line there is one change only. */
function firstChange(beforeMs: number, afterMs: number, changes: (atMs: number) => boolean): number {
  let before = beforeMs;
  let after = afterMs;
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (changes(middle)) after = middle;
    else before = middle;
  }
  return after;
}
