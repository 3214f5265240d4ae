/** When containers and pulls are tried again, and what is told of it: statements 2.1 and following. */
import test from 'ava';
import type { Draft } from '../../../src/api/objects/objects.js';
import { IMAGE, forget, podDraft, ran, RETRIES_MS, scripted, statusOf, timeline, type Scene } from '../scene.js';

const P = { namespace: 'default', name: 'p' };

/** From the end of each run to the start of the next, milliseconds, and how often that container was run. */
function waits({ history }: Scene, name = 'c'): readonly number[] {
  const shown = history.filter(({ text }) => text.startsWith('MODIFIED'));
  const ends = shown.filter(({ text }) => new RegExp(` ${name}=(Error|Completed)`).test(text));
  const starts = shown.filter(({ text }) => new RegExp(` ${name}=Running`).test(text));
  return ends.flatMap((end) => {
    const next = starts.find(({ atMs }) => atMs > end.atMs);
    return next === undefined ? [] : [next.atMs - end.atMs];
  });
}

/** By how much waits are longer than these delays; a sync in vain is followed by the next one after 10 to 15 s. */
function lateness(waitsMs: readonly number[], delaysMs: readonly number[]): readonly number[] {
  return waitsMs.map((wait, index) => wait - (delaysMs[index] ?? 0));
}

const isWithinOneSync = (lateMs: number): boolean => lateMs >= 0 && lateMs <= 15_000;

const one = (container: Draft): Draft => ({ containers: [{ name: 'c', ...container }] });

/** Events of a reason with that message, as `<time since the binding> x<count>`. */
function told(scene: Scene, text: string): readonly string[] {
  return timeline(scene)
    .filter((line) => line.includes(` event `) && line.endsWith(text))
    .map((line) => line.replace(/ event \S+ \S+( x\d+)?:.*/, '$1'));
}

test('2.13 › a new image begins a new back-off: the container is killed, and runs again at once', async (t) => {
  const scene = await ran(40_000, one({ image: IMAGE }), { runs: '1s exit 1, 1s exit 1, 1s exit 1, forever' });
  t.is(statusOf(scene.pod())?.restartCount, 3);
  forget(scene);
  const body = { spec: { containers: [{ name: 'c', image: 'nginx:1.25' }] } };
  scene.server.patch('Pod', P, { type: 'strategic', body });
  await scene.run(5000);
  t.deepEqual(
    timeline(scene).map((line) => line.replace(/ Start:.*/, '')),
    [
      '0 MODIFIED Running c=Running+#3',
      '4 MODIFIED Running c=Running+#3',
      '4 event Normal Killing: Container c definition changed, will be restarted',
      '504 event Normal Pulling: Pulling image "nginx:1.25"',
      '2504 event Normal Pulled: Successfully pulled image "nginx:1.25" in 2s (2s including waiting). Image size: 176898317 bytes.',
      '2604 event Normal Created x5: Created container: c',
      '2604 event Normal Started x5: Started container c',
      '2604 MODIFIED Running c=Running+#4',
    ],
  );
  t.is(statusOf(scene.pod())?.image, 'docker.io/library/nginx:1.25');
});

/** No wait, one sync in vain, two of them; each start takes 100 ms. */
const SYNCED = [100, RETRIES_MS[0] + 100, RETRIES_MS[1] + RETRIES_MS[2] + 100];

test('2.14 › a restart is held back while its entry’s delay has not passed since the container ended', async (t) => {
  const scene = await ran(100_000, {}, { runs: '1s exit 1, 15s exit 1, 1s exit 1, 40s exit 1, forever' });
  t.deepEqual(waits(scene), SYNCED);
  t.is(statusOf(scene.pod())?.restartCount, 3);
});

test('2.16 › back-off holds for exit code 0, for init containers and for sidecars', async (t) => {
  const completing = await ran(60_000, {}, { 'run-for': '1s' });
  t.deepEqual(waits(completing), SYNCED);
  const beside = [{ name: 's', image: IMAGE, restartPolicy: 'Always' }];
  const sidecar = await ran(60_000, { initContainers: beside }, { 'run-for.s': '1s' });
  t.deepEqual(waits(sidecar, 's'), SYNCED);
  const init = await ran(60_000, { initContainers: [{ name: 'i', image: IMAGE }] }, { 'crash-after.i': '1s' });
  t.deepEqual(waits(init, 'i'), SYNCED);
});

