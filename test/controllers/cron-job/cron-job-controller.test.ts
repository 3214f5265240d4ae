import test from 'ava';
import type { CronJob } from '../../../src/api/objects/batch-objects.js';
import { createControllerManager } from '../../../src/controllers/controller-manager.js';
import { createJobHarness, type PodFate } from '../job/jobs.js';
import { notes, type Harness, type HarnessOptions } from '../harness.js';

const NAME = { namespace: 'default', name: 'c' };
const MINUTE = 60_000;
/** 2030-01-01T00:00:00Z in minutes since 1970. */
const START = 31_557_600;
const TEMPLATE = { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'pause' }] } };

function createCronHarness(runMs: number | undefined, options: HarnessOptions = {}): Harness {
  const fate: PodFate = { phase: 'Succeeded', afterMs: runMs ?? 0 };
  const controllers = ['job-controller', 'cronjob-controller', 'garbage-collector-controller'];
  return createJobHarness(() => (runMs === undefined ? undefined : fate), {
    controllers,
    watch: ['CronJob'],
    ...options,
  });
}

function cronJobDraft(spec: object): { readonly metadata: { readonly name: string }; readonly spec: object } {
  return {
    metadata: { name: 'c' },
    spec: { schedule: '*/5 * * * *', jobTemplate: { spec: { template: TEMPLATE } }, ...spec },
  };
}

function cronJobOf({ server }: Harness): CronJob {
  return server.get('CronJob', NAME);
}

/** Minutes since the start for which there are jobs. */
function minutes(harness: Harness): number[] {
  return harness.list('Job').map(({ metadata }) => Number(metadata.name.slice(2)) - START);
}

function suspend(harness: Harness, isSuspended: boolean): void {
  harness.server.change('CronJob', NAME, (cronJob) => ({
    ...cronJob,
    spec: { ...cronJob.spec, suspend: isSuspended },
  }));
}

test('7.9.1 and 7.9.4 › each time of the schedule has a job named after its minute, 100 ms later', async (t) => {
  const harness = createCronHarness(10_000);
  const jobTemplate = { metadata: { labels: { a: 'b' }, annotations: { x: 'y' } }, spec: { template: TEMPLATE } };
  harness.server.create('CronJob', cronJobDraft({ jobTemplate }));
  await harness.run(5 * MINUTE + 99);
  t.deepEqual(minutes(harness), []);
  await harness.run(10);
  const [job] = harness.list('Job');
  t.is(job?.metadata.name, `c-${START + 5}`);
  t.deepEqual(job?.metadata.labels, { a: 'b' });
  t.deepEqual(job?.metadata.annotations, {
    x: 'y',
    'batch.kubernetes.io/cronjob-scheduled-timestamp': '2030-01-01T00:05:00Z',
  });
  const { uid } = cronJobOf(harness).metadata;
  const owner = { apiVersion: 'batch/v1', kind: 'CronJob', name: 'c', uid, controller: true, blockOwnerDeletion: true };
  t.deepEqual(job?.metadata.ownerReferences, [owner]);
  const { status } = cronJobOf(harness);
  t.is(status.lastScheduleTime, '2030-01-01T00:05:00Z');
  t.deepEqual(
    status.active?.map(({ kind, name, namespace, apiVersion }) => [apiVersion, kind, namespace, name]),
    [['batch/v1', 'Job', 'default', job?.metadata.name]],
  );
  await harness.run(MINUTE);
  t.deepEqual(cronJobOf(harness).status, {
    lastScheduleTime: '2030-01-01T00:05:00Z',
    lastSuccessfulTime: '2030-01-01T00:05:11Z',
  });
  t.deepEqual(notes(harness, 'c'), [
    `Normal SuccessfulCreate Created job c-${START + 5}`,
    `Normal SawCompletedJob Saw completed job: c-${START + 5}, condition: Complete`,
  ]);
  harness.dispose();
});

test('7.9.5 › of the jobs that have ended the newest are kept, by outcome', async (t) => {
  let runs = 0;
  const harness = createJobHarness(
    () => {
      runs += 1;
      return { phase: runs % 2 === 0 ? 'Failed' : 'Succeeded', afterMs: 1000 };
    },
    { controllers: ['job-controller', 'cronjob-controller', 'garbage-collector-controller'] },
  );
  const jobTemplate = { spec: { template: TEMPLATE, backoffLimit: 0 } };
  harness.server.create(
    'CronJob',
    cronJobDraft({ jobTemplate, successfulJobsHistoryLimit: 2, failedJobsHistoryLimit: 1 }),
  );
  await harness.run(42 * MINUTE);
  t.deepEqual(minutes(harness), [25, 35, 40]);
  t.is(harness.list('Pod').length, 3);
  t.true(notes(harness, 'c').includes(`Normal SuccessfulDelete Deleted job c-${START + 5}`));
  harness.dispose();
});

