/** Phases, conditions and their writers, through API server, bus and kubelet: statements 1.1 and following. */
import test from 'ava';
import type { Draft, Pod, PodCondition } from '../../../src/api/objects/objects.js';
import { IMAGE, createRunningScene, forget, podDraft, ran, scripted, story, timeline, type Scene } from '../scene.js';

const P = { namespace: 'default', name: 'p' };

function containers(...names: readonly string[]): { readonly name: string; readonly image: string }[] {
  return names.map((name) => ({ name, image: IMAGE }));
}

function sidecars(...names: readonly string[]): readonly Draft[] {
  return containers(...names).map((container) => ({ ...container, restartPolicy: 'Always' }));
}

/** Phase and containers of each write, without conditions. */
function phases({ writes }: Scene): readonly string[] {
  return story(writes).map((line) => line.replace(/ Start:.*/, '').replace(/ Sched:.*/, ''));
}

function condition(pod: Pod | undefined, wanted: string): PodCondition | undefined {
  return pod?.status.conditions?.find(({ type }) => type === wanted);
}

function conditions(pod: Pod): readonly string[] {
  return (pod.status.conditions ?? []).map(
    ({ type, status, reason, message }) =>
      `${type}=${status}${reason === undefined ? '' : ` ${reason}`}${message === undefined ? '' : `: ${message}`}`,
  );
}

test('1.1 › a new pod is Pending with its QoS class and generation 1; submitted status is dropped', async (t) => {
  const { server } = await createRunningScene();
  const status = { phase: 'Running', podIP: '1.2.3.4', conditions: [{ type: 'Ready', status: 'True' }] };
  const pod = server.create('Pod', { ...podDraft(), status });
  t.deepEqual([pod.status, pod.metadata.generation], [{ phase: 'Pending', qosClass: 'BestEffort' }, 1]);
  const gated = server.create('Pod', podDraft({ schedulingGates: [{ name: 'x/gate' }] }, {}, 'gated'));
  t.deepEqual(conditions(gated), [
    'PodScheduled=False SchedulingGated: Scheduling is blocked due to non-empty scheduling gates',
  ]);
});

test('1.2 › a status write without a QoS class leaves it as it is, and no kubelet loses it', async (t) => {
  const scene = await ran(5000);
  t.is(scene.pod().status.qosClass, 'BestEffort');
  const { status } = scene.pod();
  const { qosClass: _dropped, ...rest } = status;
  scene.server.update('Pod', { ...scene.pod(), status: { ...rest, message: 'x' } }, 'status');
  t.deepEqual([scene.pod().status.qosClass, scene.pod().status.message], ['BestEffort', 'x']);
});

test('1.3 › a status write changes no spec or owner; a spec write changes no status', async (t) => {
  const scene = await ran(5000);
  const pod = scene.pod();
  const ownerReferences = [{ apiVersion: 'v1', kind: 'Node', name: 'n1', uid: 'u' }];
  scene.server.update(
    'Pod',
    {
      ...pod,
      metadata: { ...pod.metadata, ownerReferences },
      spec: { ...pod.spec, containers: containers('other') },
      status: { ...pod.status, message: 'by status' },
    },
    'status',
  );
  const { metadata, spec, status } = scene.pod();
  t.deepEqual(
    [metadata.ownerReferences, metadata.deletionTimestamp, spec.containers[0]?.name, status.message],
    [undefined, undefined, 'c', 'by status'],
  );
  scene.server.patch('Pod', P, {
    type: 'merge',
    body: { metadata: { labels: { a: 'b' } }, status: { message: 'by spec' } },
  });
  t.is(scene.pod().status.message, 'by status');
});

test('1.4 › the binding writes node and PodScheduled in one state, and the kubelet says it again each time', async (t) => {
  const scene = await ran(5000);
  const scheduled = scene.writes.map(({ pod }) => [pod.spec.nodeName, condition(pod, 'PodScheduled')?.status]);
  t.deepEqual(scheduled, [
    [undefined, undefined],
    ['n1', 'True'],
    ['n1', 'True'],
    ['n1', 'True'],
  ]);
  t.is(condition(scene.writes[1]?.pod, 'PodScheduled')?.observedGeneration, undefined);
  t.is(condition(scene.writes[2]?.pod, 'PodScheduled')?.observedGeneration, 1);
});

