/** Nodes that are not heard of: when they are Unknown, and what is said of them and of their pods. */
import test from 'ava';
import { notes } from '../harness.js';
import { isUnknown, lifecycleScene, taints } from './scene.js';

test('7.1 › what counts is when a renewal was seen, whatever time it bears', async (t) => {
  const scene = lifecycleScene(t);
  const { server } = scene;
  scene.addNode('past');
  scene.addNode('future');
  scene.addNode('still');
  scene.silence('past', 'future', 'still');
  const renew = (name: string, renewTime: string): void => {
    server.change('Lease', { namespace: 'kube-node-lease', name }, (lease) => ({
      ...lease,
      spec: { ...lease.spec, renewTime },
    }));
  };
  renew('still', '2040-01-01T00:00:00.000000Z');
  for (let second = 0; second < 120; second += 10) {
    await scene.run(10_000);
    renew('past', `2001-01-01T00:00:${String(second / 10).padStart(2, '0')}.000000Z`);
    renew('future', `2031-01-01T00:00:${String(second / 10).padStart(2, '0')}.000000Z`);
  }
  t.deepEqual(scene.firstSeconds(isUnknown), [['still', 50]]);
});

test('7.1 › a node status with another heartbeat time counts as a lease does', async (t) => {
  const scene = lifecycleScene(t);
  scene.addNode('n');
  scene.silence('n');
  await scene.run(42_000);
  scene.report('n', 'True');
  await scene.run(60_000);
  // Seen by the pass at 45 s; the one 50 s later comes a little later than that.
  t.deepEqual(scene.firstSeconds(isUnknown), [['n', 95]]);
});

test('7.2 › a silent node is Unknown when the grace is over, and NetworkUnavailable stays as it is', async (t) => {
  const scene = lifecycleScene(t);
  scene.addNode('n');
  await scene.run(25_000);
  scene.silence('n');
  await scene.run(44_000);
  t.false(isUnknown(scene.node('n')));
  await scene.run(2000);
  t.deepEqual(scene.firstSeconds(isUnknown), [['n', 70]]);
  const silent = ['Unknown', 'NodeStatusUnknown', 'Kubelet stopped posting node status.', '2030-01-01T00:01:10Z'];
  const { conditions = [] } = scene.node('n').status;
  t.deepEqual(
    conditions.map(({ type, status, reason, message, lastTransitionTime }) =>
      [type, status, reason, message, lastTransitionTime].filter((each) => each !== undefined),
    ),
    [
      ['MemoryPressure', ...silent],
      ['DiskPressure', ...silent],
      ['PIDPressure', ...silent],
      ['NetworkUnavailable', 'False', '2030-01-01T00:00:00Z'],
      ['Ready', ...silent],
    ],
  );
  t.true(conditions.every(({ lastHeartbeatTime }) => lastHeartbeatTime === '2030-01-01T00:00:00Z'));
});

test('7.2 › a node without any status is Unknown 60 s after its creation, and its conditions say so', async (t) => {
  const scene = lifecycleScene(t);
  await scene.run(3000);
  scene.server.create('Node', { metadata: { name: 'n' } });
  await scene.run(100_000);
  t.deepEqual(scene.firstSeconds(isUnknown), [['n', 65]]);
  t.deepEqual(
    scene.node('n').status.conditions,
    ['Ready', 'MemoryPressure', 'DiskPressure', 'PIDPressure'].map((type) => ({
      type,
      status: 'Unknown',
      lastHeartbeatTime: '2030-01-01T00:00:03Z',
      lastTransitionTime: '2030-01-01T00:01:05Z',
      reason: 'NodeStatusNeverUpdated',
      message: 'Kubelet never posted node status.',
    })),
  );
  t.deepEqual(taints(scene.node('n')), ['unreachable:NoSchedule']);
});

test('7.2 › monitor period and grace periods go by the settings', async (t) => {
  const settings = { nodeMonitorPeriod: 2000, nodeMonitorGracePeriod: 30_000, nodeStartupGracePeriod: 10_000 };
  const scene = lifecycleScene(t, { settings });
  scene.addNode('n');
  scene.silence('n');
  scene.server.create('Node', { metadata: { name: 'bare' } });
  await scene.run(100_000);
  t.deepEqual(scene.firstSeconds(isUnknown), [
    ['bare', 10],
    ['n', 30],
  ]);
});

test('7.2 › a grace shorter than the time between renewals finds even healthy nodes late', async (t) => {
  const scene = lifecycleScene(t, { settings: { nodeMonitorGracePeriod: 4000 } });
  scene.addNode('n');
  await scene.run(100_000);
  t.deepEqual(scene.firstSeconds(isUnknown), [['n', 5]]);
});

test('7.3 › pods are not ready any more, and of their condition only status and time change', async (t) => {
  const scene = lifecycleScene(t);
  scene.addNode('n');
  scene.addNode('other');
  scene.addPod('p', 'n');
  scene.addPod('elsewhere', 'other');
  scene.addPod('unready', 'n');
  scene.server.patch(
    'Pod',
    { namespace: 'default', name: 'unready' },
    { type: 'strategic', body: { status: { conditions: [{ type: 'Ready', status: 'False' }] } } },
    'status',
  );
  const before = scene.pod('p').status;
  scene.silence('n');
  await scene.run(60_000);
  const told = { type: 'Ready', status: 'False', lastTransitionTime: '2030-01-01T00:00:50Z' } as const;
  t.deepEqual(scene.pod('p').status, {
    ...before,
    conditions: before.conditions?.map((condition) =>
      condition.type === 'Ready' ? { ...told, reason: 'Because', message: 'of that' } : condition,
    ) as typeof before.conditions & {},
  });
  t.is(scene.pod('elsewhere').status.conditions?.[1]?.status, 'True');
  t.deepEqual(notes(scene, 'n').slice(1), ['Normal NodeNotReady Node n status is now: NodeNotReady']);
  t.deepEqual(notes(scene, 'p'), ['Warning NodeNotReady Node is not ready']);
  t.deepEqual(notes(scene, 'unready'), []);
});

