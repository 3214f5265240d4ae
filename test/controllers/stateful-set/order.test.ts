import test from 'ava';
import type { StatefulSet } from '../../../src/api/objects/objects.js';
import { notes, setReady, template, type Harness } from '../harness.js';
import { comings, createScene, images, patchSet, setDraft, setImage, setNamed, statuses } from './scene.js';

function pod(ordinal: number): { readonly namespace: string; readonly name: string } {
  return { namespace: 'default', name: `s-${ordinal}` };
}

function unready(harness: Harness, ordinal: number): void {
  setReady(harness.kernel, harness.server, pod(ordinal), false);
}

function ready(harness: Harness, ordinal: number): void {
  setReady(harness.kernel, harness.server, pod(ordinal), true);
}

/** A status as text: replicas, ready, current, updated, available, and whether both revisions are the same. */
function told({ replicas, readyReplicas, currentReplicas, ...more }: StatefulSet['status']): string {
  const counts = [replicas, readyReplicas, currentReplicas, more.updatedReplicas, more.availableReplicas];
  const revisions = more.currentRevision === more.updateRevision ? 'one' : 'two';
  return `${counts.map((count) => count ?? 0).join('/')} ${revisions}`;
}

test('9.12 › in order, a pod is created when all before it are available', async (t) => {
  const harness = createScene({ runs: ({ metadata }) => metadata.name !== 's-1' });
  harness.server.create('StatefulSet', setDraft('s', { replicas: 3 }));
  await harness.run(10_000);
  t.deepEqual(comings(harness.log), ['+s-0', '+s-1']);
  ready(harness, 1);
  await harness.run(1000);
  t.deepEqual(comings(harness.log), ['+s-0', '+s-1', '+s-2']);
  harness.dispose();
});

test('9.12 › in order, a pod counts as available after minReadySeconds', async (t) => {
  const harness = createScene();
  harness.server.create('StatefulSet', setDraft('s', { replicas: 2, minReadySeconds: 30 }));
  await harness.run(29_000);
  t.deepEqual(comings(harness.log), ['+s-0']);
  t.is(told(setNamed(harness, 's').status), '1/1/1/1/0 one');
  await harness.run(2000);
  t.deepEqual(comings(harness.log), ['+s-0', '+s-1']);
  t.is(told(setNamed(harness, 's').status), '2/2/2/2/1 one');
  await harness.run(40_000);
  t.is(told(setNamed(harness, 's').status), '2/2/2/2/2 one');
  harness.dispose();
});

test('9.12 › a set looks for available pods minReadySeconds after the last look, not when the second of a pod is over', async (t) => {
  const harness = createScene();
  const { clock } = harness.kernel;
  await harness.run(800);
  harness.server.create('StatefulSet', setDraft('s', { replicas: 1, minReadySeconds: 2 }));
  const availableMs: number[] = [];
  harness.server.watch('StatefulSet', {}, (event) => {
    if (event.type !== 'BOOKMARK' && event.object.status.availableReplicas === 1) availableMs.push(clock.now());
  });
  // Ready since 0 s, as the condition says, and seen so at 0.8 s: upstream's next look is at 2.8 s.
  await harness.run(1900);
  t.deepEqual(availableMs, []);
  await harness.run(300);
  t.is(availableMs.length, 1);
  harness.dispose();
});

test('9.12 › in parallel, nothing waits for anything', async (t) => {
  const harness = createScene({ runs: () => false });
  harness.server.create('StatefulSet', setDraft('s', { replicas: 5, podManagementPolicy: 'Parallel' }));
  await harness.run(1000);
  t.deepEqual(comings(harness.log), ['+s-0', '+s-1', '+s-2', '+s-3', '+s-4']);
  t.is(told(setNamed(harness, 's').status), '5/0/5/5/0 one');
  harness.dispose();
});

