import test from 'ava';
import { shrinkPlan } from '../../../src/laboratory/fuzz/shrink-plan.js';
import { defineController, keyOf, playPlan, search, type Cluster, type PlanDocument } from '../../../src/index.js';

/** Dozens of clusters take their time on a slow machine. */
const TIMEOUT_MS = 600_000;

const PLAN: PlanDocument = {
  title: 'a deployment under a fault',
  cluster: { seed: '3', nodes: 3, invariants: true },
  workloads: [
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'web' },
      spec: {
        replicas: 3,
        selector: { matchLabels: { app: 'web' } },
        template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'app', image: 'web:1' }] } },
      },
    },
  ],
  actions: [{ at: '2m', for: '30s', stopController: { controller: 'greedy' } }],
  reference: true,
};

/** An operator that takes each of its starts for a reason to have one more replica. */
function greedyOperator(cluster: Cluster): void {
  let starts = 0;
  cluster.addController(
    defineController({
      name: 'greedy',
      setup: (context) => {
        starts += 1;
        context.watch('Deployment', {
          onAdd: (deployment) => {
            if (starts > 1) context.queue.add(keyOf(deployment));
          },
        });
      },
      reconcile: async (context, key) => {
        const deployment = context.informer('Deployment').getByKey(key);
        if (deployment === undefined) return;
        const replicas = (deployment.spec.replicas ?? 1) + 1;
        await context.api.patch('Deployment', deployment.metadata, { type: 'merge', body: { spec: { replicas } } });
      },
    }),
  );
}

test('reference › the same end is no find, and counts as looked at', async (t) => {
  const { violations, evaluated } = await playPlan({
    ...PLAN,
    actions: [{ at: '2m', for: '5m', powerOff: { node: 'node-1' } }],
  });
  t.deepEqual(violations, []);
  t.is(evaluated.get('same-as-without-faults'), 1);
});

test('reference › an operator that leaves something else behind after a crash is found', async (t) => {
  const { violations } = await playPlan(PLAN, { prepare: greedyOperator });
  const [violation] = violations;
  t.is(violation?.invariant, 'same-as-without-faults');
  t.is(violation?.object, 'Deployment default/web');
  t.regex(
    violation?.text ?? '',
    /^with faults Deployment default\/web: \{"spec":\{"replicas":4,.*; without Deployment default\/web: \{"spec":\{"replicas":3,/,
  );
  const { violations: none } = await playPlan({ ...PLAN, reference: false }, { prepare: greedyOperator });
  t.deepEqual(none, []);
});

test('shrinking › fifty faults of which one matters become that one', async (t) => {
  t.timeout(TIMEOUT_MS);
  const [crash] = PLAN.actions;
  if (crash === undefined) return t.fail('the plan has no fault');
  const others = Array.from({ length: 49 }, (_, index) => ({
    at: `${60 + index}s`,
    for: '20s',
    slow: { node: `node-${index % 3}`, latency: `${100 + index}ms` },
  }));
  const plan = { ...PLAN, actions: [...others.slice(0, 20), crash, ...others.slice(20)] };
  const shrunk = await shrinkPlan(plan, async (candidate) => {
    const { violations } = await playPlan(candidate, { prepare: greedyOperator });
    return violations[0]?.invariant === 'same-as-without-faults';
  });
  t.deepEqual(shrunk.actions, [crash]);
});

test('reference › a search finds it by faults that befall the operator, and shrinks the plan to one', async (t) => {
  t.timeout(TIMEOUT_MS);
  const { discoveries, faults, crashes } = await search({
    seeds: 60,
    prepare: greedyOperator,
    controllers: ['greedy'],
    bounds: { kinds: ['stopController'], reference: 1, changes: [0, 0], faults: [4, 4] },
    stopsAtFirst: true,
  });
  const [discovery] = discoveries;
  if (discovery === undefined) return t.fail('nothing was found');
  // One replica more is another end, or one too many for a volume of a single node.
  t.regex(discovery.shrunkOutcome.violations[0]?.invariant ?? '', /^(?:same-as-without-faults|liveness)$/);
  t.is(discovery.shrunk.actions.length, 1);
  t.deepEqual(discovery.shrunk.actions[0]?.['stopController'], { controller: 'greedy' });
  t.true((crashes.get('greedy') ?? 0) > 0 && (faults.get('stopController')?.tookEffect ?? 0) > 0);
});
