import type { FaultCount } from '../../faults/fault-tally.js';
import type { InvariantViolation } from '../../observers/invariants/invariant-monitor.js';

/** What was exercised, so that a search that tested nothing is seen. */
export interface Exercise {
  /** How often each invariant was looked at. */
  readonly evaluated: ReadonlyMap<string, number>;
  /** Faults by verb: how many, how many of them changed something, and how often. */
  readonly faults: ReadonlyMap<string, FaultCount>;
  /** Processes that faults ended: by controller, by component, `kubelet`. */
  readonly crashes: ReadonlyMap<string, number>;
  /** Requests of components that were refused for whatever reason, or had no answer. */
  readonly failedRequests: number;
  readonly podsCreated: number;
  /** Runs of containers. */
  readonly processesStarted: number;
}

/** What became of a plan. */
export interface PlanOutcome extends Exercise {
  /** What components have done wrong, the first first; liveness among it. */
  readonly violations: readonly InvariantViolation[];
  /** What users had asked for knowing the risk. */
  readonly asked: number;
  readonly traceHash: string;
  /** Simulated time that was played, ms. */
  readonly virtualMs: number;
  /** Actions that were refused: what they were about was not there, or a budget said no. */
  readonly refused: number;
}

/** Of a plan of which nothing was played. */
export const NOTHING: PlanOutcome = {
  violations: [],
  asked: 0,
  traceHash: '',
  virtualMs: 0,
  refused: 0,
  evaluated: new Map(),
  faults: new Map(),
  crashes: new Map(),
  failedRequests: 0,
  podsCreated: 0,
  processesStarted: 0,
};

/** What two of them come to together. */
export function together(left: Exercise, right: Exercise): Exercise {
  return {
    evaluated: sums(left.evaluated, right.evaluated, add),
    faults: sums(left.faults, right.faults, addFaults),
    crashes: sums(left.crashes, right.crashes, add),
    failedRequests: left.failedRequests + right.failedRequests,
    podsCreated: left.podsCreated + right.podsCreated,
    processesStarted: left.processesStarted + right.processesStarted,
  };
}

function sums<T>(left: ReadonlyMap<string, T>, right: ReadonlyMap<string, T>, plus: (a: T, b: T) => T): Map<string, T> {
  const all = new Map(left);
  for (const [name, value] of right) {
    const known = all.get(name);
    all.set(name, known === undefined ? value : plus(known, value));
  }
  return all;
}

function add(left: number, right: number): number {
  return left + right;
}

function addFaults(left: FaultCount, right: FaultCount): FaultCount {
  return {
    injected: left.injected + right.injected,
    tookEffect: left.tookEffect + right.tookEffect,
    effects: left.effects + right.effects,
  };
}
