import type { Decision } from '../../src/scheduler/cycle/schedule-pod.js';
import type { Status } from '../../src/scheduler/framework/status.js';
import type { World } from './world.js';

/** One plugin's scores by node. */
export type ScoresByNode = Record<string, Record<string, number>>;

/** Everything about one decision, by node name. */
export interface DecisionDetails {
  readonly decision: Decision;
  /** Nodes that were visited and fit, in the order of the scan. */
  readonly feasible: readonly string[];
  readonly rejected: ReadonlyMap<string, Status>;
  readonly raw: ScoresByNode;
  readonly normalized: ScoresByNode;
  readonly totals: Record<string, number>;
  readonly best: readonly string[];
}

/** Spells the last decision out; valid until the next one. */
export function detailsOf(
  { scheduler, snapshot }: Pick<World, 'scheduler' | 'snapshot'>,
  decision: Decision,
): DecisionDetails {
  const { scan, scores } = scheduler;
  const { names } = snapshot.columns;
  const nameAt = (slots: Int32Array, index: number): string => names[slots[index] ?? 0] ?? '';
  const feasible = Array.from({ length: scan.count }, (_, index) => nameAt(scan.slots, index));
  const rejected = new Map<string, Status>(decision.kind === 'error' ? [] : decision.diagnosis.nodeToStatus.entries());
  if (decision.kind === 'placed') {
    for (let index = 0; index < scan.rejectedCount; index += 1) {
      rejected.set(nameAt(scan.rejected, index), scan.statusOf(scan.rejectedVerdicts[index] ?? 0));
    }
  }
  const byNode = (values: Float64Array): Record<string, number> =>
    Object.fromEntries(feasible.map((name, index) => [name, values[index] ?? 0]));
  const details = { decision, feasible, rejected, raw: {}, normalized: {}, totals: {}, best: feasible };
  if (decision.kind !== 'placed' || !scheduler.hasScores) return details;
  const totals = byNode(scores.totals);
  return {
    ...details,
    raw: Object.fromEntries(scores.plugins.map(({ name, raw }) => [name, byNode(raw)])),
    normalized: Object.fromEntries(scores.plugins.map(({ name, normalized }) => [name, byNode(normalized)])),
    totals,
    best: feasible.filter((name) => totals[name] === decision.total),
  };
}
