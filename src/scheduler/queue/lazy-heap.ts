import TinyQueue from 'tinyqueue';
import { assert } from '../../kernel/assert.js';

/** An item's place in a heap: what its owner hands back to move or remove it. */
export interface HeapEntry<T> {
  /** The item; once the entry is dead, a copy that keeps the order of the heap. */
  item: T;
  readonly seq: number;
  isLive: boolean;
}

/** Dead and spent entries that are not worth a clean-up. */
const DEAD_ENTRIES_ALLOWED = 64;

/**
 * A priority queue from which any item can be removed: removed entries stay behind as dead ones until
 * they surface or outnumber the live ones. Full ties leave in order of insertion.
 *
 * Items mostly come in the order in which they leave. Those that do stand in a line, where coming and
 * going costs one comparison at most; only the others are in the binary heap beside it.
 *
 * Items may change only while they are out of the heap, or inside {@link LazyHeap.change}.
 */
export class LazyHeap<T> {
  readonly #less: (a: T, b: T) => boolean;
  readonly #copy: (item: T) => T;
  readonly #compare: (a: HeapEntry<T>, b: HeapEntry<T>) => number;
  #heap: TinyQueue<HeapEntry<T>>;
  /** In order; those before `#head` have left. */
  #line: (HeapEntry<T> | undefined)[] = [];
  #head = 0;
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
    this.#heap = new TinyQueue([], this.#compare);
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
      const entry = this.#next();
      if (entry === undefined || entry.isLive) return entry?.item;
      this.#drop(entry);
    }
  }

  pop(): T | undefined {
    for (;;) {
      const entry = this.#next();
      if (entry === undefined) return undefined;
      this.#drop(entry);
      if (!entry.isLive) continue;
      entry.isLive = false;
      this.#live -= 1;
      return entry.item;
    }
  }

  /** The items that leave next, in order, at most `limit`; they stay. */
  first(limit: number): T[] {
    const { data } = this.#heap;
    const at = (index: number): HeapEntry<T> => data[index] as HeapEntry<T>;
    // Entries with parents that were all looked at: the least of them is the next one of the heap.
    const open = new TinyQueue<number>(data.length === 0 ? [] : [0], (a, b) => this.#compare(at(a), at(b)));
    const items: T[] = [];
    for (let place = this.#head; items.length < limit;) {
      const inLine = this.#line[place];
      const index = open.peek();
      const inHeap = index === undefined ? undefined : at(index);
      const entry = this.#lesser(inLine, inHeap);
      if (entry === undefined) break;
      if (entry.isLive) items.push(entry.item);
      if (entry === inLine) place += 1;
      else if (index !== undefined) {
        open.pop();
        for (const child of [2 * index + 1, 2 * index + 2]) if (child < data.length) open.push(child);
      }
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
    this.#heap = new TinyQueue([], this.#compare);
    this.#line = [];
    this.#head = 0;
    this.#live = 0;
  }

  #insert(entry: HeapEntry<T>): void {
    const last = this.#line.at(-1);
    if (last === undefined || this.#compare(last, entry) < 0) this.#line.push(entry);
    else this.#heap.push(entry);
    this.#live += 1;
  }

  /** The first entry, dead or alive. */
  #next(): HeapEntry<T> | undefined {
    return this.#lesser(this.#line[this.#head], this.#heap.peek());
  }

  #lesser(a: HeapEntry<T> | undefined, b: HeapEntry<T> | undefined): HeapEntry<T> | undefined {
    if (a === undefined) return b;
    return b === undefined || this.#compare(a, b) < 0 ? a : b;
  }

  /** Takes the first entry out. */
  #drop(first: HeapEntry<T>): void {
    if (this.#line[this.#head] !== first) {
      this.#heap.pop();
      return;
    }
    this.#line[this.#head] = undefined;
    this.#head += 1;
    if (this.#head === this.#line.length) {
      this.#line = [];
      this.#head = 0;
    } else if (this.#head > DEAD_ENTRIES_ALLOWED && this.#head * 2 > this.#line.length) {
      this.#line = this.#line.slice(this.#head);
      this.#head = 0;
    }
  }

  #bury(entry: HeapEntry<T>, remains: T): void {
    assert(entry.isLive, 'only an entry of this heap can be removed from it');
    entry.isLive = false;
    entry.item = remains;
    this.#live -= 1;
    const entries = this.#heap.length + this.#line.length - this.#head;
    if (entries - this.#live <= this.#live + DEAD_ENTRIES_ALLOWED) return;
    this.#heap = new TinyQueue(this.#heap.data.filter(isLive), this.#compare);
    this.#line = this.#line.filter(isLive);
    this.#head = 0;
  }

  #liveEntries(): HeapEntry<T>[] {
    return [...this.#line, ...this.#heap.data].filter(isLive);
  }
}

function isLive<T>(entry: HeapEntry<T> | undefined): entry is HeapEntry<T> {
  return entry?.isLive === true;
}
