import { Observable, type MonoTypeOperatorFunction } from 'rxjs';
import type { Clock } from '../kernel/engine/clock.js';

/**
 * Hands values over in a tick of their own at the same simulated time, outside the request that caused them, so that
 * a subscriber may call the cluster in turn. Those of one moment come together, in their order.
 */
export function handOver<T>(clock: Clock): MonoTypeOperatorFunction<T> {
  return (source$) =>
    new Observable((subscriber) => {
      let queue: T[] = [];
      const flush = (): void => {
        const values = queue;
        queue = [];
        for (const value of values) {
          if (subscriber.closed) return;
          subscriber.next(value);
        }
      };
      const subscription = source$.subscribe({
        next(value) {
          if (queue.length === 0) clock.schedule(0, flush);
          queue.push(value);
        },
        error: (error: unknown) => subscriber.error(error),
        complete: () => subscriber.complete(),
      });
      subscriber.add(subscription);
    });
}
