import { InputError } from '../../workload/input-error.js';

/** A load test that cannot be read: a user's mistake, told with its file, line and field. */
export class LoadError extends InputError {
  override readonly name = 'LoadError';
}
