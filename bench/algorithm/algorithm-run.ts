/**
 * Plays the steps of a workload on the algorithm alone. Every pod is decided once, in the order in which
 * the pods are made, as soon as its step has made all of its pods; none is tried again, so that barriers
 * have nothing to wait for. Measured is the loop over the decisions: not the making of objects, and not
 * the PodInfo of a pod, which the queue makes when it hears of the pod.
 *
 * Steps that go by the clock (churn, paced deletions and updates) go by a simulated one, on which a
 * decision takes a millisecond, as on the full path.
 */
import { keyOf, type KubeObject, type Pod, type PriorityClass } from '../../src/api/objects/objects.js';
import { PodInfo } from '../../src/scheduler/framework/interface.js';
import type { PerfObject } from '../../src/workload/scheduler-perf/perf-objects.js';
import { PerfObjects } from '../../src/workload/scheduler-perf/perf-objects.js';
import type {
  Churn,
  CreatePods,
  DeletePods,
  PerfOperation,
  UpdateAny,
} from '../../src/workload/scheduler-perf/operations.js';
import { AttemptTimes } from '../attempt-times.js';
import { placementHash } from '../placements.js';
import { ATTEMPT_MS, isPaced } from '../paced-plan.js';
import { matchesLabels } from '../required-labels.js';
import type { RunOutcome } from '../run-outcome.js';
import { Algorithm, type AlgorithmOptions, type Outcome } from './algorithm.js';
import { completeObject } from './complete-object.js';

/** Pods of a tick of the scheduler, and those of the next ones that worker threads are told of. */
const BATCH = 64;
const AHEAD = 2 * BATCH;

/** Something that happens again and again beside the decisions. */
interface Pacer {
  nextMs: number;
  readonly intervalMs: number;
  /** `false` when it was the last time. */
  readonly act: () => boolean;
}

/** What is measured between startCollectingMetrics and stopCollectingMetrics. */
type Collected = Extract<PerfOperation, { opcode: 'startCollectingMetrics' }>;

/**
 * Plays a workload.
 *
 * @param atEnd - shown what the scheduler knows once the steps are done
 */
export async function runAlgorithm(
  operations: readonly PerfOperation[],
  options: AlgorithmOptions,
  atEnd?: (algorithm: Algorithm) => void,
): Promise<RunOutcome> {
  const run = new AlgorithmRun(operations, options);
  try {
    const outcome = await run.play(operations);
    atEnd?.(run.algorithm);
    return outcome;
  } finally {
    await run.algorithm.dispose();
  }
}

class AlgorithmRun {
  readonly algorithm: Algorithm;
  readonly #objects = new PerfObjects();
  readonly #times = new AttemptTimes();
  readonly #outcomes: Partial<Record<Outcome, number>> = {};
  readonly #isPaced: boolean;
  readonly #pacers: Pacer[] = [];
  #nowMs = 0;
  #collected: Collected | undefined;

  constructor(operations: readonly PerfOperation[], options: AlgorithmOptions) {
    this.algorithm = new Algorithm(options);
    this.#isPaced = isPaced(operations);
  }

  async play(operations: readonly PerfOperation[]): Promise<RunOutcome> {
    for (const [step, operation] of operations.entries()) await this.#perform(operation, step);
    const { algorithm } = this;
    const hash = placementHash(algorithm.objects<Pod>('Pod'), (pod) => algorithm.nominatedNodeOf(pod));
    return { times: this.#times, outcomes: this.#outcomes, placementHash: hash, traceHash: null };
  }

  async #perform(operation: PerfOperation, step: number): Promise<void> {
    switch (operation.opcode) {
      case 'createNodes':
        for (let index = 0; index < operation.count; index += 1) {
          for (const object of this.#objects.node(operation, step, index)) this.#put(object);
        }
        return undefined;
      case 'createNamespaces':
        for (let index = 0; index < operation.count; index += 1) this.#put(this.#objects.namespace(operation, index));
        return undefined;
      case 'createPods':
        return this.#createPods(operation);
      case 'createAny':
        return this.#decide(this.#made(operation.template, operation.namespace, operation.count), undefined);
      case 'updateAny':
        return this.#updateAny(operation);
      case 'deletePods':
        return this.#deletePods(operation);
      case 'churn':
        this.#pacers.push(this.#churn(operation));
        return undefined;
      case 'sleep':
        return this.#pass(operation.durationMs);
      case 'barrier':
        return undefined;
      case 'startCollectingMetrics':
        this.#collected = operation;
        return undefined;
      case 'stopCollectingMetrics':
        this.#collected = undefined;
        return undefined;
    }
  }

  async #createPods(operation: CreatePods): Promise<void> {
    const waiting: PodInfo[] = [];
    for (let index = 0; index < operation.count; index += 1) {
      for (const object of this.#objects.pod(operation, index)) waiting.push(...this.#take(object));
    }
    await this.#decide(waiting, operation);
  }

  /** Objects that stand by themselves; pods among them are decided. */
  #made(template: UpdateAny['template'], namespace: string | undefined, count: number): PodInfo[] {
    const waiting: PodInfo[] = [];
    for (let index = 0; index < count; index += 1)
      waiting.push(...this.#take(this.#objects.any(template, namespace, { Index: index, Count: count })));
    return waiting;
  }

  #put({ kind, draft }: PerfObject): KubeObject {
    const { algorithm } = this;
    const object = completeObject(kind, draft, algorithm.objects<PriorityClass>('PriorityClass'));
    algorithm.set(object);
    return object;
  }

