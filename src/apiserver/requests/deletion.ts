/**
 * What a DELETE does to an object: pure arithmetic of grace periods and finalizers, as in upstream's
 * BeforeDelete (staging/src/k8s.io/apiserver/pkg/registry/rest/delete.go) and the registry store, v1.34.
 */
import type { Kind, Namespace, Pod } from '../../api/objects/objects.js';
import type { Timestamps } from '../../kernel/timestamps.js';
import type { DeleteOptions, PropagationPolicy } from '../store/server-types.js';
import type { StoredObject } from '../store/stored-object.js';

const ORPHAN_FINALIZER = 'orphan';
const FOREGROUND_FINALIZER = 'foregroundDeletion';
const NAMESPACE_FINALIZER = 'kubernetes';

/** The present, in both forms. */
export interface Moment {
  readonly nowMs: number;
  readonly timestamps: Timestamps;
}

/** The outcome of a DELETE. */
export interface Deletion {
  /** The object with its marks; the object itself when it carries them already. */
  readonly marked: StoredObject;
  /** Whether it leaves the store in the same request (after the write of its marks, if there are new ones). */
  readonly isRemoved: boolean;
}

/** Marks an object for deletion, or finds that it may go at once. */
export function planDeletion(kind: Kind, object: StoredObject, options: DeleteOptions, moment: Moment): Deletion {
  if (kind === 'Namespace') return planNamespaceDeletion(object, options, moment);
  const marks = graceMarks(kind, object, options, moment);
  if (marks === 'pending') return { marked: object, isRemoved: false };
  const finalizers = finalizersAfterDelete(kind, object, options.propagationPolicy);
  const hasFinalizers = finalizers !== undefined && finalizers.length > 0;
  if (marks !== 'none') {
    return { marked: withMarks(object, marks, finalizers), isRemoved: !hasFinalizers && marks.graceSeconds === 0 };
  }
  if (!hasFinalizers) return { marked: object, isRemoved: true };
  const { deletionTimestamp, deletionGracePeriodSeconds } = object.metadata;
  const isMarked = deletionTimestamp !== undefined && deletionGracePeriodSeconds === 0;
  if (isMarked && finalizers === object.metadata.finalizers) return { marked: object, isRemoved: false };
  return { marked: withMarks(object, waitMarks(object, moment), finalizers), isRemoved: false };
}

/**
 * Whether this update ends an object that only waited for its finalizers: it had been deleted, its
 * grace is over, and no finalizer is left.
 */
export function isEndedByUpdate(kind: Kind, next: StoredObject, previous: StoredObject): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0 } = previous.metadata;
  if (deletionTimestamp === undefined || deletionGracePeriodSeconds !== 0) return false;
  if ((next.metadata.finalizers?.length ?? 0) > 0) return false;
  return kind !== 'Namespace' || namespaceFinalizers(next).length === 0;
}

/** The finalizers in the spec of a namespace. */
function namespaceFinalizers(namespace: StoredObject): readonly string[] {
  return (namespace.spec as { readonly finalizers?: readonly string[] } | undefined)?.finalizers ?? [];
}

interface Marks {
  readonly deletionTimestamp: string;
  readonly graceSeconds: number;
}

/** `none` = the kind knows no grace, or its grace is over; `pending` = a longer wait was already granted. */
function graceMarks(
  kind: Kind,
  object: StoredObject,
  options: DeleteOptions,
  moment: Moment,
): Marks | 'none' | 'pending' {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0 } = object.metadata;
  if (deletionTimestamp !== undefined) {
    if (deletionGracePeriodSeconds === 0) return 'none';
    return shortenedMarks(deletionTimestamp, deletionGracePeriodSeconds, options.gracePeriodSeconds, moment);
  }
  if (kind !== 'Pod') return 'none';
  const graceSeconds = podGraceSeconds(object as Pod, options.gracePeriodSeconds);
  const { nowMs, timestamps } = moment;
  return { deletionTimestamp: timestamps.toTime(nowMs + graceSeconds * 1000), graceSeconds };
}

/** The options of a deletion as plugins are shown them: of a pod they say what time it is given. */
export function shownDeleteOptions(
  kind: Kind,
  object: StoredObject,
  { gracePeriodSeconds }: DeleteOptions,
  stated: (() => object) | undefined,
): object | undefined {
  if (kind !== 'Pod' || object.metadata.deletionTimestamp !== undefined || stated === undefined) return undefined;
  return { ...stated(), gracePeriodSeconds: podGraceSeconds(object as Pod, gracePeriodSeconds) };
}

/** A pod that no kubelet runs, or that has ended, needs no time to stop. */
function podGraceSeconds({ spec, status }: Pod, wanted: number | undefined): number {
  const isUnscheduled = spec.nodeName === undefined || spec.nodeName === '';
  if (isUnscheduled || status.phase === 'Succeeded' || status.phase === 'Failed') return 0;
  const graceSeconds = wanted ?? spec.terminationGracePeriodSeconds ?? 0;
  return graceSeconds < 0 ? 1 : graceSeconds;
}