test('1.5 › the start time comes with the kubelet’s first status and never changes', async (t) => {
  const scene = await ran(40_000, {}, { 'run-for': '1s', 'exit-code': '1' });
  const times = scene.writes.map(({ pod }) => pod.status.startTime);
  t.deepEqual(times.slice(0, 3), [undefined, undefined, '2030-01-01T00:00:01Z']);
  t.deepEqual([...new Set(times.slice(2))], ['2030-01-01T00:00:01Z']);
});

test('1.6 › a phase that others have made terminal stays, though the kubelet sees containers run', async (t) => {
  const scene = await ran(5000, {}, { 'shutdown-delay': '20s' });
  forget(scene);
  const body = { status: { phase: 'Failed' } };
  scene.server.patch('Pod', P, { type: 'merge', body }, 'status');
  await scene.run(60_000);
  t.deepEqual(phases(scene), [
    '0 MODIFIED Failed c=Running+',
    '4 MODIFIED Failed c=Running+',
    '20004 MODIFIED Failed c=Completed',
  ]);
});

test('1.7 › reason and message stay with their phase and go with it', async (t) => {
  const scene = await createRunningScene();
  scene.server.create('Pod', podDraft());
  scene.server.patch('Pod', P, { type: 'merge', body: { status: { reason: 'Why', message: 'because' } } }, 'status');
  scene.server.bind({ metadata: P, target: { kind: 'Node', name: 'n1' } });
  await scene.run(5000);
  const told = scene.writes.map(({ pod }) => [pod.status.phase, pod.status.reason, pod.status.message]);
  t.deepEqual(told.slice(-2), [
    ['Pending', 'Why', 'because'],
    ['Running', undefined, undefined],
  ]);
});

test('1.8 › a pod that another writer made Failed is stopped, and its object stays', async (t) => {
  const scene = await ran(5000);
  scene.server.patch('Pod', P, { type: 'merge', body: { status: { phase: 'Failed' } } }, 'status');
  await scene.run(60_000);
  t.is(scene.pod().status.containerStatuses?.[0]?.state?.terminated?.reason, 'Completed');
  t.true(scene.told().includes('Killing: Stopping container c'));
});

test('1.10 › an init container that failed fails a pod that is never restarted', async (t) => {
  const scene = await ran(5000, { restartPolicy: 'Never', initContainers: containers('i') }, { 'exit-code.i': '1' });
  t.is(phases(scene).at(-1), '1404 MODIFIED Failed i=Error c=PodInitializing');
});

test('1.11 › a pod is Pending until its init containers have exited 0', async (t) => {
  const scene = await ran(10_000, { initContainers: containers('i') }, { 'run-for.i': '3s' });
  t.deepEqual(phases(scene).slice(-3), [
    '404 MODIFIED Pending i=Running c=PodInitializing',
    '3404 MODIFIED Pending i=Completed+ c=PodInitializing',
    '3504 MODIFIED Running i=Completed+ c=Running+',
  ]);
});

test('1.12 › a sidecar that is not started keeps a new pod Pending, not one whose apps were started', async (t) => {
  const scene = await ran(30_000, { initContainers: sidecars('s') }, { 'start-delay.s': '3s', 'crash-after.s': '10s' });
  t.deepEqual(phases(scene).slice(3), [
    '404 MODIFIED Pending s=Running c=PodInitializing',
    '3404 MODIFIED Pending s=Running+ c=PodInitializing',
    '3504 MODIFIED Running s=Running+ c=Running+',
    '10404 MODIFIED Running s=Error c=Running+',
    '10504 MODIFIED Running s=Running#1 c=Running+',
    '13504 MODIFIED Running s=Running+#1 c=Running+',
    '20504 MODIFIED Running s=Error#1 c=Running+',
    '20504 MODIFIED Running s=CrashLoopBackOff#1 c=Running+',
  ]);
});

