/** Follows every pod of a cluster from its creation to its end, and counts what it comes to. */
import { getCondition, isPodTerminal } from '../api/objects/conditions.js';
import { keyOf, type Pod, type PodPhase } from '../api/objects/objects.js';
import type { ObjectEvent } from '../apiserver/store/server-types.js';
import { UnschedulableGroups, unschedulableMessage, type UnschedulableGroup } from '../observers/unschedulable.js';
import type { MachineStep } from '../machines/trail.js';
import type { MetricStore } from './metric-store.js';
import type { NodeUse } from './node-use.js';
import { hasInitBegun, hasStarted, isInitialized, isStateless, PodCourse, type PodMoment } from './pod-course.js';
import type { RunSeries } from './run-series.js';

/** Pods that a report tells the story of, at most. */
const TOLD_PODS = 10;
/** clusterloader2's interval of SchedulingThroughput. */
const THROUGHPUT_INTERVAL_MS = 5000;
const PULLING = 'startingContainers.pullingImage';

/** The story of one pod. */
export interface PodStoryline {
  /** `namespace/name`. */
  readonly pod: string;
  readonly node: string | null;
  /** From its creation to its start; `null` = it has not started. */
  readonly tookMs: number | null;
  /** Why the scheduler could not place it at first; `null` = it could. */
  readonly refusal: string | null;
  readonly moments: readonly PodMoment[];
}

interface Entry {
  readonly key: string;
  readonly course: PodCourse;
  /** It was there before the measurement: its times are not known. */
  readonly isOld: boolean;
  node: string | undefined;
  phase: PodPhase;
  isReady: boolean;
  /** It takes its place on a node. */
  isPlaced: boolean;
  isWaiting: boolean;
  isUnschedulable: boolean;
  restarts: number;
}

/** What the pods are counted into. */
export interface PodMetricMeans {
  readonly store: MetricStore;
  readonly series: RunSeries;
  readonly use: NodeUse;
  readonly startMs: number;
}

/** See the file header. */
export class PodMetrics {
  readonly #means: PodMetricMeans;
  readonly #entries = new Map<string, Entry>();
  readonly #byKey = new Map<string, Entry>();
  readonly #byPhase: Record<PodPhase, number> = { Pending: 0, Running: 0, Succeeded: 0, Failed: 0, Unknown: 0 };
  readonly #refused = new UnschedulableGroups();
  /** Bindings by the number of their interval. */
  readonly #bindings = new Map<number, number>();
  #slowest: Entry[] = [];

  constructor(means: PodMetricMeans) {
    this.#means = means;
  }

  get byPhase(): Readonly<Record<PodPhase, number>> {
    return this.#byPhase;
  }

  /** Pods that could not be placed at some attempt, by the first reason. */
  get refused(): readonly UnschedulableGroup[] {
    return this.#refused.sorted();
  }

  podWritten({ type, object: pod, atMs, by }: ObjectEvent<'Pod'>): void {
    const { uid } = pod.metadata;
    let entry = this.#entries.get(uid);
    if (type === 'DELETED') {
      if (entry !== undefined) this.#leave(uid, entry, pod, atMs);
      return;
    }
    if (entry === undefined) {
      entry = this.#enter(pod, atMs, by === undefined);
      this.#entries.set(uid, entry);
      this.#byKey.set(entry.key, entry);
    }
    this.#update(entry, pod, atMs);
  }

  /** A step of a machine: pulls are known to nothing else. */
  machineMoved({ atMs, machine, name, from, to }: MachineStep): void {
    if (machine !== 'pod' || (from !== PULLING && to !== PULLING)) return;
    const course = this.#byKey.get(name)?.course;
    if (course === undefined || course.startedMs !== undefined) return;
    if (to === PULLING) course.pullBeganMs ??= atMs;
    if (from === PULLING) course.pullEndedMs = atMs;
  }

  /** The pods that took longest to start, the slowest first. */
  slowest(): readonly PodStoryline[] {
    return this.#slowest.map(storyOf);
  }

