/** How a kubelet brings a pod to its end: statements 5.1 and following. */
import test from 'ava';
import type { Draft } from '../../../src/api/objects/objects.js';
import {
  IMAGE,
  createRunningScene,
  forget,
  podDraft,
  ran,
  RETRIES_MS,
  scripted,
  story,
  timeline,
  type Scene,
} from '../scene.js';
import { P, running, STAYS, told } from './ending-scene.js';

const TRIGGERS: Readonly<Record<string, (scene: Scene, uid: string) => void>> = {
  'a deletion': ({ server }) => void server.delete('Pod', P),
  'a terminal phase in the API': ({ server }) =>
    void server.patch('Pod', P, { type: 'merge', body: { status: { phase: 'Failed' } } }, 'status'),
  'a verdict of the kubelet': ({ kubelet }, uid) =>
    kubelet.condemn(uid, { phase: 'Failed', reason: 'Evicted', message: 'm', graceSeconds: undefined }),
  'an object that is gone': ({ server }) => void server.delete('Pod', P, { gracePeriodSeconds: 0 }),
};

for (const [trigger, act] of Object.entries(TRIGGERS)) {
  test(`5.10 › ${trigger} ends a pod`, async (t) => {
    const scene = await running({}, { 'shutdown-delay': '1s' });
    act(scene, scene.pod().metadata.uid);
    await scene.run(500);
    t.is(timeline(scene).filter((line) => line.endsWith('Killing: Stopping container c')).length, 1);
    await scene.run(10_000);
    t.deepEqual([...scene.kubelet.runtime.sandboxes], []);
  });
}

test('5.10 › what the kubelet finds running without a pod gets one second', async (t) => {
  const scene = await running({}, STAYS);
  scene.kubelet.stop();
  scene.server.delete('Pod', P, { gracePeriodSeconds: 0 });
  scene.kubelet.start();
  await scene.run(1900);
  t.is([...scene.kubelet.runtime.sandboxes].length, 1);
  await scene.run(200);
  t.is([...scene.kubelet.runtime.sandboxes].length, 0);
});

/** From that act to the terminal status of a pod that must be killed. */
async function killedAfterMs(spec: Draft, act: (scene: Scene, uid: string) => void): Promise<number> {
  const scene = await running(spec, STAYS);
  const fromMs = scene.clock.now();
  act(scene, scene.pod().metadata.uid);
  await scene.run(100_000);
  return (scene.writes.find(({ pod }) => pod.status.phase === 'Failed')?.atMs ?? 0) - fromMs;
}

function condemn(graceSeconds: number | undefined) {
  return ({ kubelet }: Scene, uid: string): void =>
    kubelet.condemn(uid, { phase: 'Failed', reason: 'Evicted', message: 'm', graceSeconds });
}

test('5.11 › the grace: the smaller of what the API and the kubelet grant, else the spec’s', async (t) => {
  t.is(await killedAfterMs({}, ({ server }) => void server.delete('Pod', P, { gracePeriodSeconds: 9 })), 9004);
  t.is(await killedAfterMs({ terminationGracePeriodSeconds: 12 }, condemn(undefined)), 12_002);
  t.is(await killedAfterMs({ terminationGracePeriodSeconds: 12 }, condemn(20)), 20_002);
  t.is(
    await killedAfterMs({}, (scene, uid) => {
      condemn(20)(scene, uid);
      condemn(5)(scene, uid);
    }),
    5002,
  );
});

test('5.11 › a smaller grace also ends hooks and turns sooner; it never grows', async (t) => {
  const lifecycle = { preStop: { exec: { command: ['sleep', '60'] } } };
  const containers = [{ name: 'c', image: IMAGE, lifecycle }];
  const scene = await running(
    { containers },
    scripted({ preStop: { duration: '60s' }, shutdown: { ignoresTerm: true } }),
  );
  scene.server.delete('Pod', P, { gracePeriodSeconds: 50 });
  await scene.run(3500);
  scene.server.delete('Pod', P, { gracePeriodSeconds: 10 });
  await scene.run(100_000);
  t.deepEqual(told(scene).slice(3, 6), [
    '3500 MODIFIED Running c=Running+ grace=10',
    '15504 event Warning FailedPreStopHook: PreStopHook failed',
    '15504 MODIFIED Failed c=Error grace=10',
  ]);
});

test('5.12 › the steps of the end, in order', async (t) => {
  const scene = await running({}, { 'shutdown-delay': '5s' });
  scene.server.delete('Pod', P);
  await scene.run(60_000);
  t.deepEqual(timeline(scene), [
    '0 MODIFIED Running c=Running+ Start:T Init:T Ready:T CReady:T Sched:T grace=30',
    '4 MODIFIED Running c=Running+ Start:T Init:T Ready:T CReady:T Sched:T grace=30',
    '4 event Normal Killing: Stopping container c',
    '5004 MODIFIED Succeeded c=Completed Start:F Init:T(PodCompleted) Ready:F(PodCompleted) CReady:F(PodCompleted) Sched:T grace=30',
    '5008 MODIFIED Succeeded c=Completed Start:F Init:T(PodCompleted) Ready:F(PodCompleted) CReady:F(PodCompleted) Sched:T grace=0',
    '5008 DELETED Succeeded c=Completed Start:F Init:T(PodCompleted) Ready:F(PodCompleted) CReady:F(PodCompleted) Sched:T grace=0',
  ]);
});

