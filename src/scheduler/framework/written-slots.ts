/** Writes that are kept; a reader further behind looks at every slot. A power of two. */
const LOG_SIZE = 8192;

/**
 * Which slots of the columns were written, one entry per write: a holder of results by slot goes through the new
 * entries instead of comparing the versions of all slots.
 */
export class WrittenSlots {
  /** Number of writes so far: the position of the next one. */
  end = 0;
  readonly #slots = new Int32Array(LOG_SIZE);
  /** 1 = more than the pods on the node may have changed. */
  readonly #isWhole = new Uint8Array(LOG_SIZE);

  /** Position of the oldest write that is kept. */
  get begin(): number {
    return Math.max(0, this.end - LOG_SIZE);
  }

  /** The slot of a write from `begin` on. */
  slotAt(position: number): number {
    return this.#slots[position & (LOG_SIZE - 1)] as number;
  }

  /** All writes from a position on, which must be `begin` or later, for {@link WrittenSlots.noteEntries}. */
  entriesFrom(position: number): Int32Array {
    const entries = new Int32Array(this.end - position);
    for (let index = 0; index < entries.length; index += 1) {
      entries[index] = (this.slotAt(position + index) << 1) | (this.isWholeAt(position + index) ? 1 : 0);
    }
    return entries;
  }

  /** Takes over writes of another log. */
  noteEntries(entries: Int32Array): void {
    for (const entry of entries) this.note(entry >> 1, (entry & 1) === 1);
  }

  /** Whether a write from `begin` on may have changed more than what the pods on the node take. */
  isWholeAt(position: number): boolean {
    return this.#isWhole[position & (LOG_SIZE - 1)] === 1;
  }

  note(slot: number, isWhole = true): void {
    const index = this.end & (LOG_SIZE - 1);
    this.#slots[index] = slot;
    this.#isWhole[index] = isWhole ? 1 : 0;
    this.end += 1;
  }

  /** Every slot may have been written. */
  noteAll(): void {
    this.end += LOG_SIZE + 1;
  }
}
