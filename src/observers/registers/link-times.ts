import type { Observable } from 'rxjs';
import type { Bus, Link } from '../../bus/bus-types.js';
import type { Clock } from '../../kernel/engine/clock.js';

/** What is followed of a link. */
interface Aspect {
  is(link: Link): boolean;
  changes(link: Link): Observable<boolean>;
}

const STEADY: Aspect = { is: ({ isSteady }) => isSteady, changes: (link) => link.steadiness$ };
const CALM: Aspect = { is: ({ isCalm }) => isCalm, changes: (link) => link.calm$ };
const AUDIBLE: Aspect = { is: (link) => link.passes('out'), changes: (link) => link.changes$ };

/**
 * Since when links are as they should be. Links that are there from the beginning are followed at once; others, such
 * as the new link of a process that has started anew, from the first reading on, with nothing known of the time
 * before: what is wrong with one by then is taken to have begun there.
 */
export class LinkTimes {
  readonly #bus: Bus;
  readonly #clock: Clock;
  readonly #aspect: Aspect;
  readonly #sinceMs = new Map<string, number | undefined>();
  readonly #lastMs = new Map<string, Span>();
  readonly #ends: (() => void)[] = [];

  private constructor(bus: Bus, clock: Clock, aspect: Aspect) {
    this.#bus = bus;
    this.#clock = clock;
    this.#aspect = aspect;
    for (const { party } of bus.links) this.#follow(party);
  }

  /** Every request is heard and answered. */
  static steady(bus: Bus, clock: Clock): LinkTimes {
    return new LinkTimes(bus, clock, STEADY);
  }

  /** Nothing at all is in the way. */
  static calm(bus: Bus, clock: Clock): LinkTimes {
    return new LinkTimes(bus, clock, CALM);
  }

  /** What is sent gets through. */
  static audible(bus: Bus, clock: Clock): LinkTimes {
    return new LinkTimes(bus, clock, AUDIBLE);
  }

  sinceMs(party: string): number | undefined {
    if (!this.#sinceMs.has(party)) this.#follow(party);
    return this.#sinceMs.get(party);
  }

  /** The last time that it was not so, as far as is known. */
  lapse(party: string): Span | undefined {
    if (!this.#sinceMs.has(party)) this.#follow(party);
    return this.#lastMs.get(party);
  }

  dispose(): void {
    for (const end of this.#ends) end();
  }

  #follow(party: string): void {
    const link = this.#bus.link(party);
    if (link === undefined) return;
    const note = (): void => {
      const nowMs = this.#clock.now();
      const isSo = this.#aspect.is(link);
      const wasSo = this.#sinceMs.get(party) !== undefined;
      if (isSo === wasSo) return;
      this.#sinceMs.set(party, isSo ? nowMs : undefined);
      const fromMs = isSo ? this.#lastMs.get(party)?.fromMs : nowMs;
      if (fromMs !== undefined) this.#lastMs.set(party, { fromMs, untilMs: isSo ? nowMs : undefined });
    };
    if (!this.#aspect.is(link)) {
      this.#sinceMs.set(party, undefined);
      this.#lastMs.set(party, { fromMs: this.#clock.now(), untilMs: undefined });
    }
    note();
    const subscription = this.#aspect.changes(link).subscribe({
      next: note,
      complete: () => this.#sinceMs.delete(party),
    });
    this.#ends.push(() => subscription.unsubscribe());
  }
}

/** Simulated times, ms; without an end it lasts. */
export interface Span {
  readonly fromMs: number;
  readonly untilMs: number | undefined;
}
