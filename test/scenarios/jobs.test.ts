/** Jobs and cron jobs with real kubelets and the scheduler, through the public door. */
import test from 'ava';
import { createCluster, runScene, type Cluster } from '../../src/index.js';

const RUNTIME = { imagePull: 0, sandbox: 0, containerStart: 0, shutdown: 1000 };
const JOB = { namespace: 'default', name: 'work' };
const CONTAINERS = [{ name: 'c', image: 'work:1', resources: { requests: { cpu: '100m' } } }];

function job(
  spec: object,
  annotations: Readonly<Record<string, string>> = {},
): { metadata: { name: string }; spec: object } {
  const template = { metadata: { annotations }, spec: { restartPolicy: 'Never', containers: CONTAINERS } };
  return { metadata: { name: 'work' }, spec: { template, ...spec } };
}

function hasEnded(cluster: Cluster): boolean {
  const { conditions = [] } = cluster.get('Job', JOB).status;
  return conditions.some(({ type, status }) => (type === 'Complete' || type === 'Failed') && status === 'True');
}

/** Reasons of the events about the job, each once, in order. */
function reasons(cluster: Cluster): string[] {
  const events = cluster.list('Event').filter(({ involvedObject }) => involvedObject.kind === 'Job');
  const ordered = [...events].sort(
    (left, right) => Number(left.metadata.resourceVersion) - Number(right.metadata.resourceVersion),
  );
  return [...new Set(ordered.map(({ reason }) => reason ?? ''))];
}

test('a job of ten completions, three at a time, gets there although pods fail', async (t) => {
  const cluster = createCluster({ nodes: 3, seed: 'jobs', runtime: RUNTIME });
  await cluster.ready();
  let most = 0;
  let fewest = 0;
  cluster.watch('Job').subscribe((event) => {
    if (event.type !== 'MODIFIED') return;
    const { active = 0, succeeded = 0 } = event.object.status;
    most = Math.max(most, active);
    t.true(succeeded >= fewest);
    fewest = succeeded;
  });
  cluster.create(
    'Job',
    job({ completions: 10, parallelism: 3, backoffLimit: 20 }, { 'kubeloom.dev/runs': '20s exit choice(0, 0, 1)' }),
  );
  await cluster.run({ until: () => hasEnded(cluster), limit: '1h' });
  await cluster.run({ limit: '1s' });
  const { status } = cluster.get('Job', JOB);
  const pods = cluster.list('Pod');
  const failed = pods.filter((pod) => pod.status.phase === 'Failed').length;
  t.is(most, 3);
  t.true(failed > 0);
  t.is(pods.length, 10 + failed);
  const { succeeded, failed: counted, active, ready, terminating, uncountedTerminatedPods } = status;
  t.deepEqual([succeeded, counted, active, ready, terminating], [10, failed, undefined, 0, 0]);
  t.deepEqual(uncountedTerminatedPods, {});
  t.true(pods.every(({ metadata }) => metadata.finalizers === undefined));
  t.deepEqual(reasons(cluster), ['SuccessfulCreate', 'Completed']);
  await cluster.dispose();
});

test('pods of a job end by themselves after 10 s when no script says how long they run', async (t) => {
  const cluster = createCluster({ nodes: 1, seed: 'jobs', runtime: RUNTIME });
  await cluster.ready();
  cluster.create('Job', job({}));
  const before = cluster.nowMs;
  await cluster.run({ until: () => hasEnded(cluster), limit: '10m' });
  const seconds = (cluster.nowMs - before) / 1000;
  t.true(seconds > 10 && seconds < 15, String(seconds));
  await cluster.dispose();
});

test('an indexed job runs each index once, on its own host', async (t) => {
  const cluster = createCluster({ nodes: 3, seed: 'jobs', runtime: RUNTIME });
  await cluster.ready();
  cluster.create('Job', job({ completionMode: 'Indexed', completions: 5, parallelism: 2 }));
  await cluster.run({ until: () => hasEnded(cluster), limit: '10m' });
  t.is(cluster.get('Job', JOB).status.completedIndexes, '0-4');
  t.deepEqual(
    cluster
      .list('Pod')
      .map(({ spec }) => spec.hostname ?? '')
      .sort((left, right) => (left < right ? -1 : 1)),
    ['work-0', 'work-1', 'work-2', 'work-3', 'work-4'],
  );
  await cluster.dispose();
});

