/**
 * What a measurement measures: each metric with its type, its unit, its definition, and the tags by which it can be
 * split. Definitions of service levels are those of Kubernetes (sig-scalability's SLOs, clusterloader2, kubelet and
 * kube-scheduler v1.34), in simulated time. No name is the beginning of another, as harnesses replace names by text.
 */

/** `trend`: a distribution of values. `counter`: a number that only rises. `gauge`: one that rises and falls. */
export type MetricType = 'trend' | 'counter' | 'gauge';

/** One metric. */
export interface MetricDescription {
  readonly type: MetricType;
  readonly unit: 'ms' | 's' | 'pods/s' | '';
  readonly help: string;
  /** Names of its tags; absent = it has none. */
  readonly tags?: readonly string[];
}

const REQUEST_TAGS = ['verb', 'resource', 'subresource', 'scope', 'by'] as const;

/** See the file header. */
export const METRICS = {
  pod_startup_ms: {
    type: 'trend',
    unit: 'ms',
    help: 'from the creation of a stateless, schedulable pod until all of its containers are reported as started, without the time of image pulls and init containers (SLI of pod startup)',
  },
  pod_started_ms: {
    type: 'trend',
    unit: 'ms',
    help: 'from the creation of any pod until all of its containers are reported as started, image pulls and all',
  },
  pod_ready_ms: { type: 'trend', unit: 'ms', help: 'from the creation of a pod until it is Ready for the first time' },
  pod_scheduling_ms: {
    type: 'trend',
    unit: 'ms',
    help: 'from the creation of a pod, or the removal of its last scheduling gate, until it is bound to a node (SLI of scheduling)',
  },
  pod_run_ms: { type: 'trend', unit: 'ms', help: 'from the binding of a pod until its phase is Running' },
  pod_deletion_ms: { type: 'trend', unit: 'ms', help: 'from the request to delete a pod until it is gone' },
  image_pull_ms: {
    type: 'trend',
    unit: 'ms',
    help: 'from the beginning of the first image pull of a pod to the end of the last one before it started',
  },
  scheduling_throughput: {
    type: 'trend',
    unit: 'pods/s',
    help: 'pods bound per second in each five seconds, from those with the first binding to those with the last one (clusterloader2)',
  },
  api_request_ms: {
    type: 'trend',
    unit: 'ms',
    help: 'from when a request of a component goes out until its answer is there: what links and faults make of it, as the API server itself takes no time',
    tags: REQUEST_TAGS,
  },
  api_wait_ms: {
    type: 'trend',
    unit: 'ms',
    help: "how long requests of a component waited for their client's limit before they went out",
    tags: ['by'],
  },
  api_requests: { type: 'counter', unit: '', help: 'requests of components to the API server', tags: REQUEST_TAGS },
  api_errors: {
    type: 'counter',
    unit: '',
    help: 'requests of components that were refused, or had no answer in time (code 0)',
    tags: [...REQUEST_TAGS, 'code'],
  },
  pods_created: { type: 'counter', unit: '', help: 'pods that were created' },
  pods_scheduled: { type: 'counter', unit: '', help: 'pods that were bound to a node' },
  pods_refused: {
    type: 'counter',
    unit: '',
    help: 'pods that could not be placed at some attempt, whatever became of them',
  },
  pods_started: { type: 'counter', unit: '', help: 'pods of which all containers were started' },
  pods_succeeded: { type: 'counter', unit: '', help: 'pods that ended well' },
  pods_failed: { type: 'counter', unit: '', help: 'pods that failed, evicted ones among them' },
  pods_deleted: { type: 'counter', unit: '', help: 'pods that are gone' },
  container_restarts: { type: 'counter', unit: '', help: 'containers that were started again' },
  scheduling_attempts: { type: 'counter', unit: '', help: 'attempts of the scheduler to place a pod' },
  violations: {
    type: 'counter',
    unit: '',
    help: 'promises of Kubernetes that were not kept: split brains, unconfirmed deletions, and what the option `invariants` has checked',
    tags: ['type'],
  },
  faults_injected: { type: 'counter', unit: '', help: 'faults that were injected', tags: ['type'] },
  unschedulable: { type: 'gauge', unit: '', help: 'pending pods that the scheduler could not place so far' },
  pods_pending: { type: 'gauge', unit: '', help: 'pods of the phase Pending' },
  pods_running: { type: 'gauge', unit: '', help: 'pods of the phase Running' },
  pods_ready: { type: 'gauge', unit: '', help: 'pods that are Ready' },
  pods_waiting: { type: 'gauge', unit: '', help: 'pods that are not bound to a node and have not ended' },
  nodes_total: { type: 'gauge', unit: '', help: 'registered nodes' },
  nodes_ready: { type: 'gauge', unit: '', help: 'nodes whose condition Ready is True' },
  scheduler_queue: {
    type: 'gauge',
    unit: '',
    help: 'pods in the queue of the scheduler, by pool',
    tags: ['pool'],
  },
  controller_queue: {
    type: 'gauge',
    unit: '',
    help: 'keys that wait in the work queue of a controller',
    tags: ['controller'],
  },
  virtual_seconds: { type: 'gauge', unit: 's', help: 'simulated time that was measured' },
} as const satisfies Readonly<Record<string, MetricDescription>>;

/** Name of a metric. */
export type MetricName = keyof typeof METRICS;

/** Every name, in the order in which they are told. */
export const METRIC_NAMES = Object.keys(METRICS) as readonly MetricName[];

/** The description of a metric; `undefined` for a name that none has. */
export function describeMetric(name: string): MetricDescription | undefined {
  return Object.hasOwn(METRICS, name) ? METRICS[name as MetricName] : undefined;
}
