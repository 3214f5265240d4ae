/** Whether an unreachable node is to be fenced, and when. Pure. */
import { getCondition, isPodTerminal } from '../../api/objects/conditions.js';
import { compileLabelSelector } from '../../api/selectors/labels.js';
import { keyOf, type KindMap, type Node, type Pod } from '../../api/objects/objects.js';
import { controllerOf } from '../../api/objects/owners.js';
import { toleratedMs } from '../taint-eviction/toleration-time.js';
import type { FencingSettings } from './fencing-settings.js';
import { SECOND_MS } from '../../kernel/time-units.js';

const UNREACHABLE = { key: 'node.kubernetes.io/unreachable', effect: 'NoExecute' } as const;

type Budget = KindMap['PodDisruptionBudget'];

/** What a decision is taken from. */
export interface FencingCase {
  readonly node: Node;
  /** Bound to the node. */
  readonly pods: Iterable<Pod>;
  readonly budgets: readonly Budget[];
  /** All of them, and those that are unreachable. */
  readonly nodes: { readonly total: number; readonly unreachable: number };
  readonly nowMs: number;
  readonly toMs: (timestamp: string) => number;
}

/** `none`: there is no reason to fence. */
export type FencingDecision =
  | { readonly verdict: 'none' }
  | { readonly verdict: 'wait'; readonly waitMs: number }
  | { readonly verdict: 'refuse'; readonly reason: string }
  | { readonly verdict: 'fence'; readonly pods: readonly string[]; readonly unreachableMs: number };

/** Whether the node has given no sign of life for too long: its Ready condition is Unknown. */
export function isUnreachable({ status }: Node): boolean {
  return getCondition(status.conditions, 'Ready')?.status === 'Unknown';
}

/** See the file header. */
export function decide(fencingCase: FencingCase, settings: FencingSettings): FencingDecision {
  const { node, nodes, nowMs, toMs } = fencingCase;
  const since = getCondition(node.status.conditions, 'Ready')?.lastTransitionTime;
  if (!isUnreachable(node) || since === undefined) return { verdict: 'none' };
  const waiting = [...fencingCase.pods].filter((pod) => isWorthIt(pod, settings));
  if (waiting.length === 0) return { verdict: 'none' };
  const unreachableMs = nowMs - toMs(since);
  const waitMs = toleranceMs(waiting, fencingCase.budgets, settings) - unreachableMs;
  if (waitMs > 0) return { verdict: 'wait', waitMs };
  if (nodes.unreachable > nodes.total * settings.maxUnreachable) {
    const share = `${nodes.unreachable} of ${nodes.total} nodes are unreachable`;
    return { verdict: 'refuse', reason: `${share}, more than the share of ${settings.maxUnreachable} that may be` };
  }
  return { verdict: 'fence', pods: waiting.map(keyOf), unreachableMs };
}

/** A pod that must not be replaced before its end is certain: one with a name of its own, or with volumes. */
function isWorthIt(pod: Pod, { minPriority }: FencingSettings): boolean {
  if (isPodTerminal(pod) || (pod.spec.priority ?? 0) < minPriority) return false;
  if (controllerOf(pod)?.kind === 'StatefulSet') return true;
  return (pod.spec.volumes ?? []).some(
    ({ persistentVolumeClaim, ephemeral }) => persistentVolumeClaim !== undefined || ephemeral !== undefined,
  );
}

function toleranceMs(
  pods: readonly Pod[],
  budgets: readonly Budget[],
  { toleranceSeconds, patienceSeconds }: FencingSettings,
): number {
  const leastMs = Math.min(toleranceSeconds * SECOND_MS, ...pods.map((pod) => toleratedMs(pod, [UNREACHABLE])));
  return pods.every((pod) => isSpared(pod, budgets)) ? leastMs + patienceSeconds * SECOND_MS : leastMs;
}

/** Whether enough others serve, as a budget of the pod's sees it. */
function isSpared({ metadata }: Pod, budgets: readonly Budget[]): boolean {
  const own = budgets.filter(
    (budget) =>
      budget.metadata.namespace === metadata.namespace &&
      compileLabelSelector(budget.spec.selector).matches(metadata.labels),
  );
  return (
    own.length > 0 && own.every(({ status: { currentHealthy, desiredHealthy } }) => currentHealthy >= desiredHealthy)
  );
}
