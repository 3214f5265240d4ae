import { Observable } from 'rxjs';
import type { EngineClock } from '../kernel/engine/clock.js';

/**
 * A stream as the user's program is given it. What a subscriber does without waiting for real time, behind any
 * number of promises, is done before the next tick. For the code of a strand, such as a reconcile that awaits
 * the next watch event, it is something of simulated time that it waits for until it has unsubscribed.
 */
export function programStream<T>(clock: EngineClock, source$: Observable<T>): Observable<T> {
  return new Observable((subscriber) => {
    const wait = clock.strands.wait();
    if (wait !== undefined) subscriber.add(() => wait.drop());
    const goOn = wait === undefined ? (task: () => void): void => task() : (task: () => void) => wait.goOn(task);
    const subscription = source$.subscribe({
      next(value) {
        clock.settle();
        goOn(() => subscriber.next(value));
      },
      error: (error: unknown) => goOn(() => subscriber.error(error)),
      complete: () => goOn(() => subscriber.complete()),
    });
    subscriber.add(subscription);
  });
}
