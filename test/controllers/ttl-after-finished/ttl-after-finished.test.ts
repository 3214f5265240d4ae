import test from 'ava';
import type { Job, Pod } from '../../../src/api/objects/objects.js';
import { createJobHarness, jobDraft } from '../job/jobs.js';
import type { Harness } from '../harness.js';

const CONTROLLERS = ['job-controller', 'ttl-after-finished-controller', 'garbage-collector-controller'];
const JOB = { namespace: 'default', name: 'j' };

function createTtlHarness(phase: 'Succeeded' | 'Failed' = 'Succeeded'): Harness {
  return createJobHarness(() => ({ phase, afterMs: 5000 }), { controllers: CONTROLLERS, watch: ['Job', 'Pod'] });
}

test('7.5.12 › a job goes with its pods so many seconds after it has ended, its pods first', async (t) => {
  for (const phase of ['Succeeded', 'Failed'] as const) {
    const harness = createTtlHarness(phase);
    harness.server.create('Job', jobDraft('j', { ttlSecondsAfterFinished: 30, backoffLimit: 0 }));
    await harness.run(35_900);
    t.not(harness.server.find('Job', JOB), undefined);
    await harness.run(1500);
    t.is(harness.server.find('Job', JOB), undefined);
    t.is(harness.list('Pod').length, 0);
    const last = harness.log.slice(-4).map((event) => `${event.type} ${(event as { object: Job | Pod }).object.kind}`);
    t.deepEqual(last, ['MODIFIED Job', 'MODIFIED Pod', 'DELETED Pod', 'DELETED Job']);
    harness.dispose();
  }
});

test('7.5.12 › a job without a time to live stays, and one that gets it later counts from its end', async (t) => {
  const harness = createTtlHarness();
  harness.server.create('Job', jobDraft('j'));
  await harness.run(3_600_000);
  t.not(harness.server.find('Job', JOB), undefined);
  harness.server.change('Job', JOB, (job) => ({ ...job, spec: { ...job.spec, ttlSecondsAfterFinished: 7200 } }));
  await harness.run(3_600_000);
  t.not(harness.server.find('Job', JOB), undefined);
  await harness.run(10_000);
  t.is(harness.server.find('Job', JOB), undefined);
  harness.dispose();
});

test('7.5.12 › a job whose time to live is prolonged at the last moment stays', async (t) => {
  const harness = createTtlHarness();
  harness.server.create('Job', jobDraft('j', { ttlSecondsAfterFinished: 60 }));
  await harness.run(60_000);
  const controller = harness.manager.controller('ttl-after-finished-controller');
  controller.stop();
  await harness.run(30_000);
  harness.server.change('Job', JOB, (job) => ({ ...job, spec: { ...job.spec, ttlSecondsAfterFinished: 600 } }));
  controller.start();
  await harness.run(60_000);
  t.not(harness.server.find('Job', JOB), undefined);
  await harness.run(600_000);
  t.is(harness.server.find('Job', JOB), undefined);
  harness.dispose();
});
