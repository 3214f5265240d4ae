import type { Observable, Subscription } from 'rxjs';
import type { Cluster } from '../cluster/cluster.js';

/**
 * Items per message at most. A call between threads costs about as much as a thousand items; so many pods at once would
 * hold the program that hears of them for 20 ms.
 */
const BATCH = 256;
/** Items under way at most; then the cluster waits until some have been taken. */
const UNDER_WAY = 16 * BATCH;

/** Where a stream of a cluster goes, and what it is called in a warning. */
export interface Delivery<T> {
  readonly source$: Observable<T>;
  readonly label: string;
  /** Hands a batch over; the promise is of its having been taken. */
  deliver(batch: readonly T[]): Promise<unknown>;
  /** The stream is over, and all of it handed over. @param error - absent when it has completed */
  end(error?: unknown): void;
}

/**
 * Hands what a stream emits to a subscriber on another thread: a full batch at once, the rest when this thread's
 * turn ends. A subscriber that is slow keeps the cluster's clock, so that what is under way has a bound.
 *
 * @param cluster - the one that the stream belongs to
 */
export function deliverInBatches<T>(cluster: Pick<Cluster, 'hold'>, delivery: Delivery<T>): Subscription {
  let batch: T[] = [];
  let underWay = 0;
  let waiting: (() => void) | undefined;
  const taken = (count: number): void => {
    underWay -= count;
    if (underWay >= UNDER_WAY) return;
    waiting?.();
    waiting = undefined;
  };
  const flush = (): void => {
    const { length } = batch;
    if (length === 0) return;
    underWay += length;
    const handOver = delivery.deliver(batch);
    batch = [];
    handOver.then(
      () => taken(length),
      () => taken(length),
    );
    if (underWay < UNDER_WAY || waiting !== undefined) return;
    const room = Promise.withResolvers<void>();
    waiting = room.resolve;
    void cluster.hold(room.promise, delivery.label);
  };
  const end = (error?: unknown): void => {
    flush();
    delivery.end(error);
  };
  return delivery.source$.subscribe({
    next(item) {
      if (batch.length === 0) setImmediate(flush);
      batch.push(item);
      if (batch.length >= BATCH) flush();
    },
    error: end,
    complete: () => end(),
  });
}
