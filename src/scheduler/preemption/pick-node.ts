import { podPriority } from '../framework/pod-info.js';
import type { Candidate } from './candidate.js';
import type { StartTimes } from './importance.js';

/**
 * What decided between candidates: there was only one; fewest violated budgets; the least important
 * first victim; the smallest sum of priorities; fewest victims; the victims that started last; or
 * nothing, so that the first by name was taken.
 */
export type PreemptionCriterion =
  | 'only-candidate'
  | 'budget-violations'
  | 'highest-victim-priority'
  | 'sum-of-priorities'
  | 'victim-count'
  | 'latest-start'
  | 'node-name';

/** The candidate that was chosen. */
export interface PickedNode {
  readonly candidate: Candidate;
  readonly criterion: PreemptionCriterion;
  /** Names of the nodes that no criterion told apart, sorted; the first was chosen. Empty when one was best. */
  readonly ties: readonly string[];
}

/** Makes priorities positive before they are added up, so that more victims never weigh less. */
const PRIORITY_OFFSET = 2 ** 31;
const NO_TIES: readonly string[] = [];

type Score = (candidate: Candidate) => number;

/**
 * Chooses among candidates, of which there must be one. Each criterion keeps the best; where upstream's
 * choice is arbitrary in the end the node with the least name is taken. Upstream:
 * `pickOneNodeForPreemption` of kube-scheduler v1.34.
 */
export function pickNode(candidates: readonly Candidate[], startTimes: StartTimes, nowMs: number): PickedNode {
  const [only] = candidates as readonly [Candidate, ...Candidate[]];
  if (candidates.length === 1) return { candidate: only, criterion: 'only-candidate', ties: NO_TIES };
  const criteria: readonly (readonly [PreemptionCriterion, Score])[] = [
    ['budget-violations', ({ violations }) => -violations],
    ['highest-victim-priority', ({ victims: [first] }) => (first === undefined ? 0 : -podPriority(first))],
    ['sum-of-priorities', sumOfPriorities],
    ['victim-count', ({ victims }) => -victims.length],
    ['latest-start', (candidate) => earliestStart(candidate, startTimes, nowMs)],
  ];
  let best = candidates;
  for (const [criterion, score] of criteria) {
    best = bestBy(best, score);
    const [first] = best;
    if (best.length === 1 && first !== undefined) return { candidate: first, criterion, ties: NO_TIES };
  }
  const byName = [...best].sort((a, b) => (a.nodeName < b.nodeName ? -1 : 1));
  return { candidate: byName[0] ?? only, criterion: 'node-name', ties: byName.map(({ nodeName }) => nodeName) };
}

function bestBy(candidates: readonly Candidate[], score: Score): readonly Candidate[] {
  let bestScore = Number.NEGATIVE_INFINITY;
  let best: Candidate[] = [];
  for (const candidate of candidates) {
    const each = score(candidate);
    if (each > bestScore) {
      bestScore = each;
      best = [candidate];
    } else if (each === bestScore) best.push(candidate);
  }
  return best;
}

function sumOfPriorities({ victims }: Candidate): number {
  let sum = 0;
  for (const victim of victims) sum += podPriority(victim) + PRIORITY_OFFSET;
  return -sum;
}

/** When the first of the most important victims started. */
function earliestStart({ victims }: Candidate, startTimes: StartTimes, nowMs: number): number {
  let highest = Number.NEGATIVE_INFINITY;
  let earliestMs = nowMs;
  for (const victim of victims) {
    const priority = podPriority(victim);
    if (priority < highest) continue;
    const startMs = startTimes.of(victim, nowMs);
    if (priority > highest || startMs < earliestMs) earliestMs = startMs;
    highest = priority;
  }
  return earliestMs;
}
