/** How a pod is deleted, from the request to the removal of its object: statements 5.1 and following. */
import test from 'ava';
import { createCluster } from '../../../src/index.js';
import type { Draft, Pod } from '../../../src/api/objects/objects.js';
import { createRunningScene, forget, podDraft } from '../scene.js';
import { P, running, STAYS, told } from './ending-scene.js';

function marks({ metadata }: Pick<Pod, 'metadata'>): readonly unknown[] {
  return [metadata.deletionTimestamp, metadata.deletionGracePeriodSeconds, metadata.generation];
}

test('5.1 › the first grace: as asked, or as the spec says; none without a node or after the end; negative is one', async (t) => {
  const scene = await createRunningScene();
  const bound = (name: string, spec: Draft = {}): void => void scene.bind(podDraft(spec, STAYS, name));
  for (const name of ['asked', 'negative', 'failed']) bound(name);
  bound('spec', { terminationGracePeriodSeconds: 7 });
  scene.server.create('Pod', podDraft({}, {}, 'unbound'));
  scene.server.patch(
    'Pod',
    { ...P, name: 'failed' },
    { type: 'merge', body: { status: { phase: 'Failed' } } },
    'status',
  );
  const grace = (name: string, gracePeriodSeconds?: number): number | undefined =>
    scene.server.delete('Pod', { ...P, name }, { gracePeriodSeconds }).metadata.deletionGracePeriodSeconds;
  t.deepEqual(
    [grace('asked', 3), grace('spec'), grace('negative', -5), grace('unbound'), grace('failed')],
    [3, 7, 1, 0, 0],
  );
});

test('5.2 › the mark: its end, its grace, and a new generation', async (t) => {
  const scene = await running({}, STAYS);
  scene.server.delete('Pod', P, { gracePeriodSeconds: 20 });
  t.deepEqual(marks(scene.pod()), ['2030-01-01T00:00:30Z', 20, 2]);
});

test('5.3 › with a grace the object stays, without one it goes at once, unless a finalizer holds it', async (t) => {
  const scene = await running({}, STAYS);
  const held = { ...podDraft({}, STAYS, 'held'), metadata: { name: 'held', finalizers: ['x.y/z'] } };
  scene.bind(held);
  scene.server.delete('Pod', P);
  t.is(scene.server.count('Pod'), 2);
  scene.server.delete('Pod', P, { gracePeriodSeconds: 0 });
  scene.server.delete('Pod', { ...P, name: 'held' }, { gracePeriodSeconds: 0 });
  t.deepEqual(
    scene.server.list('Pod').items.map((pod) => [pod.metadata.name, pod.metadata.deletionGracePeriodSeconds]),
    [['held', 0]],
  );
});

test('5.4 › a repeated deletion only shortens; an end that would lie in the past is now, with one second', async (t) => {
  const scene = await running({}, STAYS);
  scene.server.delete('Pod', P, { gracePeriodSeconds: 30 });
  scene.server.delete('Pod', P);
  scene.server.delete('Pod', P, { gracePeriodSeconds: 40 });
  t.deepEqual(marks(scene.pod()), ['2030-01-01T00:00:40Z', 30, 2]);
  scene.server.delete('Pod', P, { gracePeriodSeconds: 20 });
  t.deepEqual(marks(scene.pod()), ['2030-01-01T00:00:30Z', 20, 2]);
  await scene.run(15_000);
  scene.server.delete('Pod', P, { gracePeriodSeconds: 10 });
  t.deepEqual(marks(scene.pod()), ['2030-01-01T00:00:25Z', 1, 2]);
  scene.server.delete('Pod', P, { gracePeriodSeconds: 0 });
  t.is(scene.server.count('Pod'), 0);
});

test('5.5 › the mark is MODIFIED, the removal DELETED, and the mark cannot be taken back', async (t) => {
  const scene = await running({}, { 'shutdown-delay': '1s' });
  scene.server.delete('Pod', P);
  const { metadata } = scene.pod();
  const { deletionTimestamp: _gone, ...unmarked } = metadata;
  scene.server.update('Pod', { ...scene.pod(), metadata: unmarked });
  t.is(scene.pod().metadata.deletionTimestamp, metadata.deletionTimestamp);
  await scene.run(5000);
  t.deepEqual(told(scene), [
    '0 MODIFIED Running c=Running+ grace=30',
    '4 MODIFIED Running c=Running+ grace=30',
    '4 event Normal Killing: Stopping container c',
    '1004 MODIFIED Succeeded c=Completed grace=30',
    '1008 MODIFIED Succeeded c=Completed grace=0',
    '1008 DELETED Succeeded c=Completed grace=0',
  ]);
});

