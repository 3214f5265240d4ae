import test from 'ava';
import { BlockSums, NO_GROUP } from '../../../../src/scheduler/cycle/table/block-sums.js';

/** Number of nodes, best score and how many have it, of a group of the first block. */
function sumOf({ nodes, best, ties }: BlockSums, group: number): readonly (number | undefined)[] {
  return [nodes[group], best[group], ties[group]];
}

test('block sums › a block is summed up by group, without nodes in no group', (t) => {
  const sums = new BlockSums(5);
  t.true(sums.reserve(2));
  sums.sum(0, Uint8Array.of(0, 1, 0, NO_GROUP, 1), Float64Array.of(30, 50, 30, 90, 40));
  t.deepEqual(sumOf(sums, 0), [2, 30, 2]);
  t.deepEqual(sumOf(sums, 1), [2, 50, 1]);
});

test('block sums › a node that comes or goes changes the sum of its group alone', (t) => {
  const sums = new BlockSums(5);
  sums.reserve(2);
  sums.sum(0, Uint8Array.of(0, 1, 0, NO_GROUP, 1), Float64Array.of(30, 50, 30, 90, 40));
  sums.add(0, 0, 60);
  t.deepEqual(sumOf(sums, 0), [3, 60, 1]);
  t.false(sums.remove(0, 1, 40));
  t.deepEqual(sumOf(sums, 1), [1, 50, 1]);
});

test('block sums › where the only best node of several goes, the block has to be summed up again', (t) => {
  const sums = new BlockSums(2);
  sums.sum(0, Uint8Array.of(0, 0), Float64Array.of(30, 50));
  t.true(sums.remove(0, 0, 50));
});
