import test from 'ava';
import { REJECTED } from '../../../../src/scheduler/cycle/attempt/outline.js';
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
} from '../../../../src/scheduler/cycle/table/node-table.js';

/** Number of nodes, best total and how many have it, of a group of a block. */
function sumOf(blocks: BlockSums, block: number, group: number): readonly (number | undefined)[] {
  const index = blocks.indexOf(block, group);
  return [NODES, BEST, TIES].map((part) => blocks.sums[index + part]);
}

/** A node is judged. */
function put(blocks: BlockSums, at: number, entry: number): void {
  blocks.put(Int32Array.of(at), Int32Array.of(entry), 1);
}

/** Five nodes of one block: two groups, and a node that is rejected. */
const ENTRIES = Int32Array.of(entryOf(0, 30), entryOf(1, 50), entryOf(0, 30), REJECTED, entryOf(1, 40));

function summed(): BlockSums {
  const sums = new BlockSums(ENTRIES.length);
  for (const [at, entry] of ENTRIES.entries()) put(sums, at, entry);
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
  for (let position = 0; position < size + 2; position += 1) put(sums, position, entryOf(0, position));
  t.deepEqual(sumOf(sums, 0, 0), [size, size - 1, 1]);
  t.deepEqual(sumOf(sums, 1, 0), [2, size + 1, 1]);
});

test('block sums › a node that becomes another one changes the sums of its groups alone', (t) => {
  const sums = summed();
  put(sums, 3, entryOf(0, 60));
  t.deepEqual(sumOf(sums, 0, 0), [3, 60, 1]);
  put(sums, 4, REJECTED);
  t.deepEqual(sumOf(sums, 0, 1), [1, 50, 1]);
  put(sums, 0, entryOf(1, 50));
  t.deepEqual(
    [sumOf(sums, 0, 0), sumOf(sums, 0, 1)],
    [
      [2, 60, 1],
      [2, 50, 2],
    ],
  );
});

test('block sums › where the only best node of several goes, the next best one is found when it is asked for', (t) => {
  const sums = summed();
  put(sums, 1, REJECTED);
  t.deepEqual(sumOf(sums, 0, 1), [1, 50, 0]);
  sums.findBest(0, 1);
  t.deepEqual(sumOf(sums, 0, 1), [1, 40, 1]);
});

test('block sums › room for more groups keeps the sums of all', (t) => {
  const sums = new BlockSums(2 << BLOCK_SHIFT);
  put(sums, 0, entryOf(0, 30));
  put(sums, 1 << BLOCK_SHIFT, entryOf(0, 20));
  put(sums, 1, entryOf(62, 10));
  t.is(sums.width, 63);
  t.deepEqual(
    [sumOf(sums, 0, 0), sumOf(sums, 1, 0), sumOf(sums, 0, 62)],
    [
      [1, 30, 1],
      [1, 20, 1],
      [1, 10, 1],
    ],
  );
});

test('block sums › nothing is left of nodes that are forgotten', (t) => {
  const sums = summed();
  sums.clear();
  put(sums, 4, entryOf(1, 3));
  t.deepEqual(sumOf(sums, 0, 1), [1, 3, 1]);
});
