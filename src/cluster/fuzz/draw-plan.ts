/** Draws plans: the same seed and bounds give the same plan. It never looks at a cluster. */
import { CONTROLLER_NAMES } from '../../controllers/controller-manager.js';
import { randomStream, type RandomStream } from '../../kernel/random.js';
import { drawWorkloads, type DrawnWorkload } from './draw-workloads.js';
import { DEFAULT_BOUNDS, type PlanBounds, type PlanDocument, type PlannedAction } from './plan-document.js';

const MINUTE_MS = 60_000;
/** Faults begin once the first pods have had time to come up. */
const QUIET_MS = MINUTE_MS;
/** Faults last between these. */
const SHORTEST_FAULT_S = 5;
const LONGEST_FAULT_S = 600;
const DIRECTIONS = ['in', 'out', undefined] as const;
const COMPONENTS = ['kube-scheduler', 'kube-controller-manager'] as const;
const LATENCIES = ['200ms', 'uniform(10ms, 2s)', 'exponential(1s)'] as const;
const LOSSES = ['before', 'after', 'either'] as const;
const REFUSALS = ['Conflict', 'InternalError', 'TooManyRequests', 'ServerTimeout'] as const;
const OPERATIONS = ['pullImage', 'createSandbox', 'stopContainer'] as const;
/** Not all kinds at once: a job that is older than its pods gets one too many, from upstream's controller as well. */
const LAGGING_KINDS = ['Pod', 'Node', 'ReplicaSet'] as const;
const LONGEST_LAG_S = 60;
const MOST_WRITES = 10;

/** @param controllers - those that may be stopped and run twice */
export function drawPlan(
  seed: string,
  bounds: PlanBounds = {},
  controllers: readonly string[] = CONTROLLER_NAMES,
): PlanDocument {
  const draw = new PlanDraw(randomStream(seed, 'fuzz/plan'), { ...DEFAULT_BOUNDS, ...bounds }, controllers);
  return draw.plan(seed);
}

class PlanDraw {
  readonly #random: RandomStream;
  readonly #bounds: Required<PlanBounds>;
  readonly #controllers: readonly string[];
  #nodes = 0;
  #endMs = 0;

  constructor(random: RandomStream, bounds: Required<PlanBounds>, controllers: readonly string[]) {
    this.#random = random;
    this.#bounds = bounds;
    this.#controllers = controllers;
  }

  plan(seed: string): PlanDocument {
    this.#nodes = this.#within(this.#bounds.nodes);
    this.#endMs = this.#within(this.#bounds.minutes) * MINUTE_MS;
    const workloads = drawWorkloads(this.#random, this.#nodes);
    const changes = this.#times(this.#bounds.changes).map((atMs) => this.#change(atMs, workloads));
    const faults = this.#times(this.#bounds.faults).map((atMs) => this.#fault(atMs));
    return {
      title: `seed ${seed}`,
      cluster: { seed, nodes: this.#nodes, invariants: true },
      workloads: workloads.flatMap(({ objects }) => objects),
      actions: [...changes, ...faults].sort((a, b) => Number.parseInt(a.at, 10) - Number.parseInt(b.at, 10)),
    };
  }

  #within([least, most]: readonly [number, number]): number {
    return this.#random.int(least, most);
  }

  #oneOf<T>(values: readonly T[]): T {
    return values[this.#random.int(0, values.length - 1)] as T;
  }

  #times(bounds: readonly [number, number]): readonly number[] {
    return Array.from({ length: this.#within(bounds) }, () => this.#random.int(QUIET_MS, this.#endMs));
  }

  #node(): string {
    return `node-${this.#random.int(0, this.#nodes - 1)}`;
  }

  #fault(atMs: number): PlannedAction {
    const lasts = { at: text(atMs), for: `${this.#random.int(SHORTEST_FAULT_S, LONGEST_FAULT_S)}s`, mayFail: true };
    switch (this.#random.int(0, 15)) {
      case 0:
      case 1: {
        const direction = this.#oneOf(DIRECTIONS);
        return { ...lasts, cut: { node: this.#node(), ...(direction === undefined ? {} : { direction }) } };
      }
      case 2:
        return { ...lasts, stopKubelet: { node: this.#node() } };
      case 3:
        return { ...lasts, powerOff: { node: this.#node() } };
      case 4:
        return { ...lasts, stopController: { controller: this.#oneOf(this.#controllers) } };
      case 5:
        return { ...lasts, slow: { ...this.#party(), latency: this.#oneOf(LATENCIES) } };
      case 6:
        return { ...lasts, lossy: { ...this.#party(), requests: this.#share(), when: this.#oneOf(LOSSES) } };
      case 7:
        return { ...lasts, refuse: { ...this.#party(), share: this.#share(), with: this.#oneOf(REFUSALS) } };
      case 8:
        return { ...lasts, delayWatch: this.#lag() };
      case 9:
        return { ...lasts, coalesceWatch: this.#lag() };
      case 10:
        return { ...lasts, staleReads: this.#lag() };
      case 11:
        return { ...lasts, restartApiServer: { forgetsHistory: this.#random.int(0, 1) === 1 } };
      case 12:
        return { ...lasts, failRuntime: { node: this.#node(), operation: this.#oneOf(OPERATIONS) } };
      case 13: {
        const writes = this.#random.int(1, MOST_WRITES);
        return { ...lasts, crashAfterWrites: { controller: this.#oneOf(this.#controllers), writes } };
      }
      case 14:
        return { ...lasts, stopComponent: { component: this.#oneOf(COMPONENTS) } };
      default:
        return { ...lasts, runTwice: { controller: this.#oneOf(this.#controllers) } };
    }
  }

  /** Whose link a fault is about. */
  #party(): { readonly node: string } | { readonly component: string } {
    return this.#random.int(0, 1) === 0 ? { node: this.#node() } : { component: this.#oneOf(COMPONENTS) };
  }

  #lag(): Readonly<Record<string, string>> {
    const kind = this.#oneOf(LAGGING_KINDS);
    return { ...this.#party(), kind, by: `${this.#random.int(1, LONGEST_LAG_S)}s` };
  }

  /** A tenth to all of it. */
  #share(): number {
    return this.#random.int(1, 10) / 10;
  }

  #change(atMs: number, workloads: readonly DrawnWorkload[]): PlannedAction {
    const action = { at: text(atMs), mayFail: true };
    const kind = this.#random.int(0, 4);
    if (kind === 0)
      return { ...action, drain: { node: this.#node(), ignoreDaemonSets: true, force: true, timeout: '5m' } };
    if (kind === 1) return { ...action, uncordon: this.#node() };
    const workload = this.#oneOf(workloads);
    const scaled = workloads.filter(({ isScalable }) => isScalable);
    if (kind === 2 && scaled.length > 0) {
      const { ref } = this.#oneOf(scaled);
      return { ...action, scale: { object: ref, replicas: this.#random.int(0, this.#nodes + 2) } };
    }
    if (kind === 3 && workload.pod !== undefined) return { ...action, delete: `pod/${workload.pod}` };
    const images = { spec: { template: { metadata: { annotations: { release: String(atMs) } } } } };
    return workload.isUpdatable
      ? { ...action, patch: { object: workload.ref, patch: images } }
      : { ...action, uncordon: this.#node() };
  }
}

function text(ms: number): string {
  return `${ms}ms`;
}