test('5.12 › the first write of the end shows states as they are, no more why they wait', async (t) => {
  const scene = await running(
    { containers: [{ name: 'c', image: 'nope:1' }] },
    scripted({ imagePull: { failures: 'all' } }),
  );
  scene.server.delete('Pod', P);
  await scene.run(5000);
  t.deepEqual(told(scene), [
    '0 MODIFIED Pending c=ErrImagePull grace=30',
    '4 MODIFIED Pending c=ContainerCreating grace=30',
    '4 MODIFIED Failed c=ContainerStatusUnknown grace=30',
    '8 MODIFIED Failed c=ContainerStatusUnknown grace=0',
    '8 DELETED Failed c=ContainerStatusUnknown grace=0',
  ]);
});

test('2.10 › a deletion in the middle of a pull: nothing is started', async (t) => {
  const scene = await ran(1000, { containers: [{ name: 'c', image: 'app:1' }] });
  forget(scene);
  scene.server.delete('Pod', P);
  await scene.run(20_000);
  t.deepEqual(told(scene), [
    '0 MODIFIED Pending c=ContainerCreating grace=30',
    '4 MODIFIED Pending c=ContainerCreating grace=30',
    '4 MODIFIED Failed c=ContainerStatusUnknown grace=30',
    '8 MODIFIED Failed c=ContainerStatusUnknown grace=0',
    '8 DELETED Failed c=ContainerStatusUnknown grace=0',
  ]);
});

test('5.11 › a kill that is under way goes on within the grace of the deletion', async (t) => {
  const scene = await running({}, STAYS);
  const body = { spec: { containers: [{ name: 'c', image: 'app:2' }] } };
  scene.server.patch('Pod', P, { type: 'strategic', body });
  await scene.run(5000);
  scene.server.delete('Pod', P, { gracePeriodSeconds: 7 });
  await scene.run(60_000);
  t.deepEqual(told(scene).slice(1), [
    '4 MODIFIED Running c=Running+',
    '4 event Normal Killing: Container c definition changed, will be restarted',
    '5000 MODIFIED Running c=Running+ grace=7',
    '5004 MODIFIED Running c=Running+ grace=7',
    '12004 MODIFIED Failed c=Error grace=7',
    '12008 MODIFIED Failed c=Error grace=0',
    '12008 DELETED Failed c=Error grace=0',
  ]);
});

test('5.13 › a hook that takes the whole grace: SIGKILL two seconds later; a shorter one: at its end', async (t) => {
  const lifecycle = { preStop: { sleep: { seconds: 4 } } };
  const containers = [{ name: 'c', image: IMAGE, lifecycle }];
  for (const [graceSeconds, killedMs] of [
    [3, 5004],
    [10, 10_004],
  ] as const) {
    const scene = await running({ containers }, STAYS);
    scene.server.delete('Pod', P, { gracePeriodSeconds: graceSeconds });
    await scene.run(60_000);
    t.is((scene.writes[2]?.atMs ?? 0) - (scene.writes[0]?.atMs ?? 0), killedMs);
  }
});

test('5.14 › after a forced deletion the processes outlive the object, and the node keeps the truth', async (t) => {
  const scene = await running({ terminationGracePeriodSeconds: 20 }, STAYS);
  scene.server.delete('Pod', P, { gracePeriodSeconds: 0 });
  t.is(scene.server.count('Pod'), 0);
  const runs = (): readonly boolean[] =>
    [...scene.kubelet.runtime.sandboxes].map(({ slots }) => slots[0]?.isRunning === true);
  await scene.run(19_900);
  t.deepEqual(runs(), [true]);
  await scene.run(200);
  t.deepEqual(runs(), []);
  t.deepEqual(told(scene), [
    '0 MODIFIED Running c=Running+ grace=0',
    '0 DELETED Running c=Running+ grace=0',
    '4 event Normal Killing: Stopping container c',
  ]);
});

test('5.14 › a forced deletion in the middle of the grace leaves the processes that grace', async (t) => {
  const scene = await running({ terminationGracePeriodSeconds: 60 }, STAYS);
  scene.server.delete('Pod', P, { gracePeriodSeconds: 20 });
  await scene.run(5000);
  scene.server.delete('Pod', P, { gracePeriodSeconds: 0 });
  await scene.run(14_900);
  t.is([...scene.kubelet.runtime.sandboxes].length, 1);
  await scene.run(200);
  t.is([...scene.kubelet.runtime.sandboxes].length, 0);
});

