/**
 * Latencies of pods, jobs, claims and nodes (pkg/measurements), from the creation of an object to the write that first
 * shows what it came to. kube-burner reads most of these moments from timestamps of whole seconds; here they are exact.
 */
import type { Subscription } from 'rxjs';
import type { Job, KindMap, Node, ObjectMeta, Pod } from '../../../api/objects/objects.js';
import { LABEL, type BurnerContext } from '../burner-context.js';
import type { LatencyRecord } from './latency-documents.js';

/** A measurement of one job, or of several that it spans. */
export interface LatencyMeasurement {
  readonly metricName: string;
  readonly quantilesName: string;
  /** @param isChurned - whether a moment lies in the churn of the job */
  records(jobName: string, isChurned: (atMs: number) => boolean): LatencyRecord[];
  stop(): void;
}

type MeasuredKind = 'Pod' | 'Job' | 'PersistentVolumeClaim' | 'Node';

interface Definition<K extends MeasuredKind> {
  readonly kind: K;
  readonly metricName: string;
  /** Moments by the name of their quantile: whether an object has come to it. */
  readonly moments: Readonly<Record<string, (object: KindMap[K]) => boolean>>;
  /** Fields of the latencies, by the name of their quantile. */
  readonly fields: Readonly<Record<string, string>>;
  /** Objects that never came to it are left out. */
  readonly goal: string | undefined;
  readonly describe: (object: KindMap[K]) => Readonly<Record<string, unknown>>;
}

/** Begins a measurement by kube-burner's name of it. */
export function startLatency(context: BurnerContext, name: string): LatencyMeasurement | undefined {
  switch (name) {
    case 'podLatency':
      return new Watched(context, POD);
    case 'jobLatency':
      return new Watched(context, JOB);
    case 'pvcLatency':
      return new Watched(context, CLAIM);
    case 'nodeLatency':
      return new Watched(context, NODE);
    default:
      return undefined;
  }
}

const POD: Definition<'Pod'> = {
  kind: 'Pod',
  metricName: 'podLatency',
  moments: {
    PodScheduled: isCondition('PodScheduled'),
    PodReadyToStartContainers: isCondition('PodReadyToStartContainers'),
    Initialized: isCondition('Initialized'),
    ContainersStarted: haveContainersStarted,
    ContainersReady: isCondition('ContainersReady'),
    Ready: isCondition('Ready'),
  },
  fields: {
    PodScheduled: 'schedulingLatency',
    Initialized: 'initializedLatency',
    ContainersReady: 'containersReadyLatency',
    Ready: 'podReadyLatency',
    PodReadyToStartContainers: 'readyToStartContainersLatency',
    ContainersStarted: 'containersStartedLatency',
  },
  goal: 'Ready',
  describe: ({ metadata, spec }: Pod) => ({
    ...placeOf(metadata),
    podName: metadata.name,
    nodeName: spec.nodeName ?? '',
  }),
};

const JOB: Definition<'Job'> = {
  kind: 'Job',
  metricName: 'jobLatency',
  moments: {
    StartTime: ({ status }) => status.startTime !== undefined,
    Complete: ({ status }: Job) =>
      status.conditions?.some((condition) => condition.type === 'Complete' && condition.status === 'True') ?? false,
  },
  fields: { StartTime: 'startTimeLatency', Complete: 'completionLatency' },
  goal: 'Complete',
  describe: ({ metadata }) => ({ ...placeOf(metadata), k8sJobName: metadata.name }),
};

const CLAIM: Definition<'PersistentVolumeClaim'> = {
  kind: 'PersistentVolumeClaim',
  metricName: 'pvcLatency',
  moments: {
    Pending: ({ status }) => status?.phase === 'Pending',
    Bound: ({ status }) => status?.phase === 'Bound',
    Lost: ({ status }) => status?.phase === 'Lost',
  },
  fields: { Pending: 'pendingLatency', Bound: 'bindingLatency', Lost: 'lostLatency' },
  goal: undefined,
  describe: ({ metadata, spec }) => ({
    ...placeOf(metadata),
    pvcName: metadata.name,
    size: spec.resources?.requests?.['storage'] ?? '',
    storageClass: spec.storageClassName ?? '',
  }),
};