test('9.13 › in order, the highest ordinal goes first, and the next one when it is gone', async (t) => {
  const harness = createScene({ stopMs: 500 });
  harness.server.create('StatefulSet', setDraft('s', { replicas: 4 }));
  await harness.run(1000);
  harness.log.length = 0;
  patchSet(harness, 's', { replicas: 1 });
  await harness.run(5000);
  t.deepEqual(comings(harness.log), ['~s-3', '-s-3', '~s-2', '-s-2', '~s-1', '-s-1']);
  harness.dispose();
});

test('9.13 › in order, nothing is removed while a pod that stays is not healthy', async (t) => {
  const harness = createScene();
  harness.server.create('StatefulSet', setDraft('s', { replicas: 3 }));
  await harness.run(1000);
  harness.log.length = 0;
  unready(harness, 0);
  patchSet(harness, 's', { replicas: 1 });
  await harness.run(10_000);
  t.deepEqual(comings(harness.log), []);
  ready(harness, 0);
  await harness.run(1000);
  t.deepEqual(comings(harness.log), ['~s-2', '-s-2', '~s-1', '-s-1']);
  harness.dispose();
});

test('7.3.3 › in order, an unhealthy pod is removed only if it is the first unhealthy one of all', async (t) => {
  const harness = createScene();
  harness.server.create('StatefulSet', setDraft('s', { replicas: 4 }));
  await harness.run(1000);
  harness.log.length = 0;
  unready(harness, 2);
  unready(harness, 3);
  patchSet(harness, 's', { replicas: 2 });
  await harness.run(10_000);
  t.deepEqual(comings(harness.log), []);
  ready(harness, 2);
  await harness.run(1000);
  t.deepEqual(comings(harness.log), ['~s-3', '-s-3', '~s-2', '-s-2']);
  harness.dispose();
});

test('9.13 › in parallel, all that are too many go at once', async (t) => {
  const harness = createScene({ stopMs: 500 });
  harness.server.create('StatefulSet', setDraft('s', { replicas: 4, podManagementPolicy: 'Parallel' }));
  await harness.run(1000);
  harness.log.length = 0;
  unready(harness, 0);
  patchSet(harness, 's', { replicas: 1 });
  await harness.run(400);
  t.deepEqual(comings(harness.log), ['~s-3', '~s-2', '~s-1']);
  harness.dispose();
});

test('9.14 › an update goes from the highest ordinal down to the partition, each pod when those above are available', async (t) => {
  const harness = createScene();
  const updateStrategy = { rollingUpdate: { partition: 2 } };
  harness.server.create('StatefulSet', setDraft('s', { replicas: 4, updateStrategy }));
  await harness.run(1000);
  harness.log.length = 0;
  setImage(harness, 's', 'v2');
  await harness.run(5000);
  t.deepEqual(comings(harness.log), ['~s-3', '-s-3', '+s-3', '~s-2', '-s-2', '+s-2']);
  t.deepEqual(images(harness), ['s-0 pause', 's-1 pause', 's-2 v2', 's-3 v2']);
  t.is(told(setNamed(harness, 's').status), '4/4/2/2/4 two');
  patchSet(harness, 's', { updateStrategy: { rollingUpdate: { partition: 0 } } });
  await harness.run(5000);
  t.deepEqual(images(harness), ['s-0 v2', 's-1 v2', 's-2 v2', 's-3 v2']);
  t.is(told(setNamed(harness, 's').status), '4/4/4/4/4 one');
  harness.dispose();
});

test('9.14 › an update waits at a pod that is not available, and deletes nothing below it', async (t) => {
  const harness = createScene({ runs: ({ spec }) => spec.containers[0]?.image !== 'v2' });
  harness.server.create('StatefulSet', setDraft('s', { replicas: 3 }));
  await harness.run(1000);
  harness.log.length = 0;
  setImage(harness, 's', 'v2');
  await harness.run(60_000);
  t.deepEqual(comings(harness.log), ['~s-2', '-s-2', '+s-2']);
  t.deepEqual(images(harness), ['s-0 pause', 's-1 pause', 's-2 v2']);
  harness.dispose();
});

