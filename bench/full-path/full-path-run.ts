/**
 * Plays the steps of a workload on a whole control plane: pods are written to the API server, come over
 * the bus to the scheduler and its queue, are decided, and bound through the API server. Nodes are plain
 * objects without kubelets, and no controllers run, unless a step asks for kubelets.
 *
 * Measured is all of that, from before the first pod is written until the watch has shown the last one on
 * its node. It is driven by simulated time: what a step waits for costs only what it causes to be done.
 * Where steps go by the clock (churn, paced deletions and updates) an attempt takes a simulated
 * millisecond, so that there is a time in which pods are scheduled.
 */
import { Subscription } from 'rxjs';
import { createCluster, type Cluster, type ClusterOptions, type Pod } from '../../src/index.js';
import type {
  Barrier,
  CreateNodes,
  CreatePods,
  PerfOperation,
  RequiredLabels,
} from '../../src/workload/scheduler-perf/operations.js';
import { PerfObjects, type PerfObject } from '../../src/workload/scheduler-perf/perf-objects.js';
import { AttemptTimes } from '../attempt-times.js';
import { ATTEMPT_MS, isPaced } from '../paced-plan.js';
import { placementHash } from '../placements.js';
import type { RunOutcome } from '../run-outcome.js';
import { ClockedSteps } from './clocked-steps.js';
import { PodCounters, type PodCounter } from './pod-counters.js';
import { BARRIER_LIMIT, READY_LIMIT, runUntil } from './run-until.js';
import { ServedObjects } from './served-objects.js';

/** Kubelets of the benches run on nodes of this size. */
const KUBELET_NODES = {
  namePrefix: 'node',
  zones: ['zone-a', 'zone-b', 'zone-c'],
  capacity: { cpu: '4', memory: '32Gi', pods: '110', 'ephemeral-storage': '100Gi' },
};

/** How the control plane is set. */
export type FullPathOptions = Pick<ClusterOptions, 'seed' | 'workers' | 'scheduler' | 'schedulerConfig'>;

/**
 * Plays a workload.
 *
 * @param atEnd - shown the control plane once the steps are done, before it is taken down
 * @throws UnmetBarrierError when pods that must be scheduled are not
 */
export async function runFullPath(
  operations: readonly PerfOperation[],
  options: FullPathOptions,
  atEnd?: (cluster: Cluster) => void,
): Promise<RunOutcome> {
  const run = new FullPathRun(operations, options);
  try {
    const outcome = await run.play(operations);
    atEnd?.(run.cluster);
    return outcome;
  } finally {
    await run.dispose();
  }
}

class FullPathRun {
  readonly cluster: Cluster;
  readonly #served: ServedObjects;
  readonly #objects = new PerfObjects();
  readonly #times = new AttemptTimes();
  readonly #counters: PodCounters;
  readonly #steps: ClockedSteps;
  readonly #watch = new Subscription();
  /** Namespaces with pods that a barrier may have to wait for. */
  readonly #pending = new Set<string>();
  #measured: readonly PodCounter[] = [];
  #nodes = 0;
  #pods = 0;

  constructor(operations: readonly PerfOperation[], { scheduler, ...options }: FullPathOptions) {
    const hasKubelets = operations.some((operation) => operation.opcode === 'createNodes' && operation.kubelets);
    this.cluster = createCluster({
      ...options,
      nodes: 0,
      // scheduler_perf gives its clients 5,000 requests a second, so that they never wait.
      clientLimits: 'unlimited',
      stopwatch: this.#times,
      scheduler: { ...scheduler, ...(isPaced(operations) ? { cycleMs: ATTEMPT_MS } : {}) },
      ...(hasKubelets ? {} : { controllers: [] }),
    });
    this.#served = new ServedObjects(this.cluster);
    this.#counters = new PodCounters(operations);
    this.#steps = new ClockedSteps(this.cluster, this.#served, this.#objects);
  }

  async play(operations: readonly PerfOperation[]): Promise<RunOutcome> {
    this.#watch.add(
      this.cluster.watch('Pod').subscribe((event) => {
        if (event.type === 'DELETED') this.#counters.deleted(event.object);
        else this.#changed(event.object);
      }),
    );
    for (const [step, operation] of operations.entries()) await this.#perform(operation, step);
    this.#stopMeasuring();
    const pods = this.cluster.list('Pod');
    return {
      times: this.#times,
      outcomes: { scheduled: this.#times.pods },
      placementHash: placementHash(pods, ({ status }) => status.nominatedNodeName),
      traceHash: this.cluster.traceHash,
    };
  }

  async dispose(): Promise<void> {
    this.#watch.unsubscribe();
    this.#steps.stop();
    await this.cluster.dispose();
  }

