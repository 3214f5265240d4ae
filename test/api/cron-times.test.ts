import test from 'ava';
import { parseCronSchedule } from '../../src/api/cron/cron-schedule.js';
import { CronTimes } from '../../src/api/cron/cron-times.js';
import { wallTime } from '../../src/api/cron/time-zones.js';
import { createTimestamps } from '../../src/kernel/timestamps.js';

const timestamps = createTimestamps('2030-01-01T00:00:00Z');

/** The next times of a schedule. */
function times(schedule: string, from: string, count: number, timeZone = ''): (string | undefined)[] {
  const found = new CronTimes(parseCronSchedule(schedule), timeZone, timestamps);
  const result: (string | undefined)[] = [];
  let last: number | undefined = timestamps.toMs(from);
  while (result.length < count && last !== undefined) {
    last = found.next(last);
    result.push(last === undefined ? undefined : timestamps.toTime(last));
  }
  return result;
}

test('either of a day of the month and a day of the week will do, if both are restricted', (t) => {
  t.deepEqual(times('0 0 13 * 5', '2030-09-01T00:00:00Z', 5), [
    '2030-09-06T00:00:00Z',
    '2030-09-13T00:00:00Z',
    '2030-09-20T00:00:00Z',
    '2030-09-27T00:00:00Z',
    '2030-10-04T00:00:00Z',
  ]);
  t.deepEqual(times('0 0 13 * *', '2030-09-01T00:00:00Z', 2), ['2030-09-13T00:00:00Z', '2030-10-13T00:00:00Z']);
  t.deepEqual(times('0 0 ? * 5', '2030-09-01T00:00:00Z', 2), ['2030-09-06T00:00:00Z', '2030-09-13T00:00:00Z']);
});

test('a range of all days restricts, and a star with a step, too; a star among others does not', (t) => {
  t.deepEqual(times('0 0 1-31 * 5', '2030-09-01T00:00:00Z', 2), ['2030-09-02T00:00:00Z', '2030-09-03T00:00:00Z']);
  t.deepEqual(times('0 0 */15 * 5', '2030-09-01T00:00:00Z', 3), [
    '2030-09-06T00:00:00Z',
    '2030-09-13T00:00:00Z',
    '2030-09-16T00:00:00Z',
  ]);
  t.deepEqual(times('0 0 *,1 * 5', '2030-09-01T00:00:00Z', 1), ['2030-09-06T00:00:00Z']);
});

test('names, lists, ranges and steps mean what they mean to robfig/cron', (t) => {
  t.deepEqual(times('50/4 23 * DEC,jan Sun-tue', '2030-12-30T23:00:00Z', 4), [
    '2030-12-30T23:50:00Z',
    '2030-12-30T23:54:00Z',
    '2030-12-30T23:58:00Z',
    '2030-12-31T23:50:00Z',
  ]);
  t.deepEqual(times('@weekly', '2030-01-01T00:00:00Z', 2), ['2030-01-06T00:00:00Z', '2030-01-13T00:00:00Z']);
  t.deepEqual(times('@every 90m', '2030-01-01T00:00:30Z', 2), ['2030-01-01T01:30:30Z', '2030-01-01T03:00:30Z']);
});

test('a day that hardly ever comes is found within five years, and one that never comes is not', (t) => {
  t.deepEqual(times('0 0 29 2 *', '2030-01-01T00:00:00Z', 2), ['2032-02-29T00:00:00Z', '2036-02-29T00:00:00Z']);
  t.deepEqual(times('0 0 31 2 *', '2030-01-01T00:00:00Z', 1), [undefined]);
  t.deepEqual(times('0 0 29 2 *', '2096-03-01T00:00:00Z', 1), [undefined]);
});

test('an hour that the clocks leave out is left out, one that comes twice counts twice', (t) => {
  const zone = 'Europe/Berlin';
  t.deepEqual(times('30 2 * * *', '2030-03-30T12:00:00Z', 2, zone), ['2030-04-01T00:30:00Z', '2030-04-02T00:30:00Z']);
  t.deepEqual(times('30 2 * * *', '2030-10-26T12:00:00Z', 3, zone), [
    '2030-10-27T00:30:00Z',
    '2030-10-27T01:30:00Z',
    '2030-10-28T01:30:00Z',
  ]);
  t.deepEqual(times('*/30 2 * * *', '2030-10-26T12:00:00Z', 4, zone), [
    '2030-10-27T00:00:00Z',
    '2030-10-27T00:30:00Z',
    '2030-10-27T01:00:00Z',
    '2030-10-27T01:30:00Z',
  ]);
});

test('clocks on walls are shown with their distance from UTC', (t) => {
  const at = timestamps.toMs('2030-07-01T22:30:15Z');
  t.is(wallTime(at, '', timestamps), '2030-07-01T22:30:15Z');
  t.is(wallTime(at, 'Europe/Berlin', timestamps), '2030-07-02T00:30:15+02:00');
  t.is(wallTime(at, 'America/St_Johns', timestamps), '2030-07-01T20:00:15-02:30');
  t.is(wallTime(timestamps.toMs('2030-01-01T12:00:00Z'), 'Europe/London', timestamps), '2030-01-01T12:00:00Z');
});
