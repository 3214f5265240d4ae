import { createCluster, type Cluster, type ClusterOptions, type Draft } from '../src/index.js';
import { DecisionTimes } from './decision-times.js';
import type { Operation, Stage, Workload } from './workload-file.js';

/** What one run of a workload measured. */
export interface WorkloadResult {
  readonly name: string;
  readonly wallSeconds: number;
  readonly peakRssBytes: number;
  /** Pods of the measured phase per second of wall time. */
  readonly podsPerSecond: number;
  /** Time of one decision of the scheduler, microseconds; `null` where decisions were not timed. */
  readonly p50Us: number | null;
  readonly p99Us: number | null;
  /** Trace hash of the run. */
  readonly hash: string;
  readonly anchor: number | null;
  /** podsPerSecond over the anchor. */
  readonly ratio: number | null;
}

/** Simulated time after which a barrier gives up. */
const BARRIER_LIMIT = '6h';

/** Runs a workload once in this process. */
export async function runWorkload(workload: Workload, options: ClusterOptions): Promise<WorkloadResult> {
  const decisions = new DecisionTimes();
  const run = new WorkloadRun(
    workload,
    createCluster({ seed: 1, ...options, nodes: 0, stopwatch: decisions }),
    decisions,
  );
  const started = performance.now();
  try {
    for (const operation of workload.operations) await run.perform(operation);
    return run.result((performance.now() - started) / 1000);
  } finally {
    await run.cluster.dispose();
  }
}

class WorkloadRun {
  #pods = 0;
  #nodes = 0;
  #measuredPods = 0;
  #measuredSeconds = 0;
  #collectingSince: number | undefined;
  #endsAtBarrier = false;

  constructor(
    private readonly workload: Workload,
    readonly cluster: Cluster,
    private readonly decisions: DecisionTimes,
  ) {}

  async perform(operation: Operation): Promise<void> {
    switch (operation.opcode) {
      case 'createNodes':
        return this.#createNodes(this.#count(operation.countParam), operation.kubelets === true);
      case 'createPods':
        return this.#createPods(this.#count(operation.countParam), operation.collectMetrics === true);
      case 'barrier':
        return this.#barrier(operation.stageRequirement ?? 'Scheduled');
      case 'startCollectingMetrics':
        this.#collectingSince = performance.now();
        return undefined;
      case 'stopCollectingMetrics':
        return this.#stopCollecting();
    }
  }

  result(wallSeconds: number): WorkloadResult {
    const { anchorPodsPerSecond: anchor } = this.workload;
    const podsPerSecond = this.#measuredSeconds > 0 ? this.#measuredPods / this.#measuredSeconds : 0;
    return {
      name: this.workload.name,
      wallSeconds,
      peakRssBytes: process.resourceUsage().maxRSS * 1024,
      podsPerSecond,
      p50Us: this.decisions.quantileUs(0.5),
      p99Us: this.decisions.quantileUs(0.99),
      hash: this.cluster.traceHash,
      anchor: anchor ?? null,
      ratio: anchor === undefined ? null : podsPerSecond / anchor,
    };
  }

  #count(param: string): number {
    const count = this.workload.params[param.replace(/^\$/, '')];
    if (count === undefined) throw new Error(`bench: ${this.workload.name} has no parameter ${param}`);
    return count;
  }

  async #createNodes(count: number, hasKubelets: boolean): Promise<void> {
    this.#nodes += count;
    if (hasKubelets) {
      this.cluster.addNodes([
        { count, namePrefix: 'node', zones: ['zone-a', 'zone-b', 'zone-c'], capacity: NODE_CAPACITY },
      ]);
      return;
    }
    for (let index = 0; index < count; index += 1) this.cluster.create('Node', plainNode(index));
    await this.cluster.run({ limit: '10s' });
  }

  #createPods(count: number, isMeasured: boolean): void {
    if (isMeasured) {
      this.#measuredPods += count;
      if (this.#collectingSince === undefined) {
        this.#collectingSince = performance.now();
        this.#endsAtBarrier = true;
      }
    }
    for (let index = 0; index < count; index += 1) this.cluster.create('Pod', pod(this.#pods + index));
    this.#pods += count;
  }

  async #barrier(stage: Stage): Promise<void> {
    const { cluster } = this;
    const pods = this.#pods;
    const isMet = {
      Scheduled: () => cluster.boundPods >= pods,
      Ready: () => cluster.readyPods >= pods,
      NodesSchedulable: () => cluster.stats().nodes.schedulable >= this.#nodes,
    }[stage];
    const { end } = await cluster.run({ until: isMet, limit: BARRIER_LIMIT });
    if (end !== 'done')
      throw new Error(`bench: ${this.workload.name}: ${stage} was not reached with ${pods} pods (${end})`);
    if (this.#endsAtBarrier) this.#stopCollecting();
  }

  #stopCollecting(): void {
    if (this.#collectingSince === undefined) return;
    this.#measuredSeconds += (performance.now() - this.#collectingSince) / 1000;
    this.#collectingSince = undefined;
    this.#endsAtBarrier = false;
  }
}

/** The node of scheduler_perf: 4 cores, 32 GiB, 110 pods. */
const NODE_CAPACITY = { cpu: '4', memory: '32Gi', pods: '110', 'ephemeral-storage': '100Gi' };

function plainNode(index: number): Draft {
  const name = `node-${String(index).padStart(5, '0')}`;
  return {
    metadata: {
      name,
      labels: { 'kubernetes.io/hostname': name, 'topology.kubernetes.io/zone': `zone-${'abc'[index % 3]}` },
    },
    status: { capacity: NODE_CAPACITY, allocatable: NODE_CAPACITY, conditions: [{ type: 'Ready', status: 'True' }] },
  };
}

/** The pod of scheduler_perf: one container with 100m and 500Mi. */
const POD_SPEC = {
  containers: [
    {
      name: 'pause',
      image: 'registry.k8s.io/pause:3.10',
      ports: [{ containerPort: 80 }],
      resources: { requests: { cpu: '100m', memory: '500Mi' }, limits: { cpu: '100m', memory: '500Mi' } },
    },
  ],
};

function pod(index: number): Draft {
  return { metadata: { name: `pod-${index}`, namespace: 'default' }, spec: POD_SPEC };
}
