import { InputError } from '../input-error.js';

/** A scheduler_perf configuration, or one of its templates, that cannot be used. */
export class SchedulerPerfError extends InputError {
  override readonly name = 'SchedulerPerfError';
}
