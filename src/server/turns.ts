import { nextTurn } from '../kernel/engine/turn.js';

/** Real time that such work may take in one turn of the host's loop. */
const SLICE_MS = 5;

/**
 * Shares the host's thread among long pieces of work, such as the writing of lists, and the engine: one of them works
 * at a time, and all of them together no longer than a few milliseconds in one turn of the host's loop.
 */
export class Turns {
  #last: Promise<void> = Promise.resolve();
  #spentMs = 0;

  /** Waits for a turn of one's own, which must be ended soon, and before waiting for anything else. */
  async begin(): Promise<Turn> {
    const before = this.#last;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#last = promise;
    await before;
    if (this.#spentMs >= SLICE_MS) {
      await nextTurn();
      this.#spentMs = 0;
    }
    return new Turn(SLICE_MS - this.#spentMs, (tookMs) => {
      this.#spentMs += tookMs;
      resolve();
    });
  }
}

/** A turn that is under way. */
export class Turn {
  readonly #beganMs = performance.now();
  readonly #mayTakeMs: number;
  readonly #onEnd: (tookMs: number) => void;

  /** @param onEnd - told how long it took */
  constructor(mayTakeMs: number, onEnd: (tookMs: number) => void) {
    this.#mayTakeMs = mayTakeMs;
    this.#onEnd = onEnd;
  }

  /** Whether it is time to end it. */
  get isLong(): boolean {
    return performance.now() - this.#beganMs >= this.#mayTakeMs;
  }

  /** Lets others have theirs. */
  end(): void {
    this.#onEnd(performance.now() - this.#beganMs);
  }
}
