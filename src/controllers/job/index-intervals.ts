/** A set of completion indexes as jobs' statuses write it: `0,2-4`. Immutable. */
interface Interval {
  readonly first: number;
  readonly last: number;
}

/** See above. Upstream calls it orderedIntervals. */
export class IndexIntervals {
  static readonly EMPTY = new IndexIntervals([]);

  readonly #intervals: readonly Interval[];

  private constructor(intervals: readonly Interval[]) {
    this.#intervals = intervals;
  }

  /** What a text says of the indexes below `completions`; parts that are no indexes count for nothing. */
  static parse(text: string, completions: number): IndexIntervals {
    const intervals: Interval[] = [];
    if (text === '') return IndexIntervals.EMPTY;
    for (const part of text.split(',')) {
      const [first = Number.NaN, last = first] = part.split('-').map(toInteger);
      if (Number.isNaN(first) || Number.isNaN(last)) continue;
      if (first >= completions) break;
      append(intervals, { first, last: Math.min(last, completions - 1) });
    }
    return new IndexIntervals(intervals);
  }

  /** The set of these indexes. */
  static of(indexes: Iterable<number>): IndexIntervals {
    const ordered = [...indexes].sort((left, right) => left - right);
    const intervals: Interval[] = [];
    for (const index of ordered) append(intervals, { first: index, last: index });
    return new IndexIntervals(intervals);
  }

  /** How many indexes are in it. */
  get total(): number {
    let total = 0;
    for (const { first, last } of this.#intervals) total += last - first + 1;
    return total;
  }

  has(index: number): boolean {
    let low = 0;
    let high = this.#intervals.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#intervals[middle] as Interval).last >= index) high = middle;
      else low = middle + 1;
    }
    const found = this.#intervals[low];
    return found !== undefined && found.first <= index;
  }

  /** Everything that is in either. */
  merge(other: IndexIntervals): IndexIntervals {
    if (other.#intervals.length === 0) return this;
    if (this.#intervals.length === 0) return other;
    const all = [...this.#intervals, ...other.#intervals].sort((left, right) => left.first - right.first);
    const intervals: Interval[] = [];
    for (const interval of all) append(intervals, interval);
    return new IndexIntervals(intervals);
  }

  /** How many indexes are in both. */
  overlap(other: IndexIntervals): number {
    let shared = 0;
    let [mine, theirs] = [0, 0];
    while (mine < this.#intervals.length && theirs < other.#intervals.length) {
      const left = this.#intervals[mine] as Interval;
      const right = other.#intervals[theirs] as Interval;
      shared += Math.max(0, Math.min(left.last, right.last) - Math.max(left.first, right.first) + 1);
      if (left.last <= right.last) mine += 1;
      if (left.last >= right.last) theirs += 1;
    }
    return shared;
  }

  /** The lowest `count` indexes below `completions` that are not in it. */
  firstMissing(count: number, completions: number): number[] {
    const missing: number[] = [];
    let candidate = 0;
    for (const { first, last } of [...this.#intervals, { first: completions, last: completions }]) {
      for (; candidate < Math.min(first, completions) && missing.length < count; candidate += 1)
        missing.push(candidate);
      if (missing.length === count) break;
      candidate = Math.max(candidate, last + 1);
    }
    return missing;
  }

  toString(): string {
    return this.#intervals
      .map(({ first, last }) => (first === last ? `${first}` : `${first}${last === first + 1 ? ',' : '-'}${last}`))
      .join(',');
  }
}

function toInteger(text: string): number {
  return /^\d+$/.test(text) ? Number(text) : Number.NaN;
}

/** Adds an interval that does not begin before the last one. */
function append(intervals: Interval[], { first, last }: Interval): void {
  const previous = intervals.at(-1);
  if (previous === undefined || first > previous.last + 1) intervals.push({ first, last });
  else if (last > previous.last) intervals[intervals.length - 1] = { first: previous.first, last };
}
