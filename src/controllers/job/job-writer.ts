import type { Job, JobCondition } from '../../api/objects/batch-objects.js';
import type { ControllerContext } from '../runtime/controller-definition.js';
import type { JobMemory } from './job-memory.js';
import { countFinished, countPods } from './job-metrics.js';
import { StatusDraft } from './status-draft.js';

/** Writes the status of one job during one sync, each time over the version that it wrote last. */
export class JobWriter {
  readonly context: ControllerContext;
  readonly memory: JobMemory;
  readonly key: string;
  readonly status: StatusDraft;
  /** As it was last written. */
  job: Job;
  /** Whether the status has changed since. */
  isDirty = false;
  #told: { readonly succeeded: number; readonly failed: number };

  constructor(context: ControllerContext, memory: JobMemory, key: string, job: Job) {
    this.context = context;
    this.memory = memory;
    this.key = key;
    this.job = job;
    this.status = new StatusDraft(job);
    this.#told = { succeeded: this.status.succeeded, failed: this.status.failed };
  }

  /** The present as a Kubernetes timestamp. */
  readonly timestamp = (): string => this.context.timestamp();

  /** @throws ApiError Conflict if the job was written since it was read */
  async write(): Promise<void> {
    const { uid, resourceVersion } = this.job.metadata;
    const status = this.status.toStatus();
    this.memory.currency.sent(this.key);
    this.job = await this.context.api.change('Job', this.job.metadata, (current) => ({ ...current, status }), {
      subresource: 'status',
      preconditions: { uid, resourceVersion },
    });
    this.memory.currency.answered(this.key, this.job);
    this.isDirty = false;
    const { succeeded, failed } = this.status;
    countPods(this.context.metrics, this.job, 'succeeded', succeeded - this.#told.succeeded);
    countPods(this.context.metrics, this.job, 'failed', failed - this.#told.failed);
    this.#told = { succeeded, failed };
  }

  /** Tells how the job ended. */
  recordEnd(end: JobCondition | undefined): void {
    const { recorder, metrics } = this.context;
    const { job } = this;
    if (end?.type === 'Complete') {
      const { completions } = job.spec;
      if (completions !== undefined && (job.status.succeeded ?? 0) > completions) {
        const text = 'Too many succeeded pods running after completion count reached';
        recorder.record(job, 'Warning', 'TooManySucceededPods', text);
      }
      recorder.record(job, 'Normal', 'Completed', 'Job completed');
      countFinished(metrics, job, 'succeeded', '');
    } else if (end !== undefined) {
      recorder.record(job, 'Warning', end.reason ?? '', end.message ?? '');
      countFinished(metrics, job, 'failed', end.reason ?? '');
    }
  }
}