test('7.9.3 › Forbid waits for the job that runs, Replace deletes it, Allow lets both run', async (t) => {
  for (const [concurrencyPolicy, jobs, reason] of [
    ['Allow', [5, 10, 15], undefined],
    ['Forbid', [5], 'JobAlreadyActive'],
    ['Replace', [15], 'SuccessfulDelete'],
  ] as const) {
    const harness = createCronHarness(undefined);
    harness.server.create('CronJob', cronJobDraft({ concurrencyPolicy }));
    await harness.run(17 * MINUTE);
    t.deepEqual(minutes(harness), [...jobs], concurrencyPolicy);
    t.is(cronJobOf(harness).status.active?.length, jobs.length, concurrencyPolicy);
    t.is(harness.list('Pod').length, jobs.length, concurrencyPolicy);
    if (reason !== undefined)
      t.true(
        notes(harness, 'c').some((note) => note.includes(reason)),
        concurrencyPolicy,
      );
    harness.dispose();
  }
});

test('7.9.3 › under Forbid the latest time that passed is served when the job has ended', async (t) => {
  const harness = createCronHarness(12 * MINUTE);
  harness.server.create('CronJob', cronJobDraft({ concurrencyPolicy: 'Forbid' }));
  await harness.run(16 * MINUTE);
  t.deepEqual(minutes(harness), [5]);
  await harness.run(2 * MINUTE);
  t.deepEqual(minutes(harness), [5, 15]);
  t.deepEqual(
    notes(harness, 'c').filter((note) => note.includes('JobAlreadyActive')),
    ['Normal JobAlreadyActive Not starting job because prior execution is running and concurrency policy is Forbid'],
  );
  harness.dispose();
});

test('7.9.3 › a suspended cron job has no timer and starts nothing; resumed, it serves the latest time that passed', async (t) => {
  const harness = createCronHarness(1000);
  harness.server.create('CronJob', cronJobDraft({}));
  await harness.run(6 * MINUTE);
  suspend(harness, true);
  await harness.run(6 * 60 * MINUTE);
  t.deepEqual(minutes(harness), [5]);
  t.is(harness.kernel.clock.pending, 0);
  suspend(harness, false);
  await harness.run(1000);
  t.deepEqual(minutes(harness), [5, 365]);
  harness.dispose();
});

test('7.9.2 › after more than 100 missed times a warning is given, and the latest one is served all the same', async (t) => {
  const harness = createCronHarness(1000);
  const warning =
    'Warning TooManyMissedTimes too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew';
  harness.server.create('CronJob', cronJobDraft({ schedule: '* * * * *' }));
  await harness.run(MINUTE / 2);
  for (const [missed, warnings] of [
    [100, 0],
    [102, 1],
  ] as const) {
    suspend(harness, true);
    const before = Math.max(0, ...minutes(harness));
    await harness.run(missed * MINUTE);
    suspend(harness, false);
    await harness.run(1000);
    t.is(Math.max(...minutes(harness)), before + missed);
    t.is(notes(harness, 'c').filter((note) => note === warning).length, warnings);
  }
  harness.dispose();
});

test('7.9.2 and 7.9.3 › a time that passed longer ago than the deadline is not served any more', async (t) => {
  const harness = createCronHarness(1000);
  harness.server.create('CronJob', cronJobDraft({ schedule: '0 * * * *', startingDeadlineSeconds: 120 }));
  await harness.run(59 * MINUTE);
  harness.manager.controller('cronjob-controller').stop();
  await harness.run(4 * MINUTE);
  harness.manager.controller('cronjob-controller').start();
  await harness.run(MINUTE);
  t.deepEqual(minutes(harness), []);
  await harness.run(55 * MINUTE);
  harness.manager.controller('cronjob-controller').stop();
  await harness.run(2 * MINUTE);
  harness.manager.controller('cronjob-controller').start();
  await harness.run(MINUTE);
  t.deepEqual(minutes(harness), [120]);
  harness.dispose();
});

test('7.9.3 › a schedule without times is told, and nothing is started', async (t) => {
  const harness = createCronHarness(1000);
  harness.server.create('CronJob', cronJobDraft({ schedule: '59 23 31 2 *' }));
  await harness.run(1000);
  t.deepEqual(notes(harness, 'c'), [
    'Warning InvalidSchedule invalid schedule: 59 23 31 2 * : time difference between two schedules is less than 1 second',
  ]);
  harness.server.change('CronJob', NAME, (cronJob) => ({ ...cronJob, spec: { ...cronJob.spec, schedule: '@hourly' } }));
  await harness.run(61 * MINUTE);
  t.deepEqual(minutes(harness), [60]);
  harness.dispose();
});

