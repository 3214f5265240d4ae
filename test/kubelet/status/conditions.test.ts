/** Conditions of pods as their kubelet writes them, and its own verdicts: statements 1.1 and following. */
import test from 'ava';
import type { Pod, PodCondition } from '../../../src/api/objects/objects.js';
import { IMAGE, forget, ran, story, timeline, type Scene } from '../scene.js';

const P = { namespace: 'default', name: 'p' };

function condition(pod: Pod | undefined, wanted: string): PodCondition | undefined {
  return pod?.status.conditions?.find(({ type }) => type === wanted);
}

/** Each condition with reason and message, in the order in which it stands. */
function conditions(pod: Pod | undefined): readonly string[] {
  return (pod?.status.conditions ?? []).map(
    ({ type, status, reason, message }) =>
      `${type}=${status}${reason === undefined ? '' : ` ${reason}`}${message === undefined ? '' : `: ${message}`}`,
  );
}

/** Sets a condition as a writer that is no kubelet does. */
function setCondition(scene: Scene, type: string, status: string): void {
  const body = { status: { conditions: [{ type, status }] } };
  scene.server.patch('Pod', P, { type: 'strategic', body }, 'status');
}

const UNREADY = 'ContainersNotReady: containers with unready status: [c]';

test('1D › the five conditions of a pod that starts, in order, with reasons and messages', async (t) => {
  const scene = await ran(10_000, { initContainers: [{ name: 'i', image: IMAGE }] });
  const seen = scene.writes.slice(2).map(({ pod }) => conditions(pod));
  const initializing = 'Initialized=False ContainersNotInitialized: containers with incomplete status: [i]';
  const before = [initializing, `Ready=False ${UNREADY}`, `ContainersReady=False ${UNREADY}`, 'PodScheduled=True'];
  t.deepEqual(seen, [
    ['PodReadyToStartContainers=False', ...before],
    ['PodReadyToStartContainers=True', ...before],
    ['PodReadyToStartContainers=True', 'Initialized=True', ...before.slice(1)],
    ['PodReadyToStartContainers=True', 'Initialized=True', 'Ready=True', 'ContainersReady=True', 'PodScheduled=True'],
  ]);
});

test('1D › a pod that has completed gives that as the reason', async (t) => {
  const scene = await ran(10_000, { restartPolicy: 'Never' }, { 'run-for': '1s' });
  t.deepEqual(conditions(scene.pod()), [
    'PodReadyToStartContainers=False',
    'Initialized=True PodCompleted',
    'Ready=False PodCompleted',
    'ContainersReady=False PodCompleted',
    'PodScheduled=True',
  ]);
});

test('1.25 › a kubelet’s verdict is held back until nothing runs, and then written in one go', async (t) => {
  const scene = await ran(5000, {}, { 'shutdown-delay': '1h' });
  const { uid } = scene.pod().metadata;
  forget(scene);
  const message = 'The node was low on resource: memory. ';
  const target = { reason: 'TerminationByKubelet', message };
  scene.kubelet.condemn(uid, { phase: 'Failed', reason: 'Evicted', message, condition: target, graceSeconds: 1 });
  await scene.run(60_000);
  t.deepEqual(timeline(scene), [
    '0 event Normal Killing: Stopping container c',
    '2000 MODIFIED Failed c=Error DisruptionTarget:T(TerminationByKubelet) Start:F Init:T Ready:F(PodFailed) ' +
      'CReady:F(PodFailed) Sched:T',
  ]);
  const { phase, reason, message: told, containerStatuses } = scene.pod().status;
  t.deepEqual(
    [phase, reason, told, containerStatuses?.[0]?.state?.terminated?.exitCode],
    ['Failed', 'Evicted', message, 137],
  );
  t.is(conditions(scene.pod())[0], `DisruptionTarget=True TerminationByKubelet: ${message}`);
});

test('1.25 › a verdict that comes after the deletion is written with the end, within the smaller grace', async (t) => {
  const scene = await ran(5000, {}, { 'shutdown-delay': '1h' });
  const { uid } = scene.pod().metadata;
  scene.server.delete('Pod', P);
  await scene.run(2000);
  forget(scene);
  scene.kubelet.condemn(uid, { phase: 'Failed', reason: 'Evicted', message: 'm', graceSeconds: 5 });
  await scene.run(60_000);
  t.deepEqual(
    story(scene.writes).map((line) => line.split(' ', 4).join(' ')),
    ['0 MODIFIED Failed c=Error', '4 MODIFIED Failed c=Error', '4 DELETED Failed c=Error'],
  );
  t.is(scene.writes[0]?.atMs, 13_002);
  t.is(scene.writes[0]?.pod.status.reason, 'Evicted');
});

