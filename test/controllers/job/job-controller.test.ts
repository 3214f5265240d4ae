import test from 'ava';
import type { Job } from '../../../src/api/objects/batch-objects.js';
import type { Pod } from '../../../src/api/objects/objects.js';
import type { Harness } from '../harness.js';
import { notes, setReady } from '../harness.js';
import { createJobHarness, endPod, jobDraft, jobOf, verdicts, type PodFate } from './jobs.js';

const JOB = { namespace: 'default', name: 'j' };
const ENDS_WELL: PodFate = { phase: 'Succeeded', afterMs: 5000 };
const FAILS: PodFate = { phase: 'Failed', afterMs: 1000 };

/** Statuses in order of writing, without times. */
function statuses({ log }: Harness): object[] {
  return log
    .filter(({ type }) => type === 'MODIFIED')
    .map((event) => {
      const { startTime: _start, completionTime: _end, conditions, ...rest } = (event as { object: Job }).object.status;
      return conditions === undefined ? rest : { ...rest, conditions: conditions.map(({ type }) => type) };
    });
}

function activePods(harness: Harness): Pod[] {
  return harness.list('Pod').filter(({ status }) => status.phase === 'Running' || status.phase === 'Pending');
}

/** Second of the cluster's life in which each pod was made. */
function births(harness: Harness): number[] {
  const { timestamps } = harness.kernel;
  return harness
    .list('Pod')
    .map(({ metadata }) => timestamps.toMs(metadata.creationTimestamp) / 1000)
    .sort((left, right) => left - right);
}

test('7.5.3, 7.5.8 and 7.5.9 › a job tells of its pods in this order of writes, and counts them in two of them', async (t) => {
  const harness = createJobHarness(() => ENDS_WELL);
  harness.server.create('Job', jobDraft('j', { completions: 2, parallelism: 2 }));
  await harness.run(3000);
  const uids = harness.list('Pod').map(({ metadata }) => metadata.uid);
  t.deepEqual(
    harness.list('Pod').map(({ metadata }) => metadata.finalizers),
    [['batch.kubernetes.io/job-tracking'], ['batch.kubernetes.io/job-tracking']],
  );
  await harness.run(10_000);
  t.deepEqual(statuses(harness), [
    { active: 2, ready: 0, terminating: 0, uncountedTerminatedPods: {} },
    { active: 2, ready: 2, terminating: 0, uncountedTerminatedPods: {} },
    { conditions: ['SuccessCriteriaMet'], ready: 0, terminating: 0, uncountedTerminatedPods: { succeeded: uids } },
    {
      conditions: ['SuccessCriteriaMet', 'Complete'],
      succeeded: 2,
      ready: 0,
      terminating: 0,
      uncountedTerminatedPods: {},
    },
  ]);
  const { status } = jobOf(harness);
  const time = { lastProbeTime: '2030-01-01T00:00:06Z', lastTransitionTime: '2030-01-01T00:00:06Z' };
  const reached = { reason: 'CompletionsReached', message: 'Reached expected number of succeeded pods' };
  t.deepEqual(status, {
    conditions: [
      { type: 'SuccessCriteriaMet', status: 'True', ...time, ...reached },
      { type: 'Complete', status: 'True', ...time, ...reached },
    ],
    startTime: '2030-01-01T00:00:00Z',
    completionTime: '2030-01-01T00:00:06Z',
    succeeded: 2,
    ready: 0,
    terminating: 0,
    uncountedTerminatedPods: {},
  });
  t.deepEqual(
    harness.list('Pod').map(({ metadata }) => metadata.finalizers),
    [undefined, undefined],
  );
  const [first, second] = harness.list('Pod').map(({ metadata }) => metadata.name);
  t.deepEqual(
    new Set(notes(harness, 'j')),
    new Set([
      `Normal SuccessfulCreate Created pod: ${first}`,
      `Normal SuccessfulCreate Created pod: ${second}`,
      'Normal Completed Job completed',
    ]),
  );
  harness.dispose();
});

test('7.5.2 › changes of pods are looked at together after a second, a change of the spec at once, an end never again', async (t) => {
  const harness = createJobHarness();
  harness.server.create('Job', jobDraft('j', { completions: 9, parallelism: 2 }));
  await harness.run(5000);
  t.is(jobOf(harness).status.ready, 2);
  const seen = harness.log.length;
  endPod(harness, harness.list('Pod')[0]?.metadata.name ?? '', { phase: 'Succeeded' });
  await harness.run(900);
  t.is(harness.log.length, seen);
  await harness.run(200);
  t.is(jobOf(harness).status.succeeded, 1);
  harness.server.change('Job', JOB, (job) => ({ ...job, spec: { ...job.spec, parallelism: 5 } }));
  await harness.run(100);
  t.is(activePods(harness).length, 5);
  for (let round = 0; round < 5; round += 1) {
    for (const { metadata } of activePods(harness)) endPod(harness, metadata.name, { phase: 'Succeeded' });
    await harness.run(3000);
  }
  t.deepEqual(verdicts(jobOf(harness)), ['SuccessCriteriaMet CompletionsReached', 'Complete CompletionsReached']);
  const ended = harness.log.length;
  harness.server.delete('Pod', harness.list('Pod')[0]?.metadata ?? { name: '' });
  await harness.run(10_000);
  t.is(harness.log.length, ended);
  harness.dispose();
});

