/** What the runtime loses, what is counted, and what runs again: statements 2.1 and following. */
import test from 'ava';
import type { Draft } from '../../../src/api/objects/objects.js';
import { IMAGE, createScene, forget, ran, statusOf, story, timeline } from '../scene.js';
import { CREATED, PRESENT, STARTED, ranScript, sidecar, told } from './container-scene.js';

const P = { namespace: 'default', name: 'p' };

function plain(...names: readonly string[]): readonly Draft[] {
  return names.map((name) => ({ name, image: IMAGE }));
}

test('2.4 › a running container that the runtime lost waits, with an unknown end and one restart more', async (t) => {
  const scene = await ran(5000);
  forget(scene);
  scene.kubelet.runtime.loseContainer(scene.pod().metadata.uid, 'c');
  await scene.run(1000);
  const [lost, again] = scene.writes.map(({ pod }) => statusOf(pod));
  const terminated = {
    exitCode: 137,
    reason: 'ContainerStatusUnknown',
    message: 'The container could not be located when the pod was deleted.  The container used to be Running',
  };
  t.deepEqual(
    [lost?.state, lost?.lastState, lost?.restartCount],
    [{ waiting: { reason: 'ContainerCreating' } }, { terminated }, 1],
  );
  t.is(scene.writes[0]?.pod.status.phase, 'Running');
  t.deepEqual([again?.state?.running !== undefined, again?.lastState, again?.restartCount], [true, {}, 1]);
});

test('2.4 › one of a pod that is being deleted is not counted as a restart', async (t) => {
  const scene = await ran(
    5000,
    { containers: ['a', 'c'].map((name) => ({ name, image: IMAGE })) },
    { 'shutdown-delay.a': '5s' },
  );
  scene.kubelet.stop();
  scene.kubelet.runtime.loseContainer(scene.pod().metadata.uid, 'c');
  scene.server.delete('Pod', P);
  forget(scene);
  scene.kubelet.start();
  await scene.run(3000);
  const status = statusOf(scene.writes.at(-1)?.pod);
  t.deepEqual([status?.restartCount, status?.lastState?.terminated?.reason], [0, 'ContainerStatusUnknown']);
});

test('2.4 › a container whose state is unknown counts as ended, is killed, and runs again', async (t) => {
  const scene = await ran(5000);
  forget(scene);
  scene.kubelet.runtime.loseTrackOf(scene.pod().metadata.uid, 'c');
  await scene.run(2000);
  t.deepEqual(
    timeline(scene).map((line) => line.replace(/ Start:.*/, '')),
    [
      '0 MODIFIED Running c=ContainerStatusUnknown#1',
      '0 event Normal Killing: Container is in "unknown" state, try killing it before restart',
      `500 ${PRESENT.replace('Pulled', 'Pulled x2')}`,
      `600 ${CREATED.replace('Created:', 'Created x2:')}`,
      `600 ${STARTED.replace('Started:', 'Started x2:')}`,
      '600 MODIFIED Running c=Running+#1',
    ],
  );
  t.deepEqual(statusOf(scene.writes[0]?.pod)?.state?.terminated, {
    exitCode: 137,
    reason: 'ContainerStatusUnknown',
    message: 'The container could not be located when the pod was terminated',
  });
});

test('2.5 › restarts are counted over sandboxes and over the loss of all that the runtime held', async (t) => {
  const scene = await ran(5000, {}, { 'crash-after': '1s' });
  const { uid } = scene.pod().metadata;
  t.is(statusOf(scene.pod())?.restartCount, 1);
  await scene.run(8000);
  scene.kubelet.runtime.loseSandbox(uid);
  await scene.run(30_000);
  t.is(statusOf(scene.pod())?.restartCount, 3);
  scene.kubelet.runtime.loseContainer(uid, 'c');
  await scene.run(500);
  t.is(statusOf(scene.pod())?.restartCount, 4);
});

