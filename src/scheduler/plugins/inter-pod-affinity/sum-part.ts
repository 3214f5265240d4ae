import type { NodeGroups, NodePart } from '../../framework/node-groups.js';
import type { DomainSum } from './domain-sum.js';
import { NO_VALUE, type TopologyColumn } from '../topology-column.js';

/** Values of a key up to which nodes are told apart by the value itself. */
const FEW_DOMAINS = 16;
/** Value of a {@link SumPart} for nodes without the key; no sum is ever that low. */
const NO_KEY = Number.MIN_SAFE_INTEGER;

/** Makes sums agree with the columns. */
export interface SumSource {
  refresh(): void;
}

/** The value of a key: pods that come or go change the sum of a value, not which nodes have it. */
class ValuePart implements NodePart {
  readonly #column: TopologyColumn;
  readonly #source: SumSource;

  constructor(column: TopologyColumn, source: SumSource) {
    this.#column = column;
    this.#source = source;
  }

  refresh(): void {
    this.#source.refresh();
  }

  valueAt(slot: number): number {
    return this.#column.bySlot[slot] as number;
  }
}

/** A sum where every node has a value of its own: it changes with the pods of that node alone. */
class SumPart implements NodePart {
  readonly #sum: DomainSum;
  readonly #source: SumSource;

  constructor(sum: DomainSum, source: SumSource) {
    this.#sum = sum;
    this.#source = source;
  }

  refresh(): void {
    this.#source.refresh();
  }

  valueAt(slot: number): number {
    const id = this.#sum.column.bySlot[slot] as number;
    return id === NO_VALUE ? NO_KEY : this.#sum.at(id);
  }
}

/** How the nodes of a group stand to a sum. */
export interface SumReading {
  readonly part: NodePart;
  /** Whether the nodes have the key. */
  hasKey(groups: NodeGroups, group: number): boolean;
  /** The sum at the value of the nodes; 0 without the key. */
  sumOf(groups: NodeGroups, group: number): number;
}

class ValueReading implements SumReading {
  readonly part: NodePart;
  readonly #sum: DomainSum;

  constructor(part: NodePart, sum: DomainSum) {
    this.part = part;
    this.#sum = sum;
  }

  hasKey(groups: NodeGroups, group: number): boolean {
    return groups.valuesOf(this.part)[group] !== NO_VALUE;
  }

  sumOf(groups: NodeGroups, group: number): number {
    return this.#sum.at(groups.valuesOf(this.part)[group] as number);
  }
}

class OwnReading implements SumReading {
  constructor(readonly part: NodePart) {}

  hasKey(groups: NodeGroups, group: number): boolean {
    return groups.valuesOf(this.part)[group] !== NO_KEY;
  }

  sumOf(groups: NodeGroups, group: number): number {
    const sum = groups.valuesOf(this.part)[group] as number;
    return sum === NO_KEY ? 0 : sum;
  }
}

interface Known {
  /** {@link TopologyColumn.sharings} for which it holds. */
  readonly sharings: number;
  readonly reading: SumReading;
}

/** Finds how sums are read by group; the same reading as long as it holds. */
export class SumReadings {
  readonly #source: SumSource;
  readonly #values = new WeakMap<TopologyColumn, NodePart>();
  readonly #byValue = new WeakMap<DomainSum, SumReading>();
  readonly #own = new WeakMap<DomainSum, Known>();

  constructor(source: SumSource) {
    this.#source = source;
  }

  /** `undefined` when the key's values are many, and shared by nodes. */
  of(sum: DomainSum): SumReading | undefined {
    const { column } = sum;
    if (column.size <= FEW_DOMAINS) return this.#valueReading(sum);
    return column.isUnique ? this.#ownReading(sum) : undefined;
  }

  /** For all of them, or `undefined`. */
  all(sums: readonly DomainSum[]): readonly SumReading[] | undefined {
    const readings: SumReading[] = [];
    for (const sum of sums) {
      const reading = this.of(sum);
      if (reading === undefined) return undefined;
      readings.push(reading);
    }
    return readings;
  }

  #valueReading(sum: DomainSum): SumReading {
    let reading = this.#byValue.get(sum);
    if (reading === undefined) {
      const { column } = sum;
      const part = this.#values.get(column) ?? new ValuePart(column, this.#source);
      this.#values.set(column, part);
      reading = new ValueReading(part, sum);
      this.#byValue.set(sum, reading);
    }
    return reading;
  }

  #ownReading(sum: DomainSum): SumReading {
    const { sharings } = sum.column;
    let known = this.#own.get(sum);
    if (known?.sharings !== sharings) {
      known = { sharings, reading: new OwnReading(new SumPart(sum, this.#source)) };
      this.#own.set(sum, known);
    }
    return known.reading;
  }
}
