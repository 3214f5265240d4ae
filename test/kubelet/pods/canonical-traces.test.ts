/** The canonical traces of a pod's life, write by write and event by event, with API server, bus and kubelet. */
import test from 'ava';
import type { Draft } from '../../../src/api/objects/objects.js';
import { IMAGE, createRunningScene, forget, podDraft, ran, RETRIES_MS, scripted, timeline } from '../scene.js';

const P = { namespace: 'default', name: 'p' };

const PRESENT = `event Normal Pulled: Container image "${IMAGE}" already present on machine`;
const UNREADY = 'Ready:F(ContainersNotReady) CReady:F(ContainersNotReady) Sched:T';
const READY = 'Start:T Init:T Ready:T CReady:T Sched:T';

function started(name: string): readonly string[] {
  return [`event Normal Created: Created container: ${name}`, `event Normal Started: Started container ${name}`];
}

function again(count: number): readonly string[] {
  return [
    `event Normal Created x${count}: Created container: c`,
    `event Normal Started x${count}: Started container c`,
  ];
}

test('T1 › start without init containers, image present', async (t) => {
  const scene = await ran(10_000);
  t.deepEqual(timeline(scene), [
    '0 ADDED Pending',
    '0 MODIFIED Pending Sched:T',
    `4 MODIFIED Pending c=ContainerCreating Start:F Init:T ${UNREADY}`,
    `304 ${PRESENT}`,
    '404 event Normal Created: Created container: c',
    '404 event Normal Started: Started container c',
    `404 MODIFIED Running c=Running+ ${READY}`,
  ]);
  const [, , first, second] = scene.writes.map(({ pod }) => pod.status);
  t.deepEqual(
    [first?.startTime, first?.hostIP, first?.podIP, second?.podIP],
    ['2030-01-01T00:00:01Z', '172.16.0.1', undefined, '10.0.0.1'],
  );
});

test('T2 › while an image is being pulled no status is written', async (t) => {
  const scene = await ran(10_000, { containers: [{ name: 'c', image: 'nginx:1.25' }] });
  t.deepEqual(timeline(scene).slice(2), [
    `4 MODIFIED Pending c=ContainerCreating Start:F Init:T ${UNREADY}`,
    '304 event Normal Pulling: Pulling image "nginx:1.25"',
    '2304 event Normal Pulled: Successfully pulled image "nginx:1.25" in 2s (2s including waiting). Image size: 176898317 bytes.',
    '2404 event Normal Created: Created container: c',
    '2404 event Normal Started: Started container c',
    `2404 MODIFIED Running c=Running+ ${READY}`,
  ]);
});

test('T3 › two init containers and an app', async (t) => {
  const initContainers = ['i1', 'i2'].map((name) => ({ name, image: IMAGE }));
  const scene = await ran(10_000, { initContainers });
  const unInitialized = `Init:F(ContainersNotInitialized) ${UNREADY}`;
  t.deepEqual(timeline(scene).slice(2), [
    `4 MODIFIED Pending i1=PodInitializing i2=PodInitializing c=PodInitializing Start:F ${unInitialized}`,
    `304 ${PRESENT}`,
    ...started('i1').map((line) => `404 ${line}`),
    `404 MODIFIED Pending i1=Running i2=PodInitializing c=PodInitializing Start:T ${unInitialized}`,
    `1404 MODIFIED Pending i1=Completed+ i2=PodInitializing c=PodInitializing Start:T ${unInitialized}`,
    `1404 ${PRESENT}`,
    ...started('i2').map((line) => `1504 ${line}`),
    `1504 MODIFIED Pending i1=Completed+ i2=Running c=PodInitializing Start:T ${unInitialized}`,
    `2504 MODIFIED Pending i1=Completed+ i2=Completed+ c=PodInitializing Start:T Init:T ${UNREADY}`,
    `2504 ${PRESENT}`,
    ...started('c').map((line) => `2604 ${line}`),
    `2604 MODIFIED Running i1=Completed+ i2=Completed+ c=Running+ ${READY}`,
  ]);
});

test('T4 › crash loop under policy Always', async (t) => {
  const scene = await ran(39_800, {}, { 'crash-after': '1s' });
  const unready = `Start:T Init:T ${UNREADY}`;
  const backOff = `Back-off restarting failed container c in pod p_default(${scene.pod().metadata.uid})`;
  const second = 2504 + RETRIES_MS[0];
  const waiting = second + 1100 + RETRIES_MS[1];
  const third = waiting + RETRIES_MS[2];
  t.deepEqual(timeline(scene).slice(6), [
    `404 MODIFIED Running c=Running+ ${READY}`,
    `1404 MODIFIED Running c=Error ${unready}`,
    `1404 ${PRESENT.replace('Pulled', 'Pulled x2')}`,
    ...again(2).map((line) => `1504 ${line}`),
    `1504 MODIFIED Running c=Running+#1 ${READY}`,
    `2504 MODIFIED Running c=Error#1 ${unready}`,
    `2504 event Warning BackOff: ${backOff}`,
    `2504 MODIFIED Running c=CrashLoopBackOff#1 ${unready}`,
    `${second} ${PRESENT.replace('Pulled', 'Pulled x3')}`,
    ...again(3).map((line) => `${second + 100} ${line}`),
    `${second + 100} MODIFIED Running c=Running+#2 ${READY}`,
    `${second + 1100} MODIFIED Running c=Error#2 ${unready}`,
    `${second + 1100} event Warning BackOff x2: ${backOff}`,
    `${second + 1100} MODIFIED Running c=CrashLoopBackOff#2 ${unready}`,
    `${waiting} event Warning BackOff x3: ${backOff}`,
    `${third} ${PRESENT.replace('Pulled', 'Pulled x4')}`,
    ...again(4).map((line) => `${third + 100} ${line}`),
    `${third + 100} MODIFIED Running c=Running+#3 ${READY}`,
  ]);
});

