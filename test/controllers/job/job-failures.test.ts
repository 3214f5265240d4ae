/** Failures of single indexes, and of the controller's own requests. */
import test from 'ava';
import { notes } from '../harness.js';
import { createJobHarness, endPod, jobDraft, jobOf, verdicts } from './jobs.js';

const RULES = [
  { action: 'FailIndex', onExitCodes: { operator: 'In', values: [7] } },
  { action: 'Ignore', onExitCodes: { operator: 'In', values: [42] } },
  { action: 'Count', onPodConditions: [{ type: 'DisruptionTarget' }] },
];
const INDEXED = { completionMode: 'Indexed', completions: 3, parallelism: 3, podFailurePolicy: { rules: RULES } };

test('7.5.10 › a rule can fail an index at once, and what is ignored is told by an annotation of its own', async (t) => {
  const seen: Record<string, number> = {};
  const harness = createJobHarness(({ metadata: { name } }) => {
    const index = name.split('-')[1] ?? '';
    seen[index] = (seen[index] ?? 0) + 1;
    if (index === '0') return { phase: 'Failed', afterMs: 1000, exitCode: 7 };
    if (index === '1' && seen[index] <= 2) return { phase: 'Failed', afterMs: 1000, exitCode: 42 };
    return { phase: 'Succeeded', afterMs: 1000 };
  });
  harness.server.create('Job', jobDraft('j', { ...INDEXED, backoffLimitPerIndex: 1 }));
  await harness.run(120_000);
  const { status } = jobOf(harness);
  t.deepEqual([status.completedIndexes, status.failedIndexes, status.failed], ['1,2', '0', 1]);
  t.deepEqual(verdicts(jobOf(harness)), ['FailureTarget FailedIndexes', 'Failed FailedIndexes']);
  const counts = harness
    .list('Pod')
    .map(({ metadata: { annotations = {} } }) => [
      annotations['batch.kubernetes.io/job-completion-index'],
      annotations['batch.kubernetes.io/job-index-failure-count'],
      annotations['batch.kubernetes.io/job-index-ignored-failure-count'],
    ])
    .filter(([index]) => index === '1')
    .sort(([, , left = '0'], [, , right = '0']) => Number(left) - Number(right));
  t.deepEqual(counts, [
    ['1', '0', undefined],
    ['1', '0', '1'],
    ['1', '0', '2'],
  ]);
  harness.dispose();
});

test('7.5.5 › an index that is lost to a crash between failure and successor keeps its count', async (t) => {
  const harness = createJobHarness();
  harness.server.create('Job', jobDraft('j', { ...INDEXED, completions: 1, backoffLimitPerIndex: 3 }));
  for (const count of ['0', '1', '2']) {
    await harness.run(60_000);
    const active = harness.list('Pod').find(({ status }) => status.phase === 'Running');
    t.is(active?.metadata.annotations?.['batch.kubernetes.io/job-index-failure-count'], count);
    endPod(harness, active?.metadata.name ?? '', { phase: 'Failed', exitCode: 1 });
    await harness.run(3000);
    harness.manager.controller('job-controller').stop();
    await harness.run(1000);
    harness.manager.controller('job-controller').start();
  }
  harness.dispose();
});

test('a job whose pods are refused says so, tries again later and later, and goes on when they are not', async (t) => {
  const harness = createJobHarness();
  const containers = [{ name: 'c', image: 'pause' }];
  const template = { spec: { restartPolicy: 'Never', priorityClassName: 'high', containers } };
  harness.server.create('Job', jobDraft('j', { template, completions: 4, parallelism: 4 }));
  await harness.run(40_000);
  const text = 'Warning FailedCreate Error creating: pods "j-" is forbidden: no PriorityClass with name high was found';
  t.deepEqual(notes(harness, 'j'), [text]);
  const [event] = harness.list('Event');
  t.true((event?.count ?? 0) >= 5 && (event?.count ?? 0) <= 8, String(event?.count));
  t.deepEqual([jobOf(harness).status.active, harness.list('Pod').length], [undefined, 0]);
  harness.server.create('PriorityClass', { metadata: { name: 'high' }, value: 10 });
  await harness.run(60_000);
  t.deepEqual([jobOf(harness).status.active, harness.list('Pod').length], [4, 4]);
  harness.dispose();
});
