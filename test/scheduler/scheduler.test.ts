import test from 'ava';
import type { Pod } from '../../src/api/objects/objects.js';
import { createScheduledCluster, type ScheduledCluster } from './support/scheduled-cluster.js';
import { testNode, testPod } from './support/objects.js';

function scheduledCondition(pod: Pod): unknown {
  return pod.status.conditions?.find(({ type }) => type === 'PodScheduled');
}

test('scheduler › a pod that fits is bound, and an Event says so', async (t) => {
  const cluster = createScheduledCluster();
  cluster.create(testNode('n1'), testPod('web', { requests: { cpu: '1' } }));
  await cluster.run();
  t.is(cluster.pod('web').spec.nodeName, 'n1');
  const [event] = cluster.events('Scheduled');
  t.is(event?.message, 'Successfully assigned default/web to n1');
  t.is(event?.type, 'Normal');
  t.is(event?.action, 'Binding');
  t.like(cluster.scheduler.stats, { attempts: 1, scheduled: 1, unschedulable: 0, errors: 0 });
  await cluster.dispose();
});

test('scheduler › a pod that fits nowhere gets the whole text as condition and as Event', async (t) => {
  const cluster = createScheduledCluster();
  cluster.create(
    testNode('n1', { allocatable: { cpu: '1', memory: '1Gi', pods: '110' } }),
    testNode('n2', { taints: [{ key: 'dedicated', value: 'db', effect: 'NoSchedule' }] }),
    testNode('n3', { unschedulable: true }),
    testPod('web', { requests: { cpu: '2', memory: '2Gi' } }),
  );
  await cluster.run();
  const text =
    '0/3 nodes are available: 1 Insufficient cpu, 1 Insufficient memory, 1 node(s) had untolerated taint {dedicated: db}, 1 node(s) were unschedulable. no new claims to deallocate, preemption: 0/3 nodes are available: 3 Preemption is not helpful for scheduling.';
  t.like(scheduledCondition(cluster.pod('web')), {
    status: 'False',
    reason: 'Unschedulable',
    message: text,
    lastProbeTime: null,
  });
  t.deepEqual(
    cluster.events('FailedScheduling').map(({ type, action, message }) => ({ type, action, message })),
    [{ type: 'Warning', action: 'Scheduling', message: text }],
  );
  const [explanation] = cluster.scheduler.explain('default/web')?.attempts ?? [];
  t.is(explanation?.outcome, 'unschedulable');
  t.is(explanation?.message, text);
  t.deepEqual(explanation?.nodes, { total: 3, visited: 3, feasible: 0 });
  t.deepEqual(explanation?.rejections, [
    {
      plugin: 'NodeResourcesFit',
      code: 'UnschedulableAndUnresolvable',
      reasons: ['Insufficient cpu', 'Insufficient memory'],
      count: 1,
      nodes: ['n1'],
    },
    {
      plugin: 'TaintToleration',
      code: 'UnschedulableAndUnresolvable',
      reasons: ['node(s) had untolerated taint {dedicated: db}'],
      count: 1,
      nodes: ['n2'],
    },
    {
      plugin: 'NodeUnschedulable',
      code: 'UnschedulableAndUnresolvable',
      reasons: ['node(s) were unschedulable'],
      count: 1,
      nodes: ['n3'],
    },
  ]);
  await cluster.dispose();
});

test('scheduler › a pod without any node waits on the error back-off and is placed when a node comes', async (t) => {
  const cluster = createScheduledCluster();
  cluster.create(testPod('web'));
  await cluster.run();
  t.like(scheduledCondition(cluster.pod('web')), {
    reason: 'Unschedulable',
    message: 'no nodes available to schedule pods',
  });
  cluster.create(testNode('n1'));
  await cluster.run(10_000);
  t.is(cluster.pod('web').spec.nodeName, 'n1');
  await cluster.dispose();
});

