import type { Kind } from '../../api/objects/objects.js';
import type {
  Client,
  EventRecorder,
  Indexers,
  Informer,
  InformerHandler,
  PromisedClient,
  EventLimit,
} from '../../bus/bus-types.js';
import type { ConfiguredLimit } from '../../bus/client-limits.js';
import type { Kernel } from '../../kernel/engine/kernel.js';
import type { Troubles } from '../../kernel/troubles.js';
import type { Metrics } from '../../metrics/metrics.js';
import type { ControllerSettings } from './controller-settings.js';
import type { MapOrder } from './map-order.js';
import type { MetricApis } from './metric-apis.js';
import type { RetryDelays, WorkQueue } from './work-queue.js';

/**
 * What a controller may use while it runs. All of it belongs to one run of the controller: after a stop
 * its requests are not sent, answers that are still under way are never heard of, and its handlers and
 * timers are gone, as in a process that crashed.
 */
export interface ControllerContext {
  /** Name of the controller. */
  readonly name: string;
  readonly kernel: Kernel;
  /** Requests with callbacks: cheap, for work in bulk. */
  readonly client: Client;
  /** Requests with promises: for code that reads top down. */
  readonly api: PromisedClient;
  readonly queue: WorkQueue;
  /** Of the cluster; controllers count under Kubernetes' names. */
  readonly metrics: Metrics;
  readonly settings: ControllerSettings;
  /** @internal the storage behind CSI drivers, by operation and node such as `attach node-1` */
  readonly storage: Troubles<string>;
  /** @internal what metrics.k8s.io and its like answer behind the API server */
  readonly metricApis: MetricApis;
  /** @internal orders that upstream leaves to chance; absent = the order of arrival */
  readonly mapOrder: MapOrder | undefined;
  /** Writes events under the controller's `component` name. */
  readonly recorder: EventRecorder;
  /** One more client of the same limit, for parts of upstream's that have one of their own. */
  openClient(): PromisedClient;
  /** The shared informer of a kind, to read from. The controller waits for it before it begins to work. */
  informer<K extends Kind>(kind: K, indexers?: Indexers<K>): Informer<K>;
  /** Hears of a kind's objects; those that exist already are told first. */
  watch<K extends Kind>(kind: K, handler: InformerHandler<K>, indexers?: Indexers<K>): Informer<K>;
  /** The present as a Kubernetes timestamp. */
  timestamp(): string;
}

/** A controller: what it keeps in memory, what it listens to, and how it brings one key in order. */
export interface ControllerDefinition<State = unknown> {
  /** Unique among the controllers of a manager, such as `deployment-controller`. */
  readonly name: string;
  /** Source of the controller's events. @defaultValue its name */
  readonly component?: string;
  /** Keys worked on at once. @defaultValue 5, as kube-controller-manager's --concurrent-…-syncs */
  readonly concurrentSyncs?: number;
  /** Failures in a row after which a key is given up until something adds it anew. @defaultValue never */
  readonly maxRetries?: number;
  readonly retryDelays?: RetryDelays;
  /**
   * Whether the clock stands still while a reconcile awaits real time. A reconcile that waits for anything of
   * simulated time other than answers to its requests, timers of its context and the cluster's scheduler, or
   * streams of the cluster, such as a lock that another reconcile has, must do without, and calls `cluster.hold`
   * itself. For controllers that are added to a cluster. @defaultValue true
   */
  readonly holdsClock?: boolean;
  /**
   * How fast its requests may follow each other, events among them: a QPS below 0 is no limit, and 0 stands for
   * client-go's 5. @defaultValue the manager's `kubeAPIQPS` and `kubeAPIBurst`; none for a controller that was added
   */
  readonly clientLimit?: (settings: ControllerSettings) => ConfiguredLimit;
  /** How many events it tells. @defaultValue client-go's limit */
  readonly eventLimit?: EventLimit;
  /** Runs at each start: registers handlers and makes the memory of this run, which a stop throws away. */
  setup(context: ControllerContext): State;
  /**
   * Brings the object of a key in order. Whatever it throws or rejects with puts the key back with
   * back-off if it is an answer of the API or of the link; any other error ends the run of the engine.
   */
  reconcile(context: ControllerContext, key: string, state: State): Promise<void> | void;
}

/**
 * Declares a controller; `State` follows from what `setup` returns.
 *
 * @example
 * ```ts
 * const labeller = defineController({
 *   name: 'labeller',
 *   setup(context) {
 *     context.watch('Pod', { onAdd: (pod) => context.queue.add(keyOf(pod)) });
 *   },
 *   async reconcile(context, key) {
 *     await context.api.patch('Pod', parseKey(key), { type: 'merge', body: { metadata: { labels: { seen: 'yes' } } } });
 *   },
 * });
 * ```
 */
export function defineController<State>(definition: ControllerDefinition<State>): ControllerDefinition<State> {
  return definition;
}
