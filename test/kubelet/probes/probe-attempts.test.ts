import test from 'ava';
import type { Scene } from '../scene.js';
import { FAILED, HTTP, probed, PROBES, settledScene, shown, told, up, UP_MS } from './probe-scene.js';

test('4.2 › a worker makes its attempts a period apart from the arrival of its pod', async (t) => {
  const scene = await settledScene();
  scene.bind(probed({ livenessProbe: { ...HTTP, periodSeconds: 7, failureThreshold: 100 } }, { liveness: 'fail' }));
  const boundMs = scene.clock.now();
  await scene.run(30_000);
  t.deepEqual(told(scene, ...PROBES), [`Warning Unhealthy x4: Liveness probe failed: ${FAILED}`]);
  const [event] = scene.events().filter(({ reason }) => reason === 'Unhealthy');
  t.is(event?.firstTimestamp, scene.kernel.timestamps.toTime(boundMs + 7000));
  t.is(event?.lastTimestamp, scene.kernel.timestamps.toTime(boundMs + 28_000));
});

/** When each of twelve pods turns ready that are there when their kubelet starts, after that start. */
async function readyAfterRestart(seed: string): Promise<readonly number[]> {
  const scene = await settledScene({ seed, setup: { capacity: { cpu: '4', memory: '8Gi', pods: '20' } } });
  for (let index = 0; index < 12; index += 1)
    scene.bind({ ...probed({ readinessProbe: { ...HTTP, periodSeconds: 10 } }), metadata: { name: `p${index}` } });
  await scene.run(30_000);
  scene.kubelet.stop();
  await scene.run(60_000);
  const startMs = scene.clock.now();
  scene.kubelet.start();
  await scene.run(60_000);
  return scene.writes.filter((write) => write.atMs > startMs && isReady(write)).map(({ atMs }) => atMs - startMs);
}

function isReady({ pod }: Scene['writes'][number]): boolean {
  return pod.status.containerStatuses?.[0]?.ready === true;
}

test('4.2 › a kubelet that has just started asks each pod at a random moment of the first period', async (t) => {
  const times = await readyAfterRestart('a');
  t.is(times.length, 12);
  t.true(new Set(times).size > 10);
  t.true(times.every((atMs) => atMs <= 10_010));
  t.true(Math.max(...times) > 7000 && Math.min(...times) < 3000);
  t.deepEqual(await readyAfterRestart('a'), times);
  t.notDeepEqual(await readyAfterRestart('b'), times);
});

test('4.1, 4.2 › a restarted kubelet knows nothing of earlier results: ready pods are unready until they are asked', async (t) => {
  const scene = await settledScene();
  scene.bind(probed({ startupProbe: HTTP, readinessProbe: HTTP }));
  await scene.run(30_000);
  const before = shown(scene).length;
  scene.kubelet.stop();
  await scene.run(5000);
  scene.kubelet.start();
  await scene.run(30_000);
  t.deepEqual(
    shown(scene)
      .slice(before)
      .map((line) => line.replace(/^\d+ /, '')),
    [up(0, ''), up(0, ' started'), up(0, ' started ready')].map((line) => line.replace(/^\d+ /, '')),
  );
});

test('4.8 › an attempt that cannot be made is told, and does not count', async (t) => {
  const scene = await settledScene();
  const probe = { httpGet: { path: '/', port: 'web' }, periodSeconds: 5, failureThreshold: 1 };
  scene.bind(probed({ readinessProbe: probe, livenessProbe: probe }));
  await scene.run(32_000);
  const error = 'probe errored and resulted in unknown state: strconv.Atoi: parsing "web": invalid syntax';
  t.deepEqual(told(scene, ...PROBES), [
    `Warning Unhealthy x7: Readiness ${error}`,
    `Warning Unhealthy x6: Liveness ${error}`,
  ]);
  t.deepEqual(shown(scene).slice(3), [up(UP_MS, ' started')]);
});

test('4.9 › a probe without an answer fails when its timeout is over', async (t) => {
  const scene = await settledScene();
  const probe = {
    exec: { command: ['cat', '/tmp/healthy'] },
    periodSeconds: 5,
    timeoutSeconds: 3,
    failureThreshold: 2,
  };
  scene.bind(probed({ readinessProbe: probe }, { readiness: 'ok 10s, timeout' }));
  await scene.run(30_000);
  t.deepEqual(shown(scene).slice(3), [
    up(UP_MS, ' started'),
    up(UP_MS + 1, ' started ready'),
    up(UP_MS + 18_001, ' started'),
  ]);
  t.deepEqual(told(scene, ...PROBES), [
    'Warning Unhealthy x4: Readiness probe failed: command timed out: "cat /tmp/healthy" timed out after 3s',
  ]);
});

test('4.9 › a redirect to another host is a success, with a warning at each attempt', async (t) => {
  const scene = await settledScene();
  scene.bind(
    probed({ readinessProbe: { ...HTTP, periodSeconds: 5 } }, { script: 'readiness: { redirectBody: moved }' }),
  );
  await scene.run(22_000);
  t.deepEqual(told(scene, ...PROBES), [
    'Warning ProbeWarning x5: Readiness probe warning: Probe terminated redirects, Response body: moved',
  ]);
  t.deepEqual(shown(scene).slice(3), [up(UP_MS, ' started'), up(UP_MS + 1, ' started ready')]);
});

/** What half an hour of random flaps looks like. */
async function flaps(seed: string): Promise<readonly string[]> {
  const scene = await settledScene({ seed });
  const flap = 'ok exponential(1m), fail exponential(30s)';
  scene.bind(
    probed({ readinessProbe: HTTP, livenessProbe: { ...HTTP, periodSeconds: 7 } }, { readiness: flap, liveness: flap }),
  );
  await scene.run(1_800_000);
  return [...shown(scene), ...told(scene, ...PROBES)];
}

test('a flapping container flaps alike with the same seed, and otherwise with another', async (t) => {
  const first = await flaps('a');
  t.true(first.length > 20);
  t.deepEqual(await flaps('a'), first);
  t.notDeepEqual(await flaps('b'), first);
});

test('probed pods at rest cost nothing: in an hour not one entry of the clock runs', async (t) => {
  const scene = await settledScene({ setup: { capacity: { cpu: '40', memory: '80Gi', pods: '60' } } });
  const probe = { ...HTTP, periodSeconds: 1 };
  for (let index = 0; index < 50; index += 1)
    scene.bind({
      ...probed({ startupProbe: probe, readinessProbe: probe, livenessProbe: probe }),
      metadata: { name: `p${index}` },
    });
  await scene.run(60_000);
  t.is(scene.server.list('Pod').items.filter(({ status }) => status.containerStatuses?.[0]?.ready === true).length, 50);
  const { ticks } = scene.clock;
  await scene.run(3_500_000);
  t.is(scene.clock.ticks, ticks);
});
