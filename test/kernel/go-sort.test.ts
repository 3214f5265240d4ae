import test from 'ava';
import fc from 'fast-check';
import { sortAsGo } from '../../src/kernel/go-sort.js';
import { RECORDED_NODES } from '../scheduler/preemption/recorded-victims.js';

const indexes = (length: number): number[] => Array.from({ length }, (_, index) => index);

test('sortAsGo › puts equals where Go 1.24 was seen to put them', (t) => {
  for (const { starts, victims } of RECORDED_NODES) {
    const order = sortAsGo(indexes(starts.length), (a, b) => (starts[a] ?? '') < (starts[b] ?? ''));
    for (const [count, expected] of Object.entries(victims)) {
      const last = new Set(order.slice(-Number(count)));
      t.is(
        indexes(starts.length)
          .map((index) => (last.has(index) ? '#' : '.'))
          .join(''),
        expected,
      );
    }
  }
});

test('sortAsGo › up to twelve items keep the order of equals', (t) => {
  const items = ['b1', 'a1', 'c1', 'a2', 'b2', 'c2', 'a3', 'b3', 'c3', 'a4', 'b4', 'c4'];
  const sorted = sortAsGo([...items], (a, b) => (a[0] ?? '') < (b[0] ?? ''));
  t.deepEqual(sorted, ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'b3', 'b4', 'c1', 'c2', 'c3', 'c4']);
});

test('sortAsGo › a property: any numbers come out in order, patterns included', (t) => {
  const random = fc.array(fc.integer({ min: -50, max: 50 }), { maxLength: 400 });
  const wave = fc.tuple(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 0, max: 3000 }), fc.boolean());
  const waves = wave.map(([period, length, falls]) =>
    indexes(length).map((index) => (falls ? -1 : 1) * Math.floor(index / period) * (index % period)),
  );
  fc.assert(
    fc.property(fc.oneof(random, waves), (numbers) => {
      t.deepEqual(
        sortAsGo([...numbers], (a, b) => a < b),
        [...numbers].sort((a, b) => a - b),
      );
    }),
    { numRuns: 300, seed: 1 },
  );
});

/** Whether one of any two goes first is drawn: the order goes in circles. */
function tournament(size: number, salt: number): (a: number, b: number) => boolean {
  const draw = (low: number, high: number): boolean =>
    (Math.imul(low * size + high + 1, 0x9e3779b1 ^ salt) >>> 13) % 2 === 0;
  return (a, b) => (a < b ? draw(a, b) : a > b && !draw(b, a));
}

test('sortAsGo › a property: the front alone is the front of the whole, even where the order goes in circles', (t) => {
  const size = fc.integer({ min: 13, max: 300 });
  fc.assert(
    fc.property(size, fc.integer(), fc.nat(300), fc.boolean(), (length, salt, places, isCircular) => {
      const less = isCircular ? tournament(length, salt) : (a: number, b: number) => (a ^ salt) % 7 < (b ^ salt) % 7;
      const count = Math.min(places, length);
      const whole = sortAsGo(indexes(length), less);
      t.deepEqual(sortAsGo(indexes(length), less, count).slice(0, count), whole.slice(0, count));
    }),
    { numRuns: 2000, seed: 1 },
  );
});

test('sortAsGo › an order that goes in circles loses nothing', (t) => {
  const sorted = sortAsGo(indexes(1000), tournament(1000, 5));
  t.deepEqual(
    [...sorted].sort((a, b) => a - b),
    indexes(1000),
  );
});
