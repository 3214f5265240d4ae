import { InputError } from '../../workload/input-error.js';

/** A scenario that cannot be played: the message names the place, the field, what it got and what is allowed. */
export class ScenarioError extends InputError {
  override readonly name = 'ScenarioError';
}
