import { findUnplain } from '../workload/plain-data.js';
import { fieldPathText } from '../api/decoding/decode.js';
import { checkValue, MAPPING } from './option-checks.js';
import { OptionError } from './option-error.js';

/** Depth from which the input is searched for a circle. */
const SUSPECT_DEPTH = 100;

/**
 * Freezes what a user hands in, all the way down: objects are shared, not copied, so a later change
 * to the user's own would change the cluster behind its back. Now it throws in the user's code.
 *
 * @param name - what it is called in messages
 * @throws OptionError for an object that holds itself, nests too deep, or cannot be read or frozen
 */
export function freezeInput<T>(name: string, input: T): T {
  try {
    freeze(input, 0, input);
  } catch (error) {
    throw error instanceof OptionError ? error : new OptionError(name, 'plain data', input);
  }
  return input;
}

/** {@link freezeInput} of what must be an object. @throws OptionError */
export function freezeObject<T>(name: string, input: T): T {
  checkValue(name, input, MAPPING);
  return freezeInput(name, input);
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