function gate(value: string, ready: string): string {
  return `c=Running+ x/a:${value} Start:T Init:T Ready:${ready} CReady:T Sched:T`;
}

test('1.26 › a readiness gate that is missing or not True keeps the pod unready, and is named', async (t) => {
  const scene = await ran(5000, { readinessGates: [{ conditionType: 'x/a' }, { conditionType: 'x/b' }] });
  setCondition(scene, 'x/b', 'Unknown');
  await scene.run(1000);
  const missing = 'corresponding condition of pod readiness gate "x/a" does not exist.';
  const unknown = 'the status of pod readiness gate "x/b" is not "True", but Unknown';
  t.deepEqual(conditions(scene.pod()), [
    'x/b=Unknown',
    'PodReadyToStartContainers=True',
    'Initialized=True',
    `Ready=False ReadinessGatesNotReady: ${missing}, ${unknown}`,
    'ContainersReady=True',
    'PodScheduled=True',
  ]);
});

test('1.27 › when others open the last gate, the kubelet makes the pod Ready; closing it makes it unready', async (t) => {
  const scene = await ran(5000, { readinessGates: [{ conditionType: 'x/a' }] });
  forget(scene);
  setCondition(scene, 'x/a', 'True');
  await scene.run(1000);
  setCondition(scene, 'x/a', 'False');
  await scene.run(1000);
  t.deepEqual(story(scene.writes), [
    `0 MODIFIED Running ${gate('T', 'F(ReadinessGatesNotReady)')}`,
    `4 MODIFIED Running ${gate('T', 'T')}`,
    `1000 MODIFIED Running ${gate('F', 'T')}`,
    `1004 MODIFIED Running ${gate('F', 'F(ReadinessGatesNotReady)')}`,
  ]);
});

test('1.28 › a condition’s transition time moves with its status only, and the end makes a pod unready', async (t) => {
  const scene = await ran(12_000, {}, { 'crash-after': '5s' });
  scene.server.delete('Pod', P);
  await scene.run(5000);
  const times = scene.writes
    .slice(2)
    .map(({ pod }) => [condition(pod, 'Ready')?.status, condition(pod, 'Ready')?.lastTransitionTime?.slice(17)]);
  t.deepEqual(times, [
    ['False', '01Z'],
    ['True', '01Z'],
    ['False', '06Z'],
    ['True', '06Z'],
    ['False', '11Z'],
    ['False', '11Z'],
    ['False', '11Z'],
    ['False', '11Z'],
    ['False', '11Z'],
    ['False', '11Z'],
    ['False', '11Z'],
  ]);
});

test('1.30 › a condition that others gave as the reason of a disruption stays to the end', async (t) => {
  const scene = await ran(5000);
  scene.server.evict({ metadata: P });
  await scene.run(5000);
  const last = scene.writes.at(-1)?.pod;
  t.is(conditions(last)[0], 'DisruptionTarget=True EvictionByEvictionAPI: Eviction API: evicting');
});

test('1.31 › the condition of a disruption is written before the deletion', async (t) => {
  const scene = await ran(5000);
  forget(scene);
  scene.server.evict({ metadata: P });
  t.deepEqual(
    scene.writes.map(({ pod }) => [
      condition(pod, 'DisruptionTarget')?.status,
      pod.metadata.deletionGracePeriodSeconds,
    ]),
    [
      ['True', undefined],
      ['True', 30],
    ],
  );
});

test('1.32 › status and conditions say of which generation they are: the first deletion raises it', async (t) => {
  const scene = await ran(5000, {}, { 'shutdown-delay': '3s' });
  forget(scene);
  scene.server.patch('Pod', P, { type: 'merge', body: { spec: { activeDeadlineSeconds: 1000 } } });
  await scene.run(1000);
  scene.server.delete('Pod', P);
  await scene.run(5000);
  const seen = scene.writes.map(({ pod }) => [
    pod.metadata.generation,
    pod.status.observedGeneration,
    condition(pod, 'Ready')?.observedGeneration,
    condition(pod, 'PodScheduled')?.observedGeneration,
  ]);
  t.deepEqual(seen, [
    [2, 1, 1, 1],
    [2, 2, 2, 2],
    [3, 2, 2, 2],
    [3, 3, 3, 3],
    [3, 3, 3, 3],
    [3, 3, 3, 3],
    [3, 3, 3, 3],
  ]);
});

test('a condition of the kubelet that others overwrite is written anew at its next ten-second mark', async (t) => {
  const scene = await ran(5000);
  const ready = (): string | undefined => condition(scene.pod(), 'Ready')?.status;
  setCondition(scene, 'Ready', 'False');
  await scene.run(4000);
  t.is(ready(), 'False');
  await scene.run(2000);
  t.is(ready(), 'True');
  const { length } = scene.writes;
  await scene.run(60_000);
  t.is(scene.writes.length, length);
});
