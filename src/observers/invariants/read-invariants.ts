import { checkValue, MAPPING } from '../../options/option-checks.js';
import { OptionError } from '../../options/option-error.js';
import type { Invariant } from './invariant.js';
import { INVARIANTS } from './invariants.js';

/** The invariants that the option asks for. @throws OptionError */
export function invariantsOf(given: unknown): readonly Invariant[] {
  if (given === undefined || given === false) return [];
  if (given === true) return INVARIANTS;
  if (!Array.isArray(given)) throw new OptionError('invariants', 'true, false or a list of invariants', given);
  const names = new Set<unknown>();
  for (const [index, invariant] of (given as readonly Partial<Invariant>[]).entries()) {
    const path = `invariants[${index}]`;
    checkValue(path, invariant, MAPPING);
    const { name, promise } = invariant;
    if (typeof name !== 'string' || name === '') throw new OptionError(`${path}.name`, 'a non-empty text', name);
    if (names.has(name)) throw new OptionError(`${path}.name`, 'unlike those before it', name);
    names.add(name);
    if (typeof promise !== 'string' || promise === '') {
      throw new OptionError(`${path}.promise`, 'a non-empty text', promise);
    }
  }
  return given as readonly Invariant[];
}
