import test from 'ava';
import { createRunningScene, createScene, IMAGE, NODE, podDraft, SETUP, story } from './scene.js';

const P = { namespace: 'default', name: 'p' };
const LEASE = { namespace: 'kube-node-lease', name: NODE };

test('a node is registered not ready, and turns Ready 100 ms later', async (t) => {
  const scene = createScene();
  const told: string[] = [];
  scene.server.watch('Node', {}, (event) => {
    if (event.type === 'BOOKMARK') return;
    const { conditions = [] } = event.object.status;
    const texts = conditions.map(({ type, status, reason }) => `${type}=${status} ${reason}`);
    told.push(`${event.atMs} ${event.type} ${texts.slice(-1).join()}`);
  });
  scene.kubelet.start();
  await scene.run(60_000);
  t.deepEqual(told, ['2 ADDED Ready=False KubeletNotReady', '106 MODIFIED Ready=True KubeletReady']);
});

test('a node tells what it has, where it is and how it does', async (t) => {
  const { server } = await createRunningScene();
  const { metadata, spec, status } = server.get('Node', { name: NODE });
  t.deepEqual(metadata.labels, {
    'beta.kubernetes.io/arch': 'amd64',
    'beta.kubernetes.io/os': 'linux',
    'kubernetes.io/arch': 'amd64',
    'kubernetes.io/hostname': NODE,
    'kubernetes.io/os': 'linux',
    'topology.kubernetes.io/zone': 'zone-a',
  });
  t.deepEqual(status.capacity, SETUP.capacity);
  t.deepEqual(status.allocatable, { cpu: '4', memory: '8092Mi', pods: '10' });
  t.deepEqual(status.images, SETUP.images);
  t.deepEqual(status.addresses, [
    { type: 'InternalIP', address: '172.16.0.1' },
    { type: 'Hostname', address: NODE },
  ]);
  t.is(status.nodeInfo?.kubeletVersion, 'v1.34.1');
  t.deepEqual(
    status.conditions?.map(({ type, status: value, message }) => [type, value, message]),
    [
      ['MemoryPressure', 'False', 'kubelet has sufficient memory available'],
      ['DiskPressure', 'False', 'kubelet has no disk pressure'],
      ['PIDPressure', 'False', 'kubelet has sufficient PID available'],
      ['Ready', 'True', 'kubelet is posting ready status'],
    ],
  );
  t.deepEqual(
    spec.taints?.map(({ key, effect }) => `${key}:${effect}`),
    ['node.kubernetes.io/not-ready:NoSchedule'],
  );
});

test('a node that is there already keeps its spec and gets the default labels', async (t) => {
  const scene = createScene();
  const taint = { key: 'x', effect: 'NoSchedule' };
  scene.server.create('Node', { metadata: { name: NODE, labels: { own: 'label' } }, spec: { taints: [taint] } });
  scene.kubelet.start();
  await scene.run(1000);
  const { metadata, spec, status } = scene.server.get('Node', { name: NODE });
  t.is(metadata.labels?.['own'], 'label');
  t.is(metadata.labels?.['kubernetes.io/hostname'], NODE);
  t.is(spec.taints?.[0]?.key, 'x');
  t.is(status.conditions?.at(-1)?.status, 'True');
});

test('registration over a cut link is tried again until it gets through', async (t) => {
  const scene = createScene();
  scene.link.cut();
  scene.kubelet.start();
  await scene.run(60_000);
  t.is(scene.server.count('Node'), 0);
  scene.link.restore();
  await scene.run(60_000);
  t.is(scene.server.get('Node', { name: NODE }).status.conditions?.at(-1)?.status, 'True');
});

test('a healthy lease is written once and renewed whenever it is read', async (t) => {
  const scene = createScene();
  const writes: number[] = [];
  scene.server.watch('Lease', {}, ({ atMs }) => void writes.push(atMs));
  scene.kubelet.start();
  const renewed = (): number => scene.kernel.timestamps.toMs(scene.server.get('Lease', LEASE).spec?.renewTime ?? '');
  await scene.run(100_000);
  const first = renewed();
  t.true(first > 90_000 && first <= 100_000);
  await scene.run(10_000);
  t.is(renewed(), first + 10_000);
  t.is(writes.length, 1);
  const { spec, metadata } = scene.server.get('Lease', LEASE);
  t.deepEqual([spec?.holderIdentity, spec?.leaseDurationSeconds], [NODE, 40]);
  t.deepEqual(metadata.ownerReferences, [
    { apiVersion: 'v1', kind: 'Node', name: NODE, uid: scene.server.get('Node', { name: NODE }).metadata.uid },
  ]);
});

test('a lease stands still while the link is cut or the kubelet is off', async (t) => {
  const scene = createScene();
  scene.kubelet.start();
  const renewed = (): string | undefined => scene.server.get('Lease', LEASE).spec?.renewTime;
  await scene.run(55_000);
  const before = renewed();
  scene.link.cut();
  await scene.run(45_000);
  t.is(renewed(), before);
  scene.link.restore();
  t.is(renewed(), before);
  await scene.run(10_000);
  const after = renewed() ?? '';
  t.true(after > (before ?? ''));
  scene.kubelet.stop();
  await scene.run(45_000);
  t.is(renewed(), after);
  scene.kubelet.start();
  await scene.run(10_000);
  t.true((renewed() ?? '') > after);
});

test('running pods own no timers', async (t) => {
  const scene = await createRunningScene();
  await scene.run(10_000);
  const idle = scene.clock.pending;
  for (let index = 0; index < 8; index += 1) scene.bind(podDraft({}, {}, `p${index}`));
  await scene.run(20_000);
  const busy = scene.clock.pending;
  scene.bind(podDraft({}, {}, 'p8'));
  scene.bind(podDraft({}, {}, 'p9'));
  await scene.run(20_000);
  t.is(scene.pod('p9').status.phase, 'Running');
  t.is(scene.clock.pending, busy);
  t.true(busy - idle <= 1, 'the expiry of events is the only timer');
});

