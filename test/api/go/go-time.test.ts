import test from 'ava';
import { GoTimeError, readGoTime, type TimePrecision } from '../../../src/api/go/go-time.js';

function faultOf(text: string, precision: TimePrecision): string {
  try {
    return `read as ${readGoTime(text, precision)}`;
  } catch (error) {
    if (!(error instanceof GoTimeError)) throw error;
    return error.message;
  }
}

test('go times › good ones are shown in UTC, in whole seconds or with six digits', (t) => {
  t.is(readGoTime('2026-02-28T23:59:59Z', 'second'), '2026-02-28T23:59:59Z');
  t.is(readGoTime('2024-02-29T00:00:00Z', 'second'), '2024-02-29T00:00:00Z');
  t.is(readGoTime('2026-01-01T01:30:00+02:00', 'second'), '2025-12-31T23:30:00Z');
  t.is(readGoTime('2026-12-31T23:30:00-05:45', 'second'), '2027-01-01T05:15:00Z');
  t.is(readGoTime('2024-03-01T00:00:00+00:01', 'second'), '2024-02-29T23:59:00Z');
  t.is(readGoTime('2026-01-01T5:00:00.123456789Z', 'second'), '2026-01-01T05:00:00Z');
  t.is(readGoTime('2026-01-01T00:00:00.000001Z', 'microsecond'), '2026-01-01T00:00:00.000001Z');
  t.is(readGoTime('0001-01-01T00:00:00Z', 'second'), '0001-01-01T00:00:00Z');
});

test('go times › what is wrong is said in the words of Go', (t) => {
  const layout = '2006-01-02T15:04:05Z07:00';
  t.is(faultOf('bad', 'second'), `parsing time "bad" as "${layout}": cannot parse "bad" as "2006"`);
  t.is(faultOf('', 'second'), `parsing time "" as "${layout}": cannot parse "" as "2006"`);
  t.is(faultOf('2020-1-1', 'second'), `parsing time "2020-1-1" as "${layout}": cannot parse "1-1" as "01"`);
  t.is(faultOf('2020-13-01T00:00:00Z', 'second'), 'parsing time "2020-13-01T00:00:00Z": month out of range');
  t.is(faultOf('2020-02-30T00:00:00Z', 'second'), 'parsing time "2020-02-30T00:00:00Z": day out of range');
  t.is(faultOf('2020-01-01T00:00:00Zx', 'second'), 'parsing time "2020-01-01T00:00:00Zx": extra text: "x"');
  t.is(
    faultOf('2020-01-01T00:00:00', 'second'),
    `parsing time "2020-01-01T00:00:00" as "${layout}": cannot parse "" as "Z07:00"`,
  );
  t.is(
    faultOf('2020-01-01T00:00:00.5Z', 'microsecond'),
    'parsing time "2020-01-01T00:00:00.5Z" as "2006-01-02T15:04:05.000000Z07:00": cannot parse ".5Z" as ".000000"',
  );
});
