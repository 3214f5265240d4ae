/** Doubles of a page; what needs more gets a page of its own size. */
const PAGE_LENGTH = 65_536;

/** Memory that holds details of several attempts. */
export interface DetailPage {
  readonly floats: Float64Array;
  /** The same memory: index i of `floats` is index 2i here. */
  readonly ints: Int32Array;
  /** Rises whenever the page is written from its beginning again: what was on it is lost then. */
  use: number;
  /** Index of the first free entry of `floats`. */
  free: number;
}

/** Entries of `floats` that so many whole numbers take. */
export function floatsFor(ints: number): number {
  return (ints + 1) >> 1;
}

/**
 * A ring of pages: room for what newly happened is where the oldest was. Pages are allocated as they
 * are first needed, and nothing is allocated after that.
 */
export class DetailPages {
  readonly #pages: DetailPage[] = [];
  readonly #maxPages: number;
  #current = 0;

  /** @param maxPages - pages of 512 KiB, from 1 */
  constructor(maxPages: number) {
    this.#maxPages = maxPages;
  }

  /** Whether what takes so many entries is overwritten once as much was written so many times behind it. */
  isLostAfter(times: number, length: number): boolean {
    return times * length >= this.#maxPages * PAGE_LENGTH;
  }

  /** A page with so many free entries; the caller moves `free` on behind what it writes. */
  pageFor(length: number): DetailPage {
    const page = this.#pages[this.#current];
    if (page !== undefined && page.free + length <= page.floats.length) return page;
    this.#current = page === undefined ? 0 : (this.#current + 1) % this.#maxPages;
    const oldest = this.#pages[this.#current];
    if (oldest !== undefined) {
      oldest.use += 1;
      oldest.free = 0;
      if (length <= oldest.floats.length) return oldest;
    }
    const fresh = createPage(Math.max(length, PAGE_LENGTH));
    this.#pages[this.#current] = fresh;
    return fresh;
  }
}

/** Stands for a page that was written anew. */
export const LOST_PAGE: DetailPage = { floats: new Float64Array(0), ints: new Int32Array(0), use: 1, free: 0 };

function createPage(length: number): DetailPage {
  const floats = new Float64Array(length);
  return { floats, ints: new Int32Array(floats.buffer), use: 0, free: 0 };
}
