/**
 * Where a story is at rest: nothing had changed for a quarter of a second when the next request was sent.
 * Between two rests is a segment; in it controllers race, at its ends everything is settled.
 */
import type { Story } from './story.js';

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
