import type { Job } from '../../api/objects/batch-objects.js';
import { isPodTerminal } from '../../api/objects/conditions.js';
import { keyOf, nameKey, type OwnerReference, type Pod } from '../../api/objects/objects.js';
import { controllerOf } from '../../api/objects/owners.js';
import { compileLabelSelector } from '../../api/selectors/labels.js';
import type { Indexers, Lister } from '../../bus/bus-types.js';
import { BY_ORPHANAGE } from '../shared/orphans.js';
import type { ControllerContext } from '../runtime/controller-definition.js';
import { Expectations } from '../runtime/expectations.js';
import { FinalizerReleases } from './finalizer-releases.js';
import { endOf } from './job-conditions.js';
import { JobCurrency } from './job-currency.js';
import { isTracked } from './job-pods.js';
import type { BackoffRecord } from './pod-backoff.js';

const UID_LABEL = 'batch.kubernetes.io/controller-uid';
/** What has happened to pods is looked at together. */
const BATCH_MS = 1000;
/** Keys of pods that have lost their job begin with this; names of namespaces cannot. */
const ORPHAN_PREFIX = 'orphan ';
const LEFT_PREFIX = 'left by ';
const NO_VALUES: readonly string[] = [];

/** Jobs by the pods that they may adopt: those with their uid in a label, or any of their namespace. */
const BY_REACH = {
  reach: ({ metadata, spec }) => [spec.manualSelector === true ? (metadata.namespace ?? '') : metadata.uid],
} satisfies Indexers<'Job'>;

/**
 * Pods by the uid of their controller, without those that have ended and been counted: a job of 10,000 completions
 * does not look at all of them each second.
 */
const BY_JOB = {
  'pods-of-job': (pod) => {
    const controller = controllerOf(pod);
    if (controller?.kind !== 'Job') return NO_VALUES;
    const { uid } = controller;
    const isOver = isPodTerminal(pod) && !isTracked(pod) && pod.metadata.labels?.[UID_LABEL] === uid;
    return isOver ? NO_VALUES : [uid];
  },
} satisfies Indexers<'Pod'>;

/** Pods without a controller by the job that their label names. */
const BY_UID_LABEL = {
  'orphan-of-job': (pod) => {
    const uid = controllerOf(pod) === undefined ? pod.metadata.labels?.[UID_LABEL] : undefined;
    return uid === undefined ? NO_VALUES : [uid];
  },
} satisfies Indexers<'Pod'>;

/** The memory of a run of the job controller: what it listens to, and what it waits for. */
export class JobMemory {
  readonly expectations: Expectations;
  readonly releases = new FinalizerReleases();
  readonly currency = new JobCurrency();
  /** Failures in a row by job. */
  readonly backoffs = new Map<string, BackoffRecord>();
  readonly jobs: Lister<'Job'>;
  readonly pods: Lister<'Pod'>;
  readonly #context: ControllerContext;

  constructor(context: ControllerContext) {
    this.#context = context;
    this.expectations = new Expectations(context.kernel.clock);
    this.jobs = context.informer('Job', BY_REACH);
    this.pods = context.informer('Pod', { ...BY_JOB, ...BY_ORPHANAGE, ...BY_UID_LABEL });
    context.watch('Job', {
      onAdd: (job) => context.queue.add(keyOf(job)),
      onUpdate: (previous, job) => this.#jobUpdated(previous, job),
      onDelete: (job) => this.#jobDeleted(job),
    });
    context.watch('Pod', {
      onAdd: (pod) => this.#podAdded(pod),
      onUpdate: (previous, pod) => this.#podUpdated(previous, pod),
      onDelete: (pod) => this.#podGoing(pod, true),
    });
  }

  /** Pods controlled by that job, without those that have ended and been counted. */
  podsOf({ metadata }: Job): Iterable<Pod> {
    return this.pods.byIndex('pods-of-job', metadata.uid);
  }

  /** Pods that a job has left which is gone or has ended, for a key of the queue that means them. */
  leftPods(key: string): readonly Pod[] | undefined {
    if (!key.startsWith(LEFT_PREFIX)) return undefined;
    return [...this.pods.byIndex('pods-of-job', key.slice(LEFT_PREFIX.length))];
  }

  /** Pods without a controller that a job selects. */
  *orphansOf({ metadata, spec }: Job): Iterable<Pod> {
    const selector = compileLabelSelector(spec.selector);
    const candidates =
      spec.manualSelector === true
        ? this.pods.byIndex('orphan', metadata.namespace ?? '')
        : this.pods.byIndex('orphan-of-job', metadata.uid);
    for (const pod of candidates) {
      if (pod.metadata.namespace === metadata.namespace && selector.matches(pod.metadata.labels)) yield pod;
    }
  }

