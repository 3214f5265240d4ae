import test, { type ExecutionContext } from 'ava';
import {
  createCluster,
  hostCluster,
  type Cluster,
  type Draft,
  type SafetyViolation,
  type TimedWarning,
} from '../../src/index.js';

const pod = (node: string): Draft => ({
  metadata: { name: 'db-0' },
  spec: { nodeName: node, terminationGracePeriodSeconds: 5, containers: [{ name: 'db', image: 'db' }] },
});

/** A pod that runs on node-1 of three. */
async function createScene(t: ExecutionContext): Promise<{ cluster: Cluster; violations: SafetyViolation[] }> {
  const cluster = createCluster({ nodes: 3, seed: 3 });
  t.teardown(() => cluster.dispose());
  const violations: SafetyViolation[] = [];
  cluster.truth.violations$.subscribe((violation) => violations.push(violation));
  await cluster.ready();
  cluster.create('Pod', pod('node-1'));
  await cluster.run({ until: { readyPods: 1 }, limit: '1m' });
  return { cluster, violations };
}

test('truth › shows the processes of each machine, and a graceful deletion leaves none behind', async (t) => {
  const { cluster, violations } = await createScene(t);
  const { uid } = cluster.get('Pod', 'db-0').metadata;
  const set = { pod: 'default/db-0', uid, node: 'node-1', containers: ['db'] };
  t.deepEqual(cluster.truth.processes(), [set]);
  t.deepEqual(cluster.truth.processes('db-0'), [set]);
  t.deepEqual(cluster.truth.processes('db-1'), []);
  cluster.delete('Pod', 'db-0');
  await cluster.run({ limit: '30s' });
  t.deepEqual(cluster.truth.processes(), []);
  t.deepEqual(violations, []);
  t.deepEqual(cluster.truth.counts, { unconfirmedDeletions: 0, splitBrains: 0 });
});

test('9.7 › a pod that is force deleted on a partitioned node runs on, and beside its successor it is a split brain', async (t) => {
  const { cluster, violations } = await createScene(t);
  const { uid } = cluster.get('Pod', 'db-0').metadata;
  const older = { pod: 'default/db-0', uid, node: 'node-1', containers: ['db'] };
  const partition = cluster.faults.cut({ node: 'node-1' });
  cluster.delete('Pod', 'db-0', { gracePeriodSeconds: 0 });
  const deletedMs = cluster.nowMs;
  await cluster.run({ limit: '10s' });
  t.deepEqual(cluster.truth.unconfirmed(), [older]);
  const successor = cluster.create('Pod', pod('node-2')).metadata.uid;
  await cluster.run({ until: { readyPods: 1 }, limit: '1m' });
  const newer = { pod: 'default/db-0', uid: successor, node: 'node-2', containers: ['db'] };
  const [deletion, splitBrain, ...others] = violations;
  t.deepEqual(deletion, {
    atMs: deletedMs,
    type: 'UnconfirmedDeletion',
    pod: 'default/db-0',
    by: 'user',
    instances: [older],
    text: 'pod default/db-0 was removed by user while its processes may run on node-1: nobody has confirmed their end',
  });
  t.like(splitBrain, {
    type: 'SplitBrain',
    pod: 'default/db-0',
    by: 'user',
    text: `split brain: default/db-0 runs on node-1 (${uid}) and on node-2 (${successor})`,
  });
  t.deepEqual(splitBrain?.instances, [older, newer]);
  t.deepEqual(others, []);
  t.deepEqual(cluster.truth.counts, { unconfirmedDeletions: 1, splitBrains: 1 });
  const samples = await cluster.metrics.samples();
  t.deepEqual(
    samples
      .filter(({ name }) => name === 'kubeloom_safety_violations_total')
      .map(({ labels, value }) => [labels, value]),
    [
      [{ type: 'UnconfirmedDeletion' }, 1],
      [{ type: 'SplitBrain' }, 1],
    ],
  );
  partition.heal();
  await cluster.run({ limit: '30s' });
  t.deepEqual(cluster.truth.unconfirmed(), []);
  t.deepEqual(cluster.truth.processes('db-0'), [newer]);
});

test('truth › a pod that waits in a back-off counts as unconfirmed, since its kubelet would start it again', async (t) => {
  const { cluster, violations } = await createScene(t);
  cluster.create('Pod', {
    metadata: { name: 'looping', annotations: { 'kubeloom.dev/crash-after': '1s' } },
    spec: { nodeName: 'node-1', containers: [{ name: 'c', image: 'c' }] },
  });
  await cluster.run({ limit: '100s' });
  cluster.faults.cut({ node: 'node-1' });
  t.deepEqual(cluster.truth.processes('looping')[0]?.containers, []);
  cluster.delete('Pod', 'looping', { gracePeriodSeconds: 0 });
  await cluster.run({ limit: '1s' });
  t.deepEqual(
    violations.map(({ type, pod: name }) => [type, name]),
    [['UnconfirmedDeletion', 'default/looping']],
  );
});

test('truth › a machine that was switched off has no processes, so a force deletion there breaks no promise', async (t) => {
  const { cluster, violations } = await createScene(t);
  cluster.faults.powerOff('node-1');
  t.deepEqual(cluster.truth.processes(), []);
  cluster.delete('Pod', 'db-0', { gracePeriodSeconds: 0 });
  cluster.create('Pod', pod('node-2'));
  await cluster.run({ until: { readyPods: 1 }, limit: '1m' });
  t.deepEqual(violations, []);
  t.deepEqual(
    cluster.truth.processes().map(({ node }) => node),
    ['node-2'],
  );
});

test('truth › of a hosted cluster comes as plain data', async (t) => {
  const hosted = await hostCluster({ nodes: 3 });
  t.teardown(() => hosted.dispose());
  await hosted.ready();
  await hosted.create('Pod', pod('node-1'));
  await hosted.run({ until: { readyPods: 1 }, limit: '1m' });
  const { uid } = (await hosted.get('Pod', 'db-0')).metadata;
  t.deepEqual(await hosted.truth(), {
    processes: [{ pod: 'default/db-0', uid, node: 'node-1', containers: ['db'] }],
    unconfirmed: [],
    counts: { unconfirmedDeletions: 0, splitBrains: 0 },
  });
});

test('delete › by force warns in the words of kubectl, and cannot be graceful at once', async (t) => {
  const { cluster } = await createScene(t);
  const warnings: TimedWarning[] = [];
  cluster.warnings$.subscribe((warning) => warnings.push(warning));
  t.throws(() => cluster.delete('Pod', 'db-0', { force: true, gracePeriodSeconds: 30 }), {
    name: 'OptionError',
    message: 'gracePeriodSeconds must be absent or 0 beside force, got 30',
  });
  t.deepEqual(warnings, []);
  cluster.delete('Pod', 'db-0', { force: true });
  t.deepEqual(cluster.list('Pod'), []);
  t.deepEqual(warnings, [
    {
      atMs: cluster.nowMs,
      text:
        'Warning: Immediate deletion does not wait for confirmation that the running resource has been terminated. ' +
        'The resource may continue to run on the cluster indefinitely.',
    },
  ]);
});
