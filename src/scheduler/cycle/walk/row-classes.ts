/** Numbers per row that tell classes apart, and the length of a row as a shift. */
const COMPARED = 7;
const ROW_SHIFT = 3;
const NONE = -1;

/**
 * Which rows of numbers are equal: those of one class. A class has a number below the number of rows, which
 * is used again when no row is left in it.
 */
export class RowClasses {
  /** By row: its class. */
  of = new Int32Array(0);
  /** By class: its row, and how many rows there are of it. */
  rows = new Float64Array(0);
  counts = new Int32Array(0);
  /** Classes from this number on have no rows. */
  end = 0;
  /** By class: the one after it that hashes to the same. */
  #next = new Int32Array(0);
  /** By hash: the first class. */
  #first = new Int32Array(0);
  #free = new Int32Array(0);
  #freeCount = 0;
  readonly #bits = new Float64Array(1);
  readonly #words = new Int32Array(this.#bits.buffer);

  /** Forgets everything. @param size - number of rows */
  begin(size: number): void {
    let buckets = 16;
    while (buckets < 2 * size) buckets *= 2;
    if (this.of.length < size) {
      this.of = new Int32Array(size);
      this.rows = new Float64Array(size << ROW_SHIFT);
      this.counts = new Int32Array(size);
      this.#next = new Int32Array(size);
      this.#free = new Int32Array(size);
    }
    if (this.#first.length < buckets) this.#first = new Int32Array(buckets);
    this.#first.fill(NONE);
    this.of.fill(NONE);
    this.counts.fill(0);
    this.end = 0;
    this.#freeCount = size;
    for (let index = 0; index < size; index += 1) this.#free[index] = size - 1 - index;
  }

  /** A row has become another one. */
  put(at: number, row: Float64Array): void {
    const before = this.of[at] as number;
    if (before !== NONE) {
      if (this.#isSame(before, row)) return;
      this.#leave(before);
    }
    const bucket = this.#bucketOf(row, 0);
    let found = this.#first[bucket] as number;
    while (found !== NONE && !this.#isSame(found, row)) found = this.#next[found] as number;
    if (found === NONE) found = this.#open(bucket, row);
    this.counts[found] = (this.counts[found] as number) + 1;
    this.of[at] = found;
  }

  #open(bucket: number, row: Float64Array): number {
    this.#freeCount -= 1;
    const opened = this.#free[this.#freeCount] as number;
    const own = opened << ROW_SHIFT;
    for (let index = 0; index < COMPARED; index += 1) this.rows[own + index] = row[index] as number;
    this.counts[opened] = 0;
    if (opened >= this.end) this.end = opened + 1;
    this.#next[opened] = this.#first[bucket] as number;
    this.#first[bucket] = opened;
    return opened;
  }

  #leave(left: number): void {
    const count = (this.counts[left] as number) - 1;
    this.counts[left] = count;
    if (count > 0) return;
    const bucket = this.#bucketOf(this.rows, left << ROW_SHIFT);
    const after = this.#next[left] as number;
    let before = this.#first[bucket] as number;
    if (before === left) this.#first[bucket] = after;
    else {
      while (this.#next[before] !== left) before = this.#next[before] as number;
      this.#next[before] = after;
    }
    this.#free[this.#freeCount] = left;
    this.#freeCount += 1;
  }

  /** What is not a number equals nothing, so that such a row is alone in its class. */
  #isSame(candidate: number, row: Float64Array): boolean {
    const own = candidate << ROW_SHIFT;
    for (let index = 0; index < COMPARED; index += 1) {
      if (this.rows[own + index] !== row[index]) return false;
    }
    return true;
  }

  #bucketOf(rows: Float64Array, begin: number): number {
    const words = this.#words;
    let hash = 0;
    for (let index = 0; index < COMPARED; index += 1) {
      // Adding 0 makes one zero of the two that are equal.
      this.#bits[0] = (rows[begin + index] as number) + 0;
      hash = Math.imul(hash ^ (words[0] as number), 0x9e3779b1) ^ (words[1] as number);
      hash = Math.imul(hash ^ (hash >>> 15), 0x85ebca6b);
    }
    return (hash ^ (hash >>> 13)) & (this.#first.length - 1);
  }
}
