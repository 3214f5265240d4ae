import test from 'ava';
import { REJECTED } from '../../../../src/scheduler/cycle/attempt/rejected.js';
import {
  BEST,
  BLOCK_SHIFT,
  BlockSums,
  canKeep,
  entryOf,
  groupOf,
  NODES,
  TIES,
  totalOf,
} from '../../../../src/scheduler/cycle/table/block-sums.js';

/** Number of nodes, best total and how many have it, of a group of a block. */
function sumOf(blocks: BlockSums, block: number, group: number): readonly (number | undefined)[] {
  const index = blocks.indexOf(block, group);
  return [NODES, BEST, TIES].map((part) => blocks.sums[index + part]);
}

/** Five nodes of one block: two groups, and a node that is rejected. */
const ENTRIES = Int32Array.of(entryOf(0, 30), entryOf(1, 50), entryOf(0, 30), REJECTED, entryOf(1, 40));

function summed(): BlockSums {
  const sums = new BlockSums(ENTRIES.length);
  sums.reserve(2);
  sums.sum(0, ENTRIES);
  return sums;
}

test('entries › one word holds group and total', (t) => {
  for (const [group, total] of [
    [0, 0],
    [63, 0],
    [5, 2 ** 25 - 1],
  ] as const) {
    const entry = entryOf(group, total);
    t.deepEqual([groupOf(entry), totalOf(entry)], [group, total]);
    t.not(entry, REJECTED);
  }
  t.deepEqual([0, 2 ** 25 - 1, 2 ** 25, -1, 0.5, Number.NaN].map(canKeep), [true, true, false, false, false, false]);
});

test('block sums › a block is summed up by group, without nodes that are rejected', (t) => {
  const sums = summed();
  t.deepEqual(sumOf(sums, 0, 0), [2, 30, 2]);
  t.deepEqual(sumOf(sums, 0, 1), [2, 50, 1]);
});

test('block sums › each block has sums of its own, the last one of the nodes that are left', (t) => {
  const size = 1 << BLOCK_SHIFT;
  const sums = new BlockSums(size + 2);
  t.is(sums.blockCount, 2);
  const entries = Int32Array.from({ length: size + 2 }, (_, position) => entryOf(0, position));
  sums.sum(0, entries);
  sums.sum(1, entries);
  t.deepEqual(sumOf(sums, 0, 0), [size, size - 1, 1]);
  t.deepEqual(sumOf(sums, 1, 0), [2, size + 1, 1]);
});

test('block sums › a node that comes or goes changes the sum of its group alone', (t) => {
  const sums = summed();
  sums.add(0, entryOf(0, 60));
  sums.add(0, REJECTED);
  t.deepEqual(sumOf(sums, 0, 0), [3, 60, 1]);
  t.false(sums.remove(0, entryOf(1, 40)));
  t.false(sums.remove(0, REJECTED));
  t.deepEqual(sumOf(sums, 0, 1), [1, 50, 1]);
});

test('block sums › where the only best node of several goes, the block has to be summed up again', (t) => {
  t.true(summed().remove(0, entryOf(1, 50)));
});
