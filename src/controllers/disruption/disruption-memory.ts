import { compileLabelSelector } from '../../api/selectors/labels.js';
import { keyOf, type Pod } from '../../api/objects/objects.js';
import type { PodDisruptionBudget } from '../../api/objects/workload-objects.js';
import type { Informer, Lister } from '../../bus/bus-types.js';
import { BY_NAMESPACE } from '../../bus/object-index.js';
import type { ControllerContext } from '../runtime/controller-definition.js';
import type { Workloads } from './expected-pods.js';
import { staleDisruptionInMs } from './stale-disruption.js';

/** Keys of pods in the queue begin with this, which no namespace can: all other keys are those of budgets. */
const POD_PREFIX = 'pod:';
/**
 * Pods per millisecond that lie between two syncs of a budget: upstream's sync looks at every pod, and
 * pods that change meanwhile wait for the next one.
 */
const PODS_PER_MS = 100;

/** The key under which a pod's announced disruption is looked after. */
export function podQueueKey(pod: Pod): string {
  return POD_PREFIX + keyOf(pod);
}

/** The key of the pod that a queue key means; `undefined` when it means a budget. */
export function podKeyOf(queueKey: string): string | undefined {
  return queueKey.startsWith(POD_PREFIX) ? queueKey.slice(POD_PREFIX.length) : undefined;
}

/** The caches of a run of the disruption controller, and what brings keys into its queue. */
export class DisruptionMemory {
  readonly budgets: Lister<'PodDisruptionBudget'>;
  readonly pods: Informer<'Pod'>;
  readonly workloads: Workloads;
  readonly #context: ControllerContext;
  /** Pods that each budget selected when it was last looked at. */
  readonly #sizes = new Map<string, number>();

  constructor(context: ControllerContext) {
    this.#context = context;
    const { queue } = context;
    this.budgets = context.watch(
      'PodDisruptionBudget',
      {
        onAdd: (budget) => queue.add(keyOf(budget)),
        onUpdate: (_previous, budget) => queue.add(keyOf(budget)),
        onDelete: (budget) => queue.add(keyOf(budget)),
      },
      BY_NAMESPACE,
    );
    this.pods = context.watch(
      'Pod',
      {
        onAdd: (pod) => this.#podSeen(pod),
        onUpdate: (_previous, pod) => this.#podSeen(pod),
        onDelete: (pod) => this.#enqueueBudgetOf(pod),
      },
      BY_NAMESPACE,
    );
    this.workloads = {
      replicaSets: context.informer('ReplicaSet'),
      deployments: context.informer('Deployment'),
      statefulSets: context.watch('StatefulSet', {}, BY_NAMESPACE),
      replicationControllers: context.watch('ReplicationController', {}, BY_NAMESPACE),
    };
  }

  /** The pods that a budget selects; an empty selector takes all of the namespace, none takes none. */
  podsOf(budget: PodDisruptionBudget): readonly Pod[] {
    const selector = compileLabelSelector(budget.spec.selector);
    const pods: Pod[] = [];
    for (const pod of this.pods.byIndex('namespace', budget.metadata.namespace ?? '')) {
      if (selector.matches(pod.metadata.labels)) pods.push(pod);
    }
    this.#sizes.set(keyOf(budget), pods.length);
    return pods;
  }

  /** A budget is gone. */
  forget(key: string): void {
    this.#sizes.delete(key);
    this.#context.queue.drop(key);
  }

  #podSeen(pod: Pod): void {
    this.#enqueueBudgetOf(pod);
    const { kernel, queue } = this.#context;
    const staleInMs = staleDisruptionInMs(pod, kernel.clock.now(), kernel.timestamps);
    if (staleInMs !== undefined) queue.addAfter(podQueueKey(pod), staleInMs);
  }

  #enqueueBudgetOf(pod: Pod): void {
    if (this.budgets.size === 0) return;
    const { mapOrder, queue, recorder } = this.#context;
    const { name, namespace = '', labels } = pod.metadata;
    const matching: PodDisruptionBudget[] = [];
    for (const budget of this.budgets.byIndex('namespace', namespace)) {
      if (compileLabelSelector(budget.spec.selector).matches(labels)) matching.push(budget);
    }
    const first = (matching.length > 1 ? mapOrder?.budget(pod, matching) : undefined) ?? matching[0];
    if (first === undefined) return;
    if (matching.length > 1) {
      const text = `Pod "${namespace}"/"${name}" matches multiple PodDisruptionBudgets.  Chose "${first.metadata.name}" arbitrarily.`;
      recorder.record(pod, 'Warning', 'MultiplePodDisruptionBudgets', text);
    }
    const key = keyOf(first);
    queue.addSpaced(key, (this.#sizes.get(key) ?? 0) / PODS_PER_MS);
  }
}
