/** Init containers, sidecars, hooks and the order of the end: statements 3.1 and following. */
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
  statusOf,
  timeline,
  type Scene,
} from '../scene.js';

const P = { namespace: 'default', name: 'p' };

/** The same, deleted after ten seconds: what happened since. */
async function ended(graceSeconds: number, ...draft: Parameters<typeof podDraft>): Promise<Scene> {
  const scene = await ran(10_000, ...draft);
  forget(scene);
  scene.server.delete('Pod', P, { gracePeriodSeconds: graceSeconds });
  await scene.run(200_000);
  return scene;
}

/** What happened, without conditions. */
function told(scene: Scene): readonly string[] {
  return timeline(scene).map((line) => line.replace(/ (DisruptionTarget|Start):.*/, '').replace(/ Sched:.*/, ''));
}

function events(scene: Scene, ...reasons: readonly string[]): readonly string[] {
  return timeline(scene).filter((line) =>
    reasons.some((reason) => line.includes(` ${reason}:`) || line.includes(` ${reason} x`)),
  );
}

/** When each container ended, in milliseconds since the deletion, as far as whole seconds tell. */
function ends({ writes, kernel }: Scene): Readonly<Record<string, string>> {
  const { initContainerStatuses = [], containerStatuses = [] } = writes.at(-1)?.pod.status ?? {};
  const firstMs = writes[0]?.atMs ?? 0;
  const all = [...initContainerStatuses, ...containerStatuses].map(({ name, state }) => {
    const { finishedAt = '', exitCode } = state?.terminated ?? {};
    return [name, `${(kernel.timestamps.toMs(finishedAt) - firstMs) / 1000}s exit ${exitCode}`] as const;
  });
  return Object.fromEntries(all);
}

const plain = (...names: readonly string[]): readonly Draft[] => names.map((name) => ({ name, image: IMAGE }));
const sidecars = (...names: readonly string[]): readonly Draft[] =>
  plain(...names).map((container) => ({ ...container, restartPolicy: 'Always' }));
/** A pod of one container `c` with these hooks. */
const hooked = (lifecycle: Draft): Draft => ({ containers: [{ name: 'c', image: IMAGE, lifecycle }] });

const withInit = (fields: Draft): Draft => podDraft({ initContainers: [{ name: 'i', image: IMAGE, ...fields }] });
/** A preStop hook that takes that long, of a container that must be killed. */
const stubborn = (duration: string): Readonly<Record<string, string>> =>
  scripted({ preStop: { duration }, shutdown: { ignoresTerm: true } });

/** The events of a pod with that hook on its first container. */
async function started(postStart: Draft): Promise<readonly string[]> {
  const containers = [{ name: 'a', image: IMAGE, lifecycle: { postStart } }, ...plain('b')];
  return events(await ran(10_000, { containers }), 'FailedPostStartHook', 'Started').slice(0, 3);
}

const EXEC = { exec: { command: ['sh', '-c', 'true'] } };

test('3.1 › init containers run one at a time, in the order of the spec', async (t) => {
  const scene = await ran(10_000, { initContainers: plain('i', 'j') });
  t.deepEqual(events(scene, 'Started'), [
    '404 event Normal Started: Started container i',
    '1504 event Normal Started: Started container j',
    '2604 event Normal Started: Started container c',
  ]);
});

test('3.2 › a sidecar lets the next container start once it is started, ready or not', async (t) => {
  const scripts = { 'start-delay.s': '2s', 'readiness-delay.s': '60s' };
  const scene = await ran(10_000, { initContainers: [...sidecars('s'), ...plain('i')] }, scripts);
  t.deepEqual(events(scene, 'Started'), [
    '404 event Normal Started: Started container s',
    '2504 event Normal Started: Started container i',
    '3604 event Normal Started: Started container c',
  ]);
});

test('3.3 › app containers start one after the other; one that fails does not stop the next', async (t) => {
  const creation = { failures: 'all', reason: 'CreateContainerError', error: 'no' } as const;
  const scene = await ran(5000, { containers: plain('a', 'b', 'c') }, scripted({ creation }, 'a'));
  t.deepEqual(events(scene, 'Failed', 'Started'), [
    '404 event Warning Failed: Error: no',
    '504 event Normal Started: Started container b',
    '604 event Normal Started: Started container c',
  ]);
});

