import test from 'ava';
import { effectOf, significant } from '../../src/experiments/effect.js';

test('a difference is the median over pairs, with the interval that the binomial distribution gives', (t) => {
  const before = [10, 20, 30, 40, 50, 60];
  const after = [11, 22, 33, 44, 55, 66];
  // Of six coins none shows heads in 1 of 64 throws, on either side: 96.9 % lie between the first and the last.
  t.deepEqual(effectOf(before, after), { shift: 3.5, interval: [1, 6], superiority: 21 / 36 });
  t.is(effectOf(before.slice(1), after.slice(1)).interval, undefined);
  const many = Array.from({ length: 20 }, (_, index) => index + 1);
  // Binomial(20, 1/2): at most 5 heads in 2.07 %, at most 6 in 5.77 %.
  t.deepEqual(
    effectOf(
      many.map(() => 0),
      many,
    ).interval,
    [6, 15],
  );
});

test('equal groups have no effect', (t) => {
  t.deepEqual(effectOf([1, 1, 1], [1, 1, 1]), { shift: 0, interval: undefined, superiority: 0.5 });
  t.deepEqual(effectOf([], []), { shift: 0, interval: undefined, superiority: 0.5 });
});

test('many chances are judged together', (t) => {
  t.deepEqual(significant([0.01, undefined, 0.04, 0.03, 0.5]), [true, false, false, false, false]);
  t.deepEqual(significant([0.01, 0.02, 0.03, 0.04, 0.05]), [true, true, true, true, true]);
  t.deepEqual(significant([0.06]), [false]);
});
