import { createHash } from 'node:crypto';
import test from 'ava';
import fc from 'fast-check';
import { createKernel } from '../../src/kernel/engine/kernel.js';
import { createTimestamps } from '../../src/kernel/timestamps.js';
import { TraceHash } from '../../src/kernel/trace-hash.js';

function digestOf(...records: string[]): string {
  const trace = new TraceHash();
  for (const record of records) trace.add(record);
  return trace.digest();
}

/** One of everything that a kernel makes. */
function sampleOf(seed: string): unknown[] {
  const kernel = createKernel({ seed });
  return [kernel.random('x').int(0, 1e9), kernel.ids.uid(), kernel.ids.nameSuffix(), kernel.timestamps.toTime(0)];
}

test('Time has whole seconds, truncated; MicroTime has microseconds', (t) => {
  const timestamps = createTimestamps('2030-01-01T00:00:00Z');
  t.is(timestamps.toTime(0), '2030-01-01T00:00:00Z');
  t.is(timestamps.toTime(999), '2030-01-01T00:00:00Z');
  t.is(timestamps.toTime(1000), '2030-01-01T00:00:01Z');
  t.is(timestamps.toTime(999), '2030-01-01T00:00:00Z');
  t.is(timestamps.toMicroTime(86_400_007), '2030-01-02T00:00:00.007000Z');
});

test('an epoch within a second is truncated with the time', (t) => {
  const timestamps = createTimestamps('2030-01-01T00:00:00.600Z');
  t.is(timestamps.toTime(399), '2030-01-01T00:00:00Z');
  t.is(timestamps.toTime(400), '2030-01-01T00:00:01Z');
});

test('timestamps are read back, also with offsets; other text is NaN', (t) => {
  const timestamps = createTimestamps('2030-01-01T00:00:00Z');
  t.is(timestamps.toMs('2030-01-01T00:01:00Z'), 60_000);
  t.is(timestamps.toMs('2030-01-01T01:00:00.250000+01:00'), 250);
  t.is(timestamps.toMs('2029-12-31T23:59:59Z'), -1000);
  for (const text of ['soon', 'Jan 1 2030', '2030/01/01', '2030-01-01']) t.is(timestamps.toMs(text), Number.NaN);
});

test('times of every day are read as the host reads them, and so is what is none; what is written otherwise is no time', (t) => {
  const timestamps = createTimestamps('1970-01-01T00:00:00Z');
  const lastSecond = Date.parse('9999-12-31T23:59:59Z') / 1000;
  fc.assert(
    fc.property(fc.integer({ min: Date.parse('0001-01-01T00:00:00Z') / 1000, max: lastSecond }), (second) => {
      const text = `${new Date(second * 1000).toISOString().slice(0, 19)}Z`;
      return timestamps.toMs(text) === second * 1000;
    }),
  );
  const odd = [
    '2028-02-29T12:00:00Z',
    '2030-02-29T12:00:00Z',
    '2030-02-30T12:00:00Z',
    '2030-13-01T12:00:00Z',
    '2030-00-01T12:00:00Z',
    '2030-01-01T24:00:00Z',
    '2030-01-01T12:60:00Z',
    '2030-01-01T12:00:60Z',
  ];
  for (const text of odd) t.is(timestamps.toMs(text), new Date(text).getTime(), text);
  const otherwiseWritten = [
    '2030-01-01 12:00:00Z',
    '2030-01-01T12:00:00z',
    '2030/01/01T12:00:00Z',
    '2x30-01-01T12:00:00Z',
    '2030-01-01T1x:00:00Z',
  ];
  for (const text of otherwiseWritten) t.is(timestamps.toMs(text), Number.NaN, text);
});

test('the trace hash depends on every record, on their order and on their borders', (t) => {
  t.regex(digestOf(), /^[\da-f]{64}$/u);
  t.is(digestOf('a', 'b'), digestOf('a', 'b'));
  t.notDeepEqual(digestOf('a', 'b'), digestOf('b', 'a'));
  t.notDeepEqual(digestOf('ab', 'c'), digestOf('a', 'bc'));
});

test('recording goes on after a digest, and pieces longer than the buffer count whole', (t) => {
  const long = 'x'.repeat(70_000);
  const inOne = new TraceHash();
  const withLook = new TraceHash();
  for (const record of [long, 'a', long]) {
    inOne.add(record);
    withLook.add(record);
    withLook.digest();
  }
  t.is(withLook.digest(), inOne.digest());
  t.is(withLook.records, 3);
});

test('records count as they are, whatever their letters and their length', (t) => {
  const record = ['pod/größe ', 'x'.repeat(17), '😀', 'y'.repeat(30_000), 'é'.repeat(40_000)].join('');
  const text = `${record}\n`.repeat(4);
  t.is(digestOf(record, record, record, record), createHash('sha256').update(text).digest('hex'));
});

test('kernels of one seed agree in streams, identifiers and timestamps, kernels of two do not', (t) => {
  t.deepEqual(sampleOf('a'), sampleOf('a'));
  t.notDeepEqual(sampleOf('a'), sampleOf('b'));
  t.is(createKernel({ seed: 'a', epoch: '2020-05-05T00:00:00Z' }).timestamps.toTime(0), '2020-05-05T00:00:00Z');
});
