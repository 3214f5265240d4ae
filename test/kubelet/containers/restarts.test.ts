import test from 'ava';
import { createRunningScene, IMAGE, podDraft, RETRIES_MS, story, type Scene } from '../scene.js';

/** Times, relative to the first write, at which a container was seen running under a new restart count. */
function runs({ writes }: Scene): readonly number[] {
  const seen = new Map<number, number>();
  for (const { atMs, pod } of writes) {
    const [container] = pod.status.containerStatuses ?? [];
    if (container?.state?.running !== undefined && !seen.has(container.restartCount)) {
      seen.set(container.restartCount, atMs - (writes[0]?.atMs ?? 0));
    }
  }
  return [...seen.values()];
}

test('2.17 › a crash loop: terminated, waiting with the last state, running again; Ready toggles', async (t) => {
  const scene = await createRunningScene();
  scene.bind(podDraft({}, { 'run-for': '1s', 'exit-code': '1' }));
  await scene.run(16_500);
  const ready = 'Start:T Init:T Ready:T CReady:T Sched:T';
  const unready = 'Start:T Init:T Ready:F(ContainersNotReady) CReady:F(ContainersNotReady) Sched:T';
  t.deepEqual(story(scene.writes).slice(3), [
    `404 MODIFIED Running c=Running+ ${ready}`,
    `1404 MODIFIED Running c=Error ${unready}`,
    `1504 MODIFIED Running c=Running+#1 ${ready}`,
    `2504 MODIFIED Running c=Error#1 ${unready}`,
    `2504 MODIFIED Running c=CrashLoopBackOff#1 ${unready}`,
    `${2504 + RETRIES_MS[0] + 100} MODIFIED Running c=Running+#2 ${ready}`,
  ]);
  const waiting = scene.writes[7]?.pod;
  const [container] = waiting?.status.containerStatuses ?? [];
  t.deepEqual(container?.state?.waiting, {
    reason: 'CrashLoopBackOff',
    message: `back-off 10s restarting failed container=c pod=p_default(${waiting?.metadata.uid})`,
  });
  t.deepEqual(container?.lastState?.terminated, {
    exitCode: 1,
    reason: 'Error',
    startedAt: '2030-01-01T00:00:02Z',
    finishedAt: '2030-01-01T00:00:03Z',
    containerID: container?.containerID,
  });
  t.is(
    scene.told().find((text) => text.startsWith('BackOff')),
    `BackOff: Back-off restarting failed container c in pod p_default(${waiting?.metadata.uid})`,
  );
});

test('2.15 › restarts wait 0, 10, 20, 40, 80, 160, 300 and 300 seconds, and for the next sync after that', async (t) => {
  const scene = await createRunningScene();
  scene.bind(podDraft({}, { 'run-for': '0', 'exit-code': '1' }));
  await scene.run(1_000_000);
  const times = runs(scene);
  const waits = times.slice(1).map((time, index) => time - (times[index] ?? 0));
  const delaysMs = [0, 10_000, 20_000, 40_000, 80_000, 160_000, 300_000];
  const late = waits.map((wait, index) => wait - 100 - (delaysMs[index] ?? 300_000));
  t.is(late[0], 0);
  t.deepEqual(
    late.filter((lateMs) => lateMs < 0 || lateMs > 15_000),
    [],
  );
  t.true(late.some((lateMs) => lateMs > 0));
});

test('2.18 › a container that ran for more than ten minutes restarts at once', async (t) => {
  const scene = await createRunningScene();
  scene.bind(podDraft({}, { 'run-for': '601s' }));
  await scene.run(2_000_000);
  t.deepEqual(runs(scene), [404, 601_504, 1_202_604, 1_803_704]);
});

for (const [policy, exitCode, phase, restarts] of [
  ['Always', 0, 'Running', 2],
  ['Always', 1, 'Running', 2],
  ['OnFailure', 0, 'Succeeded', 0],
  ['OnFailure', 1, 'Running', 2],
  ['Never', 0, 'Succeeded', 0],
  ['Never', 1, 'Failed', 0],
] as const) {
  test(`restartPolicy ${policy} and exit code ${exitCode}: ${phase}, ${restarts} restarts in 18 s`, async (t) => {
    const scene = await createRunningScene();
    scene.bind(podDraft({ restartPolicy: policy }, { 'run-for': '1s', 'exit-code': String(exitCode) }));
    await scene.run(18_000);
    t.is(scene.pod().status.phase, phase);
    t.is(scene.pod().status.containerStatuses?.[0]?.restartCount, restarts);
  });
}

