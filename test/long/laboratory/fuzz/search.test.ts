import test from 'ava';
import { keyOf, type Pod } from '../../../../src/api/objects/objects.js';
import { drawPlan } from '../../../../src/laboratory/fuzz/draw-plan.js';
import { shrinkPlan } from '../../../../src/laboratory/fuzz/shrink-plan.js';
import {
  defineController,
  foundText,
  OptionError,
  parseFound,
  playPlan,
  search,
  type Cluster,
  type PlanDocument,
} from '../../../../src/index.js';

/** The fixed seeds of a short search; `npm run fuzz` draws others. */
const SEEDS = 8;
/** Dozens of clusters take their time on a slow machine. */
const TIMEOUT_MS = 600_000;

test('search › finds nothing wrong with the program, with any number of threads', async (t) => {
  t.timeout(TIMEOUT_MS);
  const hashes: string[][] = [[], []];
  for (const [index, workers] of [0, 2].entries()) {
    const summary = await search({
      seeds: SEEDS,
      workers,
      onSeed: (seed, { traceHash }) => {
        (hashes[index] as string[])[seed] = traceHash;
      },
    });
    t.deepEqual(summary.discoveries, []);
    t.is(summary.seeds, SEEDS);
    t.true(summary.virtualMs > SEEDS * 60_000);
    const idle = [...summary.evaluated].filter(([, times]) => times === 0).map(([name]) => name);
    t.deepEqual(idle, []);
    t.true(summary.failedRequests > 0 && summary.podsCreated > 0);
    t.true(summary.processesStarted >= summary.podsCreated / 2);
  }
  t.deepEqual(hashes[0], hashes[1]);
});

test('search › a plan follows from its seed and bounds, and keeps to them', (t) => {
  t.deepEqual(drawPlan('7'), drawPlan('7'));
  t.notDeepEqual(drawPlan('7'), drawPlan('8'));
  const { cluster, actions } = drawPlan('10', {
    bounds: { nodes: [4, 4], faults: [9, 9], changes: [0, 0], minutes: [5, 5] },
  });
  t.is(cluster['nodes'], 4);
  // All nodes at once are one fault.
  t.is(new Set(actions.map(({ at }) => at)).size, 9);
  for (const { at } of actions) t.true(Number.parseInt(at, 10) <= 5 * 60_000);
});

test('shrinking › fifty actions of which one matters become that one', async (t) => {
  const plan: PlanDocument = {
    ...drawPlan('1'),
    actions: Array.from({ length: 50 }, (_, index) => ({ at: `${index}s`, uncordon: `node-${index}` })),
  };
  const shrunk = await shrinkPlan(plan, ({ actions }) =>
    Promise.resolve(actions.some((action) => action['uncordon'] === 'node-37')),
  );
  t.deepEqual(shrunk.actions, [{ at: '37s', uncordon: 'node-37' }]);
  t.deepEqual(shrunk.workloads, []);
});

/** An operator that does not wait for a kubelet it cannot hear: it takes pods away that are being deleted. */
function impatientOperator(cluster: Cluster): void {
  cluster.addController(
    defineController({
      name: 'impatient',
      setup: (context) => {
        context.watch('Pod', {
          onUpdate: (_previous, pod: Pod) => {
            if (pod.metadata.deletionTimestamp !== undefined) context.queue.add(keyOf(pod));
          },
        });
      },
      async reconcile(context, key) {
        const pod = context.informer('Pod').getByKey(key);
        if (pod?.metadata.deletionTimestamp === undefined) return;
        const { uid } = pod.metadata;
        await context.api
          .delete('Pod', pod.metadata, { gracePeriodSeconds: 0, preconditions: { uid } })
          .catch(() => undefined);
      },
    }),
  );
}

test('search › finds the operator that does not wait, and plays it again', async (t) => {
  t.timeout(TIMEOUT_MS);
  const { discoveries } = await search({ seeds: 20, prepare: impatientOperator, stopsAtFirst: true });
  const [discovery] = discoveries;
  if (discovery === undefined) return t.fail('nothing was found');
  const { shrunk, shrunkOutcome, plan } = discovery;
  t.is(shrunkOutcome.violations[0]?.invariant, 'removed-by-its-kubelet');
  t.true(shrunk.actions.length <= 3 && shrunk.actions.length <= plan.actions.length);
  const found = parseFound(foundText(discovery, '1.2.3'), 'found.yaml');
  t.deepEqual(
    [found.version, found.invariant, found.traceHash],
    ['1.2.3', 'removed-by-its-kubelet', shrunkOutcome.traceHash],
  );
  const again = await playPlan(found.plan, { prepare: impatientOperator });
  t.is(again.traceHash, shrunkOutcome.traceHash);
  t.deepEqual(again.violations, shrunkOutcome.violations);
});

test('search › functions do not go to other threads', async (t) => {
  await t.throwsAsync(search({ seeds: 1, workers: 1, prepare: impatientOperator }), {
    instanceOf: OptionError,
    message: 'workers must be 0 with prepare, adapt, invariants or onEntry, which are functions of this thread, got 1',
  });
});
