import test from 'ava';
import { IMAGE, podDraft } from '../scene.js';
import { FAILED, HTTP, probed, PROBES, settledScene, shown, told, up, UP_MS } from './probe-scene.js';

test('4.1 › until a probe has succeeded, a container is not ready, nor started, but alive', async (t) => {
  const scene = await settledScene();
  const probe = { ...HTTP, initialDelaySeconds: 30 };
  scene.bind(probed({ readinessProbe: probe, livenessProbe: probe }));
  await scene.run(25_000);
  t.deepEqual(shown(scene).slice(3), [up(UP_MS, ' started')]);
  scene.bind({ ...probed({ startupProbe: probe }), metadata: { name: 'q' } });
  await scene.run(25_000);
  t.deepEqual(
    scene.pod('q').status.containerStatuses?.map(({ started, ready }) => ({ started, ready })),
    [{ started: false, ready: false }],
  );
  t.deepEqual(told(scene, ...PROBES), []);
});

test('4.3 › an initial delay counts from the start that the status shows, in whole seconds', async (t) => {
  const scene = await settledScene();
  await scene.run(300);
  scene.bind(
    probed(
      { livenessProbe: { ...HTTP, periodSeconds: 1, initialDelaySeconds: 5, failureThreshold: 100 } },
      { liveness: 'fail' },
    ),
  );
  await scene.run(5400);
  const startedAt = scene.pod().status.containerStatuses?.[0]?.state?.running?.startedAt;
  t.is(startedAt, '2030-01-01T00:01:00Z');
  t.deepEqual(told(scene, ...PROBES), [`Warning Unhealthy x1: Liveness probe failed: ${FAILED}`]);
  const [event] = scene.events().filter(({ reason }) => reason === 'Unhealthy');
  t.is(event?.firstTimestamp, '2030-01-01T00:01:05Z');
});

test('4.3 › before a container is started only its startup probe is asked, and never again after that', async (t) => {
  const scene = await settledScene();
  const probe = { ...HTTP, periodSeconds: 5, failureThreshold: 100 };
  scene.bind(
    probed(
      { startupProbe: probe, readinessProbe: probe, livenessProbe: probe },
      { 'start-delay': '17s', liveness: 'ok 40s, fail', readiness: 'ok 40s, fail' },
    ),
  );
  await scene.run(62_000);
  t.deepEqual(told(scene, ...PROBES), [
    'Warning Unhealthy x3: Startup probe failed: Get "http://10.0.0.1:8080/healthz": dial tcp 10.0.0.1:8080: connect: connection refused',
    `Warning Unhealthy x4: Liveness probe failed: ${FAILED}`,
    `Warning Unhealthy x4: Readiness probe failed: ${FAILED}`,
  ]);
});

test('4.4 › a container is started when its startup probe has succeeded, and ready when its readiness probe has', async (t) => {
  const scene = await settledScene();
  scene.bind(
    probed(
      {
        startupProbe: { ...HTTP, periodSeconds: 5, failureThreshold: 20 },
        readinessProbe: { ...HTTP, periodSeconds: 3 },
      },
      { 'start-delay': '17s', 'readiness-delay': '5s' },
    ),
  );
  await scene.run(60_000);
  t.deepEqual(shown(scene).slice(3), [up(UP_MS, ''), up(20_004, ' started'), up(26_005, ' started ready')]);
});

test('4.4 › without probes a container is started and ready when its application is', async (t) => {
  const scene = await settledScene();
  scene.bind(probed({}, { 'start-delay': '3s', 'readiness-delay': '4s' }));
  await scene.run(60_000);
  t.deepEqual(shown(scene).slice(3), [up(UP_MS, ''), up(UP_MS + 3000, ' started'), up(UP_MS + 7000, ' started ready')]);
});

