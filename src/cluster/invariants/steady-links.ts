import type { Bus } from '../../bus/bus-types.js';
import type { Clock } from '../../kernel/clock.js';

/**
 * Since when links are steady: of those that are there from the beginning, and of others from the moment at which
 * somebody asks for them; before that nothing is known of them.
 */
export class SteadyLinks {
  readonly #bus: Bus;
  readonly #clock: Clock;
  readonly #sinceMs = new Map<string, number | undefined>();
  readonly #ends: (() => void)[] = [];

  constructor(bus: Bus, clock: Clock) {
    this.#bus = bus;
    this.#clock = clock;
    for (const { party } of bus.links) this.#follow(party);
  }

  sinceMs(party: string): number | undefined {
    if (!this.#sinceMs.has(party)) this.#follow(party);
    return this.#sinceMs.get(party);
  }

  dispose(): void {
    for (const end of this.#ends) end();
  }

  #follow(party: string): void {
    const link = this.#bus.link(party);
    if (link === undefined) return;
    const note = (isSteady: boolean): void => {
      this.#sinceMs.set(party, isSteady ? this.#clock.now() : undefined);
    };
    note(link.isSteady);
    const subscription = link.steadiness$.subscribe(note);
    this.#ends.push(() => subscription.unsubscribe());
  }
}
