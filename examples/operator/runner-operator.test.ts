/** How the operators of `runner-operator.ts` are searched for bugs: a test like any other of an operator's own suite. */
import test from 'ava';
import { search, type ControllerDefinition, type Draft, type Invariant, type SearchSummary } from 'kubeloom';
import { carefulOperator, carelessOperator, RUNNER } from './runner-operator.js';

/** What the operators promise. */
const oneRunner: Invariant = {
  name: 'one-runner',
  promise: 'a config map never has two pods that have not ended',
  onWrite: {
    Pod: ({ type, object: { metadata } }, world) => {
      const owner = metadata.labels?.[RUNNER];
      if (type !== 'ADDED' || owner === undefined) return undefined;
      const pods = world.list('Pod', { namespace: metadata.namespace, labelSelector: `${RUNNER}=${owner}` });
      const alive = pods.filter(({ status }) => status.phase !== 'Succeeded' && status.phase !== 'Failed');
      if (alive.length < 2) return undefined;
      const names = alive.map((pod) => pod.metadata.name).join(' and ');
      return { object: `ConfigMap ${metadata.namespace}/${owner}`, text: `has the pods ${names}` };
    },
  },
};

const OWNERS = ['ledger', 'mail', 'orders'].map((name): Draft => {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, labels: { [RUNNER]: 'postgres' } } };
});

const KINDS = ['cut', 'delayWatch', 'staleReads', 'crashAfterWrites', 'stopController', 'powerOff'] as const;

/** Nodes are drained and lost; the operator hears of it late, reads what is old, crashes and starts anew. */
function searchFor<State>(operator: ControllerDefinition<State>): Promise<SearchSummary> {
  return search({
    seeds: 60,
    prepare: (cluster) => cluster.addController(operator),
    controllers: [operator.name],
    invariants: [oneRunner],
    adapt: (plan) => ({ ...plan, workloads: OWNERS }),
    bounds: { nodes: [3, 3], changes: [4, 8], faults: [6, 12], kinds: KINDS, reference: 0 },
    stopsAtFirst: true,
  });
}

test('the careless operator makes two pods of one', async (t) => {
  const { discoveries } = await searchFor(carelessOperator);
  const [discovery] = discoveries;
  if (discovery === undefined) return t.fail('nothing was found');
  const { seed, shrunk, shrunkOutcome } = discovery;
  const [violation] = shrunkOutcome.violations;
  t.log(`seed ${seed}: ${violation?.object} ${violation?.text}`);
  for (const action of shrunk.actions) t.log(JSON.stringify(action));
  t.is(violation?.invariant, 'one-runner');
});

test('the careful operator does not', async (t) => {
  const { discoveries } = await searchFor(carefulOperator);
  t.deepEqual(
    discoveries.map(({ seed, shrunkOutcome }) => ({ seed, violation: shrunkOutcome.violations[0] })),
    [],
  );
});
