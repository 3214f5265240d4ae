import { InputError } from '../../workload/input-error.js';

/** What cannot be taken over. */
export class ImportError extends InputError {
  override readonly name = 'ImportError';
}
