/** Volumes from config maps and secrets: a pod that names what is not there waits for it. */
import test from 'ava';
import type { Draft } from '../../../src/api/objects/objects.js';
import { createRunningScene, forget, IMAGE, podDraft, statusOf, type Scene } from '../scene.js';

function podWith(...volumes: readonly Draft[]): Draft {
  const volumeMounts = volumes.map(({ name }) => ({ name, mountPath: `/${name as string}` }));
  return podDraft({ containers: [{ name: 'c', image: IMAGE, volumeMounts }], volumes });
}

/** When each FailedMount was told, ms since the pod was bound, and with which text. */
function failedMounts({ history }: Scene): readonly string[] {
  const firstMs = history[0]?.atMs ?? 0;
  return history
    .filter(({ text }) => text.includes('FailedMount'))
    .map(({ atMs, text }) => `${Math.round((atMs - firstMs) / 100) / 10} ${text}`);
}

test('a missing config map › the pod is ContainerCreating, and each attempt is told, after 0.5, 1, 2, 4 s and so on', async (t) => {
  const scene = await createRunningScene();
  forget(scene);
  scene.bind(podWith({ name: 'settings', configMap: { name: 'app' } }));
  await scene.run(10_000);
  t.is(statusOf(scene.pod())?.state?.waiting?.reason, 'ContainerCreating');
  const text = 'MountVolume.SetUp failed for volume "settings" : configmap "app" not found';
  t.deepEqual(failedMounts(scene), [
    `0 event Warning FailedMount: ${text}`,
    `0.5 event Warning FailedMount x2: ${text}`,
    `1.5 event Warning FailedMount x3: ${text}`,
    `3.5 event Warning FailedMount x4: ${text}`,
    `7.5 event Warning FailedMount x5: ${text}`,
  ]);
  scene.server.create('ConfigMap', { metadata: { name: 'app' } });
  await scene.run(5000);
  t.is(statusOf(scene.pod())?.state?.waiting?.reason, 'ContainerCreating', 'the next attempt is at 15.5 s');
  await scene.run(3000);
  t.is(scene.pod().status.phase, 'Running');
});

test('a config map that is never made › attempts go on through syncs that have failed, two minutes apart at most', async (t) => {
  const scene = await createRunningScene();
  scene.bind(podWith({ name: 'settings', configMap: { name: 'app' } }));
  await scene.run(900_000);
  forget(scene);
  await scene.run(3 * 122_000);
  t.is(scene.history.filter(({ text }) => text.includes('FailedMount')).length, 3);
  scene.server.create('ConfigMap', { metadata: { name: 'app' } });
  await scene.run(150_000);
  t.is(scene.pod().status.phase, 'Running');
});

for (const [what, volume, text] of [
  [
    'a secret',
    { name: 'v', secret: { secretName: 'keys' } },
    'MountVolume.SetUp failed for volume "v" : secret "keys" not found',
  ],
  [
    'a key of a config map',
    { name: 'v', configMap: { name: 'there', items: [{ key: 'k', path: 'k' }] } },
    'MountVolume.SetUp failed for volume "v" : configmap references non-existent config key: k',
  ],
  [
    'a key of a config map that every object of the language has',
    { name: 'v', configMap: { name: 'there', items: [{ key: 'constructor', path: 'k' }] } },
    'MountVolume.SetUp failed for volume "v" : configmap references non-existent config key: constructor',
  ],
  [
    'a key of a secret',
    { name: 'v', secret: { secretName: 'there', items: [{ key: 'k', path: 'k' }] } },
    'MountVolume.SetUp failed for volume "v" : references non-existent secret key: k',
  ],
  [
    'a projected config map',
    { name: 'v', projected: { sources: [{ secret: { name: 'there' } }, { configMap: { name: 'app' } }] } },
    'MountVolume.SetUp failed for volume "v" : configmap "app" not found',
  ],
  [
    'two projected objects',
    { name: 'v', projected: { sources: [{ secret: { name: 'keys' } }, { configMap: { name: 'app' } }] } },
    'MountVolume.SetUp failed for volume "v" : [secret "keys" not found, configmap "app" not found]',
  ],
] as const) {
  test(`${what} is missing › ${text}`, async (t) => {
    const scene = await createRunningScene();
    scene.server.create('ConfigMap', { metadata: { name: 'there' }, data: { other: '1' } });
    scene.server.create('Secret', { metadata: { name: 'there' } });
    scene.bind(podWith(volume));
    await scene.run(300);
    t.deepEqual(scene.told(), [`FailedMount: ${text}`]);
    t.is(statusOf(scene.pod())?.state?.waiting?.reason, 'ContainerCreating');
  });
}

