/** Durations that vary: drawn from a named random stream, written by users as text. */
import { cosineOfTurns, naturalLog, powerOfE } from './elementary-functions.js';
import type { RandomStream } from './random.js';

/** A duration in milliseconds, fixed or drawn anew each time. */
export type Distribution =
  | number
  | { readonly uniform: readonly [minMs: number, maxMs: number] }
  | { readonly exponential: { readonly meanMs: number } }
  | { readonly lognormal: { readonly medianMs: number; readonly sigma: number } }
  | { readonly choice: readonly number[] };

/** Nothing takes longer than a hundred years: the tail of a wide distribution is a number, not an overflow. */
const LONGEST_DRAW_MS = 3_155_760_000_000;

/** Draws a duration in whole milliseconds, at least 0. A fixed one draws nothing. */
export function sample(distribution: Distribution, random: RandomStream): number {
  const ms = typeof distribution === 'number' ? distribution : draw(distribution, random);
  return Math.min(LONGEST_DRAW_MS, Math.max(0, Math.round(ms)));
}

function draw(distribution: Exclude<Distribution, number>, random: RandomStream): number {
  if ('uniform' in distribution) {
    const [minMs, maxMs] = distribution.uniform;
    return minMs + random.unit() * (maxMs - minMs);
  }
  if ('exponential' in distribution) return -naturalLog(1 - random.unit()) * distribution.exponential.meanMs;
  if ('choice' in distribution) return distribution.choice[random.int(0, distribution.choice.length - 1)] ?? 0;
  const { medianMs, sigma } = distribution.lognormal;
  return medianMs * powerOfE(sigma * standardNormal(random));
}

/** Box and Muller's transform. */
function standardNormal(random: RandomStream): number {
  return Math.sqrt(-2 * naturalLog(1 - random.unit())) * cosineOfTurns(random.unit());
}

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Go's duration text (`1m30s`, `500ms`, `0`) in milliseconds, or `undefined` when it is none. */
export function parseDurationMs(text: string): number | undefined {
  const trimmed = text.trim();
  if (trimmed === '0') return 0;
  if (!/^(\d+(\.\d+)?(ms|s|m|h|d))+$/.test(trimmed)) return undefined;
  let totalMs = 0;
  for (const [, amount, unit] of trimmed.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/g)) {
    totalMs += Number(amount) * (UNIT_MS[unit ?? ''] ?? 0);
  }
  return Number.isFinite(totalMs) ? totalMs : undefined;
}

/**
 * Reads `2s`, `uniform(1s, 3s)`, `exponential(10s)`, `lognormal(10s, 0.5)` (median, sigma) or
 * `choice(1s, 5s, 1m)`; `undefined` when the text is none of these.
 */
export function parseDistribution(text: string): Distribution | undefined {
  const call = /^\s*(uniform|exponential|lognormal|choice)\s*\(([^)]*)\)\s*$/.exec(text);
  if (call === null) return parseDurationMs(text);
  const [, name, list = ''] = call;
  const words = list.split(',');
  const durations = words.map(parseDurationMs);
  const [first, second] = durations;
  if (name === 'lognormal') {
    const [, sigma = ''] = words;
    if (first === undefined || words.length !== 2 || !/^\s*\d+(\.\d+)?\s*$/.test(sigma)) return undefined;
    return { lognormal: { medianMs: first, sigma: Number(sigma) } };
  }
  if (durations.includes(undefined)) return undefined;
  if (name === 'uniform') {
    if (first === undefined || second === undefined || words.length !== 2 || first > second) return undefined;
    return { uniform: [first, second] };
  }
  if (name === 'exponential')
    return first === undefined || words.length !== 1 ? undefined : { exponential: { meanMs: first } };
  return { choice: durations.filter((duration) => duration !== undefined) };
}

/** Whether a value, from wherever it came, is a distribution of durations that are finite and at least 0. */
export function isDistribution(value: unknown): value is Distribution {
  if (isAmount(value)) return true;
  if (!isMapping(value) || Object.keys(value).length !== 1) return false;
  const { uniform, exponential, lognormal, choice } = value;
  if (uniform !== undefined) return isRange(uniform);
  if (choice !== undefined) return Array.isArray(choice) && choice.length > 0 && choice.every(isAmount);
  if (exponential !== undefined) return isMapping(exponential) && isAmount(exponential['meanMs']);
  return isMapping(lognormal) && isAmount(lognormal['medianMs']) && isAmount(lognormal['sigma']);
}

function isRange(value: unknown): boolean {
  if (!Array.isArray(value) || value.length !== 2) return false;
  const [min, max] = value as readonly unknown[];
  return isAmount(min) && isAmount(max) && min <= max;
}

function isAmount(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}

function isMapping(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
