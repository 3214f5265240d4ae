/**
 * Times of a story. Where it is at rest: nothing had changed for a quarter of a second when the next request was sent.
 * Between two rests is a segment; in it controllers race, at its ends everything is settled.
 *
 * And how close together things must be to have raced. Some stories were recorded on a machine that had other things to
 * do, and stood still for a quarter of a second now and then. How long the requests of a story took tells of it.
 */
import type { Story } from './story.js';

/** Milliseconds, each a bound that is no race any more. */
export interface Haste {
  /** Between two turns of objects. */
  readonly raceMs: number;
  /** Between a change and its telling by a watch. */
  readonly lagMs: number;
  /** That a summary shows a value which is merged with the next. */
  readonly mergedMs: number;
}

const QUIET: Haste = { raceMs: 100, lagMs: 100, mergedMs: 250 };
const BUSY: Haste = { raceMs: 250, lagMs: 250, mergedMs: 500 };
/** On a machine with nothing else to do every request of a story takes less. */
const LONG_REQUEST_MS = 30;

/** See the file header. */
export function hasteOf({ actions }: Story): Haste {
  return actions.some(({ ms, sentMs }) => ms - sentMs >= LONG_REQUEST_MS) ? BUSY : QUIET;
}

const REST_MS = 250;

/** For each segment, how many actions had been sent when it ended; the last one is that of the whole story. */
export function segmentEnds({ actions, events }: Story): readonly number[] {
  const ends: number[] = [];
  let changedMs = -Infinity;
  let next = 0;
  for (const [index, { sentMs }] of actions.entries()) {
    for (; next < events.length && (events[next]?.ms ?? 0) <= sentMs; next += 1) changedMs = events[next]?.ms ?? 0;
    const previousMs = actions[index - 1]?.ms ?? -Infinity;
    if (index > 0 && sentMs - Math.max(changedMs, previousMs) >= REST_MS) ends.push(index);
  }
  return [...ends, actions.length];
}