test('7.5.4 › a job never runs more pods than it has completions left, and deletes what is too much', async (t) => {
  const harness = createJobHarness();
  harness.server.create('Job', jobDraft('j', { completions: 4, parallelism: 3 }));
  await harness.run(1500);
  t.is(activePods(harness).length, 3);
  const [first, second, third] = harness.list('Pod').map(({ metadata }) => metadata.name);
  endPod(harness, first ?? '', { phase: 'Succeeded' });
  endPod(harness, second ?? '', { phase: 'Succeeded' });
  await harness.run(1500);
  t.is(activePods(harness).length, 2);
  setReady(harness.kernel, harness.server, { namespace: 'default', name: third ?? '' }, false);
  await harness.run(1500);
  harness.server.change('Job', JOB, (job) => ({ ...job, spec: { ...job.spec, parallelism: 1 } }));
  await harness.run(100);
  t.is(harness.server.find('Pod', { namespace: 'default', name: third ?? '' }), undefined);
  t.is(activePods(harness).length, 1);
  t.true(notes(harness, 'j').includes(`Normal SuccessfulDelete Deleted pod: ${third}`));
  const { succeeded, failed, terminating } = jobOf(harness).status;
  t.deepEqual([succeeded, failed, terminating], [2, undefined, 1]);
  harness.dispose();
});

test('7.5.4 and 7.5.7 › a work queue runs its pods until one has succeeded, then waits for the others', async (t) => {
  const harness = createJobHarness();
  harness.server.create('Job', jobDraft('j', { parallelism: 3 }));
  await harness.run(1500);
  const [first, second, third] = harness.list('Pod').map(({ metadata }) => metadata.name);
  endPod(harness, first ?? '', { phase: 'Succeeded' });
  await harness.run(1500);
  endPod(harness, second ?? '', { phase: 'Failed' });
  await harness.run(60_000);
  t.is(harness.list('Pod').length, 3);
  t.deepEqual(verdicts(jobOf(harness)), []);
  endPod(harness, third ?? '', { phase: 'Succeeded' });
  await harness.run(2000);
  t.deepEqual(verdicts(jobOf(harness)), ['SuccessCriteriaMet CompletionsReached', 'Complete CompletionsReached']);
  t.is(jobOf(harness).status.succeeded, 2);
  t.is(jobOf(harness).status.failed, 1);
  harness.dispose();
});

test('7.5.4 › one sync makes at most 500 pods', async (t) => {
  const harness = createJobHarness(undefined, { runs: () => false });
  harness.server.create('Job', jobDraft('j', { completions: 700, parallelism: 700 }));
  await harness.run(500);
  t.is(harness.list('Pod').length, 500);
  t.is(jobOf(harness).status.active, 500);
  await harness.run(3000);
  t.is(harness.list('Pod').length, 700);
  t.is(jobOf(harness).status.active, 700);
  harness.dispose();
});

test('7.5.5 and 7.5.6 › a job waits 10 s after a failure, twice as long after each further one, and gives up past its limit', async (t) => {
  const harness = createJobHarness(() => FAILS);
  harness.server.create('Job', jobDraft('j', { backoffLimit: 3 }));
  await harness.run(120_000);
  t.deepEqual(births(harness), [0, 11, 32, 73]);
  const { status } = jobOf(harness);
  t.is(status.failed, 4);
  t.is(status.completionTime, undefined);
  t.deepEqual(verdicts(jobOf(harness)), ['FailureTarget BackoffLimitExceeded', 'Failed BackoffLimitExceeded']);
  t.is(notes(harness, 'j').at(-1), 'Warning BackoffLimitExceeded Job has reached the specified backoff limit');
  harness.dispose();
});