test('2.17 › a back-off is told at each sync, every 10 to 15 s, under one event', async (t) => {
  const scene = await ran(59_000, {}, { 'crash-after': '1s' });
  const second = 2504 + RETRIES_MS[0] + 1100;
  const third = second + RETRIES_MS[1] + RETRIES_MS[2] + 1100;
  const text = `Back-off restarting failed container c in pod p_default(${scene.pod().metadata.uid})`;
  t.deepEqual(told(scene, text), [
    '2504',
    `${second} x2`,
    `${second + RETRIES_MS[1]} x3`,
    `${third} x4`,
    `${third + RETRIES_MS[3]} x5`,
  ]);
});

test('2.17 › what wakes the worker in between has it say so, too', async (t) => {
  const containers = ['c', 'd'].map((name) => ({ name, image: IMAGE }));
  const scene = await ran(9000, { containers }, { 'crash-after.c': '1s', 'crash-after.d': '5s' });
  const text = `Back-off restarting failed container c in pod p_default(${scene.pod().metadata.uid})`;
  t.deepEqual(told(scene, text), ['2504', '5504 x2']);
});

test('a pod that waits for its next attempt ends at its active deadline all the same', async (t) => {
  const scene = await ran(
    20_000,
    { ...one({ image: 'nope:1' }), activeDeadlineSeconds: 8 },
    { 'image-pull': '1s fail all' },
  );
  const failed = scene.writes.find(({ pod }) => pod.status.phase === 'Failed');
  t.is(failed?.pod.status.reason, 'DeadlineExceeded');
  t.is((failed?.atMs ?? 0) - (scene.writes[0]?.atMs ?? 0), 8004);
});

test('2.18 › a container that ran for more than ten minutes fails as if for the first time', async (t) => {
  const scene = await ran(700_000, {}, { runs: '1s exit 1, 1s exit 1, 601s exit 1, 1s exit 1, forever' });
  t.deepEqual(waits(scene), [100, RETRIES_MS[0] + 100, 100, RETRIES_MS[1] + 100]);
});

test('2.19 › an entry is forgotten 600 s after the last restart, even in the middle of a wait', async (t) => {
  const quick = Array.from({ length: 6 }, () => '1s exit 1').join(', ');
  const scene = await ran(1_300_000, {}, { runs: `${quick}, 400s exit 1, forever` });
  const delaysMs = [100, 10_100, 20_100, 40_100, 80_100, 160_100, 600_000 - 400_000];
  const late = lateness(waits(scene), delaysMs);
  t.is(late.length, delaysMs.length);
  t.true(late.every(isWithinOneSync), late.join(' '));
});

test('2.20 › what is told of an image that is pulled, and of one that is there', async (t) => {
  const scene = await ran(5000, {
    containers: [
      { name: 'a', image: 'x:1' },
      { name: 'b', image: 'x:1' },
    ],
  });
  t.deepEqual(
    timeline(scene)
      .filter((line) => line.includes('event'))
      .map((line) => line.replace(/Image size: \d+/, 'Image size: N')),
    [
      '304 event Normal Pulling: Pulling image "x:1"',
      '2304 event Normal Pulled: Successfully pulled image "x:1" in 2s (2s including waiting). Image size: N bytes.',
      '2404 event Normal Created: Created container: a',
      '2404 event Normal Started: Started container a',
      '2404 event Normal Pulled: Container image "x:1" already present on machine',
      '2504 event Normal Created: Created container: b',
      '2504 event Normal Started: Started container b',
    ],
  );
});

test('2.21 › a pull that fails is tried again after 10, 20, 40, 80, 160, 300 and 300 seconds; restarts are not counted', async (t) => {
  const imagePull = { failures: 'all', duration: 1000, error: 'no' } as const;
  const scene = await ran(1_500_000, one({ image: 'nope:1' }), scripted({ imagePull }));
  // The second failure shows what the first one did, and is not written.
  const failures = scene.history.filter(({ text }) => / c=ErrImagePull( |$)/.test(text));
  const [both = 0, ...between] = failures.slice(1).map(({ atMs }, index) => atMs - (failures[index]?.atMs ?? 0) - 1000);
  t.true(both - 1000 >= 30_000 && both - 1000 <= 60_000, String(both));
  const late = lateness(between, [40_000, 80_000, 160_000, 300_000, 300_000, 300_000]);
  t.is(late.length, 6);
  t.true(late.every(isWithinOneSync), late.join(' '));
  t.is(statusOf(scene.pod())?.restartCount, 0);
});

