/**
 * Knows of which jobs the cache may be older than what this controller has written: a job that seems to be short of
 * a pod, though the status with the pod that it has had is on its way, would get one too many, even after it is
 * complete. kube-controller-manager v1.34 lives with that; this controller does as later releases do (KEP-5647) and
 * waits until it sees its own writes, and asks the API server where it cannot know what it has written.
 */
import type { Job } from '../../api/objects/batch-objects.js';
import type { ControllerContext } from '../runtime/controller-definition.js';
import { RetryError } from '../runtime/retry-error.js';

/** Not known what the API server has last taken in: its answer was lost, or another run of the controller wrote. */
const UNKNOWN = Number.POSITIVE_INFINITY;

/** See the file header. */
export class JobCurrency {
  /** The version that was last written, by key; a job that is not in it was not synced in this run. */
  readonly #written = new Map<string, number>();

  /** A status is being sent. */
  sent(key: string): void {
    this.#written.set(key, UNKNOWN);
  }

  /** The API server has answered with the job as it is now. */
  answered(key: string, job: Job): void {
    this.#written.set(key, versionOf(job));
  }

  drop(key: string): void {
    this.#written.delete(key);
  }

  /** Whether `job`, out of the cache, is surely no older than what was last written. */
  isSure(key: string, job: Job): boolean {
    return versionOf(job) >= this.#lastWritten(key, job);
  }

  /** Asks the API server where it cannot know. @throws RetryError if the cache is older than what was written */
  async confirm(context: ControllerContext, key: string, job: Job): Promise<void> {
    const isKnown = this.#lastWritten(key, job) !== UNKNOWN;
    const current = isKnown ? undefined : await context.api.get('Job', job.metadata);
    if (current?.metadata.resourceVersion !== job.metadata.resourceVersion) {
      throw new RetryError(`the cache has not caught up with job ${key}`);
    }
    this.answered(key, job);
  }

  #lastWritten(key: string, { status }: Job): number {
    return this.#written.get(key) ?? (status.startTime === undefined ? 0 : UNKNOWN);
  }
}

function versionOf({ metadata }: Job): number {
  return Number(metadata.resourceVersion);
}