/** A later DELETE may only shorten; an end that would lie in the past becomes now, with a second's grace. */
function shortenedMarks(
  deletionTimestamp: string,
  graceSeconds: number,
  wanted: number | undefined,
  { nowMs, timestamps }: Moment,
): Marks | 'pending' {
  if (wanted === undefined) return 'pending';
  const wantedSeconds = wanted < 0 ? 1 : wanted;
  if (wantedSeconds >= graceSeconds) return 'pending';
  const endMs = timestamps.toMs(deletionTimestamp) + (wantedSeconds - graceSeconds) * 1000;
  if (endMs >= nowMs) return { deletionTimestamp: timestamps.toTime(endMs), graceSeconds: wantedSeconds };
  return { deletionTimestamp: timestamps.toTime(nowMs), graceSeconds: wantedSeconds === 0 ? 0 : 1 };
}

/** Marks of an object without grace that must wait for finalizers. */
function waitMarks({ metadata }: StoredObject, { nowMs, timestamps }: Moment): Marks {
  return { deletionTimestamp: metadata.deletionTimestamp ?? timestamps.toTime(nowMs), graceSeconds: 0 };
}

/** The first mark raises the generation; later ones only move the end. */
function withMarks(object: StoredObject, marks: Marks, finalizers: readonly string[] | undefined): StoredObject {
  const { finalizers: _replaced, ...metadata } = object.metadata;
  const { generation, deletionTimestamp } = metadata;
  const isFirst = deletionTimestamp === undefined;
  return {
    ...object,
    metadata: {
      ...metadata,
      ...(isFirst && generation !== undefined && generation > 0 ? { generation: generation + 1 } : {}),
      deletionTimestamp: marks.deletionTimestamp,
      deletionGracePeriodSeconds: marks.graceSeconds,
      ...(finalizers === undefined || finalizers.length === 0 ? {} : { finalizers }),
    },
  };
}

/**
 * The garbage collector's finalizers follow the policy of the request; without one, those that are
 * there stay. Records are not garbage collected. Returns the same array when nothing changes.
 */
function finalizersAfterDelete(
  kind: Kind,
  object: StoredObject,
  policy: PropagationPolicy | undefined,
): readonly string[] | undefined {
  const { finalizers } = object.metadata;
  const wanted = kind === 'Event' ? undefined : finalizerOf(policy ?? presentPolicy(finalizers) ?? defaultPolicy(kind));
  const others = (finalizers ?? []).filter((each) => each !== ORPHAN_FINALIZER && each !== FOREGROUND_FINALIZER);
  const next = wanted === undefined ? others : [...others, wanted];
  const isSame = next.length === (finalizers ?? []).length && next.every((each) => finalizers?.includes(each));
  return isSame ? finalizers : next;
}

function presentPolicy(finalizers: readonly string[] = []): PropagationPolicy | undefined {
  if (finalizers.includes(ORPHAN_FINALIZER)) return 'Orphan';
  return finalizers.includes(FOREGROUND_FINALIZER) ? 'Foreground' : undefined;
}

/** The two oldest workloads leave their pods behind, as their first clients expected. */
function defaultPolicy(kind: Kind): PropagationPolicy {
  return kind === 'Job' || kind === 'ReplicationController' ? 'Orphan' : 'Background';
}

function finalizerOf(policy: PropagationPolicy): string | undefined {
  if (policy === 'Orphan') return ORPHAN_FINALIZER;
  return policy === 'Foreground' ? FOREGROUND_FINALIZER : undefined;
}

/** A namespace waits for its content, whatever grace was asked for; its phase says so at once. */
function planNamespaceDeletion(namespace: StoredObject, options: DeleteOptions, moment: Moment): Deletion {
  const { metadata } = namespace;
  if (metadata.deletionTimestamp === undefined) {
    const finalizers = finalizersAfterDelete('Namespace', namespace, options.propagationPolicy);
    const deletionTimestamp = moment.timestamps.toTime(moment.nowMs);
    const marked = {
      ...namespace,
      metadata: { ...metadata, deletionTimestamp, ...(finalizers === undefined ? {} : { finalizers }) },
      status: { ...(namespace.status as object | undefined), phase: 'Terminating' },
    };
    return { marked, isRemoved: false };
  }
  const isEmpty = namespaceFinalizers(namespace).length === 0 && (metadata.finalizers?.length ?? 0) === 0;
  return { marked: namespace, isRemoved: isEmpty };
}

/**
 * A namespace that these hold up; by default those but the one that stands for its content, which is gone. Returns the
 * argument where nothing changes.
 */
export function withNamespaceFinalizers(
  namespace: Namespace,
  finalizers: readonly string[] = namespaceFinalizers(namespace).filter((each) => each !== NAMESPACE_FINALIZER),
): Namespace {
  const before = namespaceFinalizers(namespace);
  const isSame = before.length === finalizers.length && before.every((each, index) => each === finalizers[index]);
  return isSame ? namespace : { ...namespace, spec: { ...namespace.spec, finalizers: [...finalizers] } };
}
