import test from 'ava';
import {
  advance,
  copyRing,
  feasibleTarget,
  nextRange,
  stepOf,
  walkRing,
} from '../../../../src/scheduler/cycle/attempt/ring.js';

test('feasibleTarget › falls from half of the nodes to a twentieth, but not below 100', (t) => {
  const sizes = [99, 100, 250, 500, 1000, 2000, 5000, 5625, 6000, 10_000];
  t.deepEqual(
    sizes.map((size) => feasibleTarget(size, 0)),
    [99, 100, 120, 230, 420, 680, 500, 281, 300, 500],
  );
});

test('feasibleTarget › a configured percentage holds above 100 nodes', (t) => {
  t.deepEqual(
    [
      [99, 1],
      [1000, 1],
      [1000, 30],
      [1000, 100],
    ].map(([size = 0, percentage = 0]) => feasibleTarget(size, percentage)),
    [99, 100, 300, 1000],
  );
});

test('nextRange › begins where the last scan ended, and among fewer nodes where that lies on their ring', (t) => {
  const start = { index: 0 };
  advance(start, 230, 500);
  advance(start, 400, 500);
  t.deepEqual(nextRange(start, 500, 0), { start: 130, target: 230 });
  t.deepEqual(nextRange(start, 50, 0), { start: 30, target: 50 });
  t.deepEqual(nextRange(start, 0, 0), { start: 0, target: 0 });
});

test('walkRing › goes round the end of the ring in rising stretches', (t) => {
  const stretches: (readonly [number, number])[] = [];
  const visited = walkRing(3, 4, 5, (from, to) => {
    stretches.push([from, to]);
    return to;
  });
  t.deepEqual(stretches, [
    [3, 5],
    [0, 2],
  ]);
  t.is(visited, 4);
});

test('walkRing › tells how many positions were visited when a visitor stops, in either stretch', (t) => {
  for (const { stop, visited } of [
    { stop: 3, visited: 0 },
    { stop: 4, visited: 1 },
    { stop: 0, visited: 2 },
    { stop: 2, visited: 4 },
  ]) {
    t.is(
      walkRing(3, 5, 5, (from, to) => (stop >= from && stop < to ? stop : to)),
      visited,
    );
  }
});

test('walkRing › makes one stretch of a walk that does not reach the end', (t) => {
  const stretches: (readonly [number, number])[] = [];
  walkRing(1, 4, 5, (from, to) => {
    stretches.push([from, to]);
    return to;
  });
  t.deepEqual(stretches, [[1, 5]]);
});

test('stepOf › counts positions in the order of the walk', (t) => {
  t.deepEqual(
    [3, 4, 0, 1, 2].map((position) => stepOf(position, 3, 5)),
    [0, 1, 2, 3, 4],
  );
});

test('copyRing › copies round the end of the ring', (t) => {
  const copy = new Int32Array(4);
  copyRing(Int32Array.of(10, 11, 12, 13, 14, 99), 5, 3, copy, 4);
  t.deepEqual([...copy], [13, 14, 10, 11]);
});
