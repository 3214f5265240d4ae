/** Metrics under the names of cluster-autoscaler v1.34; times that it computes for are not measured. */
import type { Metrics } from '../../metrics/metrics.js';
import type { Cloud } from './autoscaler-seams.js';

const PREFIX = 'cluster_autoscaler_';

/** Reasons for the removal of a node. */
export type ScaleDownReason = 'empty' | 'underutilized' | 'unready';

/** What of the state is shown. */
interface ShownState {
  readonly isHealthy: boolean;
  readonly total: Readonly<Record<'ready' | 'unready' | 'longUnregistered' | 'unregistered', number>> & {
    readonly notStarted: readonly string[];
  };
}

type AutoscalerCounter = ReturnType<typeof Metrics.prototype.counter<string>>;

/** See the file header. */
export class AutoscalerMetrics {
  readonly #metrics: Metrics;
  readonly #scaledUp: AutoscalerCounter;
  readonly #failedScaleUps: AutoscalerCounter;
  readonly #scaledDown: AutoscalerCounter;
  readonly #evicted: AutoscalerCounter;
  readonly #errors: AutoscalerCounter;
  readonly #unregisteredRemoved: AutoscalerCounter;

  constructor(metrics: Metrics) {
    this.#metrics = metrics;
    const counter = (name: string, help: string, ...labels: readonly string[]): AutoscalerCounter =>
      metrics.counter<string>(PREFIX + name, help, labels);
    this.#scaledUp = counter('scaled_up_nodes_total', 'Number of nodes added by CA.');
    this.#failedScaleUps = counter(
      'failed_scale_ups_total',
      'Number of times scale-up operation has failed.',
      'reason',
    );
    this.#scaledDown = counter('scaled_down_nodes_total', 'Number of nodes removed by CA.', 'reason');
    this.#evicted = counter('evicted_pods_total', 'Number of pods evicted by CA', 'eviction_result');
    this.#errors = counter('errors_total', 'The number of CA loops failed due to an error.', 'type');
    this.#unregisteredRemoved = counter(
      'old_unregistered_nodes_removed_count',
      'Number of unregistered nodes removed by CA.',
    );
  }

  scaledUp(nodes: number): void {
    this.#scaledUp.inc(nodes);
  }

  failedScaleUp(reason: string): void {
    this.#failedScaleUps.inc({ reason });
  }

  scaledDown(reason: ScaleDownReason): void {
    this.#scaledDown.inc({ reason });
  }

  evicted(isDone: boolean): void {
    this.#evicted.inc({ eviction_result: isDone ? 'succeeded' : 'failed' });
  }

  failed(type: string): void {
    this.#errors.inc({ type });
  }

  unregisteredRemoved(nodes: number): void {
    this.#unregisteredRemoved.inc(nodes);
  }

  /** Nodes and groups as they are now. */
  showState(state: ShownState, { groups }: Cloud): void {
    this.#set(
      'cluster_safe_to_autoscale',
      'Whether or not cluster is healthy enough for autoscaling. 1 if it is, 0 otherwise.',
      Number(state.isHealthy),
    );
    const { ready, unready, notStarted, longUnregistered, unregistered } = state.total;
    const counts = { ready, unready, notStarted: notStarted.length, longUnregistered, unregistered };
    for (const [label, count] of Object.entries(counts)) {
      this.#set('nodes_count', 'Number of nodes in cluster.', count, { state: label });
    }
    const help = 'Number of node groups managed by CA.';
    this.#set('node_groups_count', help, groups.length, { node_group_type: 'autoscaled' });
    const most = groups.reduce((sum, { maxSize }) => sum + maxSize, 0);
    this.#set('max_nodes_count', 'Maximum number of nodes in all node groups', most);
  }

  showTotals(cores: number, memoryBytes: number): void {
    const less = 'in the cluster, minus deleting nodes.';
    this.#set('cluster_cpu_current_cores', `Current number of cores ${less}`, cores);
    this.#set('cluster_memory_current_bytes', `Current number of bytes of memory ${less}`, memoryBytes);
  }

  showPending(pods: number): void {
    const help = 'Number of unschedulable pods in the cluster.';
    this.#set('unschedulable_pods_count', help, pods, { type: 'unschedulable' });
  }

  showScaleDown(unneeded: number, isInCooldown: boolean): void {
    this.#set('unneeded_nodes_count', 'Number of nodes currently considered unneeded by CA.', unneeded);
    const help = 'Whether or not the scale down is in cooldown. 1 if its, 0 otherwise.';
    this.#set('scale_down_in_cooldown', help, Number(isInCooldown));
  }

  showUnremovable(counts: ReadonlyMap<string, number>): void {
    const help = 'Number of nodes currently considered unremovable by CA.';
    for (const [reason, count] of counts) this.#set('unremovable_nodes_count', help, count, { reason });
  }

  #set(name: string, help: string, value: number, labels: Readonly<Record<string, string>> = {}): void {
    this.#metrics.gauge<string>(PREFIX + name, help, Object.keys(labels)).set(labels, value);
  }
}