test('T5 › a liveness probe fails three times: killed, hook first, and run again at once', async (t) => {
  const scene = await createRunningScene();
  await scene.run(60_000);
  const lifecycle = { preStop: { sleep: { seconds: 2 } } };
  const livenessProbe = { httpGet: { path: '/live', port: 80 }, periodSeconds: 5 };
  const containers = [{ name: 'c', image: IMAGE, lifecycle, livenessProbe }];
  forget(scene);
  scene.bind(podDraft({ containers }, scripted({ liveness: 'ok 8s, fail', shutdown: { exitCode: 1 } })));
  await scene.run(28_000);
  const unhealthy = 'Liveness probe failed: HTTP probe failed with statuscode: 500';
  t.deepEqual(timeline(scene).slice(6), [
    `404 MODIFIED Running c=Running+ ${READY}`,
    `10004 event Warning Unhealthy: ${unhealthy}`,
    `15004 event Warning Unhealthy x2: ${unhealthy}`,
    `20004 event Warning Unhealthy x3: ${unhealthy}`,
    '20004 event Normal Killing: Container c failed liveness probe, will be restarted',
    `22504 ${PRESENT.replace('Pulled', 'Pulled x2')}`,
    '22604 event Normal Created x2: Created container: c',
    '22604 event Normal Started x2: Started container c',
    `22604 MODIFIED Running c=Running+#1 ${READY}`,
  ]);
  const [container] = scene.pod().status.containerStatuses ?? [];
  t.is(container?.lastState?.terminated?.exitCode, 1);
});

for (const [exitCode, phase, state, reason] of [
  [0, 'Succeeded', 'Completed', 'PodCompleted'],
  [1, 'Failed', 'Error', 'PodFailed'],
] as const) {
  test(`T6 › graceful deletion, the app exits ${exitCode} on SIGTERM after five seconds`, async (t) => {
    const scene = await ran(9000, {}, scripted({ shutdown: { delay: '5s', exitCode } }));
    forget(scene);
    scene.server.delete('Pod', P);
    await scene.run(60_000);
    const initialized = exitCode === 0 ? 'Init:T(PodCompleted)' : 'Init:T';
    const end = `${phase} c=${state} Start:F ${initialized} Ready:F(${reason}) CReady:F(${reason}) Sched:T`;
    t.deepEqual(timeline(scene), [
      `0 MODIFIED Running c=Running+ ${READY} grace=30`,
      `4 MODIFIED Running c=Running+ ${READY} grace=30`,
      '4 event Normal Killing: Stopping container c',
      `5004 MODIFIED ${end} grace=30`,
      `5008 MODIFIED ${end} grace=0`,
      `5008 DELETED ${end} grace=0`,
    ]);
    t.is(scene.writes[0]?.pod.metadata.deletionTimestamp, '2030-01-01T00:00:40Z');
  });
}

test('T7 › a kubelet’s verdict: one write with all of it; the object stays', async (t) => {
  const scene = await ran(5000, {}, scripted({ shutdown: { ignoresTerm: true } }));
  const { uid } = scene.pod().metadata;
  forget(scene);
  const message = 'The node was low on resource: memory. Threshold quantity: 100Mi, available: 50Mi. ';
  scene.kubelet.condemn(uid, {
    phase: 'Failed',
    reason: 'Evicted',
    message,
    condition: { reason: 'TerminationByKubelet', message },
    graceSeconds: 1,
  });
  await scene.run(600_000);
  t.deepEqual(timeline(scene), [
    '0 event Normal Killing: Stopping container c',
    '2000 MODIFIED Failed c=Error DisruptionTarget:T(TerminationByKubelet) Start:F Init:T Ready:F(PodFailed) ' +
      'CReady:F(PodFailed) Sched:T',
  ]);
  t.is(scene.server.count('Pod'), 1);
});

test('T10 › a pod that its node does not admit: one write, without containers and conditions of the kubelet’s', async (t) => {
  const scene = await createRunningScene();
  const containers: readonly Draft[] = [{ name: 'c', image: IMAGE, resources: { requests: { cpu: '5' } } }];
  scene.bind(podDraft({ containers, readinessGates: [{ conditionType: 'x/gate' }] }));
  scene.server.patch(
    'Pod',
    P,
    { type: 'strategic', body: { status: { conditions: [{ type: 'x/gate', status: 'True' }] } } },
    'status',
  );
  await scene.run(60_000);
  const message = "Node didn't have enough resource: cpu, requested: 5000, used: 0, capacity: 4000";
  t.deepEqual(timeline(scene), [
    '0 ADDED Pending',
    '0 MODIFIED Pending Sched:T',
    '0 MODIFIED Pending x/gate:T Sched:T',
    `4 event Warning OutOfcpu: ${message}`,
    '4 MODIFIED Failed x/gate:T',
  ]);
  const { reason, message: told, startTime, containerStatuses } = scene.pod().status;
  t.deepEqual(
    [reason, told, startTime, containerStatuses],
    ['OutOfcpu', `Pod was rejected: ${message}`, '2030-01-01T00:00:01Z', undefined],
  );
});
