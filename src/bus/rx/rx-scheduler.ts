import { Subscription, type SchedulerAction, type SchedulerLike } from 'rxjs';
import type { Clock, Timer } from '../../kernel/engine/clock.js';

/**
 * Lets RxJS operators that take a scheduler (`delay`, `timer`, `interval`, `debounceTime`,
 * `auditTime`, `observeOn`, …) live on simulated time. Unlike RxJS' own schedulers an error in the
 * work surfaces from the clock's loop, and what follows from it behind promises comes before the next tick.
 *
 * @example
 * timer(1000, createRxScheduler(clock)) // emits after one simulated second
 */
export function createRxScheduler(clock: Clock): SchedulerLike {
  return {
    now: () => clock.now(),
    schedule<T>(work: (this: SchedulerAction<T>, state?: T) => void, delayMs = 0, state?: T): Subscription {
      return new ClockAction(clock, work).schedule(state, delayMs);
    },
  };
}

/** One piece of work that may schedule itself again, as RxJS' own actions do. */
class ClockAction<T> extends Subscription implements SchedulerAction<T> {
  readonly #clock: Clock;
  readonly #work: (this: SchedulerAction<T>, state?: T) => void;
  #timer: Timer | undefined;

  constructor(clock: Clock, work: (this: SchedulerAction<T>, state?: T) => void) {
    super();
    this.#clock = clock;
    this.#work = work;
  }

  schedule(state?: T, delayMs = 0): Subscription {
    if (this.closed) return this;
    this.#cancel();
    this.#timer = this.#clock.schedule(delayMs, () => this.#run(state));
    return this;
  }

  override unsubscribe(): void {
    this.#cancel();
    super.unsubscribe();
  }

  #run(state: T | undefined): void {
    this.#timer = undefined;
    this.#clock.settle();
    try {
      this.#work.call(this, state);
    } finally {
      if (this.#timer === undefined) this.unsubscribe();
    }
  }

  #cancel(): void {
    if (this.#timer !== undefined) this.#clock.cancel(this.#timer);
    this.#timer = undefined;
  }
}
