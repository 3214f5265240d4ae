import type { KindMap, Pod } from '../../../api/objects/objects.js';
import { compileLabelSelector, type Selector } from '../../../api/selectors/labels.js';

interface Budget {
  readonly namespace: string | undefined;
  readonly selector: Selector;
  allowed: number;
}

/** Disruptions that budgets still allow, less those that are planned. Mirrors cluster-autoscaler v1.34 `core/scaledown/pdb`. */
export class RemainingBudgets {
  readonly #budgets: readonly Budget[];

  constructor(budgets: Iterable<KindMap['PodDisruptionBudget']>) {
    this.#budgets = [...budgets].map(({ metadata, spec, status }) => ({
      namespace: metadata.namespace,
      selector: compileLabelSelector(spec.selector),
      allowed: status?.disruptionsAllowed ?? 0,
    }));
  }

  /** How many disruptions each budget of a pod allows. */
  allowedFor(pod: Pod): readonly number[] {
    return this.#of(pod).map(({ allowed }) => allowed);
  }

  /** Whether all of these may go at once. */
  allowTogether(pods: readonly Pod[]): boolean {
    const counts = new Map<Budget, number>();
    for (const pod of pods) {
      for (const budget of this.#of(pod)) {
        const count = (counts.get(budget) ?? 0) + 1;
        counts.set(budget, count);
        if (count > budget.allowed) return false;
      }
    }
    return true;
  }

  remove(pods: readonly Pod[]): void {
    for (const pod of pods) for (const budget of this.#of(pod)) budget.allowed -= 1;
  }

  #of({ metadata: { namespace, labels } }: Pod): readonly Budget[] {
    if (this.#budgets.length === 0) return [];
    return this.#budgets.filter((budget) => budget.namespace === namespace && budget.selector.matches(labels));
  }
}