test('a pod that completes shows its phase only once nothing of it can run, and stays', async (t) => {
  const scene = await createRunningScene();
  scene.bind(podDraft({ restartPolicy: 'Never' }, { 'run-for': '1s' }));
  await scene.run(15_000);
  const completed = 'Ready:F(PodCompleted) CReady:F(PodCompleted) Sched:T';
  t.deepEqual(story(scene.writes).slice(4), [
    `1404 MODIFIED Running c=Completed Start:T Init:T(PodCompleted) ${completed}`,
    `1404 MODIFIED Succeeded c=Completed Start:F Init:T(PodCompleted) ${completed}`,
  ]);
  t.is(scene.pod().status.podIP, '10.0.0.1');
  scene.server.delete('Pod', { namespace: 'default', name: 'p' });
  await scene.run(1000);
  t.is(scene.server.count('Pod'), 0);
});

test('an init container that fails under Never fails the pod; its app containers never run', async (t) => {
  const scene = await createRunningScene();
  const initContainers = [{ name: 'i', image: IMAGE }];
  scene.bind(podDraft({ restartPolicy: 'Never', initContainers }, { 'run-for.i': '1s', 'exit-code.i': '2' }));
  await scene.run(15_000);
  t.is(
    story(scene.writes).at(-1),
    '1404 MODIFIED Failed i=Error c=PodInitializing Start:F Init:F(ContainersNotInitialized) ' +
      'Ready:F(PodFailed) CReady:F(PodFailed) Sched:T',
  );
});

test('3.7 › an init container that fails otherwise is run again with back-off; the pod stays Pending', async (t) => {
  const scene = await createRunningScene();
  const initContainers = [{ name: 'i', image: IMAGE }];
  scene.bind(podDraft({ initContainers }, { 'run-for.i': '0', 'exit-code.i': '1' }));
  await scene.run(15_000);
  t.deepEqual(
    story(scene.writes)
      .slice(3)
      .map((line) => line.split(' ', 4).join(' ')),
    [
      '404 MODIFIED Pending i=Running',
      '404 MODIFIED Pending i=Error',
      '504 MODIFIED Pending i=Running#1',
      '504 MODIFIED Pending i=Error#1',
      '504 MODIFIED Pending i=CrashLoopBackOff#1',
      `${504 + RETRIES_MS[0] + 100} MODIFIED Pending i=Running#2`,
      `${504 + RETRIES_MS[0] + 100} MODIFIED Pending i=Error#2`,
      `${504 + RETRIES_MS[0] + 100} MODIFIED Pending i=CrashLoopBackOff#2`,
    ],
  );
});

test('a sidecar is restarted whatever the policy, and stopped when the apps are done', async (t) => {
  const scene = await createRunningScene();
  const initContainers = [{ name: 's', image: IMAGE, restartPolicy: 'Always' }];
  scene.bind(podDraft({ restartPolicy: 'Never', initContainers }, { 'run-for.s': '2s', 'run-for.c': '3s' }));
  await scene.run(15_000);
  const { phase, initContainerStatuses, containerStatuses } = scene.pod().status;
  t.is(phase, 'Succeeded');
  t.is(initContainerStatuses?.[0]?.restartCount, 1);
  t.is(containerStatuses?.[0]?.state?.terminated?.reason, 'Completed');
  t.is(scene.told().filter((text) => text === 'Killing: Stopping container s').length, 1);
});

test('a pod that exceeds its active deadline is killed, and fails with that reason', async (t) => {
  const scene = await createRunningScene();
  scene.bind(podDraft({ activeDeadlineSeconds: 5 }));
  await scene.run(15_000);
  const { phase, reason, message } = scene.pod().status;
  t.deepEqual(
    { phase, reason, message },
    {
      phase: 'Failed',
      reason: 'DeadlineExceeded',
      message: 'Pod was active on the node longer than the specified deadline',
    },
  );
  t.is(scene.writes.at(-1)?.atMs, 6502);
  t.true(scene.told().includes('DeadlineExceeded: Pod was active on the node longer than the specified deadline'));
});
