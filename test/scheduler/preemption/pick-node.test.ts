import test from 'ava';
import { NOT_STARTED } from '../../../src/scheduler/preemption/lesser-pods.js';
import { pickNode } from '../../../src/scheduler/preemption/pick-node.js';
import { TrialTable, type Tier } from '../../../src/scheduler/preemption/trial-table.js';
import type { Candidate } from '../../../src/scheduler/preemption/candidate.js';
import { guest } from './preemption-scene.js';

const NOW_MS = 100_000;

interface Ranked {
  readonly candidate: Candidate;
  readonly tier: Tier;
  readonly startMs: number;
}

/** Victims as `[priority, second of start]`, most important first. */
function candidate(nodeName: string, victims: readonly (readonly [number, number?])[], violations = 0): Ranked {
  const pods = victims.map(([priority, startedAt], index) =>
    guest(`${nodeName}-${index}`, { priority, ...(startedAt === undefined ? {} : { startedAt }) }),
  );
  const [[highestPriority, startedAt]] = victims as readonly [readonly [number, number?]];
  const prioritySum = victims.reduce((sum, [priority]) => sum + priority + 2 ** 31, 0);
  return {
    candidate: { nodeName, victims: pods, violations },
    tier: { violations, highestPriority, prioritySum, victimCount: pods.length },
    startMs: startedAt === undefined ? NOT_STARTED : startedAt * 1000,
  };
}

function picked(...candidates: Ranked[]): readonly [string, string, readonly string[]] {
  const table = new TrialTable();
  table.reset(candidates.length);
  candidates.forEach((each, slot) => table.noteCandidate(slot, each.candidate, each.tier, each.startMs));
  const slots = Int32Array.from(candidates.keys());
  const { candidate: chosen, criterion, ties } = pickNode(table, slots, candidates.length, NOW_MS);
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
