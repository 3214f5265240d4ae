/**
 * The differences of two texts as upstream shows them: unified, with three lines around each, by the matcher of
 * Python's difflib (github.com/pmezard/go-difflib), which looks for the longest run in common, then left and right of
 * it. In texts of 200 lines and more a run does not begin with a line that occurs often.
 */
import { assert } from '../../kernel/assert.js';

/** Equal lines that are shown around each difference. */
const CONTEXT = 3;
/** From so many lines on, a line is popular that occurs more than once, and once more for each hundred. */
const LONG_LINES = 200;
const PER_OCCURRENCE = 100;

type Lines = readonly string[];

/** Lines that both texts have in a row, from there on in each. */
interface Match {
  readonly a: number;
  readonly b: number;
  readonly size: number;
}

/** A part of both texts that is the same, or that differs; ends are exclusive. */
interface Part {
  readonly isSame: boolean;
  readonly a: readonly [from: number, to: number];
  readonly b: readonly [from: number, to: number];
}

/** The differences, each line with its end; empty if there are none. */
export function unifiedDiff(a: Lines, b: Lines): string {
  const hunks = grouped(partsOf(matches(a, b), a.length, b.length));
  return hunks.map((hunk) => hunkText(hunk, a, b)).join('');
}

function matches(a: Lines, b: Lines): readonly Match[] {
  const places = new Map<string, number[]>();
  for (const [index, line] of b.entries()) {
    const known = places.get(line);
    if (known === undefined) places.set(line, [index]);
    else known.push(index);
  }
  if (b.length >= LONG_LINES) {
    const most = Math.floor(b.length / PER_OCCURRENCE) + 1;
    for (const [line, at] of places) if (at.length > most) places.delete(line);
  }
  const found: Match[] = [];
  const search = (fromA: number, toA: number, fromB: number, toB: number): void => {
    const match = widened(longestMatch(a, places, [fromA, toA], [fromB, toB]), a, b, [fromA, toA], [fromB, toB]);
    if (match.size === 0) return;
    search(fromA, match.a, fromB, match.b);
    found.push(match);
    search(match.a + match.size, toA, match.b + match.size, toB);
  };
  search(0, a.length, 0, b.length);
  return found;
}

/** With the popular lines before and after it. */
function widened(match: Match, a: Lines, b: Lines, [fromA, toA]: Part['a'], [fromB, toB]: Part['b']): Match {
  let { a: startA, b: startB, size } = match;
  for (; startA > fromA && startB > fromB && a[startA - 1] === b[startB - 1]; size += 1) {
    startA -= 1;
    startB -= 1;
  }
  while (startA + size < toA && startB + size < toB && a[startA + size] === b[startB + size]) size += 1;
  return { a: startA, b: startB, size };
}

/** Of several that are as long, the one that comes first in the first text, then in the second. */
function longestMatch(
  a: Lines,
  places: ReadonlyMap<string, readonly number[]>,
  [fromA, toA]: Part['a'],
  [fromB, toB]: Part['b'],
): Match {
  let best: Match = { a: fromA, b: fromB, size: 0 };
  /** How long the run is that ends at the line before, by its place in the second text. */
  let sizes = new Map<number, number>();
  for (let index = fromA; index < toA; index += 1) {
    const next = new Map<number, number>();
    for (const place of places.get(a[index] ?? '') ?? []) {
      if (place < fromB) continue;
      if (place >= toB) break;
      const size = (sizes.get(place - 1) ?? 0) + 1;
      next.set(place, size);
      if (size > best.size) best = { a: index - size + 1, b: place - size + 1, size };
    }
    sizes = next;
  }
  return best;
}

function partsOf(found: readonly Match[], lengthA: number, lengthB: number): readonly Part[] {
  const parts: Part[] = [];
  let [endA, endB] = [0, 0];
  for (const { a, b, size } of [...found, { a: lengthA, b: lengthB, size: 0 }]) {
    if (a > endA || b > endB) parts.push({ isSame: false, a: [endA, a], b: [endB, b] });
    const last = parts.at(-1);
    [endA, endB] = [a + size, b + size];
    if (size === 0) continue;
    const same: Part = { isSame: true, a: [a, endA], b: [b, endB] };
    if (last?.isSame !== true) parts.push(same);
    else parts[parts.length - 1] = { isSame: true, a: [last.a[0], endA], b: [last.b[0], endB] };
  }
  return parts;
}

/** Parts that differ with the lines around them; what is far from another is a hunk of its own. */
function grouped(parts: readonly Part[]): readonly (readonly Part[])[] {
  const hunks: Part[][] = [];
  let hunk: Part[] = [];
  for (const [index, part] of parts.entries()) {
    if (!part.isSame) {
      hunk.push(part);
      continue;
    }
    const [isFirst, isLast] = [index === 0, index === parts.length - 1];
    const isLong = part.a[1] - part.a[0] > 2 * CONTEXT;
    if (!isFirst && (isLong || isLast)) {
      hunk.push(lead(part));
      if (isLast) continue;
      hunks.push(hunk);
      hunk = [trail(part)];
    } else if (isFirst) hunk = isLast ? [] : [trail(part)];
    else hunk.push(part);
  }
  if (hunk.some(({ isSame }) => !isSame)) hunks.push(hunk);
  return hunks;
}

function lead({ isSame, a, b }: Part): Part {
  return { isSame, a: [a[0], Math.min(a[1], a[0] + CONTEXT)], b: [b[0], Math.min(b[1], b[0] + CONTEXT)] };
}

function trail({ isSame, a, b }: Part): Part {
  return { isSame, a: [Math.max(a[0], a[1] - CONTEXT), a[1]], b: [Math.max(b[0], b[1] - CONTEXT), b[1]] };
}

function hunkText(hunk: readonly Part[], a: Lines, b: Lines): string {
  const [first, last] = [hunk[0], hunk.at(-1)];
  assert(first !== undefined && last !== undefined, 'a hunk must have parts');
  const head = `@@ -${rangeText(first.a[0], last.a[1])} +${rangeText(first.b[0], last.b[1])} @@\n`;
  const lines = hunk.flatMap((part) => {
    if (part.isSame) return marked(' ', a, part.a);
    return [...marked('-', a, part.a), ...marked('+', b, part.b)];
  });
  return head + lines.join('');
}

function marked(mark: string, lines: Lines, [from, to]: Part['a']): readonly string[] {
  return lines.slice(from, to).map((line) => `${mark}${line}\n`);
}

function rangeText(from: number, to: number): string {
  const length = to - from;
  if (length === 1) return String(from + 1);
  return `${length === 0 ? from : from + 1},${length}`;
}
