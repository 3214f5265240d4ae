import test from 'ava';
import type { Job } from '../../../src/api/objects/batch-objects.js';
import type { Pod } from '../../../src/api/objects/objects.js';
import type { Harness } from '../harness.js';
import { createJobHarness, endPod, jobDraft, jobOf, verdicts, type PodFate } from './jobs.js';

const JOB = { namespace: 'default', name: 'j' };
const ENDS_WELL: PodFate = { phase: 'Succeeded', afterMs: 5000 };
const FAILS: PodFate = { phase: 'Failed', afterMs: 1000 };

function podsByIndex(harness: Harness): [string | undefined, string][] {
  return harness
    .list('Pod')
    .map(({ metadata, status }): [string | undefined, string] => [
      metadata.annotations?.['batch.kubernetes.io/job-completion-index'],
      status.phase,
    ])
    .sort(([left = ''], [right = '']) => (left < right ? -1 : 1));
}

function activePods(harness: Harness): Pod[] {
  return harness.list('Pod').filter(({ status }) => status.phase === 'Running' || status.phase === 'Pending');
}

test('7.5.11 › each pod of an indexed job has its index in name, host name, label, annotation and environment', async (t) => {
  const harness = createJobHarness((pod) => (pod.metadata.name.startsWith('j-1-') ? undefined : ENDS_WELL));
  harness.server.create('Job', jobDraft('j', { completionMode: 'Indexed', completions: 5, parallelism: 3 }));
  await harness.run(1500);
  const [first] = harness.list('Pod');
  t.regex(first?.metadata.name ?? '', /^j-0-[a-z0-9]{5}$/);
  t.is(first?.spec.hostname, 'j-0');
  t.is(first?.metadata.labels?.['batch.kubernetes.io/job-completion-index'], '0');
  t.deepEqual(first?.spec.containers[0]?.env, [
    {
      name: 'JOB_COMPLETION_INDEX',
      valueFrom: {
        fieldRef: { apiVersion: 'v1', fieldPath: "metadata.labels['batch.kubernetes.io/job-completion-index']" },
      },
    },
  ]);
  t.deepEqual(podsByIndex(harness), [
    ['0', 'Running'],
    ['1', 'Running'],
    ['2', 'Running'],
  ]);
  await harness.run(15_000);
  t.is(jobOf(harness).status.completedIndexes, '0,2-4');
  t.is(jobOf(harness).status.succeeded, 4);
  t.deepEqual(jobOf(harness).status.uncountedTerminatedPods, {});
  const [stuck] = activePods(harness);
  endPod(harness, stuck?.metadata.name ?? '', { phase: 'Succeeded' });
  await harness.run(3000);
  t.is(jobOf(harness).status.completedIndexes, '0-4');
  t.deepEqual(verdicts(jobOf(harness)), ['SuccessCriteriaMet CompletionsReached', 'Complete CompletionsReached']);
  harness.dispose();
});

test('7.5.11 › of two active pods with one index the younger goes', async (t) => {
  const harness = createJobHarness();
  harness.server.create('Job', jobDraft('j', { completionMode: 'Indexed', completions: 2, parallelism: 2 }));
  await harness.run(5000);
  const [first, second] = harness.list('Pod');
  const {
    name: _name,
    uid: _uid,
    resourceVersion: _version,
    ...metadata
  } = first?.metadata ?? second?.metadata ?? { name: '', uid: '', resourceVersion: '' };
  harness.server.create('Pod', {
    metadata: { ...metadata, name: 'j-0-again' },
    spec: { containers: [{ name: 'c', image: 'pause' }] },
  });
  await harness.run(5000);
  t.deepEqual(
    harness.list('Pod').map((pod) => pod.metadata.name),
    [first?.metadata.name, second?.metadata.name],
  );
  harness.dispose();
});