  /** Pods that have not started and have not ended, the oldest first. */
  unstarted(): readonly PodStoryline[] {
    return [...this.#entries.values()]
      .filter(({ course, phase, isOld }) => !isOld && course.startedMs === undefined && phase === 'Pending')
      .toSorted((a, b) => a.course.createdMs - b.course.createdMs)
      .slice(0, TOLD_PODS)
      .map(storyOf);
  }

  /** Pods bound per second in each interval, from the first with a binding to the last one. */
  throughputs(): readonly number[] {
    const intervals = [...this.#bindings.keys()];
    if (intervals.length === 0) return [];
    const first = intervals.reduce((a, b) => Math.min(a, b));
    const last = intervals.reduce((a, b) => Math.max(a, b));
    return Array.from(
      { length: last - first + 1 },
      (_, index) => (this.#bindings.get(first + index) ?? 0) / (THROUGHPUT_INTERVAL_MS / 1000),
    );
  }

  #enter(pod: Pod, atMs: number, isOld: boolean): Entry {
    const { phase } = pod.status;
    const { store, series } = this.#means;
    this.#countPhase(phase, 1);
    if (!isOld) {
      store.level('pods_created').add(1);
      series.add('created', 1);
    }
    return {
      key: keyOf(pod),
      course: new PodCourse(atMs),
      isOld,
      node: undefined,
      phase,
      isReady: false,
      isPlaced: false,
      isWaiting: false,
      isUnschedulable: false,
      restarts: 0,
    };
  }

  #countPhase(phase: PodPhase, amount: 1 | -1): void {
    this.#byPhase[phase] += amount;
    if (phase === 'Pending') this.#means.store.level('pods_pending').add(amount);
    if (phase === 'Running') this.#means.store.level('pods_running').add(amount);
  }

  #update(entry: Entry, pod: Pod, atMs: number): void {
    const { course } = entry;
    const { phase } = pod.status;
    if (phase !== entry.phase) this.#changePhase(entry, phase, atMs);
    if (pod.metadata.deletionTimestamp !== undefined) course.deletingMs ??= atMs;
    if ((pod.spec.schedulingGates ?? []).length === 0) course.ungatedMs ??= atMs;
    this.#updatePlace(entry, pod, atMs);
    this.#updateContainers(entry, pod, atMs);
    const isReady = getCondition(pod.status.conditions, 'Ready')?.status === 'True';
    if (isReady === entry.isReady) return;
    entry.isReady = isReady;
    const { store, series } = this.#means;
    store.level('pods_ready').add(isReady ? 1 : -1);
    if (!isReady || course.readyMs !== undefined) return;
    course.readyMs = atMs;
    if (entry.isOld) return;
    store.trend('pod_ready_ms').add(atMs - course.createdMs);
    series.add('ready', 1);
  }

