import test from 'ava';
import { createTimestamps } from '../../../src/kernel/timestamps.js';
import type { Candidate } from '../../../src/scheduler/preemption/candidate.js';
import { StartTimes } from '../../../src/scheduler/preemption/importance.js';
import { pickNode } from '../../../src/scheduler/preemption/pick-node.js';
import { guest } from './preemption-scene.js';

const startTimes = new StartTimes(createTimestamps('2030-01-01T00:00:00Z'));

/** Victims as `[priority, second of start]`, most important first. */
function candidate(nodeName: string, victims: readonly (readonly [number, number?])[], violations = 0): Candidate {
  return {
    nodeName,
    violations,
    victims: victims.map(([priority, startedAt], index) =>
      guest(`${nodeName}-${index}`, { priority, ...(startedAt === undefined ? {} : { startedAt }) }),
    ),
  };
}

function picked(...candidates: Candidate[]): readonly [string, string, readonly string[]] {
  const { candidate: chosen, criterion, ties } = pickNode(candidates, startTimes, 100_000);
  return [chosen.nodeName, criterion, ties];
}

test('pick node › a single candidate needs no criterion', (t) => {
  t.deepEqual(picked(candidate('n1', [[5]], 3)), ['n1', 'only-candidate', []]);
});

test('pick node › first the fewest violated budgets, whatever the priorities', (t) => {
  t.deepEqual(picked(candidate('n1', [[1]], 1), candidate('n2', [[9], [9]])), ['n2', 'budget-violations', []]);
});

test('pick node › then the least important first victim', (t) => {
  const many = candidate('n2', [[1], [1], [1]]);
  t.deepEqual(picked(candidate('n1', [[2]]), many), ['n2', 'highest-victim-priority', []]);
});

test('pick node › then the smallest sum of priorities', (t) => {
  t.deepEqual(picked(candidate('n1', [[2], [1]]), candidate('n2', [[2], [0]])), ['n2', 'sum-of-priorities', []]);
});

test('pick node › more victims weigh more even with negative priorities', (t) => {
  const one = candidate('n1', [[-5]]);
  const two = candidate('n2', [[-5], [-2_000_000_000]]);
  t.deepEqual(picked(two, one), ['n1', 'sum-of-priorities', []]);
});

test('pick node › then fewest victims, if sums can be equal at all', (t) => {
  const one = candidate('n1', [[0]]);
  const two = candidate('n2', [[0], [-(2 ** 31)]]);
  t.deepEqual(picked(two, one), ['n1', 'victim-count', []]);
});

test('pick node › then the latest start among the most important victims', (t) => {
  const early = candidate('n1', [
    [2, 10],
    [2, 50],
    [1, 90],
  ]);
  const late = candidate('n2', [
    [2, 20],
    [2, 30],
    [1, 5],
  ]);
  t.deepEqual(picked(early, late), ['n2', 'latest-start', []]);
});

test('pick node › a victim that has not started counts as starting now', (t) => {
  t.deepEqual(picked(candidate('n1', [[2, 99]]), candidate('n2', [[2]])), ['n2', 'latest-start', []]);
});

test('pick node › what nothing tells apart is decided by name, and reported', (t) => {
  const candidates = ['n3', 'n10', 'n2'].map((name) => candidate(name, [[1, 5]]));
  t.deepEqual(picked(...candidates, candidate('n1', [[1, 4]])), ['n10', 'node-name', ['n10', 'n2', 'n3']]);
});
