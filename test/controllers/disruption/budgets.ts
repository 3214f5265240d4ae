/** Disruption budgets in tests. */
import type { Draft, ObjectMeta } from '../../../src/api/objects/objects.js';
import type { PodDisruptionBudget } from '../../../src/api/objects/workload-objects.js';
import type { Harness } from '../harness.js';
import { meta } from '../objects.js';

export const BUDGET = 'PodDisruptionBudget';

/** A budget over `a=b` as a user writes it. */
export function budgetDraft(name: string, spec: Partial<PodDisruptionBudget['spec']>): Draft {
  return { metadata: { name }, spec: { selector: { matchLabels: { a: 'b' } }, ...spec } };
}

/** A budget as the API server stores it. */
export function budget(
  spec: PodDisruptionBudget['spec'],
  status: Partial<PodDisruptionBudget['status']> = {},
  more: Partial<ObjectMeta> = {},
): PodDisruptionBudget {
  return {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: meta('budget', { generation: 1, ...more }),
    spec,
    status: { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0, ...status },
  };
}

/** The budget as it stands. */
export function storedBudget({ server }: Harness, name: string): PodDisruptionBudget {
  return server.get(BUDGET, { namespace: 'default', name });
}

/** Changes a budget's status by hand. */
export function setBudgetStatus(
  { server }: Harness,
  name: string,
  status: Partial<PodDisruptionBudget['status']>,
): void {
  server.change(
    BUDGET,
    { namespace: 'default', name },
    (current) => ({ ...current, status: { ...current.status, ...status } }),
    { subresource: 'status' },
  );
}