test('2.5 › a machine that comes back empty goes on counting from what the API shows', async (t) => {
  const scene = await ran(5000, {}, { runs: '1s exit 1, forever' });
  scene.kubelet.dispose();
  const reborn = createScene({ joins: scene });
  reborn.kubelet.start();
  await reborn.run(3000);
  const status = statusOf(scene.pod());
  t.deepEqual([status?.restartCount, status?.state?.running !== undefined], [2, true]);
});

test('2.6 › the last state is that of the run before; in back-off that of the newest', async (t) => {
  const scene = await ranScript(16_500, { runs: '1s exit 1, 1s exit 2, 1s exit 3' });
  const shown = scene.writes.slice(3).map(({ pod }) => {
    const { state, lastState } = statusOf(pod) ?? {};
    const now = state?.waiting?.reason ?? state?.terminated?.exitCode ?? 'running';
    return `${now} after ${lastState?.terminated?.exitCode ?? 'nothing'}`;
  });
  t.deepEqual(shown, [
    'running after nothing',
    '1 after nothing',
    'running after 1',
    '2 after 1',
    'CrashLoopBackOff after 2',
    'running after 2',
  ]);
});

test('2.7 › a status in which a container that had ended for good came back is not written', async (t) => {
  const initContainers = [{ name: 'i', image: IMAGE }];
  const scene = await ran(5000, { restartPolicy: 'OnFailure', initContainers }, { 'run-for.i': '2s' });
  forget(scene);
  scene.kubelet.runtime.loseSandbox(scene.pod().metadata.uid);
  await scene.run(10_000);
  t.deepEqual(
    story(scene.writes).map((line) => line.split(' ', 5).join(' ')),
    [
      '0 MODIFIED Running i=Completed+ c=Running+',
      '2900 MODIFIED Running i=Completed+#1 c=Completed',
      '2900 MODIFIED Succeeded i=Completed+#1 c=Completed',
    ],
  );
});

test('2.8 › containers are shown by name, init containers in the order of the spec', async (t) => {
  const scene = await ran(5000, { initContainers: plain('z', 'y'), containers: plain('b', 'a') });
  const { initContainerStatuses = [], containerStatuses = [] } = scene.pod().status;
  t.deepEqual(
    [...initContainerStatuses, ...containerStatuses].map(({ name }) => name),
    ['z', 'y', 'a', 'b'],
  );
});

for (const [role, policy, exitCode, runsAgain] of [
  ['app', 'Always', 0, true],
  ['app', 'Always', 1, true],
  ['app', 'OnFailure', 0, false],
  ['app', 'OnFailure', 1, true],
  ['app', 'Never', 0, false],
  ['app', 'Never', 1, false],
  ['init', 'Always', 1, true],
  ['init', 'OnFailure', 1, true],
  ['init', 'Never', 1, false],
  ['sidecar', 'OnFailure', 0, true],
  ['sidecar', 'Never', 1, true],
] as const) {
  const verb = runsAgain ? 'restart' : 'keep';
  test(`2.9 › restart decision: ${role} container, policy ${policy}, exit code ${exitCode}: ${verb}`, async (t) => {
    const name = role === 'app' ? 'c' : 'i';
    const policyOf = role === 'sidecar' ? { restartPolicy: 'Always' } : {};
    const initContainers = role === 'app' ? [] : [{ name: 'i', image: IMAGE, ...policyOf }];
    const script = { [`runs.${name}`]: `1s exit ${exitCode}, forever` };
    const scene = await ran(4000, { restartPolicy: policy, initContainers }, script);
    t.is(statusOf(scene.pod(), name)?.restartCount, runsAgain ? 1 : 0);
  });
}

test('2.9 › a regular init container that exited 0 is not run again', async (t) => {
  const scene = await ran(30_000, { initContainers: [{ name: 'i', image: IMAGE }] }, { 'crash-after.c': '1s' });
  t.is(statusOf(scene.pod(), 'i')?.restartCount, 0);
  t.is(statusOf(scene.pod())?.restartCount, 2);
});

