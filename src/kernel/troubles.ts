/**
 * What goes wrong with operations of the world outside, such as a mount. Faults set it; the code that runs an
 * operation reads it at each attempt.
 */

import { LateMap } from './late-collections.js';

/** It fails with that text, or takes that much longer. */
export type Trouble = { readonly error: string } | { readonly delayMs: number };

interface Entry {
  readonly trouble: Trouble;
  readonly onMet: () => void;
}

/** Troubles by what is asked; of no trouble nothing is kept. */
export class Troubles<What extends string> {
  readonly #entries = new LateMap<What, Entry>();

  /** @param trouble - `undefined` = none any more. @param onMet - told each time that it makes a difference */
  set(what: What, trouble: Trouble | undefined, onMet: () => void): void {
    if (trouble === undefined) this.#entries.delete(what);
    else this.#entries.set(what, { trouble, onMet });
  }

  /** Why it is not done; `undefined` = it is. */
  errorOf(what: What): string | undefined {
    const entry = this.#entries.get(what);
    if (entry === undefined || !('error' in entry.trouble)) return undefined;
    entry.onMet();
    return entry.trouble.error;
  }

  /** How much longer it takes, ms. */
  delayOf(what: What): number {
    const entry = this.#entries.get(what);
    if (entry === undefined || !('delayMs' in entry.trouble)) return 0;
    entry.onMet();
    return entry.trouble.delayMs;
  }
}
