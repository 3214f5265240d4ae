import test from 'ava';
import { RunSeries } from '../../src/measurements/run-series.js';
import { ValueCounts } from '../../src/measurements/value-counts.js';

function sum(values: readonly number[]): number {
  return values.reduce((a, b) => a + b, 0);
}

test('a slot has the levels of its end and the amounts of its length', (t) => {
  let level = 5;
  const series = new RunSeries(1000, (tell) => tell('level', level, 'last'));
  series.add('amount', 1);
  series.passTo(1099);
  series.add('amount', 2);
  // 1100 is the first moment of the next slot: what stands now stood at the end of the first one.
  series.passTo(1100);
  level = 8;
  series.add('amount', 10);
  series.passTo(1350);
  level = 1;
  const { slotMs, slots, levels, amounts } = series.read();
  t.deepEqual({ slotMs, slots }, { slotMs: 100, slots: 4 });
  t.deepEqual(levels, [{ name: 'level', values: [5, 8, 8, 1] }]);
  t.deepEqual(amounts, [{ name: 'amount', values: [3, 10, 0, 0] }]);
});

test('a run of any length has at most 1,201 slots, and loses neither amounts, peaks nor values', (t) => {
  let level = 0;
  const series = new RunSeries(0, (tell) => tell('level', level, 'highest'));
  const length = 1_000_000;
  for (let atMs = 0; atMs < length; atMs += 97) {
    series.passTo(atMs);
    level = atMs > 485_000 && atMs < 487_000 ? 1000 : 3;
    series.add('amount', 2);
    series.observe('times', atMs % 1000);
  }
  const { slotMs, slots, levels, amounts, spreads } = series.read();
  t.true(slots <= 1201, String(slots));
  t.true(slots >= 600, String(slots));
  t.is(slotMs, 1600);
  t.is(Math.ceil(length / slotMs), slots);
  const steps = Math.ceil(length / 97);
  t.is(sum(amounts[0]?.values ?? []), 2 * steps);
  t.is(sum(spreads.get('times')?.count ?? []), steps);
  t.is(Math.max(...(levels[0]?.values ?? [])), 1000);
});

test('a day in which nothing happens costs as little as a minute', (t) => {
  let reads = 0;
  const series = new RunSeries(0, (tell) => {
    reads += 1;
    tell('level', 4, 'last');
  });
  series.passTo(30 * 86_400_000);
  const { slots, levels } = series.read();
  t.true(reads < 5);
  t.true(slots <= 1201);
  t.true(levels[0]?.values.every((value) => value === 4));
});

test('quantiles are those of clusterloader2: the element ceil(share × n) of the sorted values', (t) => {
  const counts = new ValueCounts();
  for (const value of [9, 1, 5, 5, 3]) counts.add(value);
  t.deepEqual(
    [0, 0.2, 0.21, 0.5, 0.8, 0.81, 1].map((share) => counts.quantile(share)),
    [1, 1, 3, 5, 5, 9, 9],
  );
  t.deepEqual(counts.upTo([0, 3, 5, 8, 9, 100]), [0, 2, 4, 4, 5, 5]);
  t.deepEqual([counts.total, counts.sum, counts.mean, counts.min, counts.max], [5, 23, 4.6, 1, 9]);
  t.is(new ValueCounts().quantile(0.5), undefined);
  const hundred = new ValueCounts();
  for (let value = 1; value <= 100; value += 1) hundred.add(value);
  t.is(hundred.quantile(0.99), 99);
});
