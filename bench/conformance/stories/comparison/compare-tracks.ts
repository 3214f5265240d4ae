/** The values of one field of one object in one segment of a story: recorded, and ours. See compare-tellings.ts. */

/** One value, and when it came and went. */
export interface TrackValue {
  readonly value: string | undefined;
  readonly sinceMs: number;
  readonly untilMs: number;
  /** Whether the object had been told to go. */
  readonly isTerminating: boolean;
  /** Whether the object came with it. */
  readonly isFirst?: boolean;
}

/** Values one after the other, each other than the one before. */
export type Track = readonly TrackValue[];

/** What is replaced within this time may be merged with what follows. */
const MERGED_MS = 250;

/** Of a field that controllers sum up in. */
export interface Summary {
  /** The greatest number that it may pass through; absent = not known. */
  readonly most?: number | undefined;
  /** What is replaced within this time may be merged with what follows. @defaultValue 250 */
  readonly mergedMs?: number | undefined;
}

/**
 * Why two tracks are not the same; `undefined` when they are.
 *
 * @param summary - when controllers sum up in the field
 */
export function compareTrack(
  path: string,
  recorded: Track,
  ours: Track,
  summary: Summary | undefined,
): string | undefined {
  if (isSame(recorded, ours)) return undefined;
  if (summary === undefined) return ' differs';
  const [theirs, mine] = withoutLateValues(recorded, ours);
  if (isSame(theirs, mine)) return undefined;
  if (firstValue(theirs) !== firstValue(mine)) return ' differs in the beginning';
  if (theirs.at(-1)?.value !== mine.at(-1)?.value) return ' differs at rest';
  if (isNumeric(theirs) && isNumeric(mine) && path !== 'status.observedGeneration')
    return compareNumbers(theirs, mine, summary);
  return isMerged(theirs, mine, summary) || isMerged(mine, theirs, summary) ? undefined : ' differs';
}

/**
 * Sizes between which there may be any number of steps in the same direction. With which of them an object came
 * is left to chance where it was changed at once.
 */
export function compareSteps(recorded: Track, ours: Track): string | undefined {
  const isRising = ([, came, next]: Track): boolean =>
    came?.isFirst === true && came.untilMs - came.sinceMs < MERGED_MS && Number(next?.value ?? 0) > Number(came.value);
  const isPassing = isRising(recorded) || isRising(ours);
  const points = [recorded, ours].map((track) => turningPoints(track, isPassing).join(' '));
  return points[0] === points[1] ? undefined : ' differs';
}

/** The first number, the last one, and those from which the numbers turn back; it came with 0, or with what it came. */
function turningPoints(track: Track, isFromNothing: boolean): readonly number[] {
  const known = isFromNothing || track[0]?.value !== undefined ? track : track.slice(1);
  const numbers = numbersOf(known).filter((value, index, all) => value !== all[index - 1]);
  return numbers.filter((value, index) => {
    const [before, after] = [numbers[index - 1], numbers[index + 1]];
    return before === undefined || after === undefined || Math.sign(value - before) !== Math.sign(after - value);
  });
}

function isSame(recorded: Track, ours: Track): boolean {
  return recorded.length === ours.length && recorded.every(({ value }, index) => value === ours[index]?.value);
}

/** The value with which the object came, if it came. */
function firstValue(track: Track): string | undefined {
  return track[1]?.isFirst === true ? track[1].value : track[0]?.value;
}

/**
 * What was written when the object had been told to go, if that did not come to the same: numbers are left
 * out, other values where only one side has them.
 */
function withoutLateValues(recorded: Track, ours: Track): readonly [Track, Track] {
  if (recorded.at(-1)?.value === ours.at(-1)?.value) return [recorded, ours];
  const timely = (track: Track): Track => track.filter(({ isTerminating }) => !isTerminating);
  if (isNumeric(recorded) && isNumeric(ours)) return [timely(recorded), timely(ours)];
  const common = Math.min(recorded.length, ours.length);
  const cut = (track: Track): Track =>
    track.slice(common).every(({ isTerminating }) => isTerminating) ? track.slice(0, common) : track;
  return [cut(recorded), cut(ours)];
}

function isNumeric(track: Track): boolean {
  return track.every(({ value }) => value === undefined || /^-?\d+$/.test(value));
}

/**
 * Absent counts as 0. What the numbers pass through for a moment is within the bounds of the other side, or no
 * more than the object may have; where that is not known, one side keeps within the bounds of the other,
 * or both are no more than 1 from what stays.
 */
function compareNumbers(recorded: Track, ours: Track, { most, mergedMs = MERGED_MS }: Summary): string | undefined {
  const [theirs, mine] = [numbersOf(recorded), numbersOf(ours)];
  const [lastingThere, lastingHere] = [lasting(recorded, mergedMs), lasting(ours, mergedMs)];
  const nearby = [...lastingThere, ...lastingHere].flatMap((value) => [value - 1, value + 1]);
  const isBounded =
    most === undefined
      ? isWithin(mine, theirs) || isWithin(theirs, mine) || [theirs, mine].every((all) => isWithin(all, nearby))
      : isWithin(mine, [0, most, ...theirs]) && isWithin(theirs, [0, most, ...mine]);
  if (!isBounded) return ' is out of its bounds';
  if (turns(theirs) === 0 && turns(lastingHere) > 0) return ' turns back';
  const isLasting = lastingThere.every((value) => mine.includes(value));
  return isLasting && lastingHere.every((value) => theirs.includes(value)) ? undefined : ' differs for a while';
}

function isWithin(values: readonly number[], bounds: readonly number[]): boolean {
  return Math.min(...values) >= Math.min(...bounds) && Math.max(...values) <= Math.max(...bounds);
}

function numbersOf(track: Track): readonly number[] {
  return track.map(({ value }) => Number(value ?? 0));
}

/** Numbers that stayed for longer than a race. */
function lasting(track: Track, mergedMs: number): readonly number[] {
  return numbersOf(track.filter(({ sinceMs, untilMs }) => untilMs - sinceMs >= mergedMs));
}

/** How often the values change direction. */
function turns(values: readonly number[]): number {
  let count = 0;
  let direction = 0;
  for (let index = 1; index < values.length; index += 1) {
    const next = Math.sign((values[index] ?? 0) - (values[index - 1] ?? 0));
    if (next !== 0 && direction !== 0 && next !== direction) count += 1;
    if (next !== 0) direction = next;
  }
  return count;
}

/**
 * Whether the shorter track is the longer one without values that did not last. One from which it turned back at
 * once is known on the other side, too.
 */
function isMerged(longer: Track, shorter: Track, { mergedMs = MERGED_MS }: Summary): boolean {
  let next = 0;
  for (const [index, { value, sinceMs, untilMs }] of longer.entries()) {
    if (shorter[next]?.value === value) next += 1;
    else if (shorter[next - 1]?.value === value && index > 0) continue;
    else if (untilMs - sinceMs >= mergedMs) return false;
    else if (longer[index - 1]?.value === longer[index + 1]?.value && !shorter.some((each) => each.value === value))
      return false;
  }
  return next === shorter.length;
}
