import { isPodReady } from '../../api/objects/conditions.js';
import { compileLabelSelector } from '../../api/selectors/labels.js';
import type { Pod } from '../../api/objects/objects.js';
import { Cluster } from '../../cluster/cluster.js';
import { checkValue, FUNCTION, orAbsent } from '../../options/option-checks.js';

/**
 * Watches the pods of every PodDisruptionBudget at every write: a budget is broken when a pod that serves is
 * asked to go while no more than the budget's `desiredHealthy` serve.
 */
export class BudgetWatch {
  /** Budgets that there were at the beginning. */
  readonly watched: number;
  /** `namespace/name` of each budget that was broken, once. */
  readonly broken: string[] = [];
  readonly #close: () => void;

  /**
   * @param onBroken - told of each budget when it is broken for the first time, and of the pod that was asked to go
   * @throws OptionError
   */
  constructor(cluster: Cluster, onBroken?: (budget: string, pod: string, atMs: number) => void) {
    checkValue('cluster', cluster, ['a cluster of createCluster', (value) => value instanceof Cluster]);
    checkValue('onBroken', onBroken, orAbsent(FUNCTION));
    const healthy = new Map<string, Map<string, string>>();
    this.watched = cluster.list('PodDisruptionBudget').length;
    const subscription = cluster.watch('Pod').subscribe((event) => {
      const { object: pod, type } = event;
      const { namespace = '', uid, labels } = pod.metadata;
      for (const { metadata, spec, status } of cluster.list('PodDisruptionBudget', { namespace })) {
        if (!compileLabelSelector(spec.selector).matches(labels)) continue;
        const key = `${namespace}/${metadata.name}`;
        const pods = healthy.get(key) ?? new Map<string, string>();
        healthy.set(key, pods);
        const wasServing = pods.has(uid);
        const serves = type !== 'DELETED' && isServing(pod);
        if (serves) pods.set(uid, pod.metadata.name);
        else pods.delete(uid);
        const isVoluntary = pod.metadata.deletionTimestamp !== undefined;
        const isShort = pods.size < (status.desiredHealthy ?? 0);
        if (!wasServing || serves || !isVoluntary || !isShort || this.broken.includes(key)) continue;
        this.broken.push(key);
        onBroken?.(key, `${namespace}/${pod.metadata.name}`, event.atMs);
      }
    });
    this.#close = () => subscription.unsubscribe();
  }

  close(): void {
    this.#close();
  }
}

function isServing(pod: Pod): boolean {
  return isPodReady(pod) && pod.metadata.deletionTimestamp === undefined;
}
