/**
 * What the user's program asked the clock to wait for. A promise that is held settles once its work has, and
 * in the program's order: of two holds the one that was asked for later waits for the earlier one, whichever
 * work is done first, so that what follows is the same however long each of them took. One hold inside the
 * work of another is free to settle before it. The order is that of the code, see program-place.ts: a hold comes
 * after those that the code that asks for it had asked for before.
 */
import type { Held, HoldWarnings } from './hold-warnings.js';
import { enterHold, placeOfNow } from './program-place.js';
import { drained } from './turn.js';

class Hold implements Held {
  readonly label: string;
  readonly owner: Holds;
  warning: Held['warning'];
  isOpen = true;
  /** The hold that must be over before this one may be. */
  before: Hold | undefined;
  /** Those that have done their work and wait for this one. */
  readonly followers: Hold[] = [];
  /** Settles the promise that the program has; absent until the work is done. */
  settle: (() => void) | undefined;

  constructor(owner: Holds, label: string, before: Hold | undefined) {
    this.owner = owner;
    this.label = label;
    this.before = before;
  }
}

/** See the file header. */
export class Holds {
  readonly #onChange: () => void;
  readonly #warnings: HoldWarnings;
  readonly #open = new Set<Hold>();
  #settling: Hold[] = [];
  #isSettling = false;
  #isOver = false;

  /** @param onChange - told when a hold begins, and when none is left */
  constructor(warnings: HoldWarnings, onChange: () => void) {
    this.#warnings = warnings;
    this.#onChange = onChange;
  }

  /** Whether anything is held. */
  get isHolding(): boolean {
    return this.#open.size > 0 || this.#isSettling;
  }

  /** What is held. */
  get all(): Iterable<Held> {
    return this.#open;
  }

  /** See `Cluster.hold`. */
  hold<T>(work: PromiseLike<T>, label: string): Promise<T> {
    const promise = Promise.resolve(work);
    if (this.#isOver) return promise;
    const { hold: last } = placeOfNow();
    const before = last instanceof Hold && last.owner === this && last.isOpen ? last : undefined;
    const hold = new Hold(this, label, before);
    this.#open.add(hold);
    enterHold(hold);
    this.#onChange();
    return new Promise((resolve, reject) => {
      promise.then(
        (value) => this.#done(hold, () => resolve(value)),
        (error: unknown) => this.#done(hold, () => reject(error)),
      );
    });
  }

  /** Holds nothing any more; promises settle as soon as their work has. */
  dispose(): void {
    this.#isOver = true;
    for (const hold of this.#open) this.#close(hold);
    this.#onChange();
  }

  #done(hold: Hold, settle: () => void): void {
    hold.settle = settle;
    if (this.#isOver) return settle();
    if (hold.before?.isOpen === true) return void hold.before.followers.push(hold);
    this.#settling.push(hold);
    if (!this.#isSettling) void this.#settleAll();
  }

  /** One after the other: all that follows from one, as far as it does not wait, comes before the next. */
  async #settleAll(): Promise<void> {
    this.#isSettling = true;
    for (let hold = this.#settling.shift(); hold !== undefined; hold = this.#settling.shift()) {
      this.#close(hold);
      await drained();
    }
    this.#isSettling = false;
    if (this.#open.size === 0) this.#onChange();
  }

  #close(hold: Hold): void {
    hold.isOpen = false;
    hold.before = undefined;
    this.#open.delete(hold);
    this.#warnings.end(hold);
    this.#settling.push(...hold.followers.splice(0));
    hold.settle?.();
    hold.settle = undefined;
  }
}