test('9.14 › an update counts a pod as available after minReadySeconds, in parallel too', async (t) => {
  const harness = createScene();
  const spec = { replicas: 3, podManagementPolicy: 'Parallel', minReadySeconds: 30 };
  harness.server.create('StatefulSet', setDraft('s', spec));
  await harness.run(40_000);
  harness.log.length = 0;
  setImage(harness, 's', 'v2');
  await harness.run(25_000);
  t.deepEqual(comings(harness.log), ['~s-2', '-s-2', '+s-2']);
  await harness.run(30_000);
  t.deepEqual(comings(harness.log).slice(3), ['~s-1', '-s-1', '+s-1']);
  await harness.run(60_000);
  t.deepEqual(images(harness), ['s-0 v2', 's-1 v2', 's-2 v2']);
  harness.dispose();
});

test('9.14 › an update goes pod by pod in parallel too', async (t) => {
  const harness = createScene({ stopMs: 500 });
  harness.server.create('StatefulSet', setDraft('s', { replicas: 3, podManagementPolicy: 'Parallel' }));
  await harness.run(1000);
  harness.log.length = 0;
  setImage(harness, 's', 'v2');
  await harness.run(10_000);
  t.deepEqual(comings(harness.log), ['~s-2', '-s-2', '+s-2', '~s-1', '-s-1', '+s-1', '~s-0', '-s-0', '+s-0']);
  harness.dispose();
});

test('9.14 › a pod below the partition comes back as it was', async (t) => {
  const harness = createScene();
  const updateStrategy = { rollingUpdate: { partition: 1 } };
  harness.server.create('StatefulSet', setDraft('s', { replicas: 2, ordinals: { start: 3 }, updateStrategy }));
  await harness.run(1000);
  setImage(harness, 's', 'v2');
  await harness.run(1000);
  harness.server.delete('Pod', pod(3));
  harness.server.delete('Pod', pod(4));
  await harness.run(1000);
  t.deepEqual(images(harness), ['s-3 pause', 's-4 v2']);
  harness.dispose();
});

test('9.14 › OnDelete leaves pods alone, and makes new ones of the new template', async (t) => {
  const harness = createScene();
  harness.server.create('StatefulSet', setDraft('s', { replicas: 3, updateStrategy: { type: 'OnDelete' } }));
  await harness.run(1000);
  harness.log.length = 0;
  setImage(harness, 's', 'v2');
  await harness.run(10_000);
  t.deepEqual(comings(harness.log), []);
  harness.server.delete('Pod', pod(1));
  await harness.run(1000);
  t.deepEqual(images(harness), ['s-0 pause', 's-1 v2', 's-2 pause']);
  t.is(told(setNamed(harness, 's').status), '3/3/2/1/3 two');
  harness.dispose();
});

test('7.3.4 › a pod of another revision that is on its way out already is waited for, not deleted again', async (t) => {
  const harness = createScene({ stopMs: 5000 });
  harness.server.create('StatefulSet', setDraft('s', { replicas: 3, podManagementPolicy: 'Parallel' }));
  await harness.run(1000);
  harness.log.length = 0;
  harness.server.delete('Pod', pod(2));
  setImage(harness, 's', 'v2');
  await harness.run(4000);
  t.deepEqual(comings(harness.log), ['~s-2']);
  t.is(notes(harness, 's').filter((note) => note.includes('delete')).length, 0);
  await harness.run(30_000);
  t.deepEqual(images(harness), ['s-0 v2', 's-1 v2', 's-2 v2']);
  harness.dispose();
});

test('7.3.4 › a third template that comes before the second is through is rolled out all the same', async (t) => {
  const harness = createScene();
  harness.server.create('StatefulSet', setDraft('s', { replicas: 2, minReadySeconds: 10 }));
  await harness.run(30_000);
  setImage(harness, 's', 'v2');
  while (!images(harness).includes('s-0 v2')) await harness.run(1000);
  setImage(harness, 's', 'v3');
  await harness.run(60_000);
  t.deepEqual(images(harness), ['s-0 v3', 's-1 v3']);
  t.is(told(setNamed(harness, 's').status), '2/2/2/2/2 one');
  harness.dispose();
});

