import test from 'ava';
import type { OwnerReference } from '../../../src/api/objects/objects.js';
import { notes, type Harness } from '../harness.js';
import { comings, createScene, patchSet, setDraft } from './scene.js';

const CONTROLLERS = [
  'statefulset-controller',
  'garbage-collector-controller',
  'persistentvolume-binder-controller',
  'persistentvolumeclaim-protection-controller',
] as const;

const TEMPLATE = {
  metadata: { name: 'data', labels: { tier: 'disk' } },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
};

function claims(harness: Harness): string[] {
  return harness.list('PersistentVolumeClaim').map(({ metadata }) => metadata.name);
}

/** Kinds and names of a claim's owners. */
function ownersOf(harness: Harness, name: string): string[] {
  const { metadata } = harness.server.get('PersistentVolumeClaim', { namespace: 'default', name });
  return (metadata.ownerReferences ?? []).map(
    ({ kind, name: owner, controller }: OwnerReference) => `${kind}/${owner}${controller === true ? '!' : ''}`,
  );
}

function createSet(harness: Harness, whenDeleted: string, whenScaled: string, spec: object = {}): void {
  const policy = {
    volumeClaimTemplates: [TEMPLATE],
    persistentVolumeClaimRetentionPolicy: { whenDeleted, whenScaled },
  };
  harness.server.create('StatefulSet', setDraft('s', { ...policy, ...spec }));
}

test('7.3.1 › each pod has a claim of its own, created before it and labelled as its template and as the set selects', async (t) => {
  const harness = createScene({ controllers: CONTROLLERS });
  createSet(harness, 'Retain', 'Retain', { replicas: 2 });
  await harness.run(1000);
  const { metadata, spec } = harness.server.get('PersistentVolumeClaim', { namespace: 'default', name: 'data-s-1' });
  t.deepEqual(metadata.labels, { tier: 'disk', a: 'b' });
  t.is(metadata.ownerReferences, undefined);
  t.deepEqual(spec.accessModes, ['ReadWriteOnce']);
  const pod = harness.server.get('Pod', { namespace: 'default', name: 's-1' });
  t.deepEqual(pod.spec.volumes, [{ name: 'data', persistentVolumeClaim: { claimName: 'data-s-1' } }]);
  t.deepEqual(harness.log.flatMap((event) => (event.type === 'ADDED' ? [event.object.metadata.name] : [])).slice(2), [
    'data-s-0',
    's-0',
    'data-s-1',
    's-1',
  ]);
  t.deepEqual(notes(harness, 's').slice(0, 2), [
    'Normal SuccessfulCreate create Claim data-s-0 Pod s-0 in StatefulSet s success',
    'Normal SuccessfulCreate create Pod s-0 in StatefulSet s successful',
  ]);
  harness.dispose();
});

test('7.3.1 › a volume of the template gives way to the claim of that name, the others stay', async (t) => {
  const harness = createScene({ controllers: CONTROLLERS });
  const volumes = [
    { name: 'scratch', emptyDir: {} },
    { name: 'data', emptyDir: {} },
  ];
  const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'pause' }], volumes } };
  createSet(harness, 'Retain', 'Retain', { template });
  await harness.run(1000);
  t.deepEqual(harness.server.get('Pod', { namespace: 'default', name: 's-0' }).spec.volumes, [
    { name: 'data', persistentVolumeClaim: { claimName: 'data-s-0' } },
    { name: 'scratch', emptyDir: {} },
  ]);
  harness.dispose();
});

test('7.3.1 › a claim that is missing while its pod is Pending is created again', async (t) => {
  const harness = createScene({ controllers: CONTROLLERS, runs: () => false });
  createSet(harness, 'Retain', 'Retain');
  await harness.run(1000);
  harness.server.delete('PersistentVolumeClaim', { namespace: 'default', name: 'data-s-0' });
  await harness.run(1000);
  patchSet(harness, 's', { revisionHistoryLimit: 5 });
  await harness.run(1000);
  t.deepEqual(comings(harness.log, 'PersistentVolumeClaim'), ['+data-s-0', '~data-s-0', '-data-s-0', '+data-s-0']);
  harness.dispose();
});

test('7.3.8 › a claim that is refused is told of, and the pod waits', async (t) => {
  const harness = createScene({ controllers: CONTROLLERS });
  const broken = { ...TEMPLATE, metadata: { name: 'data', labels: { 'no key': 'x' } } };
  createSet(harness, 'Retain', 'Retain', { volumeClaimTemplates: [broken] });
  await harness.run(10);
  t.deepEqual(comings(harness.log), []);
  const [claim, pod] = notes(harness, 's');
  const refusal = String.raw`PersistentVolumeClaim "data-s-0" is invalid: metadata\.labels: Invalid value: "no key"`;
  t.regex(
    claim ?? '',
    new RegExp(`^Warning FailedCreate create Claim data-s-0 for Pod s-0 in StatefulSet s failed error: ${refusal}`),
  );
  t.regex(
    pod ?? '',
    new RegExp(
      `^Warning FailedCreate create Pod s-0 in StatefulSet s failed error: failed to create PVC data-s-0: ${refusal}`,
    ),
  );
  harness.dispose();
});

test('9.17 › claims outlive their pods and their set', async (t) => {
  const harness = createScene({ controllers: CONTROLLERS });
  harness.server.create('StatefulSet', setDraft('s', { replicas: 2, volumeClaimTemplates: [TEMPLATE] }));
  await harness.run(1000);
  patchSet(harness, 's', { replicas: 1 });
  await harness.run(1000);
  harness.server.delete('StatefulSet', { namespace: 'default', name: 's' });
  await harness.run(5000);
  t.deepEqual(harness.list('Pod'), []);
  t.deepEqual(claims(harness), ['data-s-0', 'data-s-1']);
  harness.dispose();
});