test('7.5.5 and 7.5.6 › with a limit per index each index fails by itself, and the job when all have ended', async (t) => {
  const harness = createJobHarness((pod) => (pod.metadata.name.startsWith('j-1-') ? FAILS : ENDS_WELL));
  const spec = { completionMode: 'Indexed', completions: 3, parallelism: 3, backoffLimitPerIndex: 1 };
  harness.server.create('Job', jobDraft('j', spec));
  await harness.run(8000);
  t.is(jobOf(harness).status.completedIndexes, '0,2');
  t.is(jobOf(harness).status.failedIndexes, '');
  const kept = harness.list('Pod').find(({ status }) => status.phase === 'Failed');
  t.deepEqual(kept?.metadata.finalizers, ['batch.kubernetes.io/job-tracking']);
  t.is(kept?.metadata.annotations?.['batch.kubernetes.io/job-index-failure-count'], '0');
  await harness.run(20_000);
  const failed = harness.list('Pod').filter(({ status }) => status.phase === 'Failed');
  t.deepEqual(
    failed
      .map(({ metadata }) => metadata.annotations?.['batch.kubernetes.io/job-index-failure-count'])
      .sort((left = '', right = '') => (left < right ? -1 : 1)),
    ['0', '1'],
  );
  t.true(harness.list('Pod').every(({ metadata }) => metadata.finalizers === undefined));
  const { status } = jobOf(harness);
  t.deepEqual([status.succeeded, status.failed, status.completedIndexes, status.failedIndexes], [2, 2, '0,2', '1']);
  t.deepEqual(verdicts(jobOf(harness)), ['FailureTarget FailedIndexes', 'Failed FailedIndexes']);
  harness.dispose();
});

test('7.5.6 › too many failed indexes end the job at once', async (t) => {
  const harness = createJobHarness((pod) => (pod.metadata.name.startsWith('j-9-') ? undefined : FAILS));
  const limits = { backoffLimitPerIndex: 0, maxFailedIndexes: 2 };
  harness.server.create(
    'Job',
    jobDraft('j', { completionMode: 'Indexed', completions: 10, parallelism: 10, ...limits }),
  );
  await harness.run(10_000);
  t.deepEqual(verdicts(jobOf(harness)), ['FailureTarget MaxFailedIndexesExceeded', 'Failed MaxFailedIndexesExceeded']);
  t.is(jobOf(harness).status.failedIndexes, '0-8');
  t.is(jobOf(harness).status.failed, 10);
  harness.dispose();
});

test('7.5.7 › a success policy ends the job early; pods that still run are deleted and do not count', async (t) => {
  const harness = createJobHarness((pod) => (/^j-[02]-/.test(pod.metadata.name) ? ENDS_WELL : undefined));
  const successPolicy = { rules: [{ succeededIndexes: '7' }, { succeededIndexes: '0-3', succeededCount: 2 }] };
  harness.server.create(
    'Job',
    jobDraft('j', { completionMode: 'Indexed', completions: 8, parallelism: 8, successPolicy }),
  );
  await harness.run(10_000);
  const { status } = jobOf(harness);
  t.deepEqual(verdicts(jobOf(harness)), ['SuccessCriteriaMet SuccessPolicy', 'Complete SuccessPolicy']);
  t.is(status.conditions?.[0]?.message, 'Matched rules at index 1');
  t.deepEqual([status.succeeded, status.failed, status.completedIndexes], [2, undefined, '0,2']);
  t.is(harness.list('Pod').length, 2);
  harness.dispose();
});

test('7.5.12 › an indexed job grows and shrinks with its parallelism', async (t) => {
  const harness = createJobHarness();
  harness.server.create('Job', jobDraft('j', { completionMode: 'Indexed', completions: 2, parallelism: 2 }));
  await harness.run(2000);
  const resize = (size: number): Job =>
    harness.server.change('Job', JOB, (job) => ({
      ...job,
      spec: { ...job.spec, completions: size, parallelism: size },
    }));
  resize(4);
  await harness.run(2000);
  t.deepEqual(
    podsByIndex(harness).map(([index]) => index),
    ['0', '1', '2', '3'],
  );
  resize(1);
  await harness.run(5000);
  t.deepEqual(
    podsByIndex(harness).map(([index]) => index),
    ['0'],
  );
  harness.dispose();
});
