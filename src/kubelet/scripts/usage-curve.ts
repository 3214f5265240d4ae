/** How much of a resource a container uses at a moment of its run, and when that crosses a limit. Pure. */
import type { Container } from '../../api/objects/objects.js';
import { wholeValue } from '../../api/values/quantity.js';
import { assert } from '../../kernel/assert.js';
import type { ContainerScript, UsageCurve } from './script-types.js';

/**
 * The amount in use; it may have a fraction. Before the first point it is the first point's, and of two
 * points at one time the later in the list holds.
 *
 * @param sinceStartMs - whole milliseconds since the start of the run
 */
export function usageAt({ points, repeatMs }: UsageCurve, sinceStartMs: number): number {
  const atMs = repeatMs === undefined ? sinceStartMs : sinceStartMs % repeatMs;
  const next = firstAfter(points, atMs);
  if (next === points.length) return amountOf(points.at(-1));
  if (next === 0) return amountOf(points[0]);
  return between(points[next - 1], points[next], atMs);
}

/**
 * What the use adds up to from the start of the run on: amount times milliseconds, as millicores make CPU time.
 *
 * @param untilMs - milliseconds since the start of the run
 */
export function usageUntil(curve: UsageCurve, untilMs: number): number {
  const { repeatMs } = curve;
  if (repeatMs === undefined || untilMs < repeatMs) return sumWithinRound(curve, untilMs);
  const rounds = Math.floor(untilMs / repeatMs);
  return rounds * sumWithinRound(curve, repeatMs) + sumWithinRound(curve, untilMs - rounds * repeatMs);
}

/** Straight lines between the points, level before the first and after the last one. */
function sumWithinRound({ points }: UsageCurve, untilMs: number): number {
  let sum = 0;
  let [fromMs, amount] = [0, amountOf(points[0])];
  for (const [pointMs, pointAmount] of points) {
    if (pointMs >= untilMs) {
      const share = pointMs === fromMs ? 0 : (untilMs - fromMs) / (pointMs - fromMs);
      return sum + ((2 * amount + (pointAmount - amount) * share) / 2) * (untilMs - fromMs);
    }
    sum += ((amount + pointAmount) / 2) * (pointMs - fromMs);
    [fromMs, amount] = [pointMs, pointAmount];
  }
  return sum + amount * (untilMs - fromMs);
}

/** The amount in use from a moment of the run on; `undefined` = it changes after that. */
export function lastingUse({ points, repeatMs }: UsageCurve, sinceStartMs: number): number | undefined {
  const last = points.at(-1);
  const isLevel = points.length === 1 || (repeatMs === undefined && (last?.[0] ?? 0) <= sinceStartMs);
  return isLevel ? last?.[1] : undefined;
}

/**
 * The next moment, after `sinceStartMs`, at which the use changes from at most the threshold to over it, or
 * back: whole milliseconds since the start of the run; Infinity when it never does.
 */
export function nextCrossing(curve: UsageCurve, threshold: number, sinceStartMs: number): number {
  const { repeatMs } = curve;
  const isOver = usageAt(curve, sinceStartMs) > threshold;
  if (repeatMs === undefined) return crossingWithin(curve, threshold, isOver, { baseMs: 0, afterMs: sinceStartMs });
  const baseMs = sinceStartMs - (sinceStartMs % repeatMs);
  const inThisRound = crossingWithin(curve, threshold, isOver, { baseMs, afterMs: sinceStartMs });
  if (inThisRound !== Infinity) return inThisRound;
  const nextMs = baseMs + repeatMs;
  return crossingWithin(curve, threshold, isOver, { baseMs: nextMs, afterMs: nextMs - 1 });
}

/**
 * When a run of the container ends by the out-of-memory killer, milliseconds since its start: the first at which its
 * memory is over its limit. Infinity when it never is, or has no limit.
 */
export function outOfMemoryAfterMs(
  { memoryBytes }: ContainerScript,
  { resources }: Pick<Container, 'resources'>,
): number {
  const limit = resources?.limits?.['memory'];
  if (memoryBytes === undefined || limit === undefined) return Infinity;
  const limitBytes = wholeValue(limit);
  return usageAt(memoryBytes, 0) > limitBytes ? 0 : nextCrossing(memoryBytes, limitBytes, 0);
}

/** The index of the first point that comes after a moment; their number when none does. */
function firstAfter(points: UsageCurve['points'], atMs: number): number {
  let [low, high] = [0, points.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const point = points[middle];
    if (point === undefined || point[0] > atMs) high = middle;
    else low = middle + 1;
  }
  return low;
}

type Point = UsageCurve['points'][number];

function amountOf(point: Point | undefined): number {
  assert(point !== undefined, 'a usage curve must have a point');
  return point[1];
}

/** On the straight line between two points. */
function between(left: Point | undefined, right: Point | undefined, atMs: number): number {
  assert(left !== undefined && right !== undefined, 'a line must have two ends');
  return left[1] + (right[1] - left[1]) * ((atMs - left[0]) / (right[0] - left[0]));
}

/** One round of a curve, and the moment after which to look. */
interface Round {
  /** Where it begins, milliseconds since the start of the run. */
  readonly baseMs: number;
  readonly afterMs: number;
}

/** The first crossing in one round; Infinity when there is none. */
function crossingWithin(curve: UsageCurve, threshold: number, isOver: boolean, { baseMs, afterMs }: Round): number {
  const { points, repeatMs = Infinity } = curve;
  const changes = (atMs: number): boolean => usageAt(curve, atMs) > threshold !== isOver;
  const startMs = Math.max(baseMs, afterMs + 1);
  if (startMs < baseMs + repeatMs && changes(startMs)) return startMs;
  for (let index = Math.max(0, firstAfter(points, startMs - baseMs) - 1); index < points.length; index += 1) {
    const left = points[index];
    const right = points[index + 1];
    if (left === undefined) break;
    const fromMs = Math.max(startMs, baseMs + left[0]);
    if (right === undefined) {
      if (fromMs < baseMs + repeatMs && changes(fromMs)) return fromMs;
    } else {
      const toMs = baseMs + right[0] - 1;
      if (toMs < fromMs) continue;
      if (changes(fromMs)) return fromMs;
      if (changes(toMs)) return onLine(left, right, threshold, { baseMs, fromMs, toMs, changes });
    }
  }
  return Infinity;
}

/** A piece of a line that begins on one side of the threshold and ends on the other. */
interface Piece {
  readonly baseMs: number;
  readonly fromMs: number;
  readonly toMs: number;
  readonly changes: (atMs: number) => boolean;
}

/**
 * Where a line crosses the threshold, by its equation. What rounding leaves open is settled by asking
 * {@link usageAt} itself, by halves, so that both always agree to the millisecond.
 */
function onLine(left: Point, right: Point, threshold: number, { baseMs, fromMs, toMs, changes }: Piece): number {
  const share = (threshold - left[1]) / (right[1] - left[1]);
  const guessMs = Math.floor(baseMs + left[0] + share * (right[0] - left[0]));
  let beforeMs = clamp(guessMs - 1, fromMs, toMs);
  let afterMs = clamp(guessMs + 2, fromMs, toMs);
  if (changes(beforeMs)) beforeMs = fromMs;
  if (!changes(afterMs)) afterMs = toMs;
  while (afterMs - beforeMs > 1) {
    const middleMs = Math.floor((beforeMs + afterMs) / 2);
    if (changes(middleMs)) afterMs = middleMs;
    else beforeMs = middleMs;
  }
  return afterMs;
}

function clamp(value: number, min: number, max: number): number {
  return Math.min(max, Math.max(min, value));
}
