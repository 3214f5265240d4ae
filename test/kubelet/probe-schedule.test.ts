import test from 'ava';
import { startUp } from '../../src/kubelet/probe-schedule.js';

test('without probes a container is started after its start delay and ready after its readiness delay', (t) => {
  t.deepEqual(startUp({}, 1000, 0, 0), { startedMs: 1000, readyMs: 1000 });
  t.deepEqual(startUp({}, 1000, 300, 2000), { startedMs: 1300, readyMs: 3300 });
});

test('a readiness probe succeeds at its first attempt at or after the delay', (t) => {
  const readinessProbe = { initialDelaySeconds: 5, periodSeconds: 2 };
  t.is(startUp({ readinessProbe }, 1000, 0, 0).readyMs, 6000);
  t.is(startUp({ readinessProbe }, 1000, 0, 5000).readyMs, 6000);
  t.is(startUp({ readinessProbe }, 1000, 0, 5001).readyMs, 8000);
});

test('success counts after successThreshold attempts in a row', (t) => {
  t.is(startUp({ readinessProbe: { successThreshold: 3 } }, 0, 0, 1).readyMs, 30_000);
});

test('a startup probe gates started, and readiness counts from there', (t) => {
  const startupProbe = { periodSeconds: 5 };
  t.deepEqual(startUp({ startupProbe }, 1000, 5001, 100), { startedMs: 11_000, readyMs: 11_100 });
  t.deepEqual(startUp({ startupProbe, readinessProbe: { periodSeconds: 4 } }, 1000, 0, 0), {
    startedMs: 1000,
    readyMs: 1000,
  });
});
