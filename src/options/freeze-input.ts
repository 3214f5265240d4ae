import { findUnplain } from '../workload/plain-data.js';
import { fieldPathText } from '../api/decoding/decode.js';
import { OptionError } from './option-error.js';

/** Depth from which the input is searched for a circle. */
const SUSPECT_DEPTH = 100;

/**
 * Freezes what a user hands in, all the way down: objects are shared, not copied, so a later change
 * to the user's own would change the cluster behind its back. Now it throws in the user's code.
 *
 * @throws OptionError for an object that holds itself, or nests too deep
 */
export function freezeInput<T>(input: T): T {
  freeze(input, 0, input);
  return input;
}

/** {@link freezeInput} of what must be an object. @throws OptionError */
export function freezeObject<T>(name: string, input: T): T {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    throw new OptionError(name, 'an object', input);
  }
  return freezeInput(input);
}

function freeze(value: unknown, depth: number, root: unknown): void {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return;
  if (depth === SUSPECT_DEPTH) refuseUnplain(root);
  for (const key in value) freeze(value[key as keyof typeof value], depth + 1, root);
  Object.freeze(value);
}

function refuseUnplain(root: unknown): void {
  const found = findUnplain(root);
  if (found === undefined) return;
  const { path, problem } = found;
  throw OptionError.of('object', new Error(`${fieldPathText(['object', ...path])} ${problem}`));
}