for (const [what, volume] of [
  ['an optional config map', { name: 'v', configMap: { name: 'app', optional: true } }],
  ['an optional secret', { name: 'v', secret: { secretName: 'keys', optional: true } }],
  ['an optional key', { name: 'v', configMap: { name: 'there', optional: true, items: [{ key: 'k', path: 'k' }] } }],
  [
    'an optional projected source',
    { name: 'v', projected: { sources: [{ configMap: { name: 'app', optional: true } }] } },
  ],
] as const) {
  test(`${what} is missing › the pod starts`, async (t) => {
    const scene = await createRunningScene();
    scene.server.create('ConfigMap', { metadata: { name: 'there' }, data: { other: '1' } });
    scene.bind(podWith(volume));
    await scene.run(1000);
    t.is(scene.pod().status.phase, 'Running');
    t.false(scene.told().some((text) => text.includes('FailedMount')));
  });
}

test('a volume that no container mounts › is never set up', async (t) => {
  const scene = await createRunningScene();
  scene.bind(podDraft({ volumes: [{ name: 'v', configMap: { name: 'app' } }] }));
  await scene.run(1000);
  t.is(scene.pod().status.phase, 'Running');
});

test('binary data › counts as data of the config map', async (t) => {
  const scene = await createRunningScene();
  scene.server.create('ConfigMap', { metadata: { name: 'app' }, binaryData: { k: 'AA==' } });
  scene.bind(podWith({ name: 'v', configMap: { name: 'app', items: [{ key: 'k', path: 'k' }] } }));
  await scene.run(1000);
  t.is(scene.pod().status.phase, 'Running');
});

test('a config map that is deleted › leaves the pods that have it alone', async (t) => {
  const scene = await createRunningScene();
  scene.server.create('ConfigMap', { metadata: { name: 'app' } });
  scene.bind(podWith({ name: 'v', configMap: { name: 'app' } }));
  await scene.run(1000);
  scene.server.delete('ConfigMap', { name: 'app' });
  scene.kubelet.stop();
  scene.kubelet.start();
  await scene.run(60_000);
  const { phase, containerStatuses } = scene.pod().status;
  t.is(phase, 'Running');
  t.is(containerStatuses?.[0]?.restartCount, 0);
});

test('a pod that is deleted while it waits › ends at once', async (t) => {
  const scene = await createRunningScene();
  scene.bind(podWith({ name: 'v', configMap: { name: 'app' } }));
  await scene.run(5000);
  scene.server.delete('Pod', { name: 'p', namespace: 'default' });
  await scene.run(100);
  t.is(scene.server.find('Pod', { name: 'p', namespace: 'default' }), undefined);
});

test('a kubelet that is cut off › knows what was there before', async (t) => {
  const scene = await createRunningScene();
  scene.server.create('ConfigMap', { metadata: { name: 'app' } });
  scene.bind(podWith({ name: 'v', configMap: { name: 'app' } }));
  await scene.run(1000);
  scene.bind({ ...podWith({ name: 'v', configMap: { name: 'app' } }), metadata: { name: 'second' } });
  await scene.run(10);
  scene.link.cut();
  scene.server.delete('ConfigMap', { name: 'app' });
  await scene.run(5000);
  scene.link.restore();
  await scene.run(1000);
  t.is(scene.pod('second').status.phase, 'Running');
});