test('scheduler › an unschedulable pod is retried by the event that its rejecting plugin waits for, and by no other', async (t) => {
  const cluster = createScheduledCluster();
  cluster.create(testNode('n1', { unschedulable: true }), testPod('web'));
  await cluster.run(1000);
  t.is(cluster.scheduler.stats.attempts, 1);
  cluster.server.change('Node', { name: 'n1' }, (node) => ({
    ...node,
    metadata: { ...node.metadata, labels: { ...node.metadata.labels, disk: 'ssd' } },
  }));
  await cluster.run(20_000);
  t.is(cluster.scheduler.stats.attempts, 1);
  cluster.server.change('Node', { name: 'n1' }, (node) => ({ ...node, spec: { ...node.spec, unschedulable: false } }));
  await cluster.run(20_000);
  t.is(cluster.pod('web').spec.nodeName, 'n1');
  t.is(cluster.scheduler.stats.attempts, 2);
  await cluster.dispose();
});

test('scheduler › a gated pod is not tried before its gates are gone', async (t) => {
  const cluster = createScheduledCluster();
  cluster.create(testNode('n1'), testPod('web', { spec: { schedulingGates: [{ name: 'a' }] } }));
  await cluster.run();
  t.is(cluster.scheduler.stats.attempts, 0);
  cluster.server.change('Pod', { namespace: 'default', name: 'web' }, (pod) => ({
    ...pod,
    spec: { ...pod.spec, schedulingGates: [] },
  }));
  await cluster.run();
  t.is(cluster.pod('web').spec.nodeName, 'n1');
  await cluster.dispose();
});

test('scheduler › pods of another scheduler are left alone', async (t) => {
  const cluster = createScheduledCluster();
  cluster.create(testNode('n1'), testPod('web', { spec: { schedulerName: 'mine' } }));
  await cluster.run();
  t.is(cluster.pod('web').spec.nodeName, undefined);
  t.is(cluster.scheduler.stats.attempts, 0);
  await cluster.dispose();
});

test('scheduler › a binding that is refused gives the room back', async (t) => {
  const cluster = createScheduledCluster();
  const allocatable = { cpu: '1', memory: '8Gi', pods: '110' };
  cluster.create(testNode('n1', { allocatable }));
  await cluster.run();
  cluster.create(testPod('web', { requests: { cpu: '1' } }));
  while (cluster.scheduler.stats.attempts === 0) await cluster.kernel.clock.step();
  // Another writer binds the pod while the scheduler's binding is on its way.
  cluster.server.bind({ metadata: { namespace: 'default', name: 'web' }, target: { kind: 'Node', name: 'elsewhere' } });
  await cluster.run(5000);
  t.is(cluster.pod('web').spec.nodeName, 'elsewhere');
  t.like(cluster.scheduler.stats, { attempts: 1, scheduled: 0, errors: 1 });
  t.regex(cluster.events('FailedScheduling')[0]?.message ?? '', /^running Bind plugin "DefaultBinder": /u);
  cluster.create(testPod('next', { requests: { cpu: '1' } }));
  await cluster.run(5000);
  t.is(cluster.pod('next').spec.nodeName, 'n1');
  await cluster.dispose();
});

test('scheduler › a pod whose binding got lost is tried again after its back-off', async (t) => {
  const cluster = createScheduledCluster();
  cluster.create(testNode('n1'));
  await cluster.run();
  cluster.create(testPod('web'));
  while (cluster.scheduler.stats.attempts === 0) await cluster.kernel.clock.step();
  const link = cluster.bus.link('kube-scheduler');
  link?.cut();
  link?.restore();
  await cluster.run(120_000);
  t.is(cluster.pod('web').spec.nodeName, 'n1');
  t.like(cluster.scheduler.stats, { attempts: 2, scheduled: 1, errors: 1 });
  await cluster.dispose();
});

