/**
 * Sorts as Go's `sort.Sort` and `slices.SortFunc` do since Go 1.22: the pattern-defeating quicksort of Orson Peters
 * (arXiv 2106.05123) with Go's bounds and its choice of pivots. Kubernetes sorts with it, and some of its orders are
 * none: what then comes first, and what becomes of equals, is decided by the steps of the algorithm. An engine's own
 * `sort` may take other steps in its next version; these are written down. Elsewhere, where an order is total, or
 * equals are to keep their places, the engine's `sort` does as well on any version.
 */

/** Whether the first goes before the second; it may go in circles. */
export type Less<T> = (left: T, right: T) => boolean;

/** Ranges up to this length are sorted by insertion, in which equals keep their order. */
const LONGEST_INSERTION = 12;
/** From this length on nine elements are looked at for a pivot, not three. */
const SHORTEST_NINTHER = 50;
/** Swaps among the nine of a range that falls throughout. */
const ALL_SWAPS = 12;
/** Pairs out of order that are mended one by one before a range counts as unsorted. */
const MENDED_PAIRS = 5;
/** Shorter ranges are not mended. */
const SHORTEST_MENDING = 50;

/**
 * Sorts in place.
 *
 * @param count - how many places at the front matter; those behind hold the other items in any order. What stands in
 * front is the same as without it: ranges that lie behind are left unsorted @defaultValue all of them
 */
export function sortAsGo<T>(items: T[], less: Less<T>, count = items.length): T[] {
  const { length } = items;
  if (length <= LONGEST_INSERTION) insert(items, less, 0, length);
  else new Sorting(items, less, count).sort(0, length, bitLength(length));
  return items;
}

function insert<T>(items: T[], less: Less<T>, start: number, end: number): void {
  for (let next = start + 1; next < end; next += 1) {
    const item = items[next] as T;
    let place = next;
    for (; place > start && less(item, items[place - 1] as T); place -= 1) items[place] = items[place - 1] as T;
    items[place] = item;
  }
}

/** A pivot, and what its neighbours say of the range. */
interface Pivot {
  index: number;
  swaps: number;
}

class Sorting<T> {
  readonly #items: T[];
  readonly #less: Less<T>;
  readonly #count: number;

  constructor(items: T[], less: Less<T>, count: number) {
    this.#items = items;
    this.#less = less;
    this.#count = count;
  }

  /** @param limit - bad pivots that are put up with before the range goes to the heap */
  sort(from: number, to: number, limit: number): void {
    let [start, end, badPivots] = [from, to, limit];
    let wasBalanced = true;
    let wasPartitioned = true;
    for (;;) {
      const length = end - start;
      if (length <= LONGEST_INSERTION) return insert(this.#items, this.#less, start, end);
      if (badPivots === 0) return this.#heapSort(start, end);
      if (!wasBalanced) {
        this.#scatter(start, end);
        badPivots -= 1;
      }
      const { pivot, isRising } = this.#pivotOf(start, end);
      if (wasBalanced && wasPartitioned && isRising && this.#mend(start, end)) return;
      if (start > 0 && !this.#isLess(start - 1, pivot)) {
        start = this.#partitionEqual(start, end, pivot);
        continue;
      }
      const middle = this.#partition(start, end, pivot);
      wasPartitioned = middle.wasPartitioned;
      const { index } = middle;
      const [before, behind] = [index - start, end - index];
      wasBalanced = Math.min(before, behind) >= Math.floor(length / 8);
      // Nothing crosses a pivot: each behind it was found not to go before it.
      const isBehindAll = index + 1 >= this.#count;
      if (before < behind) {
        this.sort(start, index, badPivots);
        if (isBehindAll) return;
        start = index + 1;
      } else {
        if (!isBehindAll) this.sort(index + 1, end, badPivots);
        end = index;
      }
    }
  }

  #isLess(left: number, right: number): boolean {
    return this.#less(this.#items[left] as T, this.#items[right] as T);
  }

  #swap(left: number, right: number): void {
    const items = this.#items;
    const item = items[left] as T;
    items[left] = items[right] as T;
    items[right] = item;
  }