test('3.3 › a sidecar that fails to start is skipped, a regular init container ends the sync', async (t) => {
  const creation = { failures: 1, reason: 'CreateContainerError', error: 'no' } as const;
  const sidecar = await ran(20_000, { initContainers: sidecars('s') }, scripted({ creation }, 's'));
  t.deepEqual(events(sidecar, 'Failed', 'Started'), [
    '404 event Warning Failed: Error: no',
    `${404 + RETRIES_MS[0] + 100} event Normal Started: Started container s`,
    `${404 + RETRIES_MS[0] + 200} event Normal Started: Started container c`,
  ]);
  const init = await ran(20_000, { initContainers: [...sidecars('s'), ...plain('i')] }, scripted({ creation }, 'i'));
  t.deepEqual(events(init, 'Failed', 'Started'), [
    '404 event Normal Started: Started container s',
    '504 event Warning Failed: Error: no',
    `${504 + RETRIES_MS[0] + 100} event Normal Started: Started container i`,
    `${504 + RETRIES_MS[0] + 1200} event Normal Started: Started container c`,
  ]);
});

test('3.4 › postStart runs before the next container is looked at; nothing is reported meanwhile', async (t) => {
  const containers = [{ name: 'a', image: IMAGE, lifecycle: { postStart: EXEC } }, ...plain('b')];
  const scene = await ran(10_000, { containers }, scripted({ postStart: { duration: '4s' } }, 'a'));
  t.deepEqual(told(scene).slice(2), [
    '4 MODIFIED Pending a=ContainerCreating b=ContainerCreating',
    `304 event Normal Pulled: Container image "${IMAGE}" already present on machine`,
    '404 event Normal Created: Created container: a',
    '404 event Normal Started: Started container a',
    `4404 event Normal Pulled: Container image "${IMAGE}" already present on machine`,
    '4504 event Normal Created: Created container: b',
    '4504 event Normal Started: Started container b',
    '4504 MODIFIED Running a=Running+ b=Running+',
  ]);
});

test('3.5 › postStart that fails: the container is killed, waits with PostStartHookError, and runs again', async (t) => {
  const postStart = { duration: '1s', fails: true };
  const scene = await ran(5000, hooked({ postStart: EXEC }), scripted({ postStart }));
  const { uid } = scene.pod().metadata;
  t.deepEqual(told(scene).slice(3), [
    `304 event Normal Pulled: Container image "${IMAGE}" already present on machine`,
    '404 event Normal Created: Created container: c',
    '404 event Normal Started: Started container c',
    '1404 event Warning FailedPostStartHook: PostStartHook failed',
    '1404 event Normal Killing: FailedPostStartHook',
    '1904 MODIFIED Running c=PostStartHookError',
    `1904 event Normal Pulled x2: Container image "${IMAGE}" already present on machine`,
    '2004 event Normal Created x2: Created container: c',
    '2004 event Normal Started x2: Started container c',
    '3004 event Warning FailedPostStartHook x2: PostStartHook failed',
    '3004 event Normal Killing x2: FailedPostStartHook',
    '3504 MODIFIED Running c=PostStartHookError#1',
    `3504 event Warning BackOff: Back-off restarting failed container c in pod p_default(${uid})`,
    '3504 MODIFIED Running c=CrashLoopBackOff#1',
  ]);
  const failed = statusOf(scene.writes[3]?.pod);
  t.is(
    failed?.state?.waiting?.message,
    `Exec lifecycle hook ([sh -c true]) for Container "c" in Pod "p_default(${uid})" failed - ` +
      `error: command 'sh -c true' exited with 1: , message: ""`,
  );
  t.is(failed?.lastState?.terminated?.reason, 'Completed');
});

test('3.5 › a container that ends under its postStart hook makes it fail', async (t) => {
  const scene = await ran(
    3000,
    hooked({ postStart: EXEC }),
    scripted({ postStart: { duration: '1h' }, runs: '1s exit 3' }),
  );
  t.deepEqual(told(scene).slice(6, 9), [
    '1404 event Warning FailedPostStartHook: PostStartHook failed',
    '1404 event Normal Killing: FailedPostStartHook',
    '1404 MODIFIED Running c=PostStartHookError',
  ]);
});

test('3.6 › once an app container runs, regular init containers are not run again; sidecars are, whenever they exit', async (t) => {
  const initContainers = [...plain('i'), ...sidecars('s')];
  const scene = await ran(10_000, { restartPolicy: 'Never', initContainers }, { 'run-for.s': '4s' });
  t.deepEqual(
    ['i', 's', 'c'].map((name) => statusOf(scene.pod(), name)?.restartCount),
    [0, 1, 0],
  );
});

