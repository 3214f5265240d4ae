import { compileLabelSelector, type Selector } from '../../api/labels.js';
import type { LabelSelector, StringMap } from '../../api/objects.js';
import type { PodInfo } from '../framework/pod-info.js';

/** What preemption reads of a PodDisruptionBudget. */
export interface DisruptionBudget {
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly spec?: { readonly selector?: LabelSelector };
  readonly status?: {
    readonly disruptionsAllowed?: number;
    readonly disruptedPods?: StringMap;
  };
}

interface OpenBudget {
  readonly selector: Selector;
  readonly disruptedPods: StringMap;
  readonly allowed: number;
}

/** Pods of one node, told apart by what their eviction would do to budgets. */
export interface BudgetSplit {
  readonly violating: readonly PodInfo[];
  readonly nonViolating: readonly PodInfo[];
}

const NOBODY: readonly PodInfo[] = [];
const NO_PODS: StringMap = {};

/**
 * The disruption budgets of one preemption, as the scheduler reads them: a budget without selector, or
 * with an empty one, protects nobody here. Upstream: `filterPodsWithPDBViolation` of kube-scheduler v1.34.
 */
export class BudgetBook {
  readonly #byNamespace = new Map<string, OpenBudget[]>();
  #size = 0;

  constructor(budgets: Iterable<DisruptionBudget>) {
    for (const { metadata, spec, status } of budgets) {
      const selector = compileLabelSelector(spec?.selector);
      if (selector.isEmpty) continue;
      const namespace = metadata.namespace ?? '';
      const open = {
        selector,
        disruptedPods: status?.disruptedPods ?? NO_PODS,
        allowed: status?.disruptionsAllowed ?? 0,
      };
      const others = this.#byNamespace.get(namespace);
      if (others === undefined) this.#byNamespace.set(namespace, [open]);
      else others.push(open);
      this.#size += 1;
    }
  }

  /**
   * Goes through the pods in order, each taking its share of every budget that selects it; a pod that
   * finds one exhausted is violating. Pods that an eviction has already counted take no share.
   */
  split(pods: readonly PodInfo[]): BudgetSplit {
    if (this.#size === 0) return { violating: NOBODY, nonViolating: pods };
    const taken = new Map<OpenBudget, number>();
    const violating: PodInfo[] = [];
    const nonViolating: PodInfo[] = [];
    for (const pod of pods) (this.#isViolated(pod, taken) ? violating : nonViolating).push(pod);
    return { violating, nonViolating };
  }

  #isViolated({ pod: { metadata } }: PodInfo, taken: Map<OpenBudget, number>): boolean {
    const { name, namespace = '', labels } = metadata;
    const budgets = this.#byNamespace.get(namespace);
    if (budgets === undefined || labels === undefined || isEmpty(labels)) return false;
    let isViolated = false;
    for (const budget of budgets) {
      if (!budget.selector.matches(labels) || Object.hasOwn(budget.disruptedPods, name)) continue;
      const count = (taken.get(budget) ?? 0) + 1;
      taken.set(budget, count);
      isViolated ||= count > budget.allowed;
    }
    return isViolated;
  }
}

function isEmpty(labels: StringMap): boolean {
  for (const key in labels) if (Object.hasOwn(labels, key)) return false;
  return true;
}