test('statuses written to a cut link are written again when it is back', async (t) => {
  const scene = await createRunningScene();
  scene.bind(podDraft());
  await scene.run(200);
  scene.link.cut();
  await scene.run(60_000);
  t.is(scene.pod().status.phase, 'Pending');
  scene.link.restore();
  await scene.run(1000);
  t.is(scene.pod().status.phase, 'Running');
  t.is(scene.pod().status.containerStatuses?.[0]?.state?.running?.startedAt, '2030-01-01T00:00:01Z');
});

test('a pod that is deleted while the link is cut is stopped once the kubelet hears of it', async (t) => {
  const scene = await createRunningScene();
  scene.bind(podDraft());
  await scene.run(5000);
  scene.link.cut();
  scene.server.delete('Pod', P);
  await scene.run(60_000);
  t.is(scene.pod().status.phase, 'Running');
  scene.link.restore();
  await scene.run(60_000);
  t.is(scene.server.count('Pod'), 0);
});

test('the end of a pod is told even if the link was cut when it came', async (t) => {
  const scene = await createRunningScene();
  scene.bind(podDraft({}, { 'shutdown-delay': '5s' }));
  await scene.run(5000);
  scene.server.delete('Pod', P);
  await scene.run(4000);
  scene.link.cut();
  await scene.run(60_000);
  scene.link.restore();
  await scene.run(120_000);
  t.is(scene.server.count('Pod'), 0);
});

test('a kubelet that is off writes nothing; containers run on, and a new one takes them over', async (t) => {
  const scene = await createRunningScene();
  scene.bind(podDraft({}, { 'run-for': '60s', 'exit-code': '1' }));
  await scene.run(10_000);
  scene.kubelet.stop();
  scene.bind(podDraft({}, {}, 'q'));
  const version = scene.server.version;
  await scene.run(90_000);
  t.is(scene.server.version, version);
  scene.writes.length = 0;
  scene.kubelet.start();
  await scene.run(2000);
  t.deepEqual(
    story(scene.writes.filter(({ pod }) => pod.metadata.name === 'p')).map((line) =>
      line.split(' ').slice(1, 4).join(' '),
    ),
    ['MODIFIED Running c=Error', 'MODIFIED Running c=Running+#1'],
  );
  t.is(scene.pod('q').status.phase, 'Running');
});

test('containers whose pod vanished while the kubelet was off are ended', async (t) => {
  const scene = await createRunningScene();
  const containers = [{ name: 'c', image: IMAGE, resources: { requests: { cpu: '3' } } }];
  scene.bind(podDraft({ containers }, { 'shutdown-delay': '1h' }));
  await scene.run(10_000);
  scene.kubelet.stop();
  scene.server.delete('Pod', P, { gracePeriodSeconds: 0 });
  scene.kubelet.start();
  await scene.run(3000);
  scene.bind(podDraft({ containers }, {}, 'q'));
  await scene.run(1000);
  t.is(scene.pod('q').status.phase, 'Running');
});

test('a disposed kubelet leaves no timer behind', async (t) => {
  const scene = createScene();
  scene.kubelet.start();
  await scene.run(5);
  scene.kubelet.dispose();
  t.is(scene.clock.pending, 1, 'the API server forgets events in an hour');
  const busy = await createRunningScene();
  busy.bind(podDraft({}, { 'run-for': '60s' }));
  await busy.run(2000);
  busy.kubelet.dispose();
  const left = busy.clock.pending;
  await busy.run(100_000);
  t.true(left <= 1, 'the expiry of events is the only timer');
  t.is(busy.pod().status.containerStatuses?.[0]?.restartCount, 0);
});

test('5.16 › a kubelet that restarts during a termination grants the whole grace anew', async (t) => {
  const scene = await createRunningScene();
  scene.bind(podDraft({}, { 'shutdown-delay': '1h' }));
  await scene.run(4000);
  scene.server.delete('Pod', P, { gracePeriodSeconds: 10 });
  await scene.run(5000);
  scene.kubelet.stop();
  await scene.run(20_000);
  scene.writes.length = 0;
  scene.kubelet.start();
  const startedMs = scene.clock.now();
  await scene.run(20_000);
  t.is(scene.writes.at(-1)?.pod.status.phase, 'Failed');
  t.deepEqual(
    scene.writes.map(({ atMs, type }) => [atMs - startedMs, type]),
    [
      [10_006, 'MODIFIED'],
      [10_010, 'MODIFIED'],
      [10_010, 'DELETED'],
    ],
  );
});

test('a pod on the host network has the address of its node', async (t) => {
  const scene = await createRunningScene();
  scene.bind(podDraft({ hostNetwork: true }));
  await scene.run(5000);
  t.is(scene.pod().status.podIP, '172.16.0.1');
});

async function digestOf(seed: string): Promise<string> {
  const scene = await createRunningScene({ seed, runtime: {} });
  for (let index = 0; index < 9; index += 1) {
    scene.bind(podDraft({}, { 'run-for': 'exponential(20s)', 'exit-code': '1' }, `p${index}`));
  }
  await scene.run(60_000);
  scene.server.deleteCollection('Pod', {});
  await scene.run(60_000);
  return scene.kernel.trace.digest();
}

test('a kubelet’s trace is the same with the same seed, and another with another', async (t) => {
  const first = await digestOf('one');
  t.is(await digestOf('one'), first);
  t.not(await digestOf('two'), first);
});