  /** The job that an owner reference means, if there is it and no other one of its name. */
  ownerOf(namespace: string | undefined, { kind, name, uid }: OwnerReference): Job | undefined {
    if (kind !== 'Job') return undefined;
    const job = this.jobs.getByKey(nameKey(namespace, name));
    return job?.metadata.uid === uid ? job : undefined;
  }

  /** Has a job looked at after a while, together with whatever else happens to it. */
  addLater(key: string, delayMs = 0): void {
    this.#context.queue.addAfter(key, Math.max(delayMs, BATCH_MS));
  }

  /** The pod that a key of the queue means; `undefined` for the key of a job. */
  static orphanKey(key: string): string | undefined {
    return key.startsWith(ORPHAN_PREFIX) ? key.slice(ORPHAN_PREFIX.length) : undefined;
  }

  /** Forgets a job that is gone or has ended. */
  forget(key: string): void {
    this.expectations.drop(key);
    this.releases.drop(key);
    this.currency.drop(key);
    this.backoffs.delete(key);
    this.#context.queue.drop(key);
  }

  #jobUpdated(previous: Job, job: Job): void {
    if (previous.metadata.uid !== job.metadata.uid) this.#jobDeleted(previous);
    const key = keyOf(job);
    if (previous.metadata.generation === job.metadata.generation) this.addLater(key);
    else this.#context.queue.add(key);
    if (endOf(job.status) !== undefined) this.#releasePods(job);
    const { activeDeadlineSeconds } = job.spec;
    const { startTime } = job.status;
    if (activeDeadlineSeconds === undefined || startTime === undefined) return;
    if (activeDeadlineSeconds === previous.spec.activeDeadlineSeconds) return;
    const { clock, timestamps } = this.#context.kernel;
    this.#context.queue.addAfter(key, timestamps.toMs(startTime) + activeDeadlineSeconds * 1000 - clock.now());
  }

  #jobDeleted(job: Job): void {
    this.#context.queue.add(keyOf(job));
    this.#releasePods(job);
  }

  #releasePods({ metadata: { uid } }: Job): void {
    this.#context.queue.add(`${LEFT_PREFIX}${uid}`);
  }

  #addOrphan(pod: Pod): void {
    this.#context.queue.add(`${ORPHAN_PREFIX}${keyOf(pod)}`);
  }

  #podAdded(pod: Pod): void {
    if (pod.metadata.deletionTimestamp !== undefined) {
      this.#podGoing(pod, false);
      return;
    }
    const controller = controllerOf(pod);
    if (controller === undefined) {
      this.#orphanSeen(pod);
      return;
    }
    const job = this.ownerOf(pod.metadata.namespace, controller);
    if (job === undefined) return;
    this.expectations.creationObserved(keyOf(job));
    this.addLater(keyOf(job));
  }

  #podUpdated(previous: Pod, pod: Pod): void {
    if (pod.metadata.deletionTimestamp !== undefined) {
      this.#podGoing(pod, false);
      return;
    }
    const controller = controllerOf(pod);
    const before = controllerOf(previous);
    const isMoved = before?.uid !== controller?.uid;
    if (before !== undefined && isMoved) this.#podChanged(pod, before);
    if (controller !== undefined) this.#podChanged(pod, controller);
    else if (isMoved || pod.metadata.labels !== previous.metadata.labels || isTracked(pod)) this.#orphanSeen(pod);
  }

  #podChanged(pod: Pod, controller: OwnerReference): void {
    const job = this.ownerOf(pod.metadata.namespace, controller);
    if (job === undefined) return;
    if (!isTracked(pod)) this.releases.observed(keyOf(job), pod.metadata.uid);
    this.addLater(keyOf(job));
  }

  /** A pod without a controller loses the jobs' finalizer, unless a job adopts it. */
  #orphanSeen(pod: Pod): void {
    if (isTracked(pod)) this.#addOrphan(pod);
    const { namespace = '', labels } = pod.metadata;
    for (const reach of [namespace, labels?.[UID_LABEL]]) {
      if (reach === undefined) continue;
      for (const job of this.jobs.byIndex('reach', reach)) {
        if (compileLabelSelector(job.spec.selector).matches(labels)) this.addLater(keyOf(job));
      }
    }
  }

  /** A pod that is being deleted, or is gone. */
  #podGoing(pod: Pod, isGone: boolean): void {
    const controller = controllerOf(pod);
    if (controller !== undefined && controller.kind !== 'Job') return;
    const job = controller && this.ownerOf(pod.metadata.namespace, controller);
    if (job === undefined || endOf(job.status) !== undefined) {
      if (isTracked(pod) && !isGone) this.#addOrphan(pod);
      return;
    }
    const key = keyOf(job);
    this.expectations.deletionObserved(key, keyOf(pod));
    if (isGone || !isTracked(pod)) this.releases.observed(key, pod.metadata.uid);
    this.addLater(key);
  }
}