test('scheduler › a finished pod frees its node', async (t) => {
  const cluster = createScheduledCluster();
  cluster.create(testNode('n1', { allocatable: { cpu: '1', memory: '8Gi', pods: '110' } }));
  cluster.create(testPod('job', { requests: { cpu: '1' } }));
  await cluster.run();
  cluster.create(testPod('next', { requests: { cpu: '1' } }));
  await cluster.run();
  t.is(cluster.pod('next').spec.nodeName, undefined);
  cluster.server.change(
    'Pod',
    { namespace: 'default', name: 'job' },
    (pod) => ({ ...pod, status: { ...pod.status, phase: 'Succeeded' } }),
    { subresource: 'status' },
  );
  await cluster.run(20_000);
  t.is(cluster.pod('next').spec.nodeName, 'n1');
  await cluster.dispose();
});

function fill(cluster: ScheduledCluster, nodes: number, pods: number): void {
  const sizes = ['4', '8', '16'];
  for (let index = 0; index < nodes; index += 1) {
    const cpu = sizes[index % 3] ?? '4';
    cluster.create(testNode(`n${index}`, { zone: `z${index % 3}`, allocatable: { cpu, memory: '32Gi', pods: '20' } }));
  }
  for (let index = 0; index < pods; index += 1) {
    cluster.create(testPod(`p${index}`, { requests: { cpu: `${100 + index}m`, memory: `${64 + (index % 50)}Mi` } }));
  }
}

test('scheduler › placements and trace are the same with 0, 1 and 2 workers', async (t) => {
  const runs = await Promise.all(
    [0, 1, 2].map(async (workers) => {
      const cluster = createScheduledCluster({ workers, minPrefetchWork: 1, percentageOfNodesToScore: 100 });
      fill(cluster, 150, 300);
      await cluster.run(60_000);
      const result = { placements: cluster.placements(), hash: cluster.kernel.trace.digest() };
      const { judgedAhead } = cluster.scheduler.stats;
      await cluster.dispose();
      return { result, judgedAhead };
    }),
  );
  const [first, ...others] = runs;
  t.is(Object.keys(first?.result.placements ?? {}).length, 300);
  for (const other of others) {
    t.deepEqual(other.result, first?.result);
    t.true(other.judgedAhead > 200, `${other.judgedAhead} pods were judged ahead`);
  }
  t.is(first?.judgedAhead, 0);
});

test('scheduler › identical pods never go to the workers', async (t) => {
  const cluster = createScheduledCluster({ workers: 1, minPrefetchWork: 1 });
  cluster.create(...['a', 'b', 'c'].map((name) => testNode(name)));
  const template = testPod('template', { requests: { cpu: '10m' } });
  for (let index = 0; index < 100; index += 1) {
    cluster.create({ ...template, metadata: { ...template.metadata, name: `p${index}` } });
  }
  await cluster.run();
  t.is(Object.keys(cluster.placements()).length, 100);
  t.is(cluster.scheduler.stats.judgedAhead, 0);
  await cluster.dispose();
});

test('scheduler › an attempt that takes time is followed by the next one after that time', async (t) => {
  const cluster = createScheduledCluster({ cycleMs: 10 });
  cluster.create(testNode('n1'), ...['a', 'b', 'c'].map((name) => testPod(name)));
  await cluster.run(1000);
  const times = ['a', 'b', 'c'].map((name) => cluster.scheduler.explain(`default/${name}`)?.attempts[0]?.atMs ?? 0);
  t.deepEqual(
    times.map((time) => time - (times[0] ?? 0)),
    [0, 10, 20],
  );
  await cluster.dispose();
});

test('scheduler › after dispose nothing is left on the clock', async (t) => {
  const cluster = createScheduledCluster({ workers: 1, minPrefetchWork: 1 });
  fill(cluster, 20, 40);
  cluster.create(testPod('huge', { requests: { cpu: '900' } }));
  await cluster.run();
  await cluster.scheduler.dispose();
  cluster.bus.dispose();
  // The API server forgets Events after an hour: that is its own timer.
  await cluster.kernel.clock.run({ untilMs: cluster.kernel.clock.now() + 2 * 3_600_000 });
  t.is(cluster.kernel.clock.pending, 0);
});
