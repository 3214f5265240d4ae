import type { Clock, Timer } from './clock.js';

/** The shape of clock that XState's `createActor` takes; timers are the engine clock's handles. */
export interface ActorClock {
  setTimeout(task: (...args: unknown[]) => void, delayMs: number): Timer;
  clearTimeout(timer: unknown): void;
}

/** Lets actors live on simulated time: pass the result as `clock` to the root actor. */
export function createActorClock(clock: Clock): ActorClock {
  return {
    setTimeout: (task, delayMs) => clock.schedule(delayMs, task),
    clearTimeout(timer) {
      if (timer !== undefined) clock.cancel(timer as Timer);
    },
  };
}
