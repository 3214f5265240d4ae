import { Subscription, type Observable, type Observer } from 'rxjs';

/**
 * Subscribes a part of the program to a stream, such that each value is a plain call: what the listener throws, and an
 * error of the stream, surface where the value was told, and so end the run. A function that is given to `subscribe`
 * itself is wrapped by RxJS, which throws its errors in a real timer instead.
 *
 * A value costs 4 ns on its way from source to listener so, 9 ns through RxJS' wrapper, and 15 ns more for each
 * operator (Node 26, 20 million values each): nothing beside the 10 µs that a write costs altogether, so that
 * operators may stand wherever they read well.
 *
 * @returns what ends it
 */
export function listen<T>(source$: Observable<T>, next: (value: T) => void): Subscription {
  const listener = new Listener(next);
  source$.subscribe(listener);
  return listener;
}

/** RxJS takes an observer that is a subscription as it is (`isSubscriber` in its Observable.js). */
class Listener<T> extends Subscription implements Observer<T> {
  readonly #next: (value: T) => void;

  constructor(next: (value: T) => void) {
    super();
    this.#next = next;
  }

  next(value: T): void {
    if (!this.closed) this.#next(value);
  }

  error(error: unknown): void {
    this.unsubscribe();
    throw error;
  }

  complete(): void {
    this.unsubscribe();
  }
}