function failed(name: string): string {
  return `failed to "KillContainer" for "${name}" with KillContainerError: "rpc error: code = Unknown desc = no answer"`;
}

test('5.15 › a kill that fails is told, and tried again', async (t) => {
  const scene = await running({ containers: ['a', 'b'].map((name) => ({ name, image: IMAGE })) });
  scene.kubelet.runtime.stopError = 'rpc error: code = Unknown desc = no answer';
  scene.server.delete('Pod', P);
  await scene.run(5000);
  scene.kubelet.runtime.stopError = undefined;
  await scene.run(60_000);
  const again = 4 + RETRIES_MS[0];
  t.deepEqual(told(scene).slice(2), [
    '4 event Normal Killing: Stopping container a',
    '4 event Normal Killing: Stopping container b',
    `4 event Warning FailedKillPod: error killing pod: [${failed('a')}, ${failed('b')}]`,
    `${again} event Normal Killing x2: Stopping container a`,
    `${again} event Normal Killing x2: Stopping container b`,
    `${again + 500} MODIFIED Succeeded a=Completed b=Completed grace=30`,
    `${again + 504} MODIFIED Succeeded a=Completed b=Completed grace=0`,
    `${again + 504} DELETED Succeeded a=Completed b=Completed grace=0`,
  ]);
});

test('5.16 › a kubelet that restarts during the end begins it anew, hooks and all', async (t) => {
  const lifecycle = { preStop: { exec: { command: ['true'] } } };
  const containers = [{ name: 'c', image: IMAGE, lifecycle }];
  const scene = await running(
    { containers },
    scripted({ preStop: { duration: '2s', fails: true }, shutdown: { ignoresTerm: true } }),
  );
  scene.server.delete('Pod', P, { gracePeriodSeconds: 10 });
  await scene.run(6000);
  scene.kubelet.stop();
  scene.kubelet.start();
  await scene.run(60_000);
  t.deepEqual(told(scene).slice(2, 7), [
    '4 event Normal Killing: Stopping container c',
    '2004 event Warning FailedPreStopHook: PreStopHook failed',
    '6006 event Normal Killing: Stopping container c',
    '8006 event Warning FailedPreStopHook: PreStopHook failed',
    '16006 MODIFIED Failed c=Error grace=10',
  ]);
});

test('5.17 › after a forced deletion a new pod of the same name runs beside the old one’s processes', async (t) => {
  const scene = await running({}, STAYS);
  scene.server.delete('Pod', P, { gracePeriodSeconds: 0 });
  scene.bind(podDraft());
  await scene.run(5000);
  t.is(scene.pod().status.phase, 'Running');
  t.deepEqual(
    [...scene.kubelet.runtime.sandboxes].map(({ pod, slots }) => [pod.metadata.name, slots[0]?.isRunning]),
    [
      ['p', true],
      ['p', true],
    ],
  );
});

test('5.18 › a pod that ended before the kubelet came back, and is deleted, is removed', async (t) => {
  const scene = await createRunningScene();
  const draft = podDraft({ restartPolicy: 'Never' }, { 'run-for': '1s' });
  scene.bind({ ...draft, metadata: { ...draft.metadata, finalizers: ['x.y/z'] } });
  await scene.run(5000);
  scene.kubelet.stop();
  scene.server.delete('Pod', P);
  await scene.run(1000);
  t.is(scene.server.count('Pod'), 1);
  scene.kubelet.start();
  scene.server.patch('Pod', P, { type: 'merge', body: { metadata: { finalizers: null } } });
  await scene.run(1000);
  t.is(scene.server.count('Pod'), 0);
});

test('5.19 › a pod on a node that cannot be reached stays as it was, Terminating, until the node is back', async (t) => {
  const scene = await running({}, { 'shutdown-delay': '1s' });
  scene.link.cut();
  scene.server.delete('Pod', P);
  await scene.run(3_600_000);
  t.deepEqual(
    story(scene.writes).map((line) => line.split(' ', 4).join(' ')),
    ['0 MODIFIED Running c=Running+'],
  );
  scene.link.restore();
  await scene.run(60_000);
  t.is(scene.server.count('Pod'), 0);
});

test('5.21 › a pod that is being deleted keeps its address and stays ready until it has ended', async (t) => {
  const scene = await running({}, { 'shutdown-delay': '5s' });
  scene.server.delete('Pod', P);
  await scene.run(60_000);
  const seen = scene.writes.map(({ pod: { status } }) => [
    status.podIP,
    status.conditions?.find(({ type }) => type === 'Ready')?.status,
  ]);
  t.deepEqual(seen.slice(0, 3), [
    ['10.0.0.1', 'True'],
    ['10.0.0.1', 'True'],
    ['10.0.0.1', 'False'],
  ]);
});
