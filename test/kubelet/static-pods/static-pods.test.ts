import test from 'ava';
import { createRunningScene, createScene, IMAGE, NODE, podDraft, type Scene } from '../scene.js';

const NAME = `etcd-${NODE}`;
const MANIFEST = {
  metadata: { name: 'etcd', labels: { tier: 'control-plane' } },
  spec: { containers: [{ name: 'c', image: IMAGE }] },
};

async function scene(more: Parameters<typeof createScene>[0] = {}): Promise<Scene> {
  return createRunningScene({ ...more, setup: { staticPods: [MANIFEST], ...more.setup } });
}

test('6.27 › a static pod runs by itself; the API has a mirror of it that its node owns', async (t) => {
  const own = await scene();
  await own.run(3000);
  const { metadata, spec, status } = own.pod(NAME);
  const { uid } = own.server.get('Node', { name: NODE }).metadata;
  t.deepEqual(metadata.ownerReferences, [{ apiVersion: 'v1', kind: 'Node', name: NODE, uid, controller: true }]);
  t.is(metadata.annotations?.['kubernetes.io/config.source'], 'file');
  t.is(metadata.annotations?.['kubernetes.io/config.mirror'], metadata.annotations?.['kubernetes.io/config.hash']);
  t.not(metadata.uid, metadata.annotations?.['kubernetes.io/config.hash']);
  t.deepEqual(metadata.labels, { tier: 'control-plane' });
  t.true(
    spec.tolerations?.some(
      ({ operator, effect, key }) => operator === 'Exists' && effect === 'NoExecute' && key === undefined,
    ),
  );
  t.is(status.phase, 'Running');
  t.is(status.conditions?.find(({ type }) => type === 'Ready')?.status, 'True');
});

test('6.27 › a static pod runs before its node is registered; the mirror shows it afterwards', async (t) => {
  const own = createScene({ setup: { staticPods: [MANIFEST] } });
  own.link.cut();
  own.kubelet.start();
  await own.run(60_000);
  t.is(own.server.count('Pod'), 0);
  t.true([...own.kubelet.runtime.sandboxes].some(({ slots }) => slots[0]?.isRunning === true));
  own.link.restore();
  await own.run(20_000);
  t.is(own.pod(NAME).status.containerStatuses?.[0]?.state?.running?.startedAt, '2030-01-01T00:00:00Z');
});

for (const [how, options] of [
  ['at once', { gracePeriodSeconds: 0 }],
  ['gracefully', {}],
] as const) {
  test(`6.27 › a mirror that is deleted ${how} is created again, and its pod never stops`, async (t) => {
    const own = await scene();
    await own.run(3000);
    const before = own.pod(NAME);
    own.server.delete('Pod', { namespace: 'default', name: NAME }, options);
    await own.run(3000);
    const after = own.pod(NAME);
    t.not(after.metadata.uid, before.metadata.uid);
    t.is(after.metadata.deletionTimestamp, undefined);
    t.deepEqual(after.status.containerStatuses, before.status.containerStatuses);
    t.is(after.status.phase, 'Running');
  });
}

test('6.27 › a mirror whose hash is not its pod’s is deleted and created anew', async (t) => {
  const own = await scene();
  await own.run(3000);
  own.kubelet.stop();
  own.server.delete('Pod', { namespace: 'default', name: NAME }, { gracePeriodSeconds: 0 });
  const annotations = { 'kubernetes.io/config.mirror': 'other' };
  own.server.create('Pod', { ...podDraft({ nodeName: NODE }, {}, NAME), metadata: { name: NAME, annotations } });
  own.kubelet.start();
  await own.run(5000);
  const { metadata, status } = own.pod(NAME);
  t.is(metadata.annotations?.['kubernetes.io/config.mirror'], metadata.annotations?.['kubernetes.io/config.hash']);
  t.is(status.phase, 'Running');
});

test('6.27 › a mirror of which the node knows nothing is taken away and never run', async (t) => {
  const own = await createRunningScene();
  const annotations = { 'kubernetes.io/config.mirror': 'other' };
  own.server.create('Pod', { ...podDraft({ nodeName: NODE }), metadata: { name: 'p', annotations } });
  await own.run(5000);
  t.is(own.server.count('Pod'), 0);
  t.deepEqual([...own.kubelet.runtime.sandboxes], []);
});

test('6.27 › a static pod is critical: it has others end for it, and NoExecute taints do not matter', async (t) => {
  const capacity = { cpu: '4', memory: '8Gi', pods: '1' };
  const own = await createRunningScene({ setup: { capacity } });
  own.bind(podDraft());
  await own.run(3000);
  own.kubelet.dispose();
  const next = createScene({
    joins: own,
    setup: { capacity, staticPods: [MANIFEST], taints: [{ key: 'k', effect: 'NoExecute' }] },
  });
  next.kubelet.start();
  await next.run(10_000);
  t.is(next.pod(NAME).status.phase, 'Running');
  t.is(next.pod().status.reason, 'OutOfpods');
});

test('a manifest that cannot be a static pod is refused with its fault', (t) => {
  t.throws(() => createScene({ setup: { staticPods: [{ metadata: { name: 'x' }, spec: { containers: [] } }] } }), {
    name: 'StaticPodError',
    message: 'staticPods[] x: spec.containers: Required value',
  });
});
