import test from 'ava';
import type { Draft } from '../../../src/api/objects/objects.js';
import { answerOf, created, updated } from '../object-pipeline.js';

const TEMPLATE = { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } };
const PREFIX = 'CronJob.batch "c" is invalid: ';

function cronJob(spec: object = {}, name = 'c'): Draft {
  const jobTemplate = { spec: { template: TEMPLATE } };
  return { apiVersion: 'batch/v1', metadata: { name }, spec: { schedule: '0 0 * * *', jobTemplate, ...spec } };
}

function refusal(spec: object): string {
  return answerOf(() => created('CronJob', cronJob(spec))).replace(PREFIX, '');
}

test('7.9.1 › a cron job gets its defaults, and its template only those of pods', (t) => {
  const { spec, status } = created('CronJob', cronJob());
  const { jobTemplate, ...rest } = spec;
  t.deepEqual(rest, {
    schedule: '0 0 * * *',
    concurrencyPolicy: 'Allow',
    suspend: false,
    successfulJobsHistoryLimit: 3,
    failedJobsHistoryLimit: 1,
  });
  t.deepEqual(jobTemplate.metadata, {});
  t.deepEqual(Object.keys(jobTemplate.spec), ['template']);
  t.is(jobTemplate.spec.template.spec.containers[0]?.imagePullPolicy, 'Always');
  t.deepEqual(status, {});
});

test('7.9.1 › a name leaves room for the minute', (t) => {
  const long = 'a'.repeat(53);
  t.is(
    answerOf(() => created('CronJob', cronJob({}, long))),
    `CronJob.batch "${long}" is invalid: metadata.name: Invalid value: "${long}": must be no more than 52 characters`,
  );
  t.is(
    answerOf(() => created('CronJob', cronJob({}, 'a'.repeat(52)))),
    'accepted',
  );
});

test('a schedule that cannot be read is refused in robfig/cron’s words', (t) => {
  for (const [schedule, text] of [
    ['* * * *', 'expected exactly 5 fields, found 4: [* * * *]'],
    ['0 * * * * *', 'expected exactly 5 fields, found 6: [0 * * * * *]'],
    ['60 * * * *', 'end of range (60) above maximum (59): 60'],
    ['* * 0 * *', 'beginning of range (0) below minimum (1): 0'],
    ['* * * * 7', 'end of range (7) above maximum (6): 7'],
    ['5-1 * * * *', 'beginning of range (5) beyond end of range (1): 5-1'],
    ['1-2-3 * * * *', 'too many hyphens: 1-2-3'],
    ['*/5/5 * * * *', 'too many slashes: */5/5'],
    ['*/0 * * * *', 'step of range should be a positive number: */0'],
    ['x * * * *', 'failed to parse int from x: strconv.Atoi: parsing "x": invalid syntax'],
    ['* * * foo *', 'failed to parse int from foo: strconv.Atoi: parsing "foo": invalid syntax'],
    ['@often', 'unrecognized descriptor: @often'],
    ['@every soon', 'failed to parse duration @every soon: time: invalid duration "soon"'],
    ['@every 5', 'failed to parse duration @every 5: time: missing unit in duration "5"'],
    ['@every 5d', 'failed to parse duration @every 5d: time: unknown unit "d" in duration "5d"'],
    ['TZ=Nope/X * * * * *', 'provided bad location Nope/X: unknown time zone Nope/X'],
  ] as const) {
    const answer = refusal({ schedule });
    t.true(answer.includes(`spec.schedule: Invalid value: ${JSON.stringify(schedule)}: ${text}`), answer);
  }
  t.is(refusal({ schedule: '' }), 'spec.schedule: Required value');
  for (const schedule of ['@hourly', '@every 1h30m', '*/5 1-3 ? JAN,feb mon-Fri', '3/15 0 1,15 * *']) {
    t.is(refusal({ schedule }), 'accepted', schedule);
  }
});

test('a time zone has a field of its own, and must exist', (t) => {
  t.is(
    refusal({ schedule: 'TZ=Europe/Berlin 0 0 * * *' }),
    'spec.schedule: Invalid value: "TZ=Europe/Berlin 0 0 * * *": cannot use TZ or CRON_TZ in schedule, use timeZone field instead',
  );
  t.is(refusal({ timeZone: 'Europe/Berlin' }), 'accepted');
  t.is(
    refusal({ timeZone: 'Europe/Nowhere' }),
    'spec.timeZone: Invalid value: "Europe/Nowhere": unknown time zone Europe/Nowhere',
  );
  t.is(refusal({ timeZone: '../UTC' }), 'spec.timeZone: Invalid value: "../UTC": unknown time zone ../UTC');
  t.is(refusal({ timeZone: '+0100' }), 'spec.timeZone: Invalid value: "+0100": unknown time zone +0100');
  t.is(refusal({ timeZone: '' }), 'spec.timeZone: Invalid value: "": timeZone must be nil or non-empty string');
  t.is(
    refusal({ timeZone: 'Local' }),
    'spec.timeZone: Invalid value: "Local": timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones',
  );
});

test('the rest of a cron job is checked, too', (t) => {
  t.is(
    refusal({ concurrencyPolicy: 'Sometimes' }),
    'spec.concurrencyPolicy: Unsupported value: "Sometimes": supported values: "Allow", "Forbid", "Replace"',
  );
  t.is(
    refusal({ startingDeadlineSeconds: -1 }),
    'spec.startingDeadlineSeconds: Invalid value: -1: must be greater than or equal to 0',
  );
  const template = { spec: { containers: TEMPLATE.spec.containers } };
  t.is(
    refusal({ jobTemplate: { spec: { template } } }),
    'spec.jobTemplate.spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"',
  );
  const selector = { matchLabels: { a: 'b' } };
  t.is(
    refusal({ jobTemplate: { spec: { template: TEMPLATE, selector, manualSelector: true } } }),
    '[spec.jobTemplate.spec.selector: Invalid value: {"matchLabels":{"a":"b"}}: `selector` will be auto-generated, spec.jobTemplate.spec.manualSelector: Unsupported value: true: supported values: "nil", "false"]',
  );
  const old = created('CronJob', cronJob());
  const next = { ...old, spec: { ...old.spec, schedule: '@hourly', timeZone: 'UTC', suspend: true } };
  t.is(
    answerOf(() => updated('CronJob', next, old)),
    'accepted',
  );
});
