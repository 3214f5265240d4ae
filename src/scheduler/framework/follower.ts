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
  /** Nodes were written. @param from - the first of the writes that are new, as `columns.written` numbers them */
  onWrites(columns: NodeColumns, from: number): void;
}

/** The place in the scan order of the node that was written; negative where it has none. */
export function positionWritten({ arrays, written, nodeCount }: NodeColumns, write: number): number {
  const position = arrays.position[written.slotAt(write)] as number;
  // On worker threads a position may be that of a later order.
  return position < nodeCount ? position : -1;
}

/** Tells what was written to the columns of nodes that are in the scan order. */
export class Follower {
  readonly #place = new LogPlace();
  #orderRevision = -1;
  #layout = -1;

  /** Tells what is new since the last time. */
  catchUp(columns: NodeColumns, nodes: FollowedNodes): void {
    const { written, orderRevision, layout } = columns;
    const from = this.#place.advance(written);
    if (from === undefined || this.#orderRevision !== orderRevision || this.#layout !== layout) {
      this.#orderRevision = orderRevision;
      this.#layout = layout;
      nodes.onAll(columns);
      return;
    }
    // One call for all: a call for each, to receivers of several classes, costs more than most of them do.
    if (from < written.end) nodes.onWrites(columns, from);
  }

  /** The next time all nodes are told of. */
  forget(): void {
    this.#place.forget();
  }
}
