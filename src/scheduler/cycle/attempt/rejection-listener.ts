import type { Status } from '../../framework/status.js';
import type { VerdictStatuses } from './verdict-statuses.js';

/** Is told of the nodes that a scan has rejected, in the order of the scan. */
export interface RejectionListener {
  /** One node. */
  onNode(slot: number, status: Status): void;
  /** Whether of more nodes with this status only the number matters. */
  hasEnough(status: Status): boolean;
  /** So many nodes with a status of which there are enough. */
  onMore(count: number, status: Status): void;
}

/** Rejected nodes and the verdicts on them side by side, as many as said. */
interface RejectedList {
  readonly slots: Int32Array;
  readonly verdicts: Int32Array;
  readonly count: number;
  /** Index of the one that the scan has visited first; it goes on behind the last with the first. @defaultValue 0 */
  readonly start?: number;
}

/** Tells of a list. @param tally - how many have each verdict, where that is known: then not all of it is looked at */
export function tellRejected(
  list: RejectedList,
  statuses: VerdictStatuses,
  listener: RejectionListener,
  tally?: ReadonlyMap<number, number>,
): void {
  if (tally === undefined) tellRuns(list, statuses, listener);
  else tellTallied(list, tally, statuses, listener);
}

/** Tells by runs of one verdict, from the first to the last. */
function tellRuns(
  { slots, verdicts, count }: RejectedList,
  statuses: VerdictStatuses,
  listener: RejectionListener,
): void {
  let begin = 0;
  while (begin < count) {
    const verdict = verdicts[begin] as number;
    let end = begin + 1;
    while (end < count && verdicts[end] === verdict) end += 1;
    const status = statuses.of(verdict);
    for (; begin < end && !listener.hasEnough(status); begin += 1) listener.onNode(slots[begin] as number, status);
    if (begin < end) listener.onMore(end - begin, status);
    begin = end;
  }
}

/** Tells of single nodes for as long as some verdict has too few of them, and of the others by number. */
function tellTallied(
  { slots, verdicts, count, start = 0 }: RejectedList,
  tally: ReadonlyMap<number, number>,
  statuses: VerdictStatuses,
  listener: RejectionListener,
): void {
  const left = new Map(tally);
  const open = new Set(tally.keys());
  let lastClosed = 0;
  let at = start;
  for (let step = 0; step < count && open.size > 0; step += 1) {
    const verdict = verdicts[at] as number;
    const slot = slots[at] as number;
    at = at + 1 === count ? 0 : at + 1;
    if (verdict === lastClosed) continue;
    if (open.has(verdict)) {
      const status = statuses.of(verdict);
      if (!listener.hasEnough(status)) {
        listener.onNode(slot, status);
        left.set(verdict, (left.get(verdict) as number) - 1);
      }
      if (left.get(verdict) !== 0 && !listener.hasEnough(status)) continue;
      open.delete(verdict);
    }
    lastClosed = verdict;
  }
  for (const [verdict, more] of left) if (more > 0) listener.onMore(more, statuses.of(verdict));
}
