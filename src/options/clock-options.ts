/** Options of a cluster that are about its seed and its time. All throw OptionError. */
import type { Latency } from '../bus/bus-types.js';
import type { RandomStream } from '../kernel/random.js';
import { createTimestamps } from '../kernel/timestamps.js';
import { OptionError } from './option-error.js';

/** What a seed may be, for messages. */
export const SEED_TEXT = 'an integer or a non-empty text';

/** The seed as a text. */
export function seedOf(seed: unknown): string {
  if (seed === undefined) return '1';
  if (isSeed(seed)) return String(seed);
  throw new OptionError('seed', SEED_TEXT, seed);
}

/** Whether a value can be a seed. */
export function isSeed(seed: unknown): seed is string | number {
  return (typeof seed === 'string' && seed !== '') || Number.isSafeInteger(seed);
}

/** Simulated seconds per real second; absent = virtual time. */
export function speedOf(speed: unknown): number | undefined {
  if (speed === undefined) return undefined;
  if (typeof speed === 'number' && speed > 0 && speed <= 1_000_000) return speed;
  throw new OptionError('realtime', 'a speed factor > 0 and <= 1000000', speed);
}

const EPOCH = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;

/** The timestamp of simulated time 0. */
export function epochOf(epoch: unknown): string | undefined {
  if (epoch === undefined) return undefined;
  if (typeof epoch === 'string' && isTimestamp(epoch)) return epoch;
  throw new OptionError('epoch', 'a timestamp such as 2030-01-01T00:00:00Z', epoch);
}

/** Days that no month has are read as others, and would not come back as they were written. */
function isTimestamp(text: string): boolean {
  const unix = createTimestamps('1970-01-01T00:00:00Z');
  const ms = EPOCH.test(text) ? unix.toMs(text) : Number.NaN;
  return !Number.isNaN(ms) && unix.toTime(ms) === text;
}

/** A function of the user's own, checked at each call: the run throws what is wrong with an answer. */
function checkedLatency(latency: (random: RandomStream) => unknown): Latency {
  return (random) => {
    const ms = latency(random);
    if (typeof ms === 'number' && ms >= 0 && ms <= 3_600_000) return ms;
    throw new OptionError('latency(…)', 'milliseconds in 0..3600000', ms);
  };
}

/** How long messages take, one way. */
export function latencyOf(latency: unknown): Latency | undefined {
  if (latency === undefined) return undefined;
  if (typeof latency === 'function') return checkedLatency(latency as (random: RandomStream) => unknown);
  if (typeof latency === 'number' && latency >= 0 && latency <= 3_600_000) return latency;
  throw new OptionError('latency', 'milliseconds in 0..3600000 or a function of a random stream', latency);
}
