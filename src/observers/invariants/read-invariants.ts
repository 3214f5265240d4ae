import { kindRegistry } from '../../api/kinds/registry.js';
import { checkedOptions, FUNCTION, MAPPING, type Check, type Checks } from '../../options/option-checks.js';
import { OptionError } from '../../options/option-error.js';
import type { Invariant } from './invariant.js';
import { INVARIANTS } from './invariants.js';

const NON_EMPTY: Check = ['a non-empty text', (value) => typeof value === 'string' && value !== ''];
const CHECKS: Checks<Invariant> = {
  name: NON_EMPTY,
  promise: NON_EMPTY,
  onWrite: MAPPING,
  onProcess: FUNCTION,
  onParting: FUNCTION,
  atRest: FUNCTION,
};

const WRITE_CHECKS: Readonly<Record<string, Check>> = Object.fromEntries(
  Object.keys(kindRegistry).map((kind) => [kind, FUNCTION]),
);

/** The invariants that the option asks for. @throws OptionError */
export function invariantsOf(given: unknown): readonly Invariant[] {
  if (given === undefined || given === false) return [];
  if (given === true) return INVARIANTS;
  if (!Array.isArray(given)) throw new OptionError('invariants', 'true, false or a list of invariants', given);
  const names = new Set<unknown>();
  for (const [index, invariant] of (given as readonly Invariant[]).entries()) {
    const path = `invariants[${index}]`;
    checkedOptions(`${path}.`, invariant, CHECKS, ['name', 'promise']);
    checkedOptions(`${path}.onWrite.`, invariant.onWrite ?? {}, WRITE_CHECKS);
    const { name } = invariant;
    if (names.has(name)) throw new OptionError(`${path}.name`, 'unlike those before it', name);
    names.add(name);
  }
  return given as readonly Invariant[];
}