const NODE: Definition<'Node'> = {
  kind: 'Node',
  metricName: 'nodeLatency',
  moments: {
    MemoryPressure: isFalse('MemoryPressure'),
    DiskPressure: isFalse('DiskPressure'),
    PIDPressure: isFalse('PIDPressure'),
    Ready: ({ status }) =>
      status.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') ?? false,
  },
  fields: {
    MemoryPressure: 'nodeMemoryPressureLatency',
    DiskPressure: 'nodeDiskPressureLatency',
    PIDPressure: 'nodePIDPressureLatency',
    Ready: 'nodeReadyLatency',
  },
  goal: 'Ready',
  describe: ({ metadata }: Node) => ({ nodeName: metadata.name, labels: metadata.labels ?? {} }),
};

function isCondition(wanted: string): (pod: Pod) => boolean {
  return ({ status }) =>
    status.conditions?.some(({ type, status: value }) => type === wanted && value === 'True') ?? false;
}

function isFalse(wanted: string): (node: Node) => boolean {
  return ({ status }) =>
    status.conditions?.some(({ type, status: value }) => type === wanted && value === 'False') ?? false;
}

function haveContainersStarted({ spec, status }: Pod): boolean {
  const statuses = status.containerStatuses ?? [];
  return (
    statuses.length === spec.containers.length &&
    statuses.every(({ state }) => (state?.running ?? state?.terminated) !== undefined)
  );
}

function placeOf({ namespace, labels = {} }: ObjectMeta): Readonly<Record<string, unknown>> {
  return {
    namespace: namespace ?? '',
    jobIteration: Number(labels[LABEL.iteration] ?? 0),
    replica: Number(labels[LABEL.replica] ?? 0),
  };
}

interface Seen<K extends MeasuredKind> {
  readonly createdMs: number;
  readonly atMs: Map<string, number>;
  object: KindMap[K];
}

class Watched<K extends MeasuredKind> implements LatencyMeasurement {
  readonly metricName: string;
  readonly quantilesName: string;
  readonly #context: BurnerContext;
  readonly #definition: Definition<K>;
  readonly #seen = new Map<string, Seen<K>>();
  readonly #watch: Subscription;

  constructor(context: BurnerContext, definition: Definition<K>) {
    this.#context = context;
    this.#definition = definition;
    this.metricName = `${definition.metricName}Measurement`;
    this.quantilesName = `${definition.metricName}QuantilesMeasurement`;
    const selection = definition.kind === 'Node' ? {} : { labelSelector: `${LABEL.runid}=${context.runid}` };
    this.#watch = context.player.connection.watch<K>(definition.kind, selection).subscribe((delivery) => {
      if (!('object' in delivery) || delivery.type === 'DELETED') return;
      this.#see(delivery.object, delivery.atMs, delivery.type === 'ADDED');
    });
  }

  stop(): void {
    this.#watch.unsubscribe();
  }

  records(jobName: string, isChurned: (atMs: number) => boolean): LatencyRecord[] {
    const { goal, fields, describe, moments } = this.#definition;
    const { player, uuid } = this.#context;
    return [...this.#seen.values()]
      .filter(({ atMs }) => goal === undefined || atMs.has(goal))
      .map(({ createdMs, atMs, object }) => {
        const latencies = Object.fromEntries(
          Object.keys(moments).map((name) => [name, Math.max(0, (atMs.get(name) ?? createdMs) - createdMs)]),
        );
        const named = Object.entries(fields).map(([name, field]) => [field, latencies[name] ?? 0] as const);
        return {
          latencies,
          document: {
            timestamp: player.timestampOf(createdMs),
            ...Object.fromEntries(named),
            metricName: this.metricName,
            uuid,
            jobName,
            ...describe(object),
            ...(isChurned(createdMs) ? { churnMetric: true } : {}),
          },
        };
      });
  }

  #see(object: KindMap[K], atMs: number, isNew: boolean): void {
    const { uid } = object.metadata;
    let seen = this.#seen.get(uid);
    if (seen === undefined) {
      if (!isNew) return;
      seen = { createdMs: atMs, atMs: new Map(), object };
      this.#seen.set(uid, seen);
    }
    seen.object = object;
    for (const [name, hasCome] of Object.entries(this.#definition.moments)) {
      if (!seen.atMs.has(name) && hasCome(object)) seen.atMs.set(name, atMs);
    }
  }
}