  #heapSort(start: number, end: number): void {
    const length = end - start;
    for (let root = (length - 1) >> 1; root >= 0; root -= 1) this.#siftDown(start, root, length);
    for (let last = length - 1; last >= 0; last -= 1) {
      this.#swap(start, start + last);
      this.#siftDown(start, 0, last);
    }
  }

  #siftDown(start: number, from: number, length: number): void {
    let root = from;
    for (let child = 2 * root + 1; child < length; child = 2 * root + 1) {
      if (child + 1 < length && this.#isLess(start + child, start + child + 1)) child += 1;
      if (!this.#isLess(start + root, start + child)) return;
      this.#swap(start + root, start + child);
      root = child;
    }
  }

  /** Moves three in the middle to places that only look random: patterns that make bad pivots are broken. */
  #scatter(start: number, end: number): void {
    const length = end - start;
    const mask = (1n << BigInt(bitLength(length))) - 1n;
    const middle = start + Math.floor(length / 4) * 2;
    let state = BigInt(length);
    for (const place of [middle - 1, middle, middle + 1]) {
      state = xorShifted(state);
      const other = Number(state & mask);
      this.#swap(place, start + (other >= length ? other - length : other));
    }
  }

  /** The place of a median; a range that seems to fall is turned round first. */
  #pivotOf(start: number, end: number): { readonly pivot: number; readonly isRising: boolean } {
    const length = end - start;
    const quarter = Math.floor(length / 4);
    const found: Pivot = { index: start + 2 * quarter, swaps: 0 };
    let [left, right] = [start + quarter, start + 3 * quarter];
    if (length >= SHORTEST_NINTHER) {
      left = this.#median(left - 1, left, left + 1, found);
      found.index = this.#median(found.index - 1, found.index, found.index + 1, found);
      right = this.#median(right - 1, right, right + 1, found);
    }
    const pivot = this.#median(left, found.index, right, found);
    if (found.swaps < ALL_SWAPS) return { pivot, isRising: found.swaps === 0 };
    for (let low = start, high = end - 1; low < high; low += 1, high -= 1) this.#swap(low, high);
    return { pivot: end - 1 - (pivot - start), isRising: true };
  }

  /** The place of the one in the middle; counts how many changes of places it takes to know it. */
  #median(first: number, second: number, third: number, found: Pivot): number {
    let [low, middle] = [first, second];
    if (this.#isLess(middle, low)) {
      [low, middle] = [middle, low];
      found.swaps += 1;
    }
    if (this.#isLess(third, middle)) {
      middle = third;
      found.swaps += 1;
    }
    if (!this.#isLess(middle, low)) return middle;
    found.swaps += 1;
    return low;
  }

  /** Puts a few pairs right if those are all; says whether the range is sorted now. */
  #mend(start: number, end: number): boolean {
    let next = start + 1;
    for (let pairs = 0; pairs < MENDED_PAIRS; pairs += 1) {
      while (next < end && !this.#isLess(next, next - 1)) next += 1;
      if (next === end) return true;
      if (end - start < SHORTEST_MENDING) return false;
      this.#swap(next, next - 1);
      // The smaller one goes on to the front, and as in Go beyond the start of the range if it is to.
      if (next - start >= 2) {
        for (let place = next - 1; place >= 1 && this.#isLess(place, place - 1); place -= 1)
          this.#swap(place, place - 1);
      }
      if (end - next >= 2) {
        for (let place = next + 1; place < end && this.#isLess(place, place - 1); place += 1)
          this.#swap(place, place - 1);
      }
    }
    return false;
  }

  /** Those that go before the pivot in front of it, the others behind it. */
  #partition(start: number, end: number, pivot: number): { readonly index: number; readonly wasPartitioned: boolean } {
    this.#swap(start, pivot);
    let low = start + 1;
    let high = end - 1;
    let wasPartitioned = true;
    for (;;) {
      while (low <= high && this.#isLess(low, start)) low += 1;
      while (low <= high && !this.#isLess(high, start)) high -= 1;
      if (low > high) break;
      wasPartitioned = false;
      this.#swap(low, high);
      low += 1;
      high -= 1;
    }
    this.#swap(high, start);
    return { index: high, wasPartitioned };
  }

  /** None goes before the pivot: its equals in front, the others behind them. Returns where those begin. */
  #partitionEqual(start: number, end: number, pivot: number): number {
    this.#swap(start, pivot);
    let low = start + 1;
    let high = end - 1;
    for (;;) {
      while (low <= high && !this.#isLess(start, low)) low += 1;
      while (low <= high && this.#isLess(start, high)) high -= 1;
      if (low > high) return low;
      this.#swap(low, high);
      low += 1;
      high -= 1;
    }
  }
}

function bitLength(value: number): number {
  return 32 - Math.clz32(value);
}

/** Marsaglia's generator of 64 bits. */
function xorShifted(state: bigint): bigint {
  const first = state ^ BigInt.asUintN(64, state << 13n);
  const second = first ^ (first >> 7n);
  return second ^ BigInt.asUintN(64, second << 17n);
}
