/** Which machines have played the runs that are to be played a second time: by another one, where there is any. */
import type { SweepOrder } from './job.js';
import type { Work } from './dispatch.js';

/** See the file header. */
export class Players {
  readonly #works: readonly Work[];
  /** By variant and seed. */
  readonly #machines: ReadonlyMap<string, Map<number, string>>;
  readonly #seen = new Set<string>();

  /** @param works - the second plays */
  constructor(works: readonly Work[]) {
    this.#works = works;
    this.#machines = new Map(works.map((work) => [hashOf(work), new Map(work.seeds.map((seed) => [seed, '']))]));
  }

  /** Runs of a variant have been played. */
  note(hash: string, seeds: readonly number[], machine: string): void {
    this.#seen.add(machine);
    const machines = this.#machines.get(hash);
    for (const seed of seeds) if (machines?.has(seed) === true) machines.set(seed, machine);
  }

  /** The second plays, cut by the machine that they are not for. */
  again(): readonly Work[] {
    if (this.#seen.size < 2) return this.#works;
    return this.#works.flatMap((work) => {
      const machines = this.#machines.get(hashOf(work));
      const bySeed = Map.groupBy(work.seeds, (seed) => machines?.get(seed) ?? '');
      return [...bySeed].map(([machine, seeds]) => ({ ...work, seeds, avoids: machine === '' ? [] : [machine] }));
    });
  }
}

function hashOf({ order }: Work): string {
  return (order as SweepOrder).hash;
}
