/**
 * Strands: asynchronous work of the user's program that lives in simulated time, such as the reconciles of an
 * operator. A strand goes on when something of simulated time that it waits for has come, and then the clock
 * stands still until it waits for such a thing again or has ended: whatever else it waits for is real time.
 *
 * One strand goes on at a time. The next one begins where the last one rests, so that what they do comes in
 * the same order however long real things take.
 */
import type { Held, HoldWarnings } from './hold-warnings.js';
import { placeOfNow, runInStrand } from './program-place.js';

/** One piece of such work. */
export interface Strand {
  /** Runs `task`, which takes the strand up or goes on with it, as soon as no other strand is going on. */
  goOn(task: () => void): void;
  /** It has come to its end, or is given up. */
  end(): void;
}

/** Something of simulated time that a strand waits for. */
export interface StrandWait {
  /** Some of it has come, and more may: the strand goes on with `task`. */
  goOn(task: () => void): void;
  /** It has come: the strand goes on with `task`. */
  over(task: () => void): void;
  /** It will never come. */
  drop(): void;
}

/** What came of looking whether the strand that goes on still does. */
export type StrandsState = 'rest' | 'went on' | 'real time';

class OwnStrand implements Strand, Held {
  readonly name: string;
  readonly label: string;
  readonly owner: Strands;
  warning: Held['warning'];
  waits = 0;
  isEnded = false;

  constructor(owner: Strands, name: string, label: string) {
    this.owner = owner;
    this.name = name;
    this.label = label;
  }

  goOn(task: () => void): void {
    this.owner.goOn(this, task);
  }

  end(): void {
    this.isEnded = true;
    this.owner.changed();
  }

  get isResting(): boolean {
    return this.isEnded || this.waits > 0;
  }
}

class OwnWait implements StrandWait {
  readonly #strand: OwnStrand;
  #isOver = false;

  constructor(strand: OwnStrand) {
    this.#strand = strand;
    strand.waits += 1;
    strand.owner.changed();
  }

  goOn(task: () => void): void {
    this.#strand.goOn(task);
  }

  over(task: () => void): void {
    this.#strand.goOn(() => {
      this.drop();
      task();
    });
  }

  drop(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#strand.waits -= 1;
  }
}

/** See the file header. */
export class Strands {
  readonly #onChange: () => void;
  readonly #warnings: HoldWarnings;
  /** The one that goes on. */
  #active: OwnStrand | undefined;
  #next: { readonly strand: OwnStrand; readonly task: () => void }[] = [];
  #isOver = false;

  /** @param onChange - told when a strand goes on, waits or ends */
  constructor(warnings: HoldWarnings, onChange: () => void) {
    this.#warnings = warnings;
    this.#onChange = onChange;
  }

  /** The strand that goes on, if one does. */
  get held(): readonly Held[] {
    return this.#active === undefined ? [] : [this.#active];
  }

  /**
   * @param name - what does it, for a warning
   * @param subject - what it is about
   */
  open(name: string, subject: string): Strand {
    return new OwnStrand(this, name, `${name} for ${subject}`);
  }

  /** Says that the code that runs now waits for simulated time; `undefined` when it is in no strand that goes on. */
  wait(): StrandWait | undefined {
    const { strand } = placeOfNow();
    if (!(strand instanceof OwnStrand) || strand.owner !== this || strand.isEnded || this.#isOver) return undefined;
    if (strand !== this.#active) this.#warnings.overtaken(strand.name, strand.label);
    return new OwnWait(strand);
  }

  /** Once all that does not wait has been done: whether the strand still goes on; if not, the next one does. */
  look(): StrandsState {
    const active = this.#active;
    if (active !== undefined) {
      if (!active.isResting) return 'real time';
      this.#warnings.end(active);
      this.#active = undefined;
    }
    const next = this.#next.shift();
    if (next === undefined) return 'rest';
    this.#run(next.strand, next.task);
    return 'went on';
  }

  /** Forgets all strands; what still comes of them goes on at once. */
  dispose(): void {
    this.#isOver = true;
    if (this.#active !== undefined) this.#warnings.end(this.#active);
    this.#active = undefined;
    this.#next = [];
  }

  /** @internal */
  goOn(strand: OwnStrand, task: () => void): void {
    const active = this.#active;
    const isFree = active === undefined || active.isEnded ? this.#next.length === 0 : active === strand;
    if (isFree || strand.isEnded || this.#isOver) this.#run(strand, task);
    else this.#next.push({ strand, task });
    this.#onChange();
  }

  /** @internal */
  changed(): void {
    this.#onChange();
  }

  #run(strand: OwnStrand, task: () => void): void {
    if (!strand.isEnded && !this.#isOver) {
      if (this.#active !== undefined && this.#active !== strand) this.#warnings.end(this.#active);
      this.#active = strand;
    }
    runInStrand(strand, task);
  }
}
