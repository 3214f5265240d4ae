import type { NodeColumns } from '../framework/node-columns.js';

/** What is kept by position of the scan order, as it is brought up to date. */
export interface FollowedRows {
  /** Every position may hold another node. */
  writeAll(columns: NodeColumns): void;
  /** The node at a position was written to. */
  write(columns: NodeColumns, at: number, slot: number): void;
}

/** Follows what is written to the columns, for those who keep rows by position. */
export class RowFollower {
  #revision = -1;
  #layout = -1;
  #seen = 0;

  /** Takes notice of what was written since the last time. @param size - number of rows that are kept */
  catchUp(columns: NodeColumns, rows: FollowedRows, size: number): void {
    const { arrays, written, orderRevision, layout } = columns;
    if (this.#revision !== orderRevision || this.#layout !== layout || this.#seen < written.begin) {
      this.#revision = orderRevision;
      this.#layout = layout;
      rows.writeAll(columns);
    } else {
      const { position } = arrays;
      for (let write = this.#seen; write < written.end; write += 1) {
        const slot = written.slotAt(write);
        const at = position[slot] as number;
        // On worker threads a position may be that of a later order.
        if (at >= 0 && at < size) rows.write(columns, at, slot);
      }
    }
    this.#seen = written.end;
  }
}
