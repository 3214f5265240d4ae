import type { Candidate } from './candidate.js';
import { NOT_STARTED } from './lesser-pods.js';
import type { Tier, TrialTable } from './trial-table.js';

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

/** In the order in which they are asked; the first that tells candidates apart has number 1. */
const CRITERIA: readonly PreemptionCriterion[] = [
  'only-candidate',
  'budget-violations',
  'highest-victim-priority',
  'sum-of-priorities',
  'victim-count',
  'latest-start',
];

const LATEST_START = 5;

const NO_TIES: readonly string[] = [];

/**
 * Chooses among candidates, of which there must be one. Each criterion keeps the best; where upstream's
 * choice is arbitrary in the end the node with the least name is taken. Upstream:
 * `pickOneNodeForPreemption` of kube-scheduler v1.34.
 *
 * @param slots - slots of the candidates; the first `count` count
 */
export function pickNode(table: TrialTable, slots: Int32Array, count: number, nowMs: number): PickedNode {
  const { tier, tiers, earliestStartMs } = table;
  let best = slots[0] as number;
  let bestTier = tier[best] as number;
  let bestStartMs = timeOf(earliestStartMs[best] as number, nowMs);
  /** Number of the criterion that left the best one alone, so far. */
  let decidedBy = 0;
  /** Candidates that equal the best one in everything, besides itself. */
  let equals: number[] = [];
  for (let index = 1; index < count; index += 1) {
    const slot = slots[index] as number;
    const slotTier = tier[slot] as number;
    const startMs = timeOf(earliestStartMs[slot] as number, nowMs);
    let outcome = LATEST_START;
    if (slotTier !== bestTier) outcome = compareTiers(tiers[slotTier] as Tier, tiers[bestTier] as Tier);
    else if (startMs === bestStartMs) {
      equals.push(slot);
      continue;
    } else if (startMs < bestStartMs) outcome = -LATEST_START;
    if (outcome < 0) {
      if (-outcome > decidedBy) decidedBy = -outcome;
      continue;
    }
    // Those that lost to the former best one by a later criterion equalled it in this one, and so lose by this one now.
    best = slot;
    bestTier = slotTier;
    bestStartMs = startMs;
    decidedBy = outcome;
    equals = [];
  }
  if (equals.length > 0) return pickByName([best, ...equals].map((slot) => table.candidateAt(slot)));
  return { candidate: table.candidateAt(best), criterion: CRITERIA[decidedBy] ?? 'node-name', ties: NO_TIES };
}

/** Number of the first criterion that tells two tiers apart: positive when `a` is better by it. */
function compareTiers(a: Tier, b: Tier): number {
  if (a.violations !== b.violations) return a.violations < b.violations ? 1 : -1;
  if (a.highestPriority !== b.highestPriority) return a.highestPriority < b.highestPriority ? 2 : -2;
  if (a.prioritySum !== b.prioritySum) return a.prioritySum < b.prioritySum ? 3 : -3;
  return a.victimCount < b.victimCount ? 4 : -4;
}

/** A pod that has not started counts as starting now. */
function timeOf(startMs: number, nowMs: number): number {
  return startMs === NOT_STARTED ? nowMs : startMs;
}

/** The names are put in order only when they are read. */
function pickByName(candidates: readonly Candidate[]): PickedNode {
  let [first] = candidates as readonly [Candidate, ...Candidate[]];
  for (const candidate of candidates) if (candidate.nodeName < first.nodeName) first = candidate;
  return {
    candidate: first,
    criterion: 'node-name',
    get ties() {
      return candidates.map(({ nodeName }) => nodeName).sort();
    },
  };
}