  async #perform(operation: PerfOperation, step: number): Promise<void> {
    switch (operation.opcode) {
      case 'createNodes':
        return this.#createNodes(operation, step);
      case 'createNamespaces':
        for (let index = 0; index < operation.count; index += 1) {
          const object = this.#objects.namespace(operation, index);
          this.#served.create(object);
        }
        return undefined;
      case 'createPods':
        return this.#createPods(operation);
      case 'createAny':
        for (let index = 0; index < operation.count; index += 1)
          this.#create(
            this.#objects.any(operation.template, operation.namespace, { Index: index, Count: operation.count }),
          );
        return undefined;
      case 'updateAny':
        return this.#steps.updateAny(operation);
      case 'deletePods':
        return this.#steps.deletePods(operation);
      case 'churn':
        return this.#steps.churn(operation);
      case 'sleep':
        await this.cluster.run({ limit: operation.durationMs });
        return undefined;
      case 'barrier':
        return this.#barrier(operation);
      case 'startCollectingMetrics':
        return this.#startMeasuring(operation.namespaces, operation.labelSelector);
      case 'stopCollectingMetrics':
        return this.#stopMeasuring();
    }
  }

  async #createNodes(operation: CreateNodes, step: number): Promise<void> {
    const { count, kubelets } = operation;
    this.#nodes += count;
    if (kubelets) {
      this.cluster.addNodes([{ ...KUBELET_NODES, count }]);
      return;
    }
    for (let index = 0; index < count; index += 1) {
      for (const object of this.#objects.node(operation, step, index)) this.#create(object);
    }
    // As upstream's client, which lists the nodes before it goes on: the scheduler knows them.
    await this.cluster.run({ limit: '1s' });
  }

  async #createPods(operation: CreatePods): Promise<void> {
    const { namespace, count, collectMetrics, skipWaitToCompletion } = operation;
    this.#served.needNamespace(namespace);
    this.#pending.add(namespace);
    this.#pods += count;
    if (collectMetrics) this.#startMeasuring([namespace], {});
    for (let index = 0; index < count; index += 1) {
      for (const object of this.#objects.pod(operation, index)) this.#create(object);
    }
    if (skipWaitToCompletion) return;
    await this.#waitFor('scheduled', [namespace], {});
    if (collectMetrics) this.#stopMeasuring();
  }

  #create(object: PerfObject): void {
    const stored = this.#served.create(object);
    if (object.kind === 'Pod') this.#counters.created(stored as Pod);
  }

  #changed(pod: Pod): void {
    for (const counter of this.#counters.changed(pod)) {
      if (this.#measured.includes(counter)) this.#times.count();
    }
  }

  async #barrier({ stageRequirement, namespaces, labelSelector }: Barrier): Promise<void> {
    const cluster = this.cluster;
    switch (stageRequirement) {
      case 'NodesSchedulable':
        return runUntil(
          cluster,
          () => cluster.stats().nodes.schedulable >= this.#nodes,
          READY_LIMIT,
          'not every node takes pods',
        );
      case 'Ready':
        return runUntil(cluster, () => cluster.readyPods >= this.#pods, READY_LIMIT, 'not every pod is Ready');
      case 'Attempted':
        return this.#waitFor('attempted', namespaces, labelSelector);
      case 'Scheduled':
        await this.#waitFor('scheduled', namespaces, labelSelector);
        for (const namespace of namespaces.length === 0 ? [...this.#pending] : namespaces)
          this.#pending.delete(namespace);
        return undefined;
    }
  }

  /** @param namespaces - empty = all in which pods may still be waited for */
  #waitFor(stage: 'scheduled' | 'attempted', namespaces: readonly string[], labels: RequiredLabels): Promise<void> {
    const chosen = namespaces.length === 0 ? [...this.#pending] : namespaces;
    const counters = chosen.map((namespace) => this.#counters.get(namespace, labels));
    const missing = (): number => counters.reduce((sum, counter) => sum + counter.present - counter[stage], 0);
    const isMet = (): boolean => counters.every((counter) => counter[stage] >= counter.present);
    return runUntil(this.cluster, isMet, BARRIER_LIMIT, () => {
      const [first] = this.cluster.unschedulable();
      const why = first === undefined ? '' : `: ${first.example}`;
      return `${missing()} pods of ${chosen.join(', ')} are not ${stage}${why}`;
    });
  }

  #startMeasuring(namespaces: readonly string[], labels: RequiredLabels): void {
    this.#measured = namespaces.map((namespace) => this.#counters.get(namespace, labels));
    this.#times.begin();
  }

  #stopMeasuring(): void {
    this.#times.end();
    this.#measured = [];
  }
}