test('7.3 › a pod that was written meanwhile is marked in the next pass', async (t) => {
  const scene = lifecycleScene(t);
  scene.addNode('n');
  scene.addPod('p', 'n');
  scene.silence('n');
  // The pass is at 50,002 ms; its node is written at 50,003, the answer is there at 50,004, the pod is written at 50,005.
  await scene.kernel.clock.run({ untilMs: 50_004 });
  scene.server.patch(
    'Pod',
    { namespace: 'default', name: 'p' },
    { type: 'merge', body: { metadata: { labels: { a: 'b' } } } },
  );
  await scene.run(2000);
  t.is(scene.pod('p').status.conditions?.[1]?.status, 'True');
  await scene.run(5000);
  t.like(scene.pod('p').status.conditions?.[1], { status: 'False', lastTransitionTime: '2030-01-01T00:00:55Z' });
});

test('7.4 › a kubelet that says itself that its node is not ready keeps its pods as they are', async (t) => {
  const scene = lifecycleScene(t);
  scene.addNode('n');
  scene.addPod('p', 'n');
  await scene.run(7000);
  scene.report('n', 'False');
  await scene.run(60_000);
  t.is(scene.pod('p').status.conditions?.[1]?.status, 'True');
  t.deepEqual(notes(scene, 'n').slice(1), []);
});

test('7.4 › a pod that comes to a node that is not ready is marked by itself', async (t) => {
  const scene = lifecycleScene(t);
  scene.addNode('n');
  scene.report('n', 'False');
  await scene.run(7000);
  scene.addPod('late');
  scene.server.bind({ metadata: { namespace: 'default', name: 'late' }, target: { name: 'n' } });
  await scene.run(100);
  t.like(scene.pod('late').status.conditions?.[1], { type: 'Ready', status: 'False' });
  t.deepEqual(notes(scene, 'late'), ['Warning NodeNotReady Node is not ready']);
});

test('7.5 › the NoSchedule taint follows in the moment in which the node is Unknown', async (t) => {
  const scene = lifecycleScene(t);
  scene.addNode('n');
  scene.silence('n');
  await scene.kernel.clock.run({ untilMs: 50_010 });
  t.deepEqual(scene.node('n').spec.taints, [
    { key: 'node.kubernetes.io/unreachable', effect: 'NoSchedule', timeAdded: '2030-01-01T00:00:50Z' },
  ]);
});

test('7.12 › a node is told of by the pass that first meets it, and missed by the next one', async (t) => {
  const scene = lifecycleScene(t);
  const { server } = scene;
  await scene.run(1000);
  scene.addNode('n');
  await scene.run(3000);
  t.deepEqual(notes(scene, 'n'), []);
  await scene.run(2000);
  server.delete('Node', { name: 'n' });
  await scene.run(5000);
  t.deepEqual(notes(scene, 'n'), [
    'Normal RegisteredNode Node n event: Registered Node n in Controller',
    'Normal RemovingNode Node n event: Removing Node n from Controller',
  ]);
});

test('a healthy cluster has no passes: nothing is left to do', async (t) => {
  const scene = lifecycleScene(t);
  scene.addNodes(20, 'z');
  await scene.run(20_000);
  const { ticks } = scene.kernel.clock;
  await scene.run(3_500_000);
  t.true(scene.kernel.clock.ticks - ticks < 10, `${scene.kernel.clock.ticks - ticks} ticks`);
  t.deepEqual(scene.firstSeconds(isUnknown), []);
});

test('a controller that is cut off finds every node silent, can say it of none, and takes nothing back when it is there again', async (t) => {
  const scene = lifecycleScene(t);
  scene.addNodes(20, 'z');
  await scene.run(20_000);
  const link = scene.bus.link('kube-controller-manager');
  link?.cut();
  await scene.run(300_000);
  link?.restore();
  await scene.run(300_000);
  t.deepEqual(scene.firstSeconds(isUnknown), []);
});

test('a controller that hears nothing but is heard says of its nodes that they are Unknown', async (t) => {
  const scene = lifecycleScene(t);
  scene.addNode('n');
  await scene.run(20_500);
  scene.bus.link('kube-controller-manager')?.cut('in');
  await scene.run(70_000);
  t.deepEqual(scene.firstSeconds(isUnknown), [['n', 70]]);
});

test('a node that falls silent while the controller is cut off is late from what was seen of it last', async (t) => {
  const scene = lifecycleScene(t);
  scene.addNode('n');
  scene.addNode('healthy');
  await scene.run(20_500);
  const link = scene.bus.link('kube-controller-manager');
  link?.cut();
  await scene.run(2000);
  scene.silence('n');
  await scene.run(10_000);
  link?.restore();
  await scene.run(100_000);
  t.deepEqual(scene.firstSeconds(isUnknown), [['n', 70]]);
});

test('a controller that starts anew counts from its first pass', async (t) => {
  const scene = lifecycleScene(t);
  scene.addNode('n');
  scene.silence('n');
  await scene.run(40_500);
  const controller = scene.manager.controller('node-lifecycle-controller');
  controller.stop();
  controller.start();
  await scene.run(100_000);
  t.deepEqual(scene.firstSeconds(isUnknown), [['n', 90]]);
});
