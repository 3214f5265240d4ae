import test from 'ava';
import { createControllerManager } from '../../../src/controllers/controller-manager.js';
import { notes, setReady, template, type Harness } from '../harness.js';
import { comings, createScene, patchSet, setDraft, setNamed, endPod } from './scene.js';

const NAME = { namespace: 'default', name: 's-0' };

function ownedPods(harness: Harness): string[] {
  const pods = harness.list('Pod').filter(({ metadata }) => metadata.ownerReferences !== undefined);
  return pods.map(({ metadata }) => metadata.name);
}

test('9.9 › a pod is called after its set and its ordinal, and labelled with both', async (t) => {
  const harness = createScene();
  harness.server.create('StatefulSet', setDraft('s', { replicas: 2, serviceName: 'peers' }));
  await harness.run(1000);
  const { metadata, spec } = harness.server.get('Pod', { namespace: 'default', name: 's-1' });
  const set = setNamed(harness, 's');
  t.is(metadata.generateName, 's-');
  t.deepEqual(metadata.labels, {
    a: 'b',
    'statefulset.kubernetes.io/pod-name': 's-1',
    'apps.kubernetes.io/pod-index': '1',
    'controller-revision-hash': set.status.updateRevision ?? '',
  });
  t.deepEqual(metadata.ownerReferences, [
    {
      apiVersion: 'apps/v1',
      kind: 'StatefulSet',
      name: 's',
      uid: set.metadata.uid,
      controller: true,
      blockOwnerDeletion: true,
    },
  ]);
  t.is(spec.hostname, 's-1');
  t.is(spec.subdomain, 'peers');
  harness.dispose();
});

test('9.9 › ordinals begin where the set says, and move when that changes', async (t) => {
  const harness = createScene();
  harness.server.create('StatefulSet', setDraft('s', { replicas: 2, ordinals: { start: 5 } }));
  await harness.run(1000);
  t.deepEqual(comings(harness.log), ['+s-5', '+s-6']);
  patchSet(harness, 's', { ordinals: { start: 6 } });
  await harness.run(1000);
  t.deepEqual(comings(harness.log).slice(2), ['+s-7', '~s-5', '-s-5']);
  t.is(setNamed(harness, 's').status.replicas, 2);
  harness.dispose();
});

test('9.10 › a pod that ends on an unreachable node is not replaced until its object is gone', async (t) => {
  const harness = createScene({ stopMs: 86_400_000 });
  harness.server.create('StatefulSet', setDraft('s', { replicas: 2 }));
  await harness.run(1000);
  const { uid } = harness.server.get('Pod', NAME).metadata;
  harness.server.delete('Pod', NAME);
  await harness.run(3_600_000);
  t.is(harness.server.get('Pod', NAME).metadata.uid, uid);
  t.deepEqual(comings(harness.log), ['+s-0', '+s-1', '~s-0']);
  harness.server.delete('Pod', NAME, { gracePeriodSeconds: 0 });
  await harness.run(1000);
  t.not(harness.server.get('Pod', NAME).metadata.uid, uid);
  t.deepEqual(comings(harness.log).slice(3), ['-s-0', '+s-0']);
  harness.dispose();
});

test('9.10 › a pod of that name with another owner keeps its place', async (t) => {
  const harness = createScene();
  harness.server.create('Pod', { metadata: { name: 's-0' }, spec: { containers: [{ name: 'c', image: 'pause' }] } });
  harness.server.create('StatefulSet', setDraft('s'));
  await harness.run(1000);
  t.deepEqual(comings(harness.log), ['+s-0']);
  t.deepEqual(notes(harness, 's'), []);
  harness.server.delete('Pod', NAME, { gracePeriodSeconds: 0 });
  await harness.run(5000);
  t.is(harness.server.get('Pod', NAME).metadata.ownerReferences?.[0]?.name, 's');
  harness.dispose();
});

for (const phase of ['Failed', 'Succeeded'] as const) {
  test(`9.11 › in order, a pod that is ${phase} is deleted once and replaced when it is gone, and nothing else happens`, async (t) => {
    const harness = createScene();
    const held = { ...template('pause'), metadata: { labels: { a: 'b' }, finalizers: ['example.com/hold'] } };
    harness.server.create('StatefulSet', setDraft('s', { replicas: 2, template: held }));
    await harness.run(1000);
    harness.log.length = 0;
    endPod(harness, NAME, phase);
    patchSet(harness, 's', { replicas: 3 });
    await harness.run(10_000);
    t.deepEqual(comings(harness.log), ['~s-0']);
    t.deepEqual(
      notes(harness, 's').filter((note) => note.includes('Delete')),
      ['Normal SuccessfulDelete delete Pod s-0 in StatefulSet s successful'],
    );
    harness.server.patch('Pod', NAME, { type: 'merge', body: { metadata: { finalizers: null } } });
    await harness.run(1000);
    t.deepEqual(comings(harness.log), ['~s-0', '-s-0', '+s-0', '+s-2']);
    harness.dispose();
  });
}

