import test from 'ava';
import { FIXED, IMAGE, podDraft } from '../scene.js';
import { FAILED, HTTP, probed, PROBES, settledScene, shown, told, up } from './probe-scene.js';

test('4.6, 4.7, T5 › a liveness probe that fails to its threshold restarts the container; there are no attempts meanwhile', async (t) => {
  const scene = await settledScene({ runtime: { ...FIXED, shutdown: 12_000 } });
  const livenessProbe = { ...HTTP, periodSeconds: 5, failureThreshold: 3 };
  scene.bind(probed({ livenessProbe }, { liveness: 'ok 20s, fail' }));
  await scene.run(60_000);
  t.deepEqual(told(scene, 'Unhealthy', 'Killing', 'Started'), [
    'Normal Started x2: Started container c',
    `Warning Unhealthy x3: Liveness probe failed: ${FAILED}`,
    'Normal Killing x1: Container c failed liveness probe, will be restarted',
  ]);
  t.deepEqual(shown(scene).slice(3), [up(404, ' started ready'), up(47_104, ' started ready', 1)]);
  const [container] = scene.pod().status.containerStatuses ?? [];
  t.is(container?.restartCount, 1);
  t.is(container?.lastState?.terminated?.finishedAt, '2030-01-01T00:01:47Z');
});

test('4.6 › a startup probe that fails to its threshold restarts the container', async (t) => {
  const scene = await settledScene();
  scene.bind(probed({ startupProbe: { ...HTTP, periodSeconds: 5, failureThreshold: 2 } }, { 'start-delay': '1h' }));
  await scene.run(14_000);
  t.deepEqual(told(scene, ...PROBES), [
    'Warning Unhealthy x2: Startup probe failed: Get "http://10.0.0.1:8080/healthz": dial tcp 10.0.0.1:8080: connect: connection refused',
    'Normal Killing x1: Container c failed startup probe, will be restarted',
  ]);
  t.is(scene.pod().status.containerStatuses?.[0]?.restartCount, 1);
});

for (const [kind, script, text] of [
  ['livenessProbe', { 'liveness.s': 'fail' }, 'Init container s failed liveness probe'],
  ['startupProbe', { 'start-delay.s': '1h' }, 'Init container s failed startup probe'],
] as const) {
  test(`4.6 › a sidecar is restarted by its ${kind}, and that is told of an init container`, async (t) => {
    const scene = await settledScene();
    const sidecar = {
      name: 's',
      image: IMAGE,
      restartPolicy: 'Always',
      [kind]: { ...HTTP, periodSeconds: 5, failureThreshold: 1 },
    };
    scene.bind(podDraft({ initContainers: [sidecar], restartPolicy: 'Never' }, script));
    await scene.run(8000);
    t.deepEqual(told(scene, 'Killing'), [`Normal Killing x1: ${text}`]);
    t.is(scene.events().find(({ reason }) => reason === 'Killing')?.involvedObject.fieldPath, 'spec.initContainers{s}');
    t.is(scene.pod().status.initContainerStatuses?.[0]?.restartCount, 1);
  });
}

test('4.12 › a container has failureThreshold periods to start, after the initial delay', async (t) => {
  const slow = await settledScene();
  const startupProbe = { ...HTTP, initialDelaySeconds: 10, periodSeconds: 5, failureThreshold: 4 };
  slow.bind(probed({ startupProbe }, { 'start-delay': '24s' }));
  await slow.run(60_000);
  t.deepEqual(told(slow, 'Killing'), []);
  const slower = await settledScene();
  slower.bind(probed({ startupProbe }, { 'start-delay': '25s' }));
  await slower.run(40_000);
  t.deepEqual(told(slower, 'Killing'), ['Normal Killing x1: Container c failed startup probe, will be restarted']);
});

test('4.13, 4.15 › under Never a container that its probe has killed stays down', async (t) => {
  const scene = await settledScene();
  const probe = { ...HTTP, periodSeconds: 5, failureThreshold: 1 };
  const containers = [
    { name: 'c', image: IMAGE, livenessProbe: probe, readinessProbe: probe },
    { name: 'd', image: IMAGE },
  ];
  const script = { 'liveness.c': 'ok 20s, fail', 'shutdown.c': 'exit 3' };
  scene.bind(podDraft({ containers, restartPolicy: 'Never' }, script));
  await scene.run(120_000);
  t.deepEqual(told(scene, ...PROBES), [
    `Warning Unhealthy x1: Liveness probe failed: ${FAILED}`,
    'Normal Killing x1: Container c failed liveness probe',
  ]);
  t.deepEqual(shown(scene).slice(-1), [
    '25504 MODIFIED Running c=Error#0 d=up started ready#0 ContainersReady:F Ready:F',
  ]);
});

test('4.15 › under Never a pod of which its probe leaves nothing to run is ended, and fails', async (t) => {
  const scene = await settledScene();
  const livenessProbe = { ...HTTP, periodSeconds: 5, failureThreshold: 1 };
  scene.bind(probed({ livenessProbe }, { liveness: 'ok 20s, fail', shutdown: 'exit 3' }, { restartPolicy: 'Never' }));
  await scene.run(120_000);
  t.deepEqual(told(scene, ...PROBES), [
    `Warning Unhealthy x1: Liveness probe failed: ${FAILED}`,
    'Normal Killing x1: Stopping container c',
  ]);
  const { phase, containerStatuses } = scene.pod().status;
  t.is(phase, 'Failed');
  t.is(containerStatuses?.[0]?.state?.terminated?.exitCode, 3);
});

test('4.14 › while a pod is being ended liveness is not asked any more, readiness is', async (t) => {
  const scene = await settledScene();
  const probe = { ...HTTP, periodSeconds: 5, failureThreshold: 1 };
  scene.bind(
    probed(
      { livenessProbe: probe, readinessProbe: probe },
      { liveness: 'ok 22s, fail', readiness: 'ok 22s, fail', shutdown: 'ignore' },
    ),
  );
  await scene.run(21_000);
  scene.server.delete('Pod', { namespace: 'default', name: 'p' });
  const before = shown(scene).length;
  await scene.run(28_000);
  t.deepEqual(shown(scene).slice(before), [up(25_405, ' started')]);
  t.deepEqual(told(scene, ...PROBES), [
    'Normal Killing x1: Stopping container c',
    `Warning Unhealthy x5: Readiness probe failed: ${FAILED}`,
  ]);
  await scene.run(10_000);
  t.is(scene.server.count('Pod'), 0);
});

for (const [what, probeGrace, specGrace, deadAfterMs] of [
  ['the probe’s own grace counts, if it has one', 5, 40, 5000],
  ['even if it is longer than the pod’s', 60, 7, 60_000],
  ['otherwise the pod’s', undefined, 9, 9000],
] as const) {
  test(`4.16 › ${what}`, async (t) => {
    const scene = await settledScene();
    const livenessProbe = {
      ...HTTP,
      periodSeconds: 5,
      failureThreshold: 1,
      ...(probeGrace === undefined ? {} : { terminationGracePeriodSeconds: probeGrace }),
    };
    scene.bind(
      probed(
        { livenessProbe },
        { liveness: 'ok 1h', 'liveness.c': 'fail', shutdown: 'ignore' },
        { terminationGracePeriodSeconds: specGrace },
      ),
    );
    await scene.run(4900 + deadAfterMs);
    t.is(scene.pod().status.containerStatuses?.[0]?.restartCount, 0);
    await scene.run(300);
    t.is(scene.pod().status.containerStatuses?.[0]?.restartCount, 1);
  });
}