test('1.13 › an app container that never started keeps a pod Pending, even if others run', async (t) => {
  const creation = { failures: 'all', reason: 'CreateContainerError' } as const;
  const scene = await ran(30_000, { containers: containers('a', 'b') }, scripted({ creation }, 'b'));
  t.is(phases(scene).at(-1), '504 MODIFIED Pending a=Running+ b=CreateContainerError');
});

test('1.14 › a pod whose containers all run, or may run again, is Running', async (t) => {
  const scene = await ran(5000, { containers: containers('a', 'b') }, { 'crash-after.b': '1s' });
  t.deepEqual([...new Set(scene.writes.slice(3).map(({ pod }) => pod.status.phase))], ['Running']);
});

for (const [exitCode, phase, reason] of [
  [0, 'Succeeded', 'PodCompleted'],
  [3, 'Failed', 'PodFailed'],
] as const) {
  test(`1.15 › a pod that is torn down after exit code ${exitCode} has ${phase}, whatever its policy`, async (t) => {
    const scene = await ran(5000, { restartPolicy: 'Always' }, scripted({ shutdown: { delay: '1s', exitCode } }));
    scene.server.delete('Pod', P);
    await scene.run(1500);
    const last = scene.writes.at(-1)?.pod;
    t.is(last?.status.phase, phase);
    t.is(condition(last, 'Ready')?.reason, reason);
  });
}

test('1.16 › with nothing known of its containers a pod is Pending', async (t) => {
  const scene = await ran(100);
  t.is(scene.pod().status.phase, 'Pending');
});

test('1.17 › a crash loop stays Running, a first image that cannot be pulled Pending', async (t) => {
  const crashing = await ran(9000, {}, { 'crash-after': '1s' });
  t.is(phases(crashing).at(-1), '2504 MODIFIED Running c=CrashLoopBackOff#1');
  const pulling = await ran(
    9000,
    { containers: [{ name: 'c', image: 'nope:1' }] },
    scripted({ imagePull: { failures: 'all' } }),
  );
  t.is(phases(pulling).at(-1), '2304 MODIFIED Pending c=ErrImagePull');
});

for (const [exitCode, phase] of [
  ['1', 'Failed'],
  ['0', 'Succeeded'],
] as const) {
  test(`1.18 › Never: one container has exited 0, the other runs, and exits ${exitCode}: ${phase}`, async (t) => {
    const scripts = { 'run-for.a': '1s', 'run-for.b': '5s', 'exit-code.b': exitCode };
    const scene = await ran(20_000, { restartPolicy: 'Never', containers: containers('a', 'b') }, scripts);
    const b = exitCode === '0' ? 'Completed' : 'Error';
    t.deepEqual(phases(scene).slice(3), [
      '504 MODIFIED Running a=Running+ b=Running+',
      '1404 MODIFIED Running a=Completed b=Running+',
      `5504 MODIFIED Running a=Completed b=${b}`,
      `5504 MODIFIED ${phase} a=Completed b=${b}`,
    ]);
  });
}

test('1.19 › OnFailure: one container has exited 0, the other waits for its back-off: Running', async (t) => {
  const scripts = { 'run-for.a': '1s', 'crash-after.b': '1s' };
  const scene = await ran(9000, { restartPolicy: 'OnFailure', containers: containers('a', 'b') }, scripts);
  t.is(phases(scene).at(-1), '2604 MODIFIED Running a=Completed b=CrashLoopBackOff#1');
});

test('1.20 › a sidecar keeps a completed pod Running until it is stopped; its exit code counts for nothing', async (t) => {
  const scripts = { ...scripted({ shutdown: { delay: '3s', exitCode: 7 } }, 's'), 'run-for.c': '2s' };
  const scene = await ran(20_000, { restartPolicy: 'OnFailure', initContainers: sidecars('s') }, scripts);
  t.deepEqual(phases(scene).slice(5), [
    '2504 MODIFIED Running s=Running+ c=Completed',
    '5504 MODIFIED Running s=Error c=Completed',
    '5504 MODIFIED Succeeded s=Error c=Completed',
  ]);
  t.is(scene.pod().status.initContainerStatuses?.[0]?.state?.terminated?.exitCode, 7);
});