test('9.15 › after a broken update a rollback stays stuck, until the broken pod is deleted by hand', async (t) => {
  const harness = createScene({ runs: ({ spec }) => spec.containers[0]?.image !== 'broken' });
  harness.server.create('StatefulSet', setDraft('s', { replicas: 3 }));
  await harness.run(1000);
  setImage(harness, 's', 'broken');
  await harness.run(1000);
  setImage(harness, 's', 'pause');
  await harness.run(3_600_000);
  t.deepEqual(images(harness), ['s-0 pause', 's-1 pause', 's-2 broken']);
  harness.server.delete('Pod', pod(2));
  await harness.run(1000);
  t.deepEqual(images(harness), ['s-0 pause', 's-1 pause', 's-2 pause']);
  t.is(told(setNamed(harness, 's').status), '3/3/3/3/3 one');
  harness.dispose();
});

test('9.16 › a set that is being deleted makes and deletes nothing, but reports', async (t) => {
  const harness = createScene({ controllers: ['statefulset-controller'] });
  harness.server.create('StatefulSet', setDraft('s', { replicas: 2 }));
  await harness.run(1000);
  harness.server.delete('StatefulSet', { namespace: 'default', name: 's' }, { propagationPolicy: 'Foreground' });
  harness.server.delete('Pod', pod(1));
  await harness.run(1000);
  t.deepEqual(comings(harness.log), ['+s-0', '+s-1', '~s-1', '-s-1']);
  const set = setNamed(harness, 's');
  t.is(told(set.status), '1/1/1/1/1 one');
  t.is(set.status.observedGeneration, set.metadata.generation);
  harness.dispose();
});

test('9.16 › pods are deleted gracefully, and events tell of what was done and of what was refused', async (t) => {
  const harness = createScene({ stopMs: 500 });
  harness.server.create('StatefulSet', setDraft('s'));
  await harness.run(1000);
  patchSet(harness, 's', { replicas: 0 });
  await harness.run(100);
  t.is(harness.server.get('Pod', pod(0)).metadata.deletionGracePeriodSeconds, 30);
  await harness.run(1000);
  patchSet(harness, 's', { replicas: 1, template: { spec: { priorityClassName: 'none' } } });
  await harness.run(20);
  t.deepEqual(notes(harness, 's').slice(0, 2), [
    'Normal SuccessfulCreate create Pod s-0 in StatefulSet s successful',
    'Normal SuccessfulDelete delete Pod s-0 in StatefulSet s successful',
  ]);
  t.regex(
    notes(harness, 's').at(-1) ?? '',
    /^Warning FailedCreate create Pod s-0 in StatefulSet s failed error: pods "s-0" is forbidden: no PriorityClass with name none was found/,
  );
  harness.dispose();
});

test('7.3.2 › in parallel, pods come in batches of one, two, four and so on, up to 500', async (t) => {
  const harness = createScene({ latencyMs: 50, runs: () => false });
  harness.server.create('StatefulSet', setDraft('s', { replicas: 1200, podManagementPolicy: 'Parallel' }));
  await harness.run(5000);
  const times = new Map<number, number>();
  for (const event of harness.log) {
    if (event.type === 'ADDED' && event.kind === 'Pod') times.set(event.atMs, (times.get(event.atMs) ?? 0) + 1);
  }
  t.deepEqual([...times.values()], [1, 2, 4, 8, 16, 32, 64, 128, 256, 500, 189]);
  t.is(told(setNamed(harness, 's').status), '1200/0/1200/1200/0 one');
  harness.dispose();
});

