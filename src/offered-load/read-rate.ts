/** Rates as users write them: a number, a text such as `sine 100..500 every 24h`, or a table. */
import { parse } from 'csv-parse/sync';
import { parseDurationMs } from '../kernel/distribution.js';
import { cosineOfTurns } from '../kernel/elementary-functions.js';
import { LONGEST_DURATION_MS } from '../kernel/time-units.js';
import { RateCurve, type RatePoint } from './rate-curve.js';

/** What a rate may be, for messages. */
export const RATE_TEXT =
  'requests a second such as 200, or a text such as "200", "0s=10, 5m=500", "steps 0s=10, 5m=500 repeat 1h" or "sine 100..500 every 24h"';
/** What a table of rates may be, for messages. */
export const RATE_TABLE_TEXT = 'lines of seconds or a duration, a comma and requests a second; the times rise';

/** Straight pieces of which a wave is made: it is met to a thousandth of its height. */
const PIECES_OF_WAVE = 96;
const HIGHEST_RATE = 1e9;
const MS_PER_SECOND = 1000;

/** The curve of a rate; `undefined` for what is none. */
export function readRate(rate: unknown): RateCurve | undefined {
  if (typeof rate === 'number') return isRate(rate) ? new RateCurve([[0, rate]]) : undefined;
  return typeof rate === 'string' ? readText(rate.trim()) : undefined;
}

/** The curve of a table, with straight lines between its rows; a first line of words is left out. `undefined` for what is none. */
export function readRateTable(text: string): RateCurve | undefined {
  const points = tablePoints(text);
  return points && new RateCurve(points);
}

function tablePoints(text: string): readonly RatePoint[] | undefined {
  const rows = rowsOf(text);
  const [first] = rows;
  if (first === undefined) return undefined;
  const isHead = first.every((cell) => readTime(cell) === undefined && readNumber(cell) === undefined);
  const points = (isHead ? rows.slice(1) : rows).map(([time = '', rate = '', ...rest]) =>
    rest.length > 0 ? undefined : pointOf(readTime(time), readNumber(rate)),
  );
  return rising(points);
}

/** A table as the text of a rate; `undefined` for what is none. */
export function tableAsText(table: string): string | undefined {
  return tablePoints(table)
    ?.map(([atMs, rate]) => `${atMs}ms=${rate}`)
    .join(', ');
}

function rowsOf(text: string): readonly (readonly string[])[] {
  try {
    return parse(text, { bom: true, trim: true, skip_empty_lines: true, comment: '#' });
  } catch {
    return [];
  }
}

function readText(text: string): RateCurve | undefined {
  const constant = readNumber(text);
  if (constant !== undefined) return new RateCurve([[0, constant]]);
  const [first = ''] = text.split(/\s/, 1);
  if (first === 'sine') return readWave(text);
  return first === 'steps' ? readPoints(text.slice(first.length), true) : readPoints(text, false);
}

/** A wave begins at its lowest, or as much later in it as it says. */
function readWave(text: string): RateCurve | undefined {
  const parts = /^sine\s+(\S+?)\.\.(\S+)\s+every\s+(\S+)(?:\s+from\s+(\S+))?$/.exec(text);
  if (parts === null) return undefined;
  const [, ...words] = parts;
  const [low, high] = [readNumber(words[0] ?? ''), readNumber(words[1] ?? '')];
  const [everyMs, fromMs] = [wholeMs(words[2] ?? ''), wholeMs(words[3] ?? '0')];
  if (low === undefined || high === undefined || low > high) return undefined;
  if (everyMs === undefined || fromMs === undefined || everyMs < PIECES_OF_WAVE) return undefined;
  const points = Array.from({ length: PIECES_OF_WAVE + 1 }, (_, index): RatePoint => {
    const atMs = Math.round((index * everyMs) / PIECES_OF_WAVE);
    const turns = ((atMs + fromMs) % everyMs) / everyMs;
    return [atMs, low + ((high - low) / 2) * (1 - cosineOfTurns(turns))];
  });
  return new RateCurve(points, everyMs);
}

function readPoints(text: string, isSteps: boolean): RateCurve | undefined {
  const [list = '', repeat, ...rest] = text.split(/\brepeat\b/);
  const repeatMs = repeat === undefined ? undefined : wholeMs(repeat.trim());
  if (rest.length > 0 || (repeat !== undefined && repeatMs === undefined)) return undefined;
  const points = list.split(',').map((word) => {
    const [time = '', rate = '', ...more] = word.split('=');
    return more.length > 0 ? undefined : pointOf(wholeMs(time.trim()), readNumber(rate.trim()));
  });
  const all = rising(isSteps ? points.flatMap(level) : points);
  if (all === undefined || (repeatMs !== undefined && repeatMs <= (all.at(-1)?.[0] ?? 0))) return undefined;
  return new RateCurve(all, repeatMs);
}

/** Until a step there is what was before it. */
function level(
  point: RatePoint | undefined,
  index: number,
  points: readonly (RatePoint | undefined)[],
): readonly (RatePoint | undefined)[] {
  const before = points[index - 1];
  return point === undefined || before === undefined ? [point] : [[point[0], before[1]], point];
}

function pointOf(atMs: number | undefined, rate: number | undefined): RatePoint | undefined {
  return atMs === undefined || rate === undefined ? undefined : [atMs, rate];
}

/** All of them, if each is one and their times do not fall. */
function rising(read: readonly (RatePoint | undefined)[]): readonly RatePoint[] | undefined {
  const points: RatePoint[] = [];
  for (const point of read) {
    if (point === undefined || point[0] < (points.at(-1)?.[0] ?? 0)) return undefined;
    points.push(point);
  }
  return points.length === 0 ? undefined : points;
}

/** Of a table: seconds, or a duration. */
function readTime(cell: string): number | undefined {
  const seconds = readNumber(cell);
  return seconds === undefined ? wholeMs(cell) : Math.round(seconds * MS_PER_SECOND);
}

function wholeMs(text: string): number | undefined {
  const ms = parseDurationMs(text);
  return ms === undefined || ms > LONGEST_DURATION_MS ? undefined : Math.round(ms);
}

function readNumber(text: string): number | undefined {
  if (!/^\d+(?:\.\d+)?(?:e\+?\d+)?$/.test(text)) return undefined;
  const value = Number(text);
  return isRate(value) ? value : undefined;
}

function isRate(value: number): boolean {
  return value >= 0 && value <= HIGHEST_RATE;
}
