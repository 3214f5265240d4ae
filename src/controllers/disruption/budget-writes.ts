import type { PodDisruptionBudget } from '../../api/objects/workload-objects.js';
import type { ControllerContext } from '../runtime/controller-definition.js';

/** Writes a budget's status, unless the budget was changed meanwhile. */
export async function writeBudgetStatus(
  { api }: ControllerContext,
  { metadata }: PodDisruptionBudget,
  status: PodDisruptionBudget['status'],
): Promise<void> {
  const { name, namespace, resourceVersion } = metadata;
  await api.change('PodDisruptionBudget', { name, namespace }, (current) => ({ ...current, status }), {
    subresource: 'status',
    preconditions: { resourceVersion },
  });
}
