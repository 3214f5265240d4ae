/** How actions follow each other in simulated time; each pace ends once all of its actions have. */
import { naturalLog } from '../../kernel/elementary-functions.js';
import type { RandomStream } from '../../kernel/random.js';
import type { TokenBucket } from '../../kernel/token-bucket.js';

/** What is done. */
export type Action = () => Promise<void>;

/** What pacing needs of a player. */
export interface PaceClock {
  readonly nowMs: number;
  sleep(ms: number): Promise<void>;
  sleepUntil(atMs: number): Promise<void>;
  /** Lets signals and messages in, at a standstill of simulated time. */
  letIn(): Promise<void>;
}

/** Actions at one moment after which those that do not wait for its end let signals in. */
const ACTIONS_PER_TURN = 256;

/** One after the other at given distances; the first one at once. Distances add up without being rounded. */
export async function spaced(
  clock: PaceClock,
  actions: readonly Action[],
  distanceMs: (index: number) => number,
): Promise<void> {
  const running: Promise<void>[] = [];
  let atMs = clock.nowMs;
  for (const [index, action] of actions.entries()) {
    await clock.sleepUntil(atMs);
    running.push(action());
    atMs += distanceMs(index);
  }
  await clock.sleepUntil(atMs);
  await Promise.all(running);
}

/** As fast as a token bucket lets them. */
export async function limited(clock: PaceClock, actions: readonly Action[], bucket: TokenBucket): Promise<void> {
  const running: Promise<void>[] = [];
  for (const action of actions) {
    await clock.sleepUntil(bucket.reserve(clock.nowMs));
    running.push(action());
  }
  await Promise.all(running);
}

/** Each at a moment of its own, uniformly within a time. */
export async function scattered(
  clock: PaceClock,
  actions: readonly Action[],
  withinMs: number,
  random: RandomStream,
): Promise<void> {
  const startMs = clock.nowMs;
  await Promise.all(
    actions.map(async (action) => {
      await clock.sleepUntil(startMs + random.unit() * withinMs);
      await action();
    }),
  );
}

/** So many at a time. Simulated time need not pass meanwhile, and the host's event loop would have no turn by itself. */
export async function parallel(clock: PaceClock, actions: readonly Action[], most: number): Promise<void> {
  const rest = actions[Symbol.iterator]();
  let done = 0;
  const work = async (): Promise<void> => {
    for (let next = rest.next(); next.done !== true; next = rest.next()) {
      await next.value();
      done += 1;
      if (done % ACTIONS_PER_TURN === 0) await clock.letIn();
    }
  };
  await Promise.all(Array.from({ length: Math.min(most, actions.length) }, work));
}

/** The time between two arrivals that know nothing of each other. */
export function poissonDistanceMs(perSecond: number, random: RandomStream): number {
  return (-naturalLog(1 - random.unit()) / perSecond) * 1000;
}