test('7.3.2 › in parallel, a batch that was refused ends the pass, whose status is told all the same', async (t) => {
  const harness = createScene({ latencyMs: 50 });
  const containers = [{ name: 'c', image: 'pause' }];
  const refused = { metadata: { labels: { a: 'b' } }, spec: { containers, priorityClassName: 'none' } };
  const spec = { replicas: 100, podManagementPolicy: 'Parallel', template: refused };
  harness.server.create('StatefulSet', setDraft('s', spec));
  await harness.run(400);
  t.deepEqual(comings(harness.log), []);
  t.is(setNamed(harness, 's').status.observedGeneration, 1);
  t.is(notes(harness, 's').length, 1);
  harness.dispose();
});

test('7.3.7 › creation, scaling, an update and a deletion by hand are told by the recorded statuses', async (t) => {
  const harness = createScene();
  const resources = { requests: { cpu: '100m', memory: '128Mi' } };
  const recorded = {
    metadata: { labels: { a: 'b' } },
    spec: { containers: [{ name: 'c', image: 'pause', resources }] },
  };
  harness.server.create('StatefulSet', setDraft('s', { replicas: 4, template: recorded }));
  await harness.run(1000);
  t.deepEqual(statuses(harness.log, 's')[0], { replicas: 0, availableReplicas: 0 });
  t.deepEqual(statuses(harness.log, 's')[1], {
    observedGeneration: 1,
    replicas: 0,
    currentRevision: 's-7d9cfd995b',
    updateRevision: 's-7d9cfd995b',
    collisionCount: 0,
    availableReplicas: 0,
  });
  t.deepEqual(statuses(harness.log, 's').slice(2).map(told), [
    '1/0/1/1/0 one',
    '1/1/1/1/1 one',
    '2/1/2/2/1 one',
    '2/2/2/2/2 one',
    '3/2/3/3/2 one',
    '3/3/3/3/3 one',
    '4/3/4/4/3 one',
    '4/4/4/4/4 one',
  ]);
  harness.log.length = 0;
  harness.server.setScale('StatefulSet', { namespace: 'default', name: 's' }, 2);
  await harness.run(1000);
  t.deepEqual(statuses(harness.log, 's').slice(1).map(told), [
    '4/4/4/4/4 one',
    '4/4/3/3/4 one',
    '3/3/3/3/3 one',
    '3/3/2/2/3 one',
    '2/2/2/2/2 one',
  ]);
  harness.log.length = 0;
  setImage(harness, 's', 'v2');
  await harness.run(1000);
  t.deepEqual(statuses(harness.log, 's').slice(1).map(told), [
    '2/2/1/0/2 two',
    '1/1/1/0/1 two',
    '2/1/1/1/1 two',
    '2/2/0/1/2 two',
    '1/1/0/1/1 two',
    '2/1/0/2/1 two',
    '2/2/2/2/2 one',
  ]);
  t.is(setNamed(harness, 's').status.currentRevision, 's-6b664b7bfb');
  harness.log.length = 0;
  harness.server.delete('Pod', pod(0));
  await harness.run(1000);
  t.deepEqual(statuses(harness.log, 's').map(told), [
    '2/2/1/1/2 one',
    '1/1/1/1/1 one',
    '2/1/2/2/1 one',
    '2/2/2/2/2 one',
  ]);
  harness.dispose();
});

test('7.8.3 › a set that goes in the foreground takes its pods and revisions along and goes last', async (t) => {
  const harness = createScene();
  harness.server.create('StatefulSet', setDraft('s', { replicas: 2, template: template('pause') }));
  await harness.run(1000);
  harness.log.length = 0;
  harness.server.delete('StatefulSet', { namespace: 'default', name: 's' }, { propagationPolicy: 'Foreground' });
  await harness.run(2000);
  t.deepEqual([harness.list('StatefulSet'), harness.list('Pod'), harness.list('ControllerRevision')], [[], [], []]);
  t.deepEqual(comings(harness.log).sort(), ['-s-0', '-s-1', '~s-0', '~s-1']);
  harness.dispose();
});
