import { HOST_CLOCK, type HostClock } from './host-clock.js';

/** Something that keeps simulated time where it is until real time has brought something about. */
export interface Held {
  readonly label: string;
  /** Cancels the warning that is due; absent while none is, and once it was given `null`. */
  warning: (() => void) | null | undefined;
}

/** Hears of what the user's program should know about what it awaits. */
export interface HoldListener {
  /** Real milliseconds after which something has kept the clock for long. */
  readonly longMs: number;
  /** Told once for each thing that keeps the clock for long. */
  onLong(label: string): void;
  /** A strand went on while it waited for simulated time: real time has brought something, and nothing was held. */
  onOvertaken(label: string): void;
}

/** Says what has kept the clock for long, and what should have kept it. */
export class HoldWarnings {
  readonly #host: HostClock;
  #listener: HoldListener | undefined;
  readonly #overtaken = new Set<string>();

  constructor(host: HostClock = HOST_CLOCK) {
    this.#host = host;
  }

  listen(listener: HoldListener): void {
    this.#listener = listener;
  }

  /** The clock waits for it from now on, unless it did already. */
  begin(held: Held): void {
    const listener = this.#listener;
    if (listener === undefined || held.warning !== undefined) return;
    held.warning = this.#host.after(listener.longMs, () => {
      held.warning = null;
      listener.onLong(held.label);
    });
  }

  /** @param name - of all strands of its kind, of which one is told */
  overtaken(name: string, label: string): void {
    if (this.#overtaken.has(name)) return;
    this.#overtaken.add(name);
    this.#listener?.onOvertaken(label);
  }

  /** The clock waits for it no longer. */
  end(held: Held): void {
    held.warning?.();
    held.warning = undefined;
  }
}