test('7.5.3 › a lost node costs a job its pods there once, and the job ends all the same', async (t) => {
  const cluster = createCluster({ nodes: 3, seed: 'jobs', runtime: RUNTIME });
  await cluster.ready();
  cluster.create('Job', job({ completions: 6, parallelism: 6 }, { 'kubeloom.dev/run-for': '10m' }));
  await cluster.run({ until: () => cluster.readyPods === 6, limit: '1m' });
  const lost = cluster.list('Pod', { fieldSelector: 'spec.nodeName=node-0' }).length;
  t.true(lost > 0);
  cluster.faults.powerOff('node-0');
  await cluster.run({ until: () => hasEnded(cluster), limit: '1h' });
  t.false(hasEnded(cluster));
  const { status } = cluster.get('Job', JOB);
  t.deepEqual([status.succeeded, status.failed, status.terminating], [6, lost, lost]);
  cluster.delete('Node', 'node-0');
  await cluster.run({ until: () => hasEnded(cluster), limit: '10m' });
  t.deepEqual(
    cluster.get('Job', JOB).status.conditions?.map(({ type, reason }) => [type, reason]),
    [
      ['SuccessCriteriaMet', 'CompletionsReached'],
      ['Complete', 'CompletionsReached'],
    ],
  );
  t.is(cluster.list('Pod').length, 6);
  await cluster.dispose();
});

test('7.9.1 › over the day on which the clocks go back, an hourly cron job runs 25 times, and one at half past two twice', async (t) => {
  const cluster = createCluster({ nodes: 1, seed: 'crons', runtime: RUNTIME, epoch: '2030-10-26T21:59:00Z' });
  await cluster.ready();
  const jobTemplate = { spec: { template: { spec: { restartPolicy: 'Never', containers: CONTAINERS } } } };
  const schedules = { hourly: '0 * * * *', night: '30 2 * * *' };
  for (const [name, schedule] of Object.entries(schedules)) {
    const spec = { schedule, timeZone: 'Europe/Berlin', successfulJobsHistoryLimit: 100, jobTemplate };
    cluster.create('CronJob', { metadata: { name }, spec });
  }
  await cluster.run({ limit: '25h' });
  const times = cluster
    .list('Job')
    .map(({ metadata }) => [
      metadata.ownerReferences?.[0]?.name,
      metadata.annotations?.['batch.kubernetes.io/cronjob-scheduled-timestamp'],
    ]);
  const nightly = times.filter(([name]) => name === 'night').map(([, time]) => time);
  t.deepEqual(nightly, ['2030-10-27T02:30:00+02:00', '2030-10-27T02:30:00+01:00']);
  const hourly = times.filter(([name]) => name === 'hourly').map(([, time]) => time);
  t.is(hourly.length, 25);
  t.deepEqual(
    [hourly[0], hourly[2], hourly[3], hourly[24]],
    [
      '2030-10-27T00:00:00+02:00',
      '2030-10-27T02:00:00+02:00',
      '2030-10-27T02:00:00+01:00',
      '2030-10-27T23:00:00+01:00',
    ],
  );
  t.is(cluster.list('Pod').filter((pod) => pod.status.phase === 'Succeeded').length, 27);
  await cluster.dispose();
});

test('a scene with a job is over when the job has ended, and until then tells how far it is', async (t) => {
  const cluster = createCluster({ nodes: 1, seed: 'jobs', runtime: RUNTIME });
  const draft = {
    apiVersion: 'batch/v1',
    kind: 'Job',
    ...job({ completions: 4, parallelism: 2 }, { 'kubeloom.dev/run-for': '1m' }),
  };
  const cronJob = {
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    metadata: { name: 'yearly' },
    spec: { schedule: '@yearly', jobTemplate: { spec: draft.spec } },
  };
  const early = await runScene(cluster, { objects: [draft, cronJob] }, { limit: '90s' });
  t.deepEqual(
    [early.isReached, early.missing, early.ignoredKinds],
    [false, ['Job default/work: 2 of 4 pods succeeded'], []],
  );
  const result = await runScene(cluster, {}, { limit: '10m' });
  t.deepEqual([result.isReached, result.missing], [true, []]);
  t.true(hasEnded(cluster));
  await cluster.dispose();
});

test('7.8.2 › a job that is deleted without a word about its pods leaves them behind, with a warning', async (t) => {
  const cluster = createCluster({ nodes: 1, seed: 'jobs', runtime: RUNTIME });
  const warnings: string[] = [];
  cluster.warnings$.subscribe(({ text }) => warnings.push(text));
  await cluster.ready();
  for (const propagationPolicy of [undefined, 'Background'] as const) {
    cluster.create('Job', job({}, { 'kubeloom.dev/run-for': '1h' }));
    await cluster.run({ limit: '10s' });
    cluster.delete('Job', JOB, { propagationPolicy });
    await cluster.run({ limit: '1m' });
  }
  const expected =
    'Warning: child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning';
  t.deepEqual(warnings, [expected]);
  t.deepEqual(
    cluster.list('Pod').map(({ metadata, status }) => [metadata.ownerReferences, metadata.finalizers, status.phase]),
    [[undefined, undefined, 'Running']],
  );
  await cluster.dispose();
});