  /** Puts an object in; the pod to decide, if it is one that waits and is not gated. */
  #take(object: PerfObject): readonly PodInfo[] {
    const stored = this.#put(object);
    if (stored.kind !== 'Pod') return [];
    const { spec } = stored as Pod;
    const isWaiting = (spec.nodeName ?? '') === '' && (spec.schedulingGates ?? []).length === 0;
    return isWaiting ? [new PodInfo(stored as Pod)] : [];
  }

  /** @param step - the pods' own step, when that is what is measured */
  async #decide(pods: readonly PodInfo[], step: CreatePods | undefined): Promise<void> {
    const isMeasured = step?.collectMetrics === true || this.#collected !== undefined;
    const counts = pods.map((pod) => step?.collectMetrics === true || this.#isCollected(pod));
    const batch = this.#isPaced ? 1 : BATCH;
    if (isMeasured) this.#times.begin();
    for (let first = 0; first < pods.length; first += batch) {
      const judging = this.algorithm.judgeAhead(() => pods.slice(first, first + AHEAD));
      if (judging !== undefined) await judging;
      const end = Math.min(first + batch, pods.length);
      for (let index = first; index < end; index += 1) this.#attempt(pods[index] as PodInfo, counts[index] === true);
      if (this.#isPaced) this.#pass(ATTEMPT_MS);
    }
    this.#times.end();
  }

  #attempt(pod: PodInfo, counts: boolean): void {
    this.#times.start();
    const outcome = this.algorithm.decide(pod);
    this.#times.stop();
    if (!counts) return;
    this.#times.count();
    this.#outcomes[outcome] = (this.#outcomes[outcome] ?? 0) + 1;
  }

  #isCollected({ pod }: PodInfo): boolean {
    if (this.#collected === undefined) return false;
    const { namespaces, labelSelector } = this.#collected;
    return namespaces.includes(pod.metadata.namespace ?? '') && matchesLabels(pod, labelSelector);
  }

  /** Simulated time goes by: whatever falls due happens. */
  #pass(ms: number): void {
    const untilMs = this.#nowMs + ms;
    for (;;) {
      const [next] = this.#pacers.toSorted((a, b) => a.nextMs - b.nextMs);
      if (next === undefined || next.nextMs > untilMs) break;
      this.#nowMs = next.nextMs;
      next.nextMs += next.intervalMs;
      if (!next.act()) this.#pacers.splice(this.#pacers.indexOf(next), 1);
    }
    this.#nowMs = untilMs;
  }

  /** Objects that are made, or made and deleted in turn; pods among them are decided at once. */
  #churn({ mode, number, intervalMilliseconds, namespace, templates }: Churn): Pacer {
    const made: (KubeObject | undefined)[][] = templates.map(() => []);
    let round = 0;
    const act = (): boolean => {
      for (const [index, template] of templates.entries()) {
        const slots = made[index] ?? [];
        const place = mode === 'recreate' ? round % number : round;
        const present = slots[place];
        if (present !== undefined) this.algorithm.remove(this.#current(present));
        slots[place] = present === undefined ? this.#churnOne(template, namespace) : undefined;
      }
      round += 1;
      return mode === 'recreate' || number === 0 || round < number;
    };
    return { nextMs: this.#nowMs + intervalMilliseconds, intervalMs: intervalMilliseconds, act };
  }

  #churnOne(template: UpdateAny['template'], namespace: string): KubeObject {
    const stored = this.#put(this.#objects.any(template, namespace, { Index: 0, Count: 1 }));
    if (stored.kind === 'Pod') this.#attempt(new PodInfo(stored as Pod), false);
    return stored;
  }

  /** The object as it is by now: a pod may have been placed. */
  #current(object: KubeObject): KubeObject {
    return this.algorithm.find(object.kind, keyOf(object)) ?? object;
  }

  #updateAny({ template, namespace, count, updatePerSecond }: UpdateAny): void {
    for (let index = 0; index < count; index += 1) {
      const { kind, draft } = this.#objects.any(template, namespace, { Index: index, Count: count });
      const object = completeObject(kind, draft, this.algorithm.objects<PriorityClass>('PriorityClass'));
      const previous = this.#current(object);
      this.algorithm.set({ ...object, metadata: { ...object.metadata, uid: previous.metadata.uid } });
      if (updatePerSecond > 0) this.#pass(1000 / updatePerSecond);
    }
  }

  #deletePods({ namespace, labelSelector, deletePodsPerSecond, skipWaitToCompletion }: DeletePods): void {
    const { algorithm } = this;
    const pods = [...algorithm.objects<Pod>('Pod')].filter(
      (pod) => pod.metadata.namespace === namespace && matchesLabels(pod, labelSelector),
    );
    if (deletePodsPerSecond === 0) {
      for (const pod of pods) algorithm.remove(pod);
      return;
    }
    const intervalMs = 1000 / deletePodsPerSecond;
    const left = pods.values();
    const act = (): boolean => {
      const { value } = left.next();
      if (value !== undefined) algorithm.remove(this.#current(value));
      return value !== undefined;
    };
    this.#pacers.push({ nextMs: this.#nowMs + intervalMs, intervalMs, act });
    if (!skipWaitToCompletion) this.#pass(pods.length * intervalMs);
  }
}