test('9.11 › in parallel, the other ordinals go on meanwhile', async (t) => {
  const harness = createScene();
  const held = { ...template('pause'), metadata: { labels: { a: 'b' }, finalizers: ['example.com/hold'] } };
  const spec = { replicas: 2, podManagementPolicy: 'Parallel', template: held };
  harness.server.create('StatefulSet', setDraft('s', spec));
  await harness.run(1000);
  harness.log.length = 0;
  endPod(harness, NAME, 'Failed');
  patchSet(harness, 's', { replicas: 4 });
  await harness.run(1000);
  t.deepEqual(comings(harness.log), ['~s-0', '+s-2', '+s-3']);
  harness.dispose();
});

test('adoption › a set adopts the pods of its names that it selects, and lets go of those that it does not', async (t) => {
  const harness = createScene();
  for (const [name, a] of [
    ['s-0', 'b'],
    ['s-x', 'b'],
    ['s-01', 'b'],
    ['s-1', 'c'],
  ] as const) {
    harness.server.create('Pod', {
      metadata: { name, labels: { a, 'statefulset.kubernetes.io/pod-name': name } },
      spec: { containers: [{ name: 'c', image: 'pause' }] },
    });
  }
  harness.server.create('StatefulSet', setDraft('s'));
  await harness.run(1000);
  t.deepEqual(ownedPods(harness), ['s-0']);
  t.is(setNamed(harness, 's').status.replicas, 1);
  harness.server.patch('Pod', NAME, { type: 'merge', body: { metadata: { labels: { a: 'c' } } } });
  await harness.run(1000);
  t.deepEqual(ownedPods(harness), []);
  t.is(setNamed(harness, 's').status.replicas, 0);
  harness.dispose();
});

test('7.3.2 › a pod that lost its identity gets it back', async (t) => {
  const harness = createScene();
  harness.server.create('StatefulSet', setDraft('s'));
  await harness.run(1000);
  const labels = { 'statefulset.kubernetes.io/pod-name': null, 'apps.kubernetes.io/pod-index': null };
  harness.server.patch('Pod', NAME, { type: 'merge', body: { metadata: { labels } } });
  await harness.run(1000);
  const { metadata } = harness.server.get('Pod', NAME);
  t.is(metadata.labels?.['statefulset.kubernetes.io/pod-name'], 's-0');
  t.is(metadata.labels?.['apps.kubernetes.io/pod-index'], '0');
  t.is(notes(harness, 's').at(-1), 'Normal SuccessfulUpdate update Pod s-0 in StatefulSet s successful');
  t.deepEqual(comings(harness.log), ['+s-0']);
  harness.dispose();
});

test('9.1 › a controller that runs twice, and one that crashes in between, never make or delete a pod too many', async (t) => {
  const harness = createScene();
  const { kernel, bus } = harness;
  const connection = bus.connect('kube-controller-manager-2');
  const second = createControllerManager({ kernel, connection, controllers: ['statefulset-controller'] });
  second.start();
  harness.server.create('StatefulSet', setDraft('s', { replicas: 5 }));
  for (let round = 0; round < 20; round += 1) {
    await harness.run(7);
    const controller = harness.manager.controller('statefulset-controller');
    if (round % 2 === 0) controller.stop();
    else controller.start();
  }
  await harness.run(60_000);
  t.deepEqual(comings(harness.log), ['+s-0', '+s-1', '+s-2', '+s-3', '+s-4']);
  t.is(setNamed(harness, 's').status.availableReplicas, 5);
  t.deepEqual(comings(harness.log, 'ControllerRevision').length, 1);
  second.dispose();
  harness.dispose();
});

test('9.10 › a set that is created anew under its name waits for the pods of the former one', async (t) => {
  const harness = createScene({ stopMs: 5000 });
  harness.server.create('StatefulSet', setDraft('s'));
  await harness.run(1000);
  harness.server.delete('StatefulSet', { namespace: 'default', name: 's' });
  await harness.run(100);
  harness.server.create('StatefulSet', setDraft('s'));
  await harness.run(4000);
  t.deepEqual(comings(harness.log), ['+s-0', '~s-0']);
  setReady(harness.kernel, harness.server, NAME, true);
  await harness.run(10_000);
  t.deepEqual(comings(harness.log), ['+s-0', '~s-0', '-s-0', '+s-0']);
  t.is(harness.server.get('Pod', NAME).metadata.ownerReferences?.[0]?.uid, setNamed(harness, 's').metadata.uid);
  harness.dispose();
});