test('2.21 › ErrImagePull is shown until the next sync, 10 to 15 s later; within the back-off that says ImagePullBackOff', async (t) => {
  const scene = await ran(37_000, one({ image: 'nope:1' }), { 'image-pull': '1s fail all: no' });
  const second = 1304 + RETRIES_MS[0];
  const third = second + 1000 + RETRIES_MS[1];
  t.deepEqual(
    timeline(scene)
      .slice(3)
      .map((line) => line.replace(/ Start:.*/, '')),
    [
      '304 event Normal Pulling: Pulling image "nope:1"',
      '1304 event Warning Failed: Failed to pull image "nope:1": no',
      '1304 event Warning Failed: Error: ErrImagePull',
      '1304 MODIFIED Pending c=ErrImagePull',
      `${second} event Normal Pulling x2: Pulling image "nope:1"`,
      `${second + 1000} event Warning Failed x2: Failed to pull image "nope:1": no`,
      `${second + 1000} event Warning Failed x2: Error: ErrImagePull`,
      `${third} event Normal BackOff: Back-off pulling image "nope:1"`,
      `${third} event Warning Failed: Error: ImagePullBackOff`,
      `${third} MODIFIED Pending c=ImagePullBackOff`,
    ],
  );
});

test('2.21 › containers of one pod that want the same image share its back-off', async (t) => {
  const imagePull = { failures: 'all', duration: 1000, error: 'no' } as const;
  const containers = ['a', 'b'].map((name) => ({ name, image: 'nope:1' }));
  const scene = await ran(9000, { containers }, scripted({ imagePull }));
  t.deepEqual(
    timeline(scene)
      .slice(3)
      .map((line) => line.replace(/ Start:.*/, '')),
    [
      '304 event Normal Pulling: Pulling image "nope:1"',
      '1304 event Warning Failed: Failed to pull image "nope:1": no',
      '1304 event Warning Failed: Error: ErrImagePull',
      '1304 event Normal BackOff: Back-off pulling image "nope:1"',
      '1304 event Warning Failed: Error: ImagePullBackOff',
      '1304 MODIFIED Pending a=ErrImagePull b=ImagePullBackOff',
    ],
  );
});

test('2.21 › an image that came meanwhile ends the back-off at its next attempt', async (t) => {
  const failing = scripted({ imagePull: { failures: 1, duration: 1000, error: 'no' } });
  const scene = await ran(5000, one({ image: 'late:1' }), failing);
  scene.bind(podDraft(one({ image: 'late:1' }), {}, 'q'));
  await scene.run(10_000);
  t.is(scene.pod('q').status.phase, 'Running');
  t.is(told(scene, 'Container image "late:1" already present on machine').length, 1);
  t.is(scene.pod().status.phase, 'Running');
});

for (const [image, policy] of [
  ['nginx', 'Always'],
  ['nginx:latest', 'Always'],
  ['nginx:1.25', 'IfNotPresent'],
  [`nginx@sha256:${'a'.repeat(64)}`, 'IfNotPresent'],
] as const) {
  test(`2.22 › the pull policy of ${image.slice(0, 16)} is ${policy} by default`, async (t) => {
    const scene = await ran(10_000, { containers: ['a', 'b'].map((name) => ({ name, image })) });
    const second = timeline(scene).filter((line) => line.includes('Pull')).length;
    t.is(scene.pod().spec.containers[0]?.imagePullPolicy, policy);
    t.is(second, policy === 'Always' ? 4 : 3);
  });
}

test('2.22 › Always asks the registry again for an image that is there', async (t) => {
  const scene = await ran(5000, { containers: [{ name: 'c', image: IMAGE, imagePullPolicy: 'Always' }] });
  t.deepEqual(timeline(scene).slice(3, 5), [
    `304 event Normal Pulling: Pulling image "${IMAGE}"`,
    `704 event Normal Pulled: Successfully pulled image "${IMAGE}" in 400ms (400ms including waiting). Image size: 1000 bytes.`,
  ]);
});
