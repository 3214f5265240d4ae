import TinyQueue from 'tinyqueue';
import { assert } from '../../kernel/assert.js';

/** An item's place in a heap: what its owner hands back to move or remove it. */
export interface HeapEntry<T> {
  /** The item; once the entry is dead, a copy that keeps the order of the heap. */
  item: T;
  readonly seq: number;
  isLive: boolean;
}

/** Dead entries that are not worth a clean-up. */
const DEAD_ENTRIES_ALLOWED = 64;

/**
 * A binary heap from which any item can be removed: removed entries stay behind as dead ones until
 * they surface or outnumber the live ones. Full ties leave in order of insertion.
 *
 * Items may change only while they are out of the heap, or inside {@link LazyHeap.change}.
 */
export class LazyHeap<T> {
  readonly #less: (a: T, b: T) => boolean;
  readonly #copy: (item: T) => T;
  readonly #compare: (a: HeapEntry<T>, b: HeapEntry<T>) => number;
  #queue: TinyQueue<HeapEntry<T>>;
  #live = 0;
  #nextSeq = 0;

  /**
   * @param less - whether `a` leaves before `b`
   * @param copy - an item with the same order that later changes of the original do not touch
   */
  constructor(less: (a: T, b: T) => boolean, copy: (item: T) => T) {
    this.#less = less;
    this.#copy = copy;
    this.#compare = (a, b) => {
      if (less(a.item, b.item)) return -1;
      return less(b.item, a.item) ? 1 : a.seq - b.seq;
    };
    this.#queue = new TinyQueue([], this.#compare);
  }

  /** Number of items. */
  get size(): number {
    return this.#live;
  }

  push(item: T): HeapEntry<T> {
    const entry = { item, seq: this.#nextSeq, isLive: true };
    this.#nextSeq += 1;
    this.#insert(entry);
    return entry;
  }

  /** Takes an item out, wherever it stands. */
  remove(entry: HeapEntry<T>): void {
    this.#bury(entry, this.#copy(entry.item));
  }

  /** Changes an item inside the heap; it keeps its place among full ties. Returns its entry from now on. */
  change(entry: HeapEntry<T>, change: (item: T) => void): HeapEntry<T> {
    const { item, seq } = entry;
    const before = this.#copy(item);
    change(item);
    if (!this.#less(before, item) && !this.#less(item, before)) return entry;
    this.#bury(entry, before);
    const moved = { item, seq, isLive: true };
    this.#insert(moved);
    return moved;
  }

  /** The item that leaves next. */
  peek(): T | undefined {
    for (;;) {
      const entry = this.#queue.peek();
      if (entry === undefined || entry.isLive) return entry?.item;
      this.#queue.pop();
    }
  }

  pop(): T | undefined {
    for (;;) {
      const entry = this.#queue.pop();
      if (entry === undefined) return undefined;
      if (!entry.isLive) continue;
      entry.isLive = false;
      this.#live -= 1;
      return entry.item;
    }
  }

  /** The items that leave next, in order, at most `limit`; they stay. */
  first(limit: number): T[] {
    const { data } = this.#queue;
    const at = (index: number): HeapEntry<T> => data[index] as HeapEntry<T>;
    // Entries whose parents were all looked at: the least of them is the next one.
    const open = new TinyQueue<number>(data.length === 0 ? [] : [0], (a, b) => this.#compare(at(a), at(b)));
    const items: T[] = [];
    while (items.length < limit) {
      const index = open.pop();
      if (index === undefined) break;
      const { isLive, item } = at(index);
      if (isLive) items.push(item);
      for (const child of [2 * index + 1, 2 * index + 2]) if (child < data.length) open.push(child);
    }
    return items;
  }

  /** All items in order of insertion. */
  items(): T[] {
    return this.#liveEntries()
      .sort((a, b) => a.seq - b.seq)
      .map((entry) => entry.item);
  }

  clear(): void {
    this.#queue = new TinyQueue([], this.#compare);
    this.#live = 0;
  }

  #insert(entry: HeapEntry<T>): void {
    this.#queue.push(entry);
    this.#live += 1;
  }

  #bury(entry: HeapEntry<T>, remains: T): void {
    assert(entry.isLive, 'only an entry of this heap can be removed from it');
    entry.isLive = false;
    entry.item = remains;
    this.#live -= 1;
    if (this.#queue.length - this.#live > this.#live + DEAD_ENTRIES_ALLOWED) {
      this.#queue = new TinyQueue(this.#liveEntries(), this.#compare);
    }
  }

  #liveEntries(): HeapEntry<T>[] {
    return this.#queue.data.filter((entry) => entry.isLive);
  }
}