test('7.3.9 › whenDeleted Delete makes the set the owner of its claims, which go with it', async (t) => {
  const harness = createScene({ controllers: CONTROLLERS });
  createSet(harness, 'Delete', 'Retain', { replicas: 2 });
  await harness.run(1000);
  t.deepEqual(ownersOf(harness, 'data-s-0'), ['StatefulSet/s!']);
  patchSet(harness, 's', { replicas: 1 });
  await harness.run(1000);
  t.deepEqual(ownersOf(harness, 'data-s-1'), ['StatefulSet/s!']);
  harness.server.delete('StatefulSet', { namespace: 'default', name: 's' });
  await harness.run(5000);
  t.deepEqual(claims(harness), []);
  harness.dispose();
});

test('7.3.9 › whenScaled Delete makes a condemned pod the owner of its claims, which go when it is gone', async (t) => {
  const harness = createScene({ controllers: CONTROLLERS, stopMs: 500 });
  createSet(harness, 'Retain', 'Delete', { replicas: 2 });
  await harness.run(1000);
  t.deepEqual(ownersOf(harness, 'data-s-1'), []);
  patchSet(harness, 's', { replicas: 1 });
  await harness.run(100);
  t.deepEqual(ownersOf(harness, 'data-s-1'), ['Pod/s-1!']);
  await harness.run(5000);
  t.deepEqual(claims(harness), ['data-s-0']);
  harness.server.delete('StatefulSet', { namespace: 'default', name: 's' });
  await harness.run(5000);
  t.deepEqual(claims(harness), ['data-s-0']);
  harness.dispose();
});

test('7.3.9 › with both, a claim passes from the set to the condemned pod', async (t) => {
  const harness = createScene({ controllers: CONTROLLERS, stopMs: 500 });
  createSet(harness, 'Delete', 'Delete', { replicas: 2 });
  await harness.run(1000);
  t.deepEqual(ownersOf(harness, 'data-s-1'), ['StatefulSet/s!']);
  patchSet(harness, 's', { replicas: 1 });
  await harness.run(100);
  t.deepEqual(ownersOf(harness, 'data-s-1'), ['Pod/s-1!']);
  t.deepEqual(ownersOf(harness, 'data-s-0'), ['StatefulSet/s!']);
  await harness.run(5000);
  t.deepEqual(claims(harness), ['data-s-0']);
  harness.dispose();
});

test('7.3.9 › a changed policy reaches the claims of running pods', async (t) => {
  const harness = createScene({ controllers: CONTROLLERS });
  createSet(harness, 'Retain', 'Retain');
  await harness.run(1000);
  patchSet(harness, 's', { persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Delete', whenScaled: 'Retain' } });
  await harness.run(1000);
  t.deepEqual(ownersOf(harness, 'data-s-0'), ['StatefulSet/s!']);
  t.is(notes(harness, 's').at(-1), 'Normal SuccessfulUpdate update Pod s-0 in StatefulSet s successful');
  patchSet(harness, 's', { persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Retain', whenScaled: 'Retain' } });
  await harness.run(1000);
  t.deepEqual(ownersOf(harness, 'data-s-0'), []);
  t.deepEqual(comings(harness.log), ['+s-0']);
  harness.dispose();
});

test('7.3.9 › a pod that comes back waits until the claim of the former one is gone, and gets a new one', async (t) => {
  const harness = createScene({ controllers: CONTROLLERS });
  createSet(harness, 'Retain', 'Delete', { replicas: 2 });
  await harness.run(1000);
  const name = { namespace: 'default', name: 'data-s-1' };
  const { uid } = harness.server.get('PersistentVolumeClaim', name).metadata;
  harness.server.patch('PersistentVolumeClaim', name, {
    type: 'merge',
    body: { metadata: { finalizers: ['kubernetes.io/pvc-protection', 'example.com/hold'] } },
  });
  patchSet(harness, 's', { replicas: 1 });
  await harness.run(1000);
  harness.log.length = 0;
  patchSet(harness, 's', { replicas: 2 });
  await harness.run(10_000);
  t.deepEqual(comings(harness.log), []);
  harness.server.patch('PersistentVolumeClaim', name, { type: 'merge', body: { metadata: { finalizers: [] } } });
  await harness.run(1000);
  t.deepEqual(comings(harness.log), ['+s-1']);
  t.not(harness.server.get('PersistentVolumeClaim', name).metadata.uid, uid);
  harness.dispose();
});

test('7.3.9 › a claim with another controller is left alone, and an event of the set says so', async (t) => {
  const harness = createScene({ controllers: CONTROLLERS, runs: () => false });
  const other = { apiVersion: 'v1', kind: 'Namespace', name: 'default', uid: '0', controller: true };
  harness.server.create('Namespace', { metadata: { name: 'other' } });
  const { uid } = harness.server.get('Namespace', { name: 'other' }).metadata;
  harness.server.create('PersistentVolumeClaim', {
    metadata: { name: 'data-s-0', ownerReferences: [{ ...other, name: 'other', uid }] },
    spec: TEMPLATE.spec,
  });
  createSet(harness, 'Delete', 'Delete');
  await harness.run(1000);
  t.deepEqual(ownersOf(harness, 'data-s-0'), ['Namespace/other!']);
  t.true(
    notes(harness, 's').includes(
      'Warning ConflictingController PersistentVolumeClaim data-s-0 has a conflicting OwnerReference that acts as a manging controller, the retention policy is ignored for this claim',
    ),
  );
  harness.dispose();
});
