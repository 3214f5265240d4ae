/** Tells of the nodes that a walk over ranked nodes has rejected, by whole blocks where numbers are enough. */
import { BLOCK_MASK, BLOCK_SHIFT, NODES } from './node-table.js';
import type { GroupWalk } from './group-walk.js';
import { walkRing } from '../attempt/ring.js';
import type { RejectionListener } from '../attempt/rejection-listener.js';
import type { VerdictStatuses } from '../attempt/verdict-statuses.js';

/** See the file header. @param kept - verdicts of the kept filters by slot */
export function tellGroupRejections(
  walk: GroupWalk,
  kept: Int32Array,
  statuses: VerdictStatuses,
  listener: RejectionListener,
): void {
  const { nodes, start } = walk.request;
  walkRing(start, walk.visited, nodes.size, (from, to) => {
    for (let position = from; position < to;) {
      const block = position >> BLOCK_SHIFT;
      const blockEnd = Math.min((block + 1) << BLOCK_SHIFT, nodes.size);
      const end = Math.min(blockEnd, to);
      const isWhole = (position & BLOCK_MASK) === 0 && end === blockEnd && !walk.isSpecial(block);
      if (!isWhole || !tellBlock(walk, block, end - position, statuses, listener)) {
        tellNodes(walk, position, end, kept, statuses, listener);
      }
      position = end;
    }
    return to;
  });
}

/** Tells of a block; `false` when some of its nodes have to be told of one by one. */
function tellBlock(
  walk: GroupWalk,
  block: number,
  length: number,
  statuses: VerdictStatuses,
  listener: RejectionListener,
): boolean {
  const { sums, groups } = walk.request.nodes;
  let inGroups = 0;
  for (let group = 0; group < groups.count; group += 1) {
    const count = sums.sums[sums.indexOf(block, group) + NODES] as number;
    const verdict = walk.verdictOn(group);
    if (count > 0 && verdict !== 0 && !listener.hasEnough(statuses.of(verdict))) return false;
    inGroups += count;
  }
  // Nodes in no group are rejected by kept filters.
  if (inGroups < length) return false;
  for (let group = 0; group < groups.count; group += 1) {
    const count = sums.sums[sums.indexOf(block, group) + NODES] as number;
    const verdict = walk.verdictOn(group);
    if (count > 0 && verdict !== 0) listener.onMore(count, statuses.of(verdict));
  }
  return true;
}

function tellNodes(
  walk: GroupWalk,
  from: number,
  to: number,
  kept: Int32Array,
  statuses: VerdictStatuses,
  listener: RejectionListener,
): void {
  const { order } = walk.request.columns.arrays;
  for (let position = from; position < to; position += 1) {
    const slot = order[position] as number;
    const verdict = walk.verdictAt(position, slot, kept);
    if (verdict === 0) continue;
    const status = statuses.of(verdict);
    if (listener.hasEnough(status)) listener.onMore(1, status);
    else listener.onNode(slot, status);
  }
}
