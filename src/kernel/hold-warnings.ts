import { HOST_CLOCK, type HostClock } from './host-clock.js';

/** Something that keeps simulated time where it is until real time has brought something about. */
export interface Held {
  readonly label: string;
  /** Cancels the warning that is due; absent while none is, and once it was given `null`. */
  warning: (() => void) | null | undefined;
}

/** Says what has kept the clock for long: once for each thing that does. */
export class HoldWarnings {
  readonly #host: HostClock;
  #afterMs = 0;
  #tell: ((label: string) => void) | undefined;

  constructor(host: HostClock = HOST_CLOCK) {
    this.#host = host;
  }

  /** From now on `tell` hears of what has been waited for that many real milliseconds. */
  listen(afterMs: number, tell: (label: string) => void): void {
    this.#afterMs = afterMs;
    this.#tell = tell;
  }

  /** The clock waits for it from now on, unless it did already. */
  begin(held: Held): void {
    const tell = this.#tell;
    if (tell === undefined || held.warning !== undefined) return;
    held.warning = this.#host.after(this.#afterMs, () => {
      held.warning = null;
      tell(held.label);
    });
  }

  /** The clock waits for it no longer. */
  end(held: Held): void {
    held.warning?.();
    held.warning = undefined;
  }
}
