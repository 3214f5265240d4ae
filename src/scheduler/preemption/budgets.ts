import { compileLabelSelector, type Selector } from '../../api/selectors/labels.js';
import type { LabelSelector, StringMap } from '../../api/objects/objects.js';
import type { PodInfo } from '../framework/pod-info.js';
import type { PodShape } from '../framework/pod-shape.js';
import type { LesserPods } from './lesser-pods.js';

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

const NO_PODS: StringMap = {};
const NO_BUDGETS: readonly OpenBudget[] = [];

/**
 * The disruption budgets of one preemption after the other, as the scheduler reads them: a budget
 * without selector, or with an empty one, protects no pod here. Upstream: `filterPodsWithPDBViolation`
 * of kube-scheduler v1.34.
 */
export class BudgetBook {
  /** The objects that stand in the book, in their order. */
  #objects: readonly DisruptionBudget[] = [];
  readonly #byNamespace = new Map<string, OpenBudget[]>();
  /** The budgets that select a shape; there are fewer shapes than pods. */
  #byShape = new WeakMap<PodShape, readonly OpenBudget[]>();
  readonly #selectors = new WeakMap<LabelSelector, Selector>();

  /** Takes the budgets as they are now; `false` when they are the same objects as before. */
  update(budgets: Iterable<DisruptionBudget>): boolean {
    const objects = [...budgets];
    if (objects.length === this.#objects.length && objects.every((budget, index) => budget === this.#objects[index])) {
      return false;
    }
    this.#objects = objects;
    this.#byNamespace.clear();
    this.#byShape = new WeakMap();
    for (const budget of objects) this.#open(budget);
    return true;
  }

  /** Whether no budget protects any pod. */
  get isEmpty(): boolean {
    return this.#byNamespace.size === 0;
  }

  /**
   * Goes through the pods in order, each taking its share of every budget that selects it; a pod that
   * finds one exhausted is violating. Pods that an eviction has already counted take no share. Returns
   * the indices of the violating ones.
   */
  findViolating({ infos, count }: LesserPods): ReadonlySet<number> {
    const taken = new Map<OpenBudget, number>();
    const violating = new Set<number>();
    for (let index = 0; index < count; index += 1) {
      if (this.#isViolated(infos[index] as PodInfo, taken)) violating.add(index);
    }
    return violating;
  }

  #open({ metadata, spec, status }: DisruptionBudget): void {
    const selector = this.#selectorOf(spec?.selector);
    if (selector.isEmpty) return;
    const namespace = metadata.namespace ?? '';
    const open = {
      selector,
      disruptedPods: status?.disruptedPods ?? NO_PODS,
      allowed: status?.disruptionsAllowed ?? 0,
    };
    const others = this.#byNamespace.get(namespace);
    if (others === undefined) this.#byNamespace.set(namespace, [open]);
    else others.push(open);
  }

  #selectorOf(labelSelector: LabelSelector | undefined): Selector {
    if (labelSelector === undefined) return compileLabelSelector(labelSelector);
    let selector = this.#selectors.get(labelSelector);
    if (selector === undefined) {
      selector = compileLabelSelector(labelSelector);
      this.#selectors.set(labelSelector, selector);
    }
    return selector;
  }

  #isViolated({ pod, shape }: PodInfo, taken: Map<OpenBudget, number>): boolean {
    let isViolated = false;
    for (const budget of this.#budgetsOf(shape)) {
      if (Object.hasOwn(budget.disruptedPods, pod.metadata.name)) continue;
      const count = (taken.get(budget) ?? 0) + 1;
      taken.set(budget, count);
      isViolated ||= count > budget.allowed;
    }
    return isViolated;
  }

  #budgetsOf(shape: PodShape): readonly OpenBudget[] {
    let found = this.#byShape.get(shape);
    if (found === undefined) {
      found = isEmpty(shape.labels)
        ? NO_BUDGETS
        : (this.#byNamespace.get(shape.namespace) ?? NO_BUDGETS).filter(({ selector }) =>
            selector.matches(shape.labels),
          );
      this.#byShape.set(shape, found);
    }
    return found;
  }
}

function isEmpty(labels: StringMap): boolean {
  for (const key in labels) if (Object.hasOwn(labels, key)) return false;
  return true;
}
