/** Pods of a job: adopted, given up, left behind. */
import test from 'ava';
import { createControllerManager } from '../../../src/controllers/controller-manager.js';
import { notes } from '../harness.js';
import { createJobHarness, endPod, jobDraft, jobOf, verdicts } from './jobs.js';

const JOB = { namespace: 'default', name: 'j' };

test('7.5.2 › a job that another controller manages is left alone', async (t) => {
  const harness = createJobHarness();
  harness.server.create('Job', jobDraft('j', { managedBy: 'example.com/mine' }));
  harness.server.create('Job', jobDraft('k', { managedBy: 'kubernetes.io/job-controller' }));
  await harness.run(5000);
  t.deepEqual(jobOf(harness).status, {});
  t.deepEqual(
    harness.list('Pod').map(({ metadata }) => metadata.labels?.['job-name']),
    ['k'],
  );
  harness.dispose();
});

test('7.5.1 › a job with a selector of its own adopts matching pods, and gives up those that match no longer', async (t) => {
  const harness = createJobHarness();
  const labels = { app: 'x' };
  harness.server.create('Pod', {
    metadata: { name: 'mine', namespace: 'default', labels },
    spec: { containers: [{ name: 'c', image: 'pause' }] },
  });
  const template = {
    metadata: { labels },
    spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'pause' }] },
  };
  const selector = { matchLabels: labels };
  harness.server.create(
    'Job',
    jobDraft('j', { manualSelector: true, selector, template, completions: 2, parallelism: 2 }),
  );
  await harness.run(3000);
  const mine = harness.server.get('Pod', { namespace: 'default', name: 'mine' });
  t.is(mine.metadata.ownerReferences?.[0]?.uid, jobOf(harness).metadata.uid);
  t.deepEqual(mine.metadata.finalizers, ['batch.kubernetes.io/job-tracking']);
  t.is(harness.list('Pod').length, 2);
  harness.server.change('Pod', mine.metadata, (pod) => ({
    ...pod,
    metadata: { ...pod.metadata, labels: { app: 'y' } },
  }));
  await harness.run(3000);
  const released = harness.server.get('Pod', { namespace: 'default', name: 'mine' });
  t.is(released.metadata.ownerReferences, undefined);
  t.is(released.metadata.finalizers, undefined);
  t.is(harness.list('Pod').length, 3);
  harness.dispose();
});

test('7.8.2 › pods of a deleted job lose their finalizer, whether they go with it or stay behind', async (t) => {
  for (const propagationPolicy of ['Background', 'Foreground', undefined] as const) {
    const harness = createJobHarness(undefined, { controllers: ['job-controller', 'garbage-collector-controller'] });
    harness.server.create('Job', jobDraft('j', { completions: 2, parallelism: 2 }));
    await harness.run(3000);
    harness.server.delete('Job', JOB, { propagationPolicy });
    await harness.run(10_000);
    t.is(harness.server.find('Job', JOB), undefined);
    const left = harness.list('Pod').map(({ metadata }) => [metadata.ownerReferences, metadata.finalizers]);
    const orphan = [undefined, undefined];
    t.deepEqual(left, propagationPolicy === undefined ? [orphan, orphan] : [], String(propagationPolicy));
    harness.dispose();
  }
});

test('7.5.8 › a job that adopts more successes than it wanted says so', async (t) => {
  const harness = createJobHarness();
  const labels = { app: 'x' };
  for (const name of ['one', 'two']) {
    harness.server.create('Pod', {
      metadata: { name, namespace: 'default', labels },
      spec: { containers: [{ name: 'c', image: 'pause' }] },
    });
  }
  await harness.run(1000);
  for (const name of ['one', 'two']) endPod(harness, name, { phase: 'Succeeded' });
  const template = {
    metadata: { labels },
    spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'pause' }] },
  };
  harness.server.create('Job', jobDraft('j', { manualSelector: true, selector: { matchLabels: labels }, template }));
  await harness.run(5000);
  t.is(jobOf(harness).status.succeeded, 2);
  t.deepEqual(notes(harness, 'j'), [
    'Warning TooManySucceededPods Too many succeeded pods running after completion count reached',
    'Normal Completed Job completed',
  ]);
  harness.dispose();
});

test('7.5.3 › two job controllers at once, by mistake, count no pod twice', async (t) => {
  for (const completionMode of ['NonIndexed', 'Indexed']) {
    let runs = 0;
    const harness = createJobHarness(() => {
      runs += 1;
      return { phase: runs % 3 === 0 ? 'Failed' : 'Succeeded', afterMs: 20_000 };
    });
    const connection = harness.bus.connect('kube-controller-manager-2');
    const second = createControllerManager({ kernel: harness.kernel, connection, controllers: ['job-controller'] });
    second.start();
    await harness.run(100);
    harness.server.create('Job', jobDraft('j', { completionMode, completions: 4, parallelism: 2 }));
    await harness.run(600_000);
    const { status } = jobOf(harness);
    const pods = harness.list('Pod');
    const ended = (phase: string): number => pods.filter((pod) => pod.status.phase === phase).length;
    t.deepEqual(verdicts(jobOf(harness)), ['SuccessCriteriaMet CompletionsReached', 'Complete CompletionsReached']);
    t.true(ended('Failed') > 0);
    t.is(status.failed, ended('Failed'), completionMode);
    t.is(status.succeeded, completionMode === 'Indexed' ? 4 : ended('Succeeded'), completionMode);
    t.true(pods.every(({ metadata }) => metadata.finalizers === undefined));
    second.dispose();
    harness.dispose();
  }
});

test('7.7.2 › a namespace goes with its jobs, cron jobs and their pods', async (t) => {
  const controllers = ['job-controller', 'cronjob-controller', 'garbage-collector-controller', 'namespace-controller'];
  const harness = createJobHarness(undefined, { controllers });
  harness.server.create('Namespace', { metadata: { name: 'ns' } });
  const { spec } = jobDraft('j', { completions: 2, parallelism: 2 });
  harness.server.create('Job', { metadata: { name: 'j', namespace: 'ns' }, spec });
  const cronJob = { schedule: '* * * * *', jobTemplate: { spec } };
  harness.server.create('CronJob', { metadata: { name: 'c', namespace: 'ns' }, spec: cronJob });
  await harness.run(70_000);
  t.deepEqual([harness.list('Job', 'ns').length, harness.list('Pod', 'ns').length], [2, 4]);
  harness.server.delete('Namespace', { name: 'ns' });
  await harness.run(120_000);
  t.is(harness.server.find('Namespace', { name: 'ns' }), undefined);
  t.deepEqual([harness.list('Job', 'ns').length, harness.list('Pod', 'ns').length], [0, 0]);
  t.is(harness.list('CronJob', 'ns').length, 0);
  harness.dispose();
});
