import test from 'ava';
import { isSameCause } from '../../../src/laboratory/fuzz/same-cause.js';
import { readMutants, type Mutant } from '../../mutants/mutant.js';
import { loadMutant } from './planted/broken-program.js';

const TIMEOUT_MS = 600_000;
/** Plans that are played in no time, and yet have several workloads. */
const SMALL = { nodes: [3, 3], minutes: [3, 3], faults: [2, 2], changes: [3, 3], reference: 0 } as const;
const BUG = 'a budget does not notice that pods change';

const nameOf = (object: Readonly<Record<string, unknown>>): string =>
  (object['metadata'] as { readonly name: string }).name;

test('shrinking › of what a bug broke its own workload is left, with the same promise and the same kind of object', async (t) => {
  t.timeout(TIMEOUT_MS);
  const { search } = await loadMutant(readMutants().find(({ bug }) => bug === BUG) as Mutant);
  const { discoveries } = await search({ seeds: 20, bounds: SMALL, stopsAtFirst: true });
  const [discovery] = discoveries;
  if (discovery === undefined) return t.fail('nothing was found');
  const { plan, outcome, shrunk, shrunkOutcome } = discovery;
  const [before, after] = [outcome.violations[0], shrunkOutcome.violations[0]];
  t.is(before?.invariant, 'budgets-count-pods');
  t.true(isSameCause(before, after));
  t.is(after?.object.split(' ')[0], 'PodDisruptionBudget');
  const budget = after?.object.replace(/^.*\//, '') ?? '';
  const families = [...new Set(plan.workloads.map(nameOf))];
  t.true(families.length > 1 && families.includes(budget), families.join(', '));
  t.deepEqual([...new Set(shrunk.workloads.map(nameOf))], [budget]);
  // Nothing is done any more to what was left out.
  const others = families.filter((name) => name !== budget);
  const text = JSON.stringify(shrunk.actions);
  t.deepEqual(
    others.filter((name) => text.includes(`/${name}"`)),
    [],
  );
});