test('1.21 › a pod past its active deadline is stopped, and then fails with reason and message', async (t) => {
  const scene = await createRunningScene();
  scene.bind(podDraft({ activeDeadlineSeconds: 5 }, { 'shutdown-delay': '3s' }));
  await scene.run(20_000);
  const message = 'Pod was active on the node longer than the specified deadline';
  t.deepEqual(timeline(scene).slice(-5), [
    '404 MODIFIED Running c=Running+ Start:T Init:T Ready:T CReady:T Sched:T',
    `5002 event Normal DeadlineExceeded: ${message}`,
    '5002 MODIFIED Running c=Running+ Start:T Init:T Ready:F(PodFailed) CReady:F(PodFailed) Sched:T',
    '5002 event Normal Killing: Stopping container c',
    '8002 MODIFIED Failed c=Completed Start:F Init:T Ready:F(PodFailed) CReady:F(PodFailed) Sched:T',
  ]);
  t.deepEqual([scene.pod().status.reason, scene.pod().status.message], ['DeadlineExceeded', message]);
});

test('1.22 › a pod that the kubelet removes is terminal before, and 1.9 › no phase is ever Unknown', async (t) => {
  const scene = await createRunningScene();
  for (const [exitCode, duration] of [1000, 10_000, 3_600_000].entries()) {
    for (const restartPolicy of ['Always', 'OnFailure', 'Never']) {
      const script = scripted({ runs: [{ duration, exitCode }], shutdown: { exitCode } });
      scene.bind(podDraft({ restartPolicy }, script, `p${exitCode}-${restartPolicy.toLowerCase()}`));
    }
  }
  await scene.run(5300);
  scene.server.deleteCollection('Pod', {});
  await scene.run(60_000);
  t.is(scene.server.count('Pod'), 0);
  const removed = scene.writes.filter(({ type }) => type === 'DELETED').map(({ pod }) => pod.status.phase);
  t.is(removed.length, 9);
  t.deepEqual([...new Set(removed)].toSorted(), ['Failed', 'Succeeded']);
  t.deepEqual([...new Set(scene.writes.map(({ pod }) => pod.status.phase))].toSorted(), [
    'Failed',
    'Pending',
    'Running',
    'Succeeded',
  ]);
});

test('1.23 › a bound pod that is deleted before any container was created has Failed, and goes', async (t) => {
  const scene = await ran(100);
  scene.server.delete('Pod', P);
  await scene.run(5000);
  t.deepEqual(phases(scene).slice(-3), [
    '104 MODIFIED Failed c=ContainerStatusUnknown',
    '108 MODIFIED Failed c=ContainerStatusUnknown',
    '108 DELETED Failed c=ContainerStatusUnknown',
  ]);
});

const LOST = {
  terminated: {
    exitCode: 137,
    reason: 'ContainerStatusUnknown',
    message: 'The container could not be located when the pod was terminated',
  },
};

test('1.24 › at the end of an initialized pod app containers that never ran count as killed', async (t) => {
  const creation = { failures: 'all', reason: 'CreateContainerError' } as const;
  const scene = await ran(2000, { containers: containers('a', 'b') }, scripted({ creation }, 'b'));
  scene.server.delete('Pod', P);
  await scene.run(5000);
  const { phase, containerStatuses = [] } = scene.writes.at(-1)?.pod.status ?? {};
  t.is(phase, 'Failed');
  t.is(containerStatuses[0]?.state?.terminated?.reason, 'Completed');
  t.deepEqual(containerStatuses[1]?.state, LOST);
});

test('1.24 › at the end of another pod only init containers that were started, and always the first', async (t) => {
  const creation = { failures: 'all', reason: 'CreateContainerError' } as const;
  const scene = await ran(2000, { initContainers: containers('i', 'j') }, scripted({ creation }, 'i'));
  scene.server.delete('Pod', P);
  await scene.run(5000);
  const { phase, initContainerStatuses = [], containerStatuses = [] } = scene.writes.at(-1)?.pod.status ?? {};
  const waiting = { waiting: { reason: 'PodInitializing' } };
  t.is(phase, 'Failed');
  t.deepEqual(
    [...initContainerStatuses, ...containerStatuses].map(({ state }) => state),
    [LOST, waiting, waiting],
  );
});
