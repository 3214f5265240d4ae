import test from 'ava';
import type { DeleteOptions } from '../../../src/apiserver/store/server-types.js';
import { createRunningScene, IMAGE, podDraft, story, type Scene, type SceneOptions } from '../scene.js';

const P = { namespace: 'default', name: 'p' };

/** A running pod, deleted; the writes since then. */
async function deleted(
  draft: Parameters<Scene['bind']>[0],
  { graceSeconds, ...options }: SceneOptions & { readonly graceSeconds?: number } = {},
): Promise<Scene> {
  const scene = await createRunningScene(options);
  scene.bind(draft);
  await scene.run(9000);
  scene.writes.length = 0;
  const deleteOptions: DeleteOptions = graceSeconds === undefined ? {} : { gracePeriodSeconds: graceSeconds };
  scene.server.delete('Pod', P, deleteOptions);
  await scene.run(100_000);
  return scene;
}

const COMPLETED = 'Start:F Init:T(PodCompleted) Ready:F(PodCompleted) CReady:F(PodCompleted) Sched:T';
const FAILED = 'Start:F Init:T Ready:F(PodFailed) CReady:F(PodFailed) Sched:T';
const RUNNING = 'Start:T Init:T Ready:T CReady:T Sched:T';

test('5.12 › a graceful delete: one terminal status when the container has exited, then the object goes', async (t) => {
  const scene = await deleted(podDraft({}, { 'shutdown-delay': '5s' }));
  t.deepEqual(story(scene.writes), [
    `0 MODIFIED Running c=Running+ ${RUNNING} grace=30`,
    `4 MODIFIED Running c=Running+ ${RUNNING} grace=30`,
    `5004 MODIFIED Succeeded c=Completed ${COMPLETED} grace=30`,
    `5008 MODIFIED Succeeded c=Completed ${COMPLETED} grace=0`,
    `5008 DELETED Succeeded c=Completed ${COMPLETED} grace=0`,
  ]);
  t.deepEqual(scene.told().slice(3), ['Killing: Stopping container c']);
});

test('5.12 › a container that ignores SIGTERM is killed when the grace is over: exit code 137, Failed', async (t) => {
  const scene = await deleted(podDraft({}, { 'shutdown-delay': '1h' }), { graceSeconds: 7 });
  t.deepEqual(story(scene.writes).slice(0, 3), [
    `0 MODIFIED Running c=Running+ ${RUNNING} grace=7`,
    `4 MODIFIED Running c=Running+ ${RUNNING} grace=7`,
    `7004 MODIFIED Failed c=Error ${FAILED} grace=7`,
  ]);
  const ended = scene.writes[2]?.pod.status.containerStatuses?.[0]?.state?.terminated;
  t.deepEqual([ended?.exitCode, ended?.reason], [137, 'Error']);
});

test('5.12 › a process that obeys in the last moment was not killed', async (t) => {
  const scene = await deleted(podDraft({}, { 'shutdown-delay': '7s' }), { graceSeconds: 7 });
  t.is(scene.writes[2]?.pod.status.phase, 'Succeeded');
});

test('5.12 › the runtime waits two seconds at least before it kills', async (t) => {
  const scene = await deleted(podDraft({}, { 'shutdown-delay': '1h' }), { graceSeconds: 1 });
  t.is(story(scene.writes)[2], `2004 MODIFIED Failed c=Error ${FAILED} grace=1`);
});

test('5.11 › a second delete shortens the grace that is under way', async (t) => {
  const scene = await createRunningScene();
  scene.bind(podDraft({}, { 'shutdown-delay': '1h' }));
  await scene.run(9000);
  scene.writes.length = 0;
  scene.server.delete('Pod', P);
  await scene.run(2000);
  scene.server.delete('Pod', P, { gracePeriodSeconds: 10 });
  await scene.run(20_000);
  t.deepEqual(
    story(scene.writes).map((line) => line.split(' ', 4).join(' ')),
    [
      '0 MODIFIED Running c=Running+',
      '4 MODIFIED Running c=Running+',
      '2000 MODIFIED Running c=Running+',
      '12004 MODIFIED Failed c=Error',
      '12008 MODIFIED Failed c=Error',
      '12008 DELETED Failed c=Error',
    ],
  );
});

test('5.11 › a second delete cuts a preStop hook short that runs for longer', async (t) => {
  const scene = await createRunningScene();
  const lifecycle = { preStop: { sleep: { seconds: 60 } } };
  const containers = [{ name: 'c', image: IMAGE, lifecycle }];
  scene.bind(podDraft({ terminationGracePeriodSeconds: 90, containers }, { 'shutdown-delay': '1h' }));
  await scene.run(9000);
  scene.writes.length = 0;
  scene.server.delete('Pod', P);
  await scene.run(2000);
  scene.server.delete('Pod', P, { gracePeriodSeconds: 10 });
  await scene.run(50_000);
  const [last] = story(scene.writes).slice(-1);
  t.regex(last ?? '', /^14\d\d\d DELETED Failed c=Error/);
});

