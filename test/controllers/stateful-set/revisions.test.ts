import test from 'ava';
import type { ControllerRevision } from '../../../src/api/objects/objects.js';
import type { Harness } from '../harness.js';
import { comings, createScene, images, patchSet, setDraft, setImage, setNamed } from './scene.js';

const SET = { namespace: 'default', name: 's' };

/** The image that a revision recorded, and the revision's number. */
function numbered(harness: Harness): string[] {
  return harness
    .list('ControllerRevision')
    .map((revision) => `${revision.revision} ${imageOf(revision)}`)
    .sort();
}

function imageOf({ data }: ControllerRevision): string {
  const { spec } = data as { spec: { template: { spec: { containers: { image: string }[] } } } };
  return spec.template.spec.containers[0]?.image ?? '';
}

test('7.3.6 › a revision records the template, with the labels of the template and the annotations of the set', async (t) => {
  const harness = createScene();
  harness.server.create('StatefulSet', { ...setDraft('s'), metadata: { name: 's', annotations: { team: 'data' } } });
  await harness.run(1000);
  const set = setNamed(harness, 's');
  const [{ metadata, data, revision }] = harness.list('ControllerRevision') as [ControllerRevision];
  const hash = metadata.name.slice('s-'.length);
  t.is(set.status.currentRevision, metadata.name);
  t.deepEqual(metadata.labels, { a: 'b', 'controller.kubernetes.io/hash': hash });
  t.deepEqual(metadata.annotations, { team: 'data' });
  t.is(metadata.ownerReferences?.[0]?.uid, set.metadata.uid);
  t.is(metadata.ownerReferences?.[0]?.controller, true);
  t.deepEqual(data, { spec: { template: { ...set.spec.template, $patch: 'replace' } } });
  t.is(revision, 1);
  harness.dispose();
});

test('7.3.6 › going back to an older template takes up its revision again, under the next number', async (t) => {
  const harness = createScene();
  harness.server.create('StatefulSet', setDraft('s'));
  await harness.run(1000);
  const first = setNamed(harness, 's').status.currentRevision;
  setImage(harness, 's', 'v2');
  await harness.run(1000);
  t.deepEqual(numbered(harness), ['1 pause', '2 v2']);
  setImage(harness, 's', 'pause');
  await harness.run(1000);
  t.deepEqual(numbered(harness), ['2 v2', '3 pause']);
  t.is(setNamed(harness, 's').status.currentRevision, first);
  t.deepEqual(images(harness), ['s-0 pause']);
  harness.dispose();
});

test('7.3.6 › unused revisions beyond the limit go, the lowest number first', async (t) => {
  const harness = createScene();
  harness.server.create(
    'StatefulSet',
    setDraft('s', { revisionHistoryLimit: 2, updateStrategy: { type: 'OnDelete' } }),
  );
  await harness.run(1000);
  for (const image of ['v2', 'v3', 'v4', 'v5', 'v6']) {
    setImage(harness, 's', image);
    await harness.run(1000);
  }
  t.deepEqual(numbered(harness), ['1 pause', '4 v4', '5 v5', '6 v6']);
  harness.server.delete('Pod', { namespace: 'default', name: 's-0' });
  await harness.run(1000);
  t.deepEqual(images(harness), ['s-0 v6']);
  t.deepEqual(numbered(harness), ['1 pause', '4 v4', '5 v5', '6 v6']);
  patchSet(harness, 's', { revisionHistoryLimit: 0 });
  await harness.run(1000);
  t.deepEqual(numbered(harness), ['1 pause', '6 v6']);
  harness.dispose();
});

test('7.3.6 › a name that is taken by other data makes the collision count grow, and with it the hash', async (t) => {
  const harness = createScene();
  harness.server.create('StatefulSet', setDraft('s'));
  await harness.run(1000);
  const name = setNamed(harness, 's').status.currentRevision ?? '';
  harness.server.delete('StatefulSet', SET);
  await harness.run(1000);
  harness.server.create('ControllerRevision', { metadata: { name }, data: { of: 'somebody else' }, revision: 1 });
  harness.server.create('StatefulSet', setDraft('s'));
  await harness.run(1000);
  const { status } = setNamed(harness, 's');
  t.is(status.collisionCount, 1);
  t.not(status.currentRevision, name);
  t.is(status.availableReplicas, 1);
  t.is(harness.list('ControllerRevision').length, 2);
  harness.dispose();
});

test('7.3.6 › a set that takes over orphans takes over their history too, and rolls nothing', async (t) => {
  const harness = createScene();
  harness.server.create('StatefulSet', setDraft('s', { replicas: 2 }));
  await harness.run(1000);
  harness.server.delete('StatefulSet', SET, { propagationPolicy: 'Orphan' });
  await harness.run(1000);
  t.deepEqual(harness.list('StatefulSet'), []);
  t.deepEqual(
    [...harness.list('Pod'), ...harness.list('ControllerRevision')].map(({ metadata }) => metadata.ownerReferences),
    [undefined, undefined, undefined],
  );
  harness.log.length = 0;
  harness.server.create('StatefulSet', setDraft('s', { replicas: 2 }));
  await harness.run(1000);
  const { uid } = setNamed(harness, 's').metadata;
  t.deepEqual(
    [...harness.list('Pod'), ...harness.list('ControllerRevision')].map(
      ({ metadata }) => metadata.ownerReferences?.[0]?.uid,
    ),
    [uid, uid, uid],
  );
  t.deepEqual(comings(harness.log), []);
  t.is(setNamed(harness, 's').status.updatedReplicas, 2);
  harness.dispose();
});

test('7.3.5 › a missing pod is made of the current template below the partition, and of the new one above it', async (t) => {
  const harness = createScene();
  const updateStrategy = { rollingUpdate: { partition: 2 } };
  harness.server.create('StatefulSet', setDraft('s', { replicas: 1, updateStrategy }));
  await harness.run(1000);
  setImage(harness, 's', 'v2');
  patchSet(harness, 's', { replicas: 4 });
  await harness.run(2000);
  t.deepEqual(images(harness), ['s-0 pause', 's-1 pause', 's-2 v2', 's-3 v2']);
  harness.dispose();
});
