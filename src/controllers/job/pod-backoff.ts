/**
 * How long a job waits before it replaces pods that failed: 10 s, doubled with every further failure in
 * a row, 10 min at most. Mirrors kube-controller-manager v1.34 pkg/controller/job/backoff_utils.go; what
 * it remembers goes with the process, as upstream's.
 */
import type { Pod } from '../../api/objects/objects.js';
import type { Timestamps } from '../../kernel/timestamps.js';
import { failureCountOf, finishTimeOf, ignoredFailureCountOf } from './job-pods.js';

const FIRST_DELAY_MS = 10_000;
const LONGEST_DELAY_MS = 600_000;

/** The failures of a job since its last success. */
export interface BackoffRecord {
  readonly failures: number;
  /** Simulated milliseconds; NaN when there are none. */
  readonly lastFailureMs: number;
}

/** A job without failures. */
export const NO_FAILURES: BackoffRecord = { failures: 0, lastFailureMs: Number.NaN };

/** The record after these pods have ended, too. */
export function nextRecord(
  record: BackoffRecord,
  succeeded: readonly Pod[],
  failed: readonly Pod[],
  timestamps: Timestamps,
): BackoffRecord {
  const failedMs = failed.map((pod) => finishTimeOf(pod, timestamps));
  if (succeeded.length === 0) {
    if (failed.length === 0) return record;
    return { failures: record.failures + failed.length, lastFailureMs: greatest(failedMs) };
  }
  const lastSuccessMs = greatest(succeeded.map((pod) => finishTimeOf(pod, timestamps)));
  const later = failedMs.filter((timeMs) => timeMs > lastSuccessMs);
  return later.length === 0 ? NO_FAILURES : { failures: later.length, lastFailureMs: greatest(later) };
}

/** Milliseconds until a job may make pods again; 0 when it may now. */
export function remainingMs({ failures, lastFailureMs }: BackoffRecord, nowMs: number): number {
  if (failures === 0) return 0;
  const delayMs = Math.min(FIRST_DELAY_MS * 2 ** Math.min(failures - 1, 30), LONGEST_DELAY_MS);
  return Math.max(0, delayMs - (nowMs - lastFailureMs));
}

/** The same for one index; its failures stand on its last failed pod. */
export function indexRemainingMs(lastFailed: Pod | undefined, nowMs: number, timestamps: Timestamps): number {
  if (lastFailed === undefined) return 0;
  const failures = failureCountOf(lastFailed) + ignoredFailureCountOf(lastFailed) + 1;
  return remainingMs({ failures, lastFailureMs: finishTimeOf(lastFailed, timestamps) }, nowMs);
}

function greatest(values: readonly number[]): number {
  let most = Number.NEGATIVE_INFINITY;
  for (const value of values) most = Math.max(most, value);
  return most;
}