test('7.5.5 › no wait is longer than 10 minutes, and a success ends it', async (t) => {
  let runs = 0;
  const harness = createJobHarness(() => {
    runs += 1;
    return runs === 9 ? { phase: 'Succeeded', afterMs: 1000 } : { phase: 'Failed', afterMs: 0 };
  });
  harness.server.create('Job', jobDraft('j', { backoffLimit: 100, completions: 2 }));
  await harness.run(3_600_000);
  const made = births(harness);
  const waits = made.slice(1).map((second, index) => second - (made[index] ?? 0));
  t.deepEqual(
    waits.map((seconds) => Math.floor(seconds / 10) * 10),
    [10, 20, 40, 80, 160, 320, 600, 600, 0, 10, 20, 40, 80, 160, 320, 600],
  );
  harness.dispose();
});

test('7.5.5 › while others are ready, a failure is told when its back-off is over: till then the status is refused', async (t) => {
  const harness = createJobHarness();
  harness.server.create('Job', jobDraft('j', { completions: 2, parallelism: 2 }));
  await harness.run(1500);
  const name = harness.list('Pod')[0]?.metadata.name ?? '';
  endPod(harness, name, { phase: 'Failed' });
  const told = (): unknown[] => {
    const { active, ready, failed, uncountedTerminatedPods } = jobOf(harness).status;
    return [active, ready, failed, uncountedTerminatedPods];
  };
  await harness.run(8000);
  t.deepEqual(told(), [2, 2, undefined, {}]);
  t.deepEqual(harness.server.get('Pod', { namespace: 'default', name }).metadata.finalizers, [
    'batch.kubernetes.io/job-tracking',
  ]);
  await harness.run(4000);
  t.deepEqual(told(), [2, 2, 1, {}]);
  harness.dispose();
});

test('7.5.5 › while no other is ready, a job in back-off has no active pods', async (t) => {
  const harness = createJobHarness(undefined, { runs: () => false });
  harness.server.create('Job', jobDraft('j', { completions: 2, parallelism: 2 }));
  await harness.run(1500);
  endPod(harness, harness.list('Pod')[0]?.metadata.name ?? '', { phase: 'Failed' });
  await harness.run(3000);
  const { active, ready, failed } = jobOf(harness).status;
  t.deepEqual([active, ready, failed], [undefined, 0, 1]);
  harness.dispose();
});

test('7.5.6 › a job whose time is over deletes its pods, counts them as failed, and ends when they are gone', async (t) => {
  const harness = createJobHarness(undefined, { stopMs: 20_000 });
  harness.server.create('Job', jobDraft('j', { completions: 3, parallelism: 2, activeDeadlineSeconds: 30 }));
  await harness.run(29_900);
  t.deepEqual(verdicts(jobOf(harness)), []);
  await harness.run(1000);
  t.deepEqual(verdicts(jobOf(harness)), ['FailureTarget DeadlineExceeded']);
  t.deepEqual([jobOf(harness).status.terminating, jobOf(harness).status.failed], [2, 2]);
  t.true(harness.list('Pod').every(({ metadata }) => metadata.deletionTimestamp !== undefined));
  await harness.run(30_000);
  t.deepEqual(verdicts(jobOf(harness)), ['FailureTarget DeadlineExceeded', 'Failed DeadlineExceeded']);
  t.is(harness.list('Pod').length, 0);
  const { active, terminating, failed } = jobOf(harness).status;
  t.deepEqual([active, terminating, failed], [undefined, 0, 2]);
  t.is(notes(harness, 'j').at(-1), 'Warning DeadlineExceeded Job was active longer than specified deadline');
  harness.dispose();
});

test('7.5.6 › restarts of containers count against the limit when pods restart them themselves', async (t) => {
  const harness = createJobHarness();
  const template = { spec: { restartPolicy: 'OnFailure', containers: [{ name: 'c', image: 'pause' }] } };
  harness.server.create('Job', jobDraft('j', { template, backoffLimit: 2 }));
  await harness.run(1500);
  const [pod] = harness.list('Pod');
  for (const restartCount of [1, 2]) {
    t.deepEqual(verdicts(jobOf(harness)), []);
    harness.server.change(
      'Pod',
      pod?.metadata ?? { name: '' },
      (current) => ({
        ...current,
        status: {
          ...current.status,
          containerStatuses: [{ name: 'c', image: 'pause', imageID: '', ready: true, restartCount }],
        },
      }),
      { subresource: 'status' },
    );
    await harness.run(3000);
  }
  t.deepEqual(verdicts(jobOf(harness)), ['FailureTarget BackoffLimitExceeded', 'Failed BackoffLimitExceeded']);
  t.is(harness.list('Pod').length, 0);
  harness.dispose();
});