test('5.6 › finalizers: nothing happens when they go during the grace; after the kubelet’s deletion the last one ends it', async (t) => {
  const scene = await createRunningScene();
  const finalizers = ['x.y/a', 'x.y/b'];
  const draft = podDraft({}, { 'shutdown-delay': '5s' });
  scene.bind({ ...draft, metadata: { ...draft.metadata, finalizers } });
  await scene.run(5000);
  forget(scene);
  const keep = (...left: readonly string[]): Pod =>
    scene.server.patch('Pod', P, { type: 'merge', body: { metadata: { finalizers: left } } });
  scene.server.delete('Pod', P);
  await scene.run(2000);
  keep('x.y/b');
  await scene.run(10_000);
  t.deepEqual(told(scene).slice(-2), [
    '5004 MODIFIED Succeeded c=Completed grace=30',
    '5008 MODIFIED Succeeded c=Completed grace=0',
  ]);
  keep();
  t.is(scene.server.count('Pod'), 0);
});

test('5.7 › a deletion that names another uid or version changes nothing', async (t) => {
  const scene = await running({}, STAYS);
  for (const preconditions of [{ uid: 'other' }, { resourceVersion: '1' }]) {
    const error = t.throws(() => scene.server.delete('Pod', P, { preconditions })) as
      | { readonly code?: number }
      | undefined;
    t.is(error?.code, 409);
  }
  t.deepEqual(scene.writes, []);
});

test('5.8 › no pod that is being deleted is bound', async (t) => {
  const { server } = await createRunningScene();
  server.create('Pod', { ...podDraft(), metadata: { name: 'p', finalizers: ['x.y/z'] } });
  server.delete('Pod', P);
  const error = t.throws(() => server.bind({ metadata: P, target: { kind: 'Node', name: 'n1' } })) as
    | { readonly code?: number }
    | undefined;
  t.is(error?.code, 409);
  t.is(server.get('Pod', P).spec.nodeName, undefined);
});

test('5.9 › a pod that is being deleted takes status writes, but no new finalizers', async (t) => {
  const scene = await running({}, STAYS);
  scene.server.delete('Pod', P);
  scene.server.patch('Pod', P, { type: 'merge', body: { status: { message: 'still here' } } }, 'status');
  t.is(scene.pod().status.message, 'still here');
  const body = { metadata: { finalizers: ['x.y/q'] } };
  const error = t.throws(() => scene.server.patch('Pod', P, { type: 'merge', body }));
  t.is(
    error.message,
    'Pod "p" is invalid: metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, ' +
      'found new finalizers []string{"x.y/q"}',
  );
});

test('a pod that has ended before its kubelet hears of its deletion goes, though the removal is refused for a while', async (t) => {
  const cluster = createCluster({ nodes: 1 });
  const spec = { restartPolicy: 'Never', containers: [{ name: 'app', image: 'app' }] };
  const metadata = { name: 'once', annotations: { 'kubeloom.dev/run-for': '60s' } };
  cluster.apply({ apiVersion: 'v1', kind: 'Pod', metadata, spec });
  await cluster.run({ limit: '50s' });
  const node = 'node-0';
  cluster.faults.inject({ delayWatch: { node, kind: 'Pod', by: '20s' } });
  await cluster.run({ limit: '10s' });
  cluster.delete('Pod', 'once');
  await cluster.run({ limit: '10s' });
  t.is(cluster.get('Pod', 'once').status.phase, 'Succeeded');
  cluster.faults.inject({ refuse: { node, verbs: ['delete'], share: 1, with: 'TooManyRequests' }, for: '40s' });
  await cluster.run({ limit: '35s' });
  t.is(cluster.list('Pod').length, 1);
  await cluster.run({ limit: '25s' });
  t.deepEqual(cluster.list('Pod'), []);
});