test('4.5, 4.10 › readiness flips when a run of equal results reaches its threshold: one write for all three', async (t) => {
  const scene = await settledScene();
  const readinessProbe = { ...HTTP, periodSeconds: 5, failureThreshold: 2, successThreshold: 3 };
  scene.bind(probed({ readinessProbe }, { readiness: 'ok 30s, fail 12s' }));
  await scene.run(62_000);
  t.deepEqual(shown(scene).slice(3), [
    up(UP_MS, ' started'),
    up(UP_MS + 10_001, ' started ready'),
    up(UP_MS + 35_001, ' started'),
    up(UP_MS + 55_001, ' started ready'),
  ]);
  t.deepEqual(told(scene, ...PROBES), [`Warning Unhealthy x3: Readiness probe failed: ${FAILED}`]);
});

test('4.5 › a run that is too short leaves what was recorded', async (t) => {
  const scene = await settledScene();
  scene.bind(probed({ readinessProbe: { ...HTTP, periodSeconds: 5 } }, { readiness: 'ok 30s, fail 9s' }));
  await scene.run(62_000);
  t.deepEqual(shown(scene).slice(3), [up(UP_MS, ' started'), up(UP_MS + 1, ' started ready')]);
  t.deepEqual(told(scene, ...PROBES), [`Warning Unhealthy x2: Readiness probe failed: ${FAILED}`]);
});

test('4.5b › what readiness has counted goes on in the next run of its container', async (t) => {
  const scene = await settledScene();
  scene.bind(
    probed(
      { readinessProbe: { ...HTTP, periodSeconds: 5, successThreshold: 3 } },
      { 'run-for': '20s', 'exit-code': '1' },
    ),
  );
  await scene.run(25_000);
  const ups = shown(scene).filter((line) => line.includes('c=up'));
  t.deepEqual(ups, [
    up(UP_MS, ' started'),
    up(UP_MS + 10_001, ' started ready'),
    up(UP_MS + 20_100, ' started', 1),
    up(UP_MS + 20_101, ' started ready', 1),
  ]);
});

test('4.10 › a failing readiness probe never restarts its container', async (t) => {
  const scene = await settledScene();
  scene.bind(probed({ readinessProbe: { ...HTTP, periodSeconds: 1, failureThreshold: 1 } }, { readiness: 'fail' }));
  await scene.run(300_000);
  t.deepEqual(shown(scene).slice(3), [up(UP_MS, ' started')]);
  t.deepEqual(told(scene, 'Killing'), []);
});

test('4.10 › readiness is written at once even while the kubelet waits for another container’s hook', async (t) => {
  const scene = await settledScene();
  const containers = [
    { name: 'a', image: IMAGE, readinessProbe: { ...HTTP, periodSeconds: 5, failureThreshold: 1 } },
    { name: 'b', image: IMAGE, lifecycle: { postStart: { exec: { command: ['true'] } } } },
  ];
  const script = { 'post-start.b': '30s', 'run-for.b': '50s', 'exit-code.b': '1', 'readiness.a': 'ok 57s, fail 6s' };
  scene.bind(podDraft({ containers }, script));
  await scene.run(90_000);
  t.deepEqual(shown(scene).slice(3), [
    '30504 MODIFIED Running a=up started#0 b=up started ready#0 ContainersReady:F Ready:F',
    '30505 MODIFIED Running a=up started ready#0 b=up started ready#0 ContainersReady:T Ready:T',
    '50504 MODIFIED Running a=up started ready#0 b=Error#0 ContainersReady:F Ready:F',
    '60505 MODIFIED Running a=up started#0 b=Error#0 ContainersReady:F Ready:F',
    '65505 MODIFIED Running a=up started ready#0 b=Error#0 ContainersReady:F Ready:F',
    '80604 MODIFIED Running a=up started ready#0 b=up started ready#1 ContainersReady:T Ready:T',
  ]);
});

test('4.11 › readiness is asked at once when a container is started, and then a period apart', async (t) => {
  const scene = await settledScene();
  const readinessProbe = { ...HTTP, periodSeconds: 30, failureThreshold: 1 };
  scene.bind(
    probed(
      { startupProbe: { ...HTTP, periodSeconds: 5 }, readinessProbe },
      { 'start-delay': '7s', readiness: 'ok 35s, fail' },
    ),
  );
  await scene.run(90_000);
  t.deepEqual(shown(scene).slice(3), [
    up(UP_MS, ''),
    up(10_004, ' started'),
    up(10_005, ' started ready'),
    up(40_005, ' started'),
  ]);
});