test('3.8 › hooks and probes of regular init containers are refused, those of sidecars taken', async (t) => {
  const { server } = await createRunningScene();
  const probe = { tcpSocket: { port: 1 } };
  for (const [field, value] of Object.entries({
    lifecycle: { preStop: EXEC },
    livenessProbe: probe,
    readinessProbe: probe,
    startupProbe: probe,
  })) {
    const error = t.throws(() => server.create('Pod', withInit({ [field]: value })));
    t.regex(error.message, /may not be set for init containers without restartPolicy=Always/);
  }
  t.notThrows(() =>
    server.create('Pod', withInit({ restartPolicy: 'Always', lifecycle: { preStop: EXEC }, livenessProbe: probe })),
  );
});

test('3.9 › Initialized asks whether sidecars are started, ContainersReady whether they are ready', async (t) => {
  const scene = await ran(5000, { initContainers: sidecars('s') }, { 'readiness-delay.s': '60s' });
  t.regex(timeline(scene).at(-1) ?? '', /s=Running c=Running\+ Start:T Init:T Ready:F\(ContainersNotReady\) CReady:F/);
  await scene.run(60_000);
  t.regex(timeline(scene).at(-1) ?? '', /s=Running\+ c=Running\+ Start:T Init:T Ready:T CReady:T/);
});

test('3.10 › a pod completes when its apps have: its sidecars are stopped, with their hooks', async (t) => {
  const [sidecar] = sidecars('s');
  const initContainers = [{ ...sidecar, lifecycle: { preStop: { sleep: { seconds: 3 } } } }];
  const scene = await ran(20_000, { restartPolicy: 'OnFailure', initContainers }, { 'run-for.c': '1s' });
  t.deepEqual(told(scene).slice(-4), [
    '1504 MODIFIED Running s=Running+ c=Completed',
    '1504 event Normal Killing: Stopping container s',
    '5004 MODIFIED Running s=Completed c=Completed',
    '5004 MODIFIED Succeeded s=Completed c=Completed',
  ]);
});

test('3.11 › without sidecars all containers are stopped at once', async (t) => {
  const scene = await ended(
    30,
    { containers: plain('a', 'b') },
    { 'shutdown-delay.a': '2s', 'shutdown-delay.b': '4s' },
  );
  t.deepEqual(
    events(scene, 'Killing').map((line) => line.split(' ')[0]),
    ['4', '4'],
  );
  t.deepEqual(ends(scene), { a: '2s exit 0', b: '4s exit 0' });
});

test('3.12 › with sidecars: all hooks at once, then the apps, then the sidecars against the order of the spec', async (t) => {
  const preStop = { sleep: { seconds: 3 } };
  const initContainers = sidecars('s1', 's2').map((container) => ({ ...container, lifecycle: { preStop } }));
  const scripts = { 'shutdown-delay.c': '5s', 'shutdown-delay.s1': '2s', 'shutdown-delay.s2': '4s' };
  const scene = await ended(60, { initContainers }, scripts);
  t.deepEqual(
    events(scene, 'Killing').map((line) => line.split(' ')[0]),
    ['4', '4', '4'],
  );
  t.deepEqual(ends(scene), { c: '5s exit 0', s2: '9s exit 0', s1: '11s exit 0' });
});

test('3.12 › a regular init container that still runs does not keep sidecars waiting', async (t) => {
  const initContainers = [...sidecars('s'), ...plain('i')];
  const scripts = { 'run-for.i': '1h', 'shutdown-delay.i': '8s', 'shutdown-delay.s': '1s' };
  const scene = await ended(30, { initContainers }, scripts);
  t.deepEqual([ends(scene)['s'], ends(scene)['i']], ['1s exit 0', '8s exit 0']);
});

test('3.13 › the wait uses up the common grace; what is left then gets two seconds, all at once', async (t) => {
  const scene = await ended(5, { initContainers: sidecars('s1', 's2') }, { 'shutdown-delay': '1h' });
  t.deepEqual(ends(scene), { c: '5s exit 137', s2: '7s exit 137', s1: '7s exit 137' });
});

test('3.14 › preStop is bounded by the grace, and its whole seconds are taken off', async (t) => {
  const draft = hooked({ preStop: EXEC });
  const quick = await ended(10, draft, stubborn('3700ms'));
  t.is(quick.writes[2]?.atMs, (quick.writes[1]?.atMs ?? 0) + 3700 + 7000);
  const slow = await ended(10, draft, stubborn('1h'));
  t.is(slow.writes[2]?.atMs, (slow.writes[1]?.atMs ?? 0) + 10_000 + 2000);
  t.deepEqual(events(slow, 'FailedPreStopHook'), ['12004 event Warning FailedPreStopHook: PreStopHook failed']);
});

