/** What nodes have that tell no limit. */
const UNLIMITED = 2 ** 31 - 1;
/** Pods with more volumes of one driver are compared with each node. */
const MAX_COUNTED = 64;

/** How many more volumes of one driver each node can attach, by slot. */
export class SpareColumn {
  #spare = new Int32Array(0);
  /** Nodes by what they have to spare, below {@link MAX_COUNTED}. */
  readonly #nodes = new Int32Array(MAX_COUNTED);

  /** @param spare - below 0 where more is attached than should be; absent = no limit */
  set(slot: number, spare: number = UNLIMITED): void {
    if (slot >= this.#spare.length) this.#grow(slot + 1);
    this.#count(this.#spare[slot] as number, -1);
    const kept = Math.max(-1, Math.min(spare, UNLIMITED));
    this.#spare[slot] = kept;
    this.#count(kept, 1);
  }

  /** Whether a node has room for so many more, counted as if none of them were there already. */
  hasRoom(slot: number, wanted: number): boolean {
    return slot >= this.#spare.length || (this.#spare[slot] as number) >= wanted;
  }

  /** Whether every node has; `false` also when that is not known. */
  hasRoomEverywhere(wanted: number): boolean {
    if (wanted > MAX_COUNTED) return false;
    for (let spare = 0; spare < wanted; spare += 1) if ((this.#nodes[spare] as number) > 0) return false;
    return true;
  }

  /** Nothing to spare and too much attached comes to the same: every pod that is looked at needs something. */
  #count(spare: number, sign: 1 | -1): void {
    const at = Math.max(spare, 0);
    if (at < MAX_COUNTED) this.#nodes[at] = (this.#nodes[at] as number) + sign;
  }

  #grow(needed: number): void {
    const grown = new Int32Array(Math.max(needed, this.#spare.length * 2)).fill(UNLIMITED);
    grown.set(this.#spare);
    this.#spare = grown;
  }
}