  #changePhase(entry: Entry, phase: PodPhase, atMs: number): void {
    const { store } = this.#means;
    this.#countPhase(entry.phase, -1);
    this.#countPhase(phase, 1);
    entry.phase = phase;
    if (phase === 'Succeeded') store.level('pods_succeeded').add(1);
    if (phase === 'Failed') store.level('pods_failed').add(1);
    const { course } = entry;
    if (phase !== 'Running' || course.runningMs !== undefined) return;
    course.runningMs = atMs;
    if (course.scheduledMs !== undefined && !entry.isOld) store.trend('pod_run_ms').add(atMs - course.scheduledMs);
  }

  #updatePlace(entry: Entry, pod: Pod, atMs: number): void {
    const { store, use } = this.#means;
    const isOver = isPodTerminal(pod);
    const { nodeName } = pod.spec;
    this.#setWaiting(entry, nodeName === undefined && !isOver);
    if (nodeName !== undefined && entry.node === undefined) this.#bind(entry, nodeName, atMs);
    if (entry.isPlaced !== (nodeName !== undefined && !isOver)) {
      entry.isPlaced = !entry.isPlaced;
      use.podCounted(pod, entry.isPlaced ? 1 : -1);
    }
    const refusal = unschedulableMessage(pod);
    if ((refusal !== undefined) !== entry.isUnschedulable) {
      entry.isUnschedulable = refusal !== undefined;
      store.level('unschedulable').add(entry.isUnschedulable ? 1 : -1);
    }
    const { course } = entry;
    if (refusal === undefined || course.refusedMs !== undefined) return;
    course.refusedMs = atMs;
    course.refusal = refusal;
    store.level('pods_refused').add(1);
    this.#refused.add(refusal);
  }

  #bind(entry: Entry, node: string, atMs: number): void {
    const { store, series, startMs } = this.#means;
    const { course } = entry;
    entry.node = node;
    if (entry.isOld) return;
    course.scheduledMs = atMs;
    store.level('pods_scheduled').add(1);
    store.trend('pod_scheduling_ms').add(atMs - (course.ungatedMs ?? course.createdMs));
    series.add('scheduled', 1);
    const interval = Math.floor((atMs - startMs) / THROUGHPUT_INTERVAL_MS);
    this.#bindings.set(interval, (this.#bindings.get(interval) ?? 0) + 1);
  }

  #updateContainers(entry: Entry, pod: Pod, atMs: number): void {
    const { course } = entry;
    if (course.startedMs !== undefined || entry.isOld) {
      this.#countRestarts(entry, pod);
      return;
    }
    if (pod.spec.initContainers !== undefined) {
      if (course.initBeganMs === undefined && hasInitBegun(pod)) course.initBeganMs = atMs;
      if (course.initBeganMs !== undefined && course.initEndedMs === undefined && isInitialized(pod)) {
        course.initEndedMs = atMs;
      }
    }
    this.#countRestarts(entry, pod);
    if (!hasStarted(pod)) return;
    course.startedMs = atMs;
    this.#countStart(entry, pod, atMs - course.createdMs);
  }

  #countRestarts(entry: Entry, { status }: Pod): void {
    let restarts = 0;
    for (const { restartCount } of status.containerStatuses ?? []) restarts += restartCount;
    if (restarts > entry.restarts && !entry.isOld) {
      this.#means.store.level('container_restarts').add(restarts - entry.restarts);
    }
    entry.restarts = restarts;
  }

  #countStart(entry: Entry, pod: Pod, tookMs: number): void {
    const { store, series } = this.#means;
    const { course } = entry;
    store.level('pods_started').add(1);
    store.trend('pod_started_ms').add(tookMs);
    series.add('started', 1);
    series.observe('pod_started_ms', tookMs);
    const { pullBeganMs, pullEndedMs } = course;
    if (pullBeganMs !== undefined && pullEndedMs !== undefined) {
      store.trend('image_pull_ms').add(pullEndedMs - pullBeganMs);
    }
    if (course.refusedMs === undefined && isStateless(pod)) {
      const startupMs = tookMs - course.excludedMs;
      store.trend('pod_startup_ms').add(startupMs);
      series.observe('pod_startup_ms', startupMs);
    }
    this.#keepSlow(entry, tookMs);
  }

  #keepSlow(entry: Entry, tookMs: number): void {
    const fastest = this.#slowest.at(-1);
    if (this.#slowest.length === TOLD_PODS && fastest !== undefined && tookOf(fastest) >= tookMs) return;
    // Of equally slow ones the first stays.
    const index = this.#slowest.findIndex((other) => tookOf(other) < tookMs);
    this.#slowest.splice(index === -1 ? this.#slowest.length : index, 0, entry);
    this.#slowest = this.#slowest.slice(0, TOLD_PODS);
  }

  #setWaiting(entry: Entry, isWaiting: boolean): void {
    if (entry.isWaiting === isWaiting) return;
    entry.isWaiting = isWaiting;
    this.#means.store.level('pods_waiting').add(isWaiting ? 1 : -1);
  }

  #leave(uid: string, entry: Entry, pod: Pod, atMs: number): void {
    const { store, series, use } = this.#means;
    this.#entries.delete(uid);
    if (this.#byKey.get(entry.key) === entry) this.#byKey.delete(entry.key);
    this.#countPhase(entry.phase, -1);
    if (entry.isReady) store.level('pods_ready').add(-1);
    if (entry.isPlaced) use.podCounted(pod, -1);
    if (entry.isUnschedulable) store.level('unschedulable').add(-1);
    this.#setWaiting(entry, false);
    store.level('pods_deleted').add(1);
    series.add('deleted', 1);
    if (entry.isOld && entry.course.deletingMs === undefined) return;
    store.trend('pod_deletion_ms').add(atMs - (entry.course.deletingMs ?? atMs));
  }
}

function tookOf({ course }: Entry): number {
  return (course.startedMs ?? course.createdMs) - course.createdMs;
}

function storyOf(entry: Entry): PodStoryline {
  const { key: pod, node = null, course } = entry;
  return {
    pod,
    node,
    tookMs: course.startedMs === undefined ? null : tookOf(entry),
    refusal: course.refusal ?? null,
    moments: course.moments(),
  };
}
