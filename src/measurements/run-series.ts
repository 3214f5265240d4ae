/**
 * A run over time in a bounded number of slots: when they are full, two become one, so that a minute and a month cost
 * the same, and the same run gives the same slots. Levels are read when a slot ends; amounts add up within it.
 */
import { ValueCounts } from './value-counts.js';

/** Slots of a series; an even number. */
const MOST_SLOTS = 1200;
/** Length of the first slots, ms. */
const FIRST_SLOT_MS = 100;

/** What two levels come to when their slots become one. */
export type Merging = 'last' | 'highest';

/** Told of a level of the present. */
export type LevelTeller = (name: string, value: number, merging: Merging) => void;

interface LevelColumn {
  readonly merging: Merging;
  readonly values: number[];
}

/** Values of one column, one for each slot. */
export interface SeriesColumn {
  readonly name: string;
  readonly values: readonly number[];
}

/** A distribution over time: of each slot how many values there were, and some quantiles (0 where there was none). */
export interface SeriesSpread {
  readonly count: readonly number[];
  readonly p50: readonly number[];
  readonly p90: readonly number[];
  readonly p99: readonly number[];
  readonly max: readonly number[];
}

/** See the file header. */
export class RunSeries {
  readonly startMs: number;
  readonly #readLevels: (tell: LevelTeller) => void;
  readonly #levels = new Map<string, LevelColumn>();
  readonly #amounts = new Map<string, number[]>();
  readonly #spreads = new Map<string, (ValueCounts | undefined)[]>();
  #slotMs = FIRST_SLOT_MS;
  /** Slots that have ended. */
  #slots = 0;

  /** @param readLevels - asked for every level of the present */
  constructor(startMs: number, readLevels: (tell: LevelTeller) => void) {
    this.startMs = startMs;
    this.#readLevels = readLevels;
  }

  /** Length of a slot, ms. */
  get slotMs(): number {
    return this.#slotMs;
  }

  /** Adds to the slot that is under way. */
  add(name: string, amount: number): void {
    let column = this.#amounts.get(name);
    if (column === undefined) this.#amounts.set(name, (column = []));
    column[this.#slots] = (column[this.#slots] ?? 0) + amount;
  }

  /** Adds a value to a distribution in the slot that is under way. */
  observe(name: string, value: number): void {
    let column = this.#spreads.get(name);
    if (column === undefined) this.#spreads.set(name, (column = []));
    (column[this.#slots] ??= new ValueCounts()).add(value);
  }

  /** Ends the slots that are over before that moment; nothing has changed since the present. */
  passTo(nextMs: number): void {
    if (nextMs < this.#endMs) return;
    while ((nextMs - this.startMs) / this.#slotMs > MOST_SLOTS) this.#halve();
    const levels: (readonly [string, number, Merging])[] = [];
    this.#readLevels((name, value, merging) => levels.push([name, value, merging]));
    while (nextMs >= this.#endMs) {
      for (const each of levels) this.#set(...each);
      this.#slots += 1;
    }
  }

  /** Everything so far, with the slot that is under way as it stands. */
  read(): {
    readonly slotMs: number;
    readonly slots: number;
    readonly levels: readonly SeriesColumn[];
    readonly amounts: readonly SeriesColumn[];
    readonly spreads: ReadonlyMap<string, SeriesSpread>;
  } {
    this.#readLevels((name, value, merging) => this.#set(name, value, merging));
    const slots = this.#slots + 1;
    const filled = (values: readonly (number | undefined)[]): number[] =>
      Array.from({ length: slots }, (_, index) => values[index] ?? 0);
    return {
      slotMs: this.#slotMs,
      slots,
      levels: [...this.#levels].map(([name, { values }]) => ({ name, values: filled(values) })),
      amounts: [...this.#amounts].map(([name, values]) => ({ name, values: filled(values) })),
      spreads: new Map([...this.#spreads].map(([name, column]) => [name, spreadOf(column, slots)])),
    };
  }

  get #endMs(): number {
    return this.startMs + (this.#slots + 1) * this.#slotMs;
  }

  #set(name: string, value: number, merging: Merging): void {
    let column = this.#levels.get(name);
    if (column === undefined) this.#levels.set(name, (column = { merging, values: [] }));
    column.values[this.#slots] = value;
  }

  /** Two slots become one; of an odd number the last one is under way again. */
  #halve(): void {
    this.#slotMs *= 2;
    this.#slots = Math.floor(this.#slots / 2);
    for (const { merging, values } of this.#levels.values()) {
      mergePairs(values, (first = 0, second) =>
        merging === 'last' ? (second ?? first) : Math.max(first, second ?? first),
      );
    }
    for (const values of this.#amounts.values()) mergePairs(values, (first = 0, second = 0) => first + second);
    for (const values of this.#spreads.values()) {
      mergePairs(values, (first, second) => {
        if (first === undefined || second === undefined) return first ?? second;
        first.addAll(second);
        return first;
      });
    }
  }
}

/** In place. */
function mergePairs<T>(values: T[], merge: (first: T | undefined, second: T | undefined) => T): void {
  const half = Math.ceil(values.length / 2);
  for (let index = 0; index < half; index += 1) values[index] = merge(values[2 * index], values[2 * index + 1]);
  values.length = half;
}

function spreadOf(column: readonly (ValueCounts | undefined)[], slots: number): SeriesSpread {
  const each = (read: (counts: ValueCounts) => number | undefined): number[] =>
    Array.from({ length: slots }, (_, index) => {
      const counts = column[index];
      return counts === undefined ? 0 : (read(counts) ?? 0);
    });
  return {
    count: each(({ total }) => total),
    p50: each((counts) => counts.quantile(0.5)),
    p90: each((counts) => counts.quantile(0.9)),
    p99: each((counts) => counts.quantile(0.99)),
    max: each(({ max }) => max),
  };
}
