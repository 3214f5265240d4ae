/**
 * How anything that is kept by node learns what was written since: a place in a log, and, for what is kept in the
 * order of the scan, a follower of the columns that tells of single nodes or of all.
 */
import type { NodeColumns } from './node-columns.js';

/** A log of which the oldest entries are dropped: positions from `begin` on are kept, `end` is the next one. */
export interface Log {
  readonly begin: number;
  readonly end: number;
}

/** Before the first entry of every log. */
const NOTHING_READ = -1;

/** A place in a log. */
export class LogPlace {
  #read = NOTHING_READ;

  /** Takes all entries for read; returns the first that was new, `undefined` when some were dropped unread. */
  advance({ begin, end }: Log): number | undefined {
    const from = this.#read;
    this.#read = end;
    return from < begin ? undefined : from;
  }

  /** Nothing counts as read any more. */
  forget(): void {
    this.#read = NOTHING_READ;
  }
}

/** What is kept by position of the scan order. */
export interface FollowedNodes {
  /** Every node may have changed, and every position may hold another one. */
  onAll(columns: NodeColumns): void;
  /** A node was written. @param isWhole - more may have changed than what its pods take */
  onNode(columns: NodeColumns, position: number, slot: number, isWhole: boolean): void;
}

/** Tells what was written to the columns of nodes that are in the scan order. */
export class Follower {
  readonly #place = new LogPlace();
  #orderRevision = -1;
  #layout = -1;

  /** Tells what is new since the last time. */
  catchUp(columns: NodeColumns, nodes: FollowedNodes): void {
    const { arrays, written, orderRevision, layout, nodeCount } = columns;
    const from = this.#place.advance(written);
    if (from === undefined || this.#orderRevision !== orderRevision || this.#layout !== layout) {
      this.#orderRevision = orderRevision;
      this.#layout = layout;
      nodes.onAll(columns);
      return;
    }
    const { end } = written;
    for (let write = from; write < end; write += 1) {
      const slot = written.slotAt(write);
      const position = arrays.position[slot] as number;
      // On worker threads a position may be that of a later order.
      if (position >= 0 && position < nodeCount) nodes.onNode(columns, position, slot, written.isWholeAt(write));
    }
  }

  /** The next time all nodes are told of. */
  forget(): void {
    this.#place.forget();
  }
}