test('7.9.4 › a job that vanished leaves the list, and one that is found is told of', async (t) => {
  const harness = createCronHarness(undefined);
  harness.server.create('CronJob', cronJobDraft({}));
  await harness.run(6 * MINUTE);
  const [job] = harness.list('Job');
  const name = job?.metadata.name ?? '';
  harness.server.delete('Job', { namespace: 'default', name }, { propagationPolicy: 'Background' });
  await harness.run(1000);
  t.is(cronJobOf(harness).status.active, undefined);
  t.is(notes(harness, 'c').at(-1), `Normal MissingJob Active job went missing: ${name}`);
  const { ownerReferences } = job?.metadata ?? {};
  harness.server.create('Job', {
    metadata: { name: 'by-hand', namespace: 'default', ownerReferences: ownerReferences ?? [] },
    spec: { template: TEMPLATE },
  });
  await harness.run(100);
  t.is(
    notes(harness, 'c').at(-1),
    'Warning UnexpectedJob Saw a job that the controller did not create or forgot: by-hand',
  );
  harness.dispose();
});

test('7.9.5 › a cron job that is being deleted starts nothing', async (t) => {
  const harness = createCronHarness(1000);
  harness.server.create('CronJob', { ...cronJobDraft({}), metadata: { name: 'c', finalizers: ['example.com/wait'] } });
  await harness.run(MINUTE);
  harness.server.delete('CronJob', NAME);
  await harness.run(20 * MINUTE);
  t.deepEqual(minutes(harness), []);
  harness.dispose();
});

test('7.9.3 › a crash after any write starts no time twice and loses none', async (t) => {
  for (const kind of ['Job', 'CronJob'] as const) {
    for (let at = 1; at <= 8; at += 1) {
      const harness = createCronHarness(1000, { watch: ['Job'] });
      const controller = harness.manager.controller('cronjob-controller');
      let writes = 0;
      harness.server.watch(kind, {}, ({ type }) => {
        if (type !== (kind === 'Job' ? 'ADDED' : 'MODIFIED')) return;
        writes += 1;
        if (writes !== at) return;
        controller.stop();
        harness.kernel.clock.schedule(20_000, () => controller.start());
      });
      harness.server.create('CronJob', cronJobDraft({ schedule: '* * * * *', successfulJobsHistoryLimit: 100 }));
      await harness.run(8 * MINUTE + 40_000);
      t.deepEqual(minutes(harness), [1, 2, 3, 4, 5, 6, 7, 8], `${kind} ${at}`);
      const made = harness.log.filter(({ type }) => type === 'ADDED').length;
      t.is(made, 8, `${kind} ${at}`);
      t.is(cronJobOf(harness).status.active, undefined, `${kind} ${at}`);
      t.is(cronJobOf(harness).status.lastScheduleTime, '2030-01-01T00:08:00Z', `${kind} ${at}`);
      harness.dispose();
    }
  }
});

test('7.9.3 › two cron job controllers at once, by mistake, start each time once', async (t) => {
  for (const concurrencyPolicy of ['Allow', 'Forbid', 'Replace']) {
    const harness = createCronHarness(90_000, { watch: ['Job'] });
    const connection = harness.bus.connect('kube-controller-manager-2');
    const second = createControllerManager({ kernel: harness.kernel, connection, controllers: ['cronjob-controller'] });
    second.start();
    const spec = { schedule: '*/3 * * * *', concurrencyPolicy, successfulJobsHistoryLimit: 100 };
    harness.server.create('CronJob', cronJobDraft(spec));
    await harness.run(16 * MINUTE);
    t.deepEqual(minutes(harness), [3, 6, 9, 12, 15], concurrencyPolicy);
    t.is(harness.log.filter(({ type }) => type === 'ADDED').length, 5, concurrencyPolicy);
    second.dispose();
    harness.dispose();
  }
});

test('7.9.1 › the times are those of the time zone, where an hour is left out in spring', async (t) => {
  const harness = createCronHarness(1000);
  const schedule = '30 2 * * *';
  harness.server.create(
    'CronJob',
    cronJobDraft({ schedule, timeZone: 'Europe/Berlin', successfulJobsHistoryLimit: 4 }),
  );
  await harness.run(92 * 24 * 60 * MINUTE);
  t.deepEqual(
    harness
      .list('Job')
      .map(({ metadata }) => metadata.annotations?.['batch.kubernetes.io/cronjob-scheduled-timestamp']),
    [
      '2030-03-29T02:30:00+01:00',
      '2030-03-30T02:30:00+01:00',
      '2030-04-01T02:30:00+02:00',
      '2030-04-02T02:30:00+02:00',
    ],
  );
  harness.dispose();
});

test('7.9.1 › a new schedule counts from its next time on', async (t) => {
  const harness = createCronHarness(1000);
  harness.server.create('CronJob', cronJobDraft({ schedule: '@daily' }));
  await harness.run(MINUTE);
  const change = (schedule: string): CronJob =>
    harness.server.change('CronJob', NAME, (cronJob) => ({ ...cronJob, spec: { ...cronJob.spec, schedule } }));
  change('*/10 * * * *');
  await harness.run(20 * MINUTE);
  t.deepEqual(minutes(harness), [10, 20]);
  change('@every 1h30m');
  await harness.run(100 * MINUTE);
  t.deepEqual(minutes(harness), [10, 20, 110]);
  harness.dispose();
});