test('7.5.8 › a suspended job deletes its pods without counting them, and starts anew when it is resumed', async (t) => {
  const harness = createJobHarness();
  harness.server.create('Job', jobDraft('j', { parallelism: 2, completions: 2 }));
  await harness.run(5000);
  const suspend = (isSuspended: boolean): Job =>
    harness.server.change('Job', JOB, (job) => ({ ...job, spec: { ...job.spec, suspend: isSuspended } }));
  suspend(true);
  await harness.run(5000);
  t.is(harness.list('Pod').length, 0);
  t.deepEqual(verdicts(jobOf(harness)), ['Suspended JobSuspended']);
  t.deepEqual([jobOf(harness).status.failed, jobOf(harness).status.active], [undefined, undefined]);
  suspend(false);
  await harness.run(5000);
  const { status } = jobOf(harness);
  const time = { lastProbeTime: '2030-01-01T00:00:10Z', lastTransitionTime: '2030-01-01T00:00:10Z' };
  t.deepEqual(status.conditions, [
    { type: 'Suspended', status: 'False', ...time, reason: 'JobResumed', message: 'Job resumed' },
  ]);
  t.is(status.startTime, '2030-01-01T00:00:10Z');
  t.is(status.active, 2);
  const told = notes(harness, 'j').filter((note) => !note.includes('pod: '));
  t.deepEqual(told, ['Normal Suspended Job suspended', 'Normal Resumed Job resumed']);
  harness.dispose();
});

test('7.5.8 › a job that was made suspended has not started and makes no pods', async (t) => {
  const harness = createJobHarness();
  harness.server.create('Job', jobDraft('j', { suspend: true, activeDeadlineSeconds: 1 }));
  await harness.run(7_200_000);
  t.is(harness.list('Pod').length, 0);
  t.is(jobOf(harness).status.startTime, undefined);
  t.is(harness.kernel.clock.pending, 0);
  harness.dispose();
});

test('7.5.10 › failures that the policy ignores do not count, and an exit code can fail the whole job', async (t) => {
  const codes = [42, 42, 42, 3];
  const harness = createJobHarness(() => ({ phase: 'Failed', afterMs: 1000, exitCode: codes.shift() ?? 0 }));
  const rules = [
    { action: 'Ignore', onExitCodes: { operator: 'In', values: [42] } },
    { action: 'FailJob', onExitCodes: { containerName: 'c', operator: 'NotIn', values: [1, 2] } },
  ];
  harness.server.create('Job', jobDraft('j', { backoffLimit: 0, podFailurePolicy: { rules } }));
  await harness.run(300_000);
  const failed = harness
    .list('Pod')
    .find(({ status }) => status.containerStatuses?.[0]?.state?.terminated?.exitCode === 3);
  const message = `Container c for pod default/${failed?.metadata.name} failed with exit code 3 matching FailJob rule at index 1`;
  t.deepEqual(verdicts(jobOf(harness)), ['FailureTarget PodFailurePolicy', 'Failed PodFailurePolicy']);
  t.is(jobOf(harness).status.failed, 1);
  t.is(harness.list('Pod').length, 4);
  t.is(notes(harness, 'j').at(-1), `Warning PodFailurePolicy ${message}`);
  harness.dispose();
});

test('7.5.10 › a disruption is ignored by its condition', async (t) => {
  const harness = createJobHarness();
  const onPodConditions = [{ type: 'DisruptionTarget' }];
  const podFailurePolicy = { rules: [{ action: 'Ignore', onPodConditions }] };
  harness.server.create('Job', jobDraft('j', { backoffLimit: 0, podFailurePolicy }));
  await harness.run(1500);
  const [pod] = harness.list('Pod');
  endPod(harness, pod?.metadata.name ?? '', { phase: 'Failed' }, [{ type: 'DisruptionTarget', status: 'True' }]);
  await harness.run(30_000);
  t.deepEqual(verdicts(jobOf(harness)), []);
  t.is(jobOf(harness).status.failed, undefined);
  t.is(harness.list('Pod').length, 2);
  harness.dispose();
});

test('7.5.3 and 7.5.4 › a pod that is being deleted is replaced at once, or under the policy Failed once it has ended', async (t) => {
  for (const [podReplacementPolicy, soon, failed] of [
    ['TerminatingOrFailed', 2, 1],
    ['Failed', 1, undefined],
  ] as const) {
    const harness = createJobHarness(undefined, { stopMs: 40_000 });
    harness.server.create('Job', jobDraft('j', { podReplacementPolicy }));
    await harness.run(1500);
    harness.server.delete('Pod', harness.list('Pod')[0]?.metadata ?? { name: '' });
    await harness.run(15_000);
    t.is(harness.list('Pod').length, soon, podReplacementPolicy);
    t.is(jobOf(harness).status.failed, failed, podReplacementPolicy);
    t.is(jobOf(harness).status.terminating, 1, podReplacementPolicy);
    await harness.run(60_000);
    t.is(activePods(harness).length, 1, podReplacementPolicy);
    harness.dispose();
  }
});
