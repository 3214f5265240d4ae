import test from 'ava';
import type { Node } from '../../../src/api/objects/objects.js';
import { createRunningScene, createScene, NODE, type Scene } from '../scene.js';

const NAME = { name: NODE };

function nodeTold({ nodeEvents }: Scene): readonly string[] {
  return nodeEvents().map(({ type = '', reason = '', message = '' }) => `${type} ${reason}: ${message}`);
}

function conditions({ server }: Scene): readonly string[] {
  const { conditions: list = [] } = server.get('Node', NAME).status;
  return list.map(({ type, status, reason, message }) => `${type}=${status} ${reason}: ${message}`);
}

function withReady(node: Node, status: string, reason: string): Node {
  const list = (node.status.conditions ?? []).map((each) =>
    each.type === 'Ready' ? { ...each, status, reason, message: 'x' } : each,
  );
  return { ...node, status: { ...node.status, conditions: list } };
}

const BORN = [
  'Normal Starting: Starting kubelet.',
  'Normal NodeAllocatableEnforced: Updated Node Allocatable limit across pods',
  `Normal NodeHasSufficientMemory: Node ${NODE} status is now: NodeHasSufficientMemory`,
  `Normal NodeHasNoDiskPressure: Node ${NODE} status is now: NodeHasNoDiskPressure`,
  `Normal NodeHasSufficientPID: Node ${NODE} status is now: NodeHasSufficientPID`,
];
const READY = `Normal NodeReady: Node ${NODE} status is now: NodeReady`;

test('6.1 › registration is tried again after 100 ms, doubling up to 7 s', async (t) => {
  const scene = createScene();
  scene.link.cut();
  scene.kubelet.start();
  await scene.run(300_000);
  t.is(scene.server.count('Node'), 0);
  scene.link.restore();
  await scene.run(20_000);
  t.is(scene.server.count('Node'), 1);
});

test('6.1 › labels and taints of a node that is there stay, but for the default labels', async (t) => {
  const scene = createScene();
  const labels = { own: 'label', 'kubernetes.io/os': 'plan9' };
  scene.server.create('Node', {
    metadata: { name: NODE, labels },
    spec: { taints: [{ key: 'x', effect: 'NoSchedule' }] },
  });
  scene.kubelet.start();
  await scene.run(1000);
  const { metadata, spec } = scene.server.get('Node', NAME);
  t.is(metadata.labels?.['own'], 'label');
  t.is(metadata.labels?.['kubernetes.io/os'], 'linux');
  t.true(spec.taints?.some(({ key }) => key === 'x'));
});

test('6.2 › a node is created with the taint not-ready:NoSchedule', async (t) => {
  const { server } = await createRunningScene();
  t.deepEqual(
    server.get('Node', NAME).spec.taints?.map(({ key, effect }) => `${key}:${effect}`),
    ['node.kubernetes.io/not-ready:NoSchedule'],
  );
});

test('6.3 › the lease is renewed every ten seconds', async (t) => {
  const scene = await createRunningScene();
  const renewedMs = (): number => {
    const { spec } = scene.server.get('Lease', { namespace: 'kube-node-lease', name: NODE });
    return scene.kernel.timestamps.toMs(spec?.renewTime ?? '');
  };
  await scene.run(50_000);
  const first = renewedMs();
  await scene.run(30_000);
  t.is(renewedMs(), first + 30_000);
});

test('6.4 › a status that others have changed is written again with the next report, and NodeReady is told', async (t) => {
  const scene = await createRunningScene();
  await scene.run(30_000);
  scene.server.update('Node', withReady(scene.server.get('Node', NAME), 'Unknown', 'NodeStatusUnknown'), 'status');
  await scene.run(10_100);
  t.is(conditions(scene).at(-1), 'Ready=True KubeletReady: kubelet is posting ready status');
  t.deepEqual(nodeTold(scene), [...BORN, READY, READY].slice(0, 6));
  t.is(scene.nodeEvents().at(-1)?.count, 2);
});

test('6.4 › a node at rest is not written again', async (t) => {
  const scene = await createRunningScene();
  const { version } = scene.server;
  await scene.run(600_000);
  t.is(scene.server.version, version);
});

test('6.5 › pressures come first and Ready last', async (t) => {
  t.deepEqual(conditions(await createRunningScene()), [
    'MemoryPressure=False KubeletHasSufficientMemory: kubelet has sufficient memory available',
    'DiskPressure=False KubeletHasNoDiskPressure: kubelet has no disk pressure',
    'PIDPressure=False KubeletHasSufficientPID: kubelet has sufficient PID available',
    'Ready=True KubeletReady: kubelet is posting ready status',
  ]);
});

test('6.5 › a new kubelet tells that it starts, what its node has enough of, and that it is ready', async (t) => {
  const scene = await createRunningScene();
  t.deepEqual(nodeTold(scene), [...BORN, READY]);
  t.deepEqual(scene.nodeEvents()[0]?.involvedObject, { kind: 'Node', name: NODE, uid: NODE });
  t.deepEqual(scene.nodeEvents()[0]?.source, { component: 'kubelet', host: NODE });
  t.is(scene.nodeEvents()[0]?.metadata.namespace, 'default');
});

test('6.5 › a kubelet that starts again does not say that its node turned ready, and knows of no event before', async (t) => {
  const scene = await createRunningScene();
  scene.kubelet.stop();
  scene.kubelet.start();
  await scene.run(20_000);
  const started = [
    'Starting x1',
    'NodeAllocatableEnforced x1',
    'NodeHasSufficientMemory x1',
    'NodeHasNoDiskPressure x1',
    'NodeHasSufficientPID x1',
  ];
  const counts = scene.nodeEvents().map(({ reason, count }) => `${reason} x${count}`);
  t.deepEqual(counts, [...started, 'NodeReady x1', ...started]);
});

test('6.5 › a machine that was switched off and on tells that it was rebooted', async (t) => {
  const before = await createRunningScene();
  before.kubelet.dispose();
  await before.run(5000);
  const after = createScene({ joins: before });
  after.kubelet.start();
  await after.run(5000);
  const { bootID } = after.server.get('Node', NAME).status.nodeInfo ?? {};
  t.deepEqual(
    nodeTold(after).filter((text) => text.startsWith('Warning')),
    [`Warning Rebooted: Node ${NODE} has been rebooted, boot id: ${bootID}`],
  );
});