test('1.23 › a pod deleted before its containers were created fails, and goes', async (t) => {
  const scene = await createRunningScene();
  scene.bind(podDraft());
  await scene.run(100);
  scene.server.delete('Pod', P);
  await scene.run(10_000);
  t.deepEqual(story(scene.writes).slice(2), [
    '4 MODIFIED Pending c=ContainerCreating Start:F Init:T Ready:F(ContainersNotReady) CReady:F(ContainersNotReady) Sched:T',
    '100 MODIFIED Pending c=ContainerCreating Start:F Init:T Ready:F(ContainersNotReady) CReady:F(ContainersNotReady) Sched:T grace=30',
    '104 MODIFIED Pending c=ContainerCreating Start:F Init:T Ready:F(ContainersNotReady) CReady:F(ContainersNotReady) Sched:T grace=30',
    `104 MODIFIED Failed c=ContainerStatusUnknown ${FAILED} grace=30`,
    `108 MODIFIED Failed c=ContainerStatusUnknown ${FAILED} grace=0`,
    `108 DELETED Failed c=ContainerStatusUnknown ${FAILED} grace=0`,
  ]);
});

test('5.14 › a forced delete removes the object at once; its processes live on for the grace of the spec', async (t) => {
  const scene = await createRunningScene();
  const containers = [{ name: 'c', image: IMAGE, resources: { requests: { cpu: '3' } } }];
  const draft = podDraft({ containers, terminationGracePeriodSeconds: 20 }, { 'shutdown-delay': '1h' });
  scene.bind(draft);
  await scene.run(9000);
  scene.server.delete('Pod', P, { gracePeriodSeconds: 0 });
  t.is(scene.server.count('Pod'), 0);
  const { writes } = scene;
  writes.length = 0;
  await scene.run(19_900);
  scene.bind({ ...draft, metadata: { ...draft.metadata, name: 'early' } });
  await scene.run(1000);
  scene.bind({ ...draft, metadata: { ...draft.metadata, name: 'late' } });
  await scene.run(1000);
  t.is(scene.pod('early').status.reason, 'OutOfcpu');
  t.is(scene.pod('late').status.phase, 'Running');
  t.true(writes.every(({ pod }) => pod.metadata.name !== 'p'));
});

test('3.12 › apps are stopped together, then sidecars one by one against the order of the spec', async (t) => {
  const scene = await createRunningScene();
  const initContainers = ['s1', 's2'].map((name) => ({ name, image: IMAGE, restartPolicy: 'Always' }));
  const containers = ['a', 'b'].map((name) => ({ name, image: IMAGE }));
  const delays = {
    'shutdown-delay.a': '3s',
    'shutdown-delay.b': '1s',
    'shutdown-delay.s1': '2s',
    'shutdown-delay.s2': '4s',
  };
  scene.bind(podDraft({ initContainers, containers }, delays));
  await scene.run(9000);
  scene.writes.length = 0;
  scene.server.delete('Pod', P);
  await scene.run(30_000);
  t.is(story(scene.writes)[2]?.split(' ', 3).join(' '), '9004 MODIFIED Succeeded');
  const { initContainerStatuses = [], containerStatuses = [] } = scene.writes[2]?.pod.status ?? {};
  t.deepEqual(
    [...containerStatuses, ...initContainerStatuses].map(({ name, state }) => [name, state?.terminated?.finishedAt]),
    [
      ['a', '2030-01-01T00:00:13Z'],
      ['b', '2030-01-01T00:00:11Z'],
      ['s1', '2030-01-01T00:00:19Z'],
      ['s2', '2030-01-01T00:00:17Z'],
    ],
  );
});

test('3.13 › sidecars that are left when the grace is over get two seconds, all at once', async (t) => {
  const scene = await createRunningScene();
  const initContainers = ['s1', 's2'].map((name) => ({ name, image: IMAGE, restartPolicy: 'Always' }));
  scene.bind(podDraft({ initContainers }, { 'shutdown-delay': '1h' }));
  await scene.run(9000);
  scene.writes.length = 0;
  scene.server.delete('Pod', P, { gracePeriodSeconds: 5 });
  await scene.run(30_000);
  t.is(story(scene.writes)[2]?.split(' ', 3).join(' '), '7004 MODIFIED Failed');
});

test('1.8 › a pod that others have failed is stopped, but its object stays', async (t) => {
  const scene = await createRunningScene();
  scene.bind(podDraft());
  await scene.run(5000);
  scene.writes.length = 0;
  const body = { status: { phase: 'Failed', reason: 'Evicted' } };
  scene.server.patch('Pod', P, { type: 'merge', body }, 'status');
  await scene.run(60_000);
  t.deepEqual(story(scene.writes), [
    `0 MODIFIED Failed c=Running+ ${RUNNING}`,
    `4 MODIFIED Failed c=Running+ Start:T Init:T Ready:F(PodFailed) CReady:F(PodFailed) Sched:T`,
    `504 MODIFIED Failed c=Completed ${FAILED}`,
  ]);
  t.is(scene.pod().status.reason, 'Evicted');
});
