/** Environments from config maps and secrets, and secrets for pulls. */
import test from 'ava';
import type { Draft } from '../../../src/api/objects/objects.js';
import { createRunningScene, forget, IMAGE, podDraft, RETRIES_MS, statusOf } from '../scene.js';

function podWith(container: Draft, spec: Draft = {}): Draft {
  return podDraft({ ...spec, containers: [{ name: 'c', image: IMAGE, ...container }] });
}

const FROM_MAP = { env: [{ name: 'A', valueFrom: { configMapKeyRef: { name: 'app', key: 'k' } } }] };

for (const [what, container, text] of [
  ['the config map of a variable', FROM_MAP, 'configmap "app" not found'],
  [
    'the secret of a variable',
    { env: [{ name: 'A', valueFrom: { secretKeyRef: { name: 'keys', key: 'k' } } }] },
    'secret "keys" not found',
  ],
  [
    'the key of a variable in a config map',
    { env: [{ name: 'A', valueFrom: { configMapKeyRef: { name: 'there', key: 'k' } } }] },
    "couldn't find key k in ConfigMap default/there",
  ],
  [
    'the key of a variable in a secret',
    { env: [{ name: 'A', valueFrom: { secretKeyRef: { name: 'there', key: 'toString' } } }] },
    "couldn't find key toString in Secret default/there",
  ],
  ['the config map of all variables', { envFrom: [{ configMapRef: { name: 'app' } }] }, 'configmap "app" not found'],
  ['the secret of all variables', { envFrom: [{ secretRef: { name: 'keys' } }] }, 'secret "keys" not found'],
  [
    'the secret of all variables, and the config map of one',
    { ...FROM_MAP, envFrom: [{ secretRef: { name: 'keys' } }] },
    'secret "keys" not found',
  ],
] as const) {
  test(`${what} is missing › CreateContainerConfigError, ${text}`, async (t) => {
    const scene = await createRunningScene();
    scene.server.create('ConfigMap', { metadata: { name: 'there' }, data: { other: '1' } });
    scene.server.create('Secret', { metadata: { name: 'there' }, stringData: { other: '1' } });
    scene.bind(podWith(container));
    await scene.run(2000);
    t.deepEqual(statusOf(scene.pod())?.state, { waiting: { reason: 'CreateContainerConfigError', message: text } });
    t.deepEqual(scene.told(), [
      `Pulled: Container image "${IMAGE}" already present on machine`,
      `Failed: Error: ${text}`,
    ]);
  });
}

for (const [what, container] of [
  ['a variable', { env: [{ name: 'A', valueFrom: { configMapKeyRef: { name: 'app', key: 'k', optional: true } } }] }],
  ['a key', { env: [{ name: 'A', valueFrom: { secretKeyRef: { name: 'there', key: 'k', optional: true } } }] }],
  [
    'all variables',
    { envFrom: [{ configMapRef: { name: 'app', optional: true } }, { secretRef: { name: 'keys', optional: true } }] },
  ],
] as const) {
  test(`${what} of an optional source that is missing › the container starts`, async (t) => {
    const scene = await createRunningScene();
    scene.server.create('Secret', { metadata: { name: 'there' } });
    scene.bind(podWith(container));
    await scene.run(1000);
    t.is(scene.pod().status.phase, 'Running');
  });
}

test('once a missing key has come › the container starts at the next sync of its pod', async (t) => {
  const scene = await createRunningScene();
  scene.bind(podWith(FROM_MAP));
  await scene.run(2000);
  scene.server.create('ConfigMap', { metadata: { name: 'app' } });
  await scene.run(RETRIES_MS[0]);
  t.is(statusOf(scene.pod())?.state?.waiting?.message, "couldn't find key k in ConfigMap default/app");
  scene.server.patch('ConfigMap', { name: 'app' }, { type: 'merge', body: { data: { k: 'v' } } });
  await scene.run(RETRIES_MS[1] - 2000);
  t.is(scene.pod().status.phase, 'Pending');
  await scene.run(3000);
  t.is(scene.pod().status.phase, 'Running');
});

test('a config map is deleted › a container that runs goes on, and cannot be started again', async (t) => {
  const scene = await createRunningScene();
  scene.server.create('ConfigMap', { metadata: { name: 'app' }, data: { k: 'v' } });
  const draft = podDraft({ containers: [{ name: 'c', image: IMAGE, ...FROM_MAP }] }, { 'crash-after': '60s' });
  scene.bind(draft);
  await scene.run(30_000);
  scene.server.delete('ConfigMap', { name: 'app' });
  await scene.run(20_000);
  t.true(statusOf(scene.pod())?.ready);
  await scene.run(30_000);
  const status = statusOf(scene.pod());
  t.deepEqual(status?.state, {
    waiting: { reason: 'CreateContainerConfigError', message: 'configmap "app" not found' },
  });
  t.is(status?.lastState?.terminated?.exitCode, 1);
});

test('an init container without its secret › keeps the others waiting', async (t) => {
  const scene = await createRunningScene();
  const init = { name: 'i', image: IMAGE, envFrom: [{ secretRef: { name: 'keys' } }] };
  scene.bind(podWith({}, { initContainers: [init] }));
  await scene.run(2000);
  t.is(statusOf(scene.pod(), 'i')?.state?.waiting?.reason, 'CreateContainerConfigError');
  t.is(statusOf(scene.pod(), 'c')?.state?.waiting?.reason, 'PodInitializing');
});

test('missing secrets for pulls › are told at each sync, and the pull goes on', async (t) => {
  const scene = await createRunningScene();
  scene.server.create('Secret', { metadata: { name: 'there' } });
  forget(scene);
  scene.bind(
    podWith({ image: 'private/app:1' }, { imagePullSecrets: [{ name: 'a' }, { name: 'there' }, { name: 'b' }] }),
  );
  await scene.run(5000);
  t.is(scene.pod().status.phase, 'Running');
  const [first] = scene.told();
  t.is(
    first,
    'FailedToRetrieveImagePullSecret: Unable to retrieve some image pull secrets (a, b); attempting to pull the image may not succeed.',
  );
});

test('an API server that does not answer › a watch has a second for its first list, then the container is not created', async (t) => {
  const scene = await createRunningScene();
  scene.server.create('ConfigMap', { metadata: { name: 'app' }, data: { k: 'v' } });
  scene.bind(podWith(FROM_MAP));
  await scene.run(3);
  scene.link.cut('out');
  await scene.run(3000);
  scene.link.restore('out');
  await scene.run(1000);
  t.is(
    statusOf(scene.pod())?.state?.waiting?.message,
    'failed to sync configmap cache: timed out waiting for the condition',
  );
  await scene.run(20_000);
  t.is(scene.pod().status.phase, 'Running');
});