test('2.10 › nothing is started again once the pod is deleted', async (t) => {
  const scripts = { 'crash-after.a': '8s', 'shutdown-delay.b': '10s' };
  const scene = await ran(7000, { containers: ['a', 'b'].map((name) => ({ name, image: IMAGE })) }, scripts);
  scene.server.delete('Pod', P);
  await scene.run(20_000);
  t.deepEqual(
    scene.writes.map(({ pod }) => statusOf(pod, 'a')?.restartCount).filter((count) => count !== 0),
    [undefined, undefined],
  );
});

test('2.11 › when no app container is left to run, the sidecars are stopped', async (t) => {
  const scene = await ran(10_000, { restartPolicy: 'Never', initContainers: [sidecar('s')] }, { 'run-for.c': '1s' });
  t.deepEqual(told(scene).slice(-4), [
    '1504 MODIFIED Running s=Running+ c=Completed',
    '1504 event Normal Killing: Stopping container s',
    '2004 MODIFIED Running s=Completed c=Completed',
    '2004 MODIFIED Succeeded s=Completed c=Completed',
  ]);
});

test('2.12 › a lost sandbox: all is killed, init containers run again, the restarts go on counting', async (t) => {
  const initContainers = [{ name: 'i', image: IMAGE }];
  const scene = await ran(5000, { initContainers });
  const before = scene.pod().status.podIP;
  forget(scene);
  scene.kubelet.runtime.loseSandbox(scene.pod().metadata.uid);
  await scene.run(10_000);
  const present = `event Normal Pulled x2: Container image "${IMAGE}" already present on machine`;
  const unready = 'Ready:F(ContainersNotReady) CReady:F(ContainersNotReady) Sched:T';
  t.deepEqual(timeline(scene), [
    '0 MODIFIED Running i=Completed+ c=Running+ Start:F Init:T Ready:T CReady:T Sched:T',
    '0 event Normal SandboxChanged: Pod sandbox changed, it will be killed and re-created.',
    '0 event Normal Killing: Stopping container c',
    `800 ${present}`,
    '900 event Normal Created x2: Created container: i',
    '900 event Normal Started x2: Started container i',
    `900 MODIFIED Pending i=Running#1 c=Completed Start:T Init:T ${unready}`,
    `1900 MODIFIED Running i=Completed+#1 c=Completed Start:T Init:T ${unready}`,
    `1900 ${present}`,
    '2000 event Normal Created x2: Created container: c',
    '2000 event Normal Started x2: Started container c',
    '2000 MODIFIED Running i=Completed+#1 c=Running+#1 Start:T Init:T Ready:T CReady:T Sched:T',
  ]);
  t.deepEqual([before, scene.pod().status.podIP], ['10.0.0.1', '10.0.0.2']);
});

test('2.12 › Never: no new sandbox once a container has existed: the pod ends', async (t) => {
  const scene = await ran(5000, { restartPolicy: 'Never' });
  forget(scene);
  scene.kubelet.runtime.loseSandbox(scene.pod().metadata.uid);
  await scene.run(10_000);
  t.deepEqual(
    timeline(scene).map((line) => line.replace(/ Init:.*/, '')),
    [
      '0 MODIFIED Running c=Running+ Start:F',
      '0 event Normal Killing: Stopping container c',
      '500 MODIFIED Running c=Completed Start:F',
      '500 MODIFIED Succeeded c=Completed Start:F',
    ],
  );
});

test('2.12 › OnFailure: what has succeeded is not started again, and nothing if that is all', async (t) => {
  const containers = ['a', 'b'].map((name) => ({ name, image: IMAGE }));
  const scene = await ran(
    5000,
    { restartPolicy: 'OnFailure', containers },
    { 'run-for.a': '1s', 'shutdown.b': 'exit 1' },
  );
  scene.kubelet.runtime.loseSandbox(scene.pod().metadata.uid);
  await scene.run(5000);
  t.deepEqual(
    ['a', 'b'].map((name) => statusOf(scene.pod(), name)?.restartCount),
    [0, 1],
  );
  t.is(scene.pod().status.phase, 'Running');
});