test('3.14 › preStop that fails does not stop the end, and is told', async (t) => {
  const preStop = { duration: '2s', fails: true };
  const scene = await ended(30, hooked({ preStop: EXEC }), scripted({ preStop, shutdown: { delay: '1s' } }));
  t.deepEqual(told(scene).slice(2, 5), [
    '4 event Normal Killing: Stopping container c',
    '2004 event Warning FailedPreStopHook: PreStopHook failed',
    '3004 MODIFIED Succeeded c=Completed',
  ]);
});

test('3.14 › a command dies with its container, a sleep goes on', async (t) => {
  const script = scripted({ runs: '12s exit 3', preStop: { duration: '1h' } });
  const exec = await ended(30, hooked({ preStop: EXEC }), script);
  t.deepEqual(told(exec).slice(3, 5), [
    '2404 event Warning FailedPreStopHook: PreStopHook failed',
    '2404 MODIFIED Failed c=Error',
  ]);
  const sleep = await ended(30, hooked({ preStop: { sleep: { seconds: 20 } } }), scripted({ runs: '12s exit 3' }));
  t.deepEqual(told(sleep).slice(3, 4), ['20004 MODIFIED Failed c=Error']);
});

test('3.15 › preStop runs at a deletion, not when the container ends by itself', async (t) => {
  const preStop = { duration: '1s', fails: true };
  const scene = await ran(
    20_000,
    hooked({ preStop: EXEC }),
    scripted({ preStop, runs: '1s exit 1, 1s exit 1, forever' }),
  );
  t.deepEqual(events(scene, 'FailedPreStopHook', 'Killing'), []);
  scene.server.delete('Pod', P);
  await scene.run(20_000);
  t.is(events(scene, 'FailedPreStopHook').length, 1);
});

test('3.15 › preStop runs when the kubelet ends a pod for the node’s sake', async (t) => {
  const preStop = { duration: '1h', fails: true };
  const scene = await ran(5000, hooked({ preStop: EXEC }), scripted({ preStop }));
  forget(scene);
  const { uid } = scene.pod().metadata;
  scene.kubelet.condemn(uid, { phase: 'Failed', reason: 'Evicted', message: 'm', graceSeconds: 4 });
  await scene.run(20_000);
  t.deepEqual(told(scene), [
    '0 event Normal Killing: Stopping container c',
    '4500 event Warning FailedPreStopHook: PreStopHook failed',
    '4500 MODIFIED Failed c=Completed',
  ]);
});

for (const [kind, handler, script, said] of [
  [
    'exec',
    EXEC,
    { fails: true, error: 'no such file' },
    'Exec lifecycle hook ([sh -c true]) for Container "c" in Pod "POD" failed - error: no such file, message: ""',
  ],
  [
    'httpGet',
    { httpGet: { path: '/up', port: 80 } },
    { fails: true },
    'HTTP lifecycle hook (/up) for Container "c" in Pod "POD" failed - error: Get "http://10.0.0.1:80/up": dial tcp 10.0.0.1:80: connect: connection refused',
  ],
  [
    'sleep',
    { sleep: { seconds: 1 } },
    { fails: true },
    'Sleep lifecycle hook (1) for Container "c" in Pod "POD" failed - error: container terminated before sleep hook completed',
  ],
  [
    'tcpSocket',
    { tcpSocket: { port: 8080 } },
    {},
    'Cannot run handler: invalid handler: &LifecycleHandler{Exec:nil,HTTPGet:nil,TCPSocket:&TCPSocketAction{Port:{0 8080 },Host:,},Sleep:nil,}',
  ],
] as const) {
  test(`3.16 › a postStart hook of kind ${kind} that fails, in the handler’s words`, async (t) => {
    const scene = await ran(2300, hooked({ postStart: handler }), scripted({ postStart: script }));
    const { uid } = scene.pod().metadata;
    t.is(statusOf(scene.writes[3]?.pod)?.state?.waiting?.message, said.replace('POD', `p_default(${uid})`));
  });
}

test('3.16 › sleep takes its seconds, zero too; tcpSocket fails at once', async (t) => {
  const a = '404 event Normal Started: Started container a';
  t.deepEqual(await started({ sleep: { seconds: 5 } }), [a, '5504 event Normal Started: Started container b']);
  t.deepEqual(await started({ sleep: { seconds: 0 } }), [a, '504 event Normal Started: Started container b']);
  t.deepEqual((await started({ tcpSocket: { port: 1 } })).slice(0, 2), [
    a,
    '404 event Warning FailedPostStartHook: PostStartHook failed',
  ]);
});
