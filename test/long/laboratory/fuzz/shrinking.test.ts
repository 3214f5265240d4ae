import test from 'ava';
import type { PlanDocument } from '../../../../src/index.js';
import { isSameCause } from '../../../../src/laboratory/fuzz/same-cause.js';
import { shrinkPlan } from '../../../../src/laboratory/fuzz/shrink-plan.js';
import { readMutants, type Mutant } from '../../../mutants/mutant.js';
import { loadMutant } from '../../../laboratory/fuzz/planted/broken-program.js';

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

const named = (kind: string, name: string, spec: object = {}): PlanDocument['workloads'][number] => ({
  kind,
  metadata: { name },
  spec,
});
const wordsOf = ({ workloads, actions }: PlanDocument): readonly string[] => [
  ...workloads.map((object) => `${String(object['kind'])} ${nameOf(object)}`),
  ...actions.map(({ at, ...action }) => `${at} ${Object.keys(action).join()}`),
];

test('shrinking › what is left keeps the claims, volumes and classes that it names, whatever they are called', async (t) => {
  const volumes = [
    { name: 'data', persistentVolumeClaim: { claimName: 'shared' } },
    { name: 'settings', configMap: { name: 'words' } },
  ];
  const plan: PlanDocument = {
    title: 'claims',
    cluster: { seed: '1' },
    workloads: [
      named('StorageClass', 'disk'),
      named('StorageClass', 'other-disk'),
      named('PersistentVolume', 'volume-1'),
      named('ConfigMap', 'words'),
      named('PersistentVolumeClaim', 'shared', { volumeName: 'volume-1', storageClassName: 'disk' }),
      named('Job', 'batch', { template: { spec: { volumes } } }),
      named('Service', 'batch'),
      named('Deployment', 'web'),
    ],
    actions: [],
  };
  const tried: (readonly string[])[] = [];
  const shrunk = await shrinkPlan(plan, (candidate) => {
    const words = wordsOf(candidate);
    tried.push(words);
    return Promise.resolve(words.includes('Job batch'));
  });
  const kept = ['StorageClass disk', 'PersistentVolume volume-1', 'ConfigMap words', 'PersistentVolumeClaim shared'];
  t.deepEqual(wordsOf(shrunk), [...kept, 'Job batch']);
  t.true(tried.length > 2);
  for (const words of tried)
    t.true(!words.includes('Job batch') || kept.every((word) => words.includes(word)), words.join());
});

test('shrinking › a taint is left out with the action that takes it away, and not without it', async (t) => {
  const [first, second] = ['node-1', 'node-2'].map((node) => ({ node, key: 'maintenance', effect: 'NoSchedule' }));
  const plan: PlanDocument = {
    title: 'taints',
    cluster: { seed: '1' },
    workloads: [],
    actions: [
      { at: '1s', taint: first },
      { at: '2s', taint: second },
      { at: '3s', untaint: first },
      { at: '4s', taint: first },
      { at: '5s', untaint: second },
      { at: '6s', untaint: first },
      { at: '7s', drain: { node: 'node-1' } },
    ],
  };
  const shrunk = await shrinkPlan(plan, (candidate) => Promise.resolve(wordsOf(candidate).includes('4s taint')));
  t.deepEqual(wordsOf(shrunk), ['4s taint', '6s untaint']);
});
