import test from 'ava';
import type { AnyPlugin } from '../../src/scheduler/framework/interface.js';
import { Code, createStatus } from '../../src/scheduler/framework/status.js';
import { DEFAULT_PLUGINS } from '../../src/scheduler/plugins/registry.js';
import { createScheduledCluster } from './support/scheduled-cluster.js';
import { testNode, testPod } from './support/objects.js';

test('pods of one tick are popped one at a time: the others wait while one is decided', async (t) => {
  const seen: unknown[] = [];
  const witness: AnyPlugin = {
    name: 'Witness',
    preFilter(_state, { pod }) {
      const { active, inFlight } = cluster.scheduler.stats.queue;
      seen.push([pod.metadata.name, { active, inFlight, atMs: cluster.kernel.clock.now() }]);
      return undefined;
    },
    eventsToRegister: () => [],
  };
  const cluster = createScheduledCluster({
    plugins: [...DEFAULT_PLUGINS, { name: 'Witness' }],
    registry: { Witness: () => witness },
  });
  cluster.create(testNode('n1'), testPod('a'), testPod('b'), testPod('c'));
  await cluster.run();
  const [atMs] = seen.map((each) => (each as [string, { atMs: number }])[1].atMs);
  t.deepEqual(seen, [
    ['a', { active: 2, inFlight: 1, atMs }],
    ['b', { active: 1, inFlight: 1, atMs }],
    ['c', { active: 0, inFlight: 1, atMs }],
  ]);
  await cluster.dispose();
});

test('a storm of events retries waiting pods once in a millisecond, not once for each event', async (t) => {
  const cluster = createScheduledCluster({
    plugins: [...DEFAULT_PLUGINS, { name: 'Never' }],
    registry: {
      Never: () => ({ name: 'Never', filter: () => createStatus(Code.Unschedulable, 'Never', 'never') }),
    },
  });
  cluster.create(testNode('n0'));
  for (let index = 0; index < 40; index += 1) cluster.create(testPod(`p${index}`));
  await cluster.run(500);
  const before = cluster.scheduler.stats.attempts;
  for (let index = 1; index <= 20; index += 1) {
    cluster.create(testNode(`n${index}`));
    await cluster.run(1);
  }
  const attempts = cluster.scheduler.stats.attempts - before;
  t.true(attempts > 0 && attempts <= 20, `${attempts} attempts`);
  await cluster.dispose();
});
