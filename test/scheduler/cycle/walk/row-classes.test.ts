import test from 'ava';
import fc from 'fast-check';
import { RowClasses } from '../../../../src/scheduler/cycle/walk/row-classes.js';

/** Numbers of a row, the last of which does not count. */
const WIDTH = 8;

/** A row in which one number tells all. */
function rowOf(value: number): Float64Array {
  return new Float64Array(WIDTH).fill(value, 0, WIDTH - 1);
}

test('row classes › equal rows are one class after every change, and its numbers are used again', (t) => {
  fc.assert(
    fc.property(
      fc.array(fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 6, maxLength: 6 }), { minLength: 1 }),
      (steps) => {
        const classes = new RowClasses();
        classes.begin(6);
        for (const values of steps) {
          for (let at = 0; at < 6; at += 1) classes.put(at, rowOf(values[at] as number));
          for (let at = 0; at < 6; at += 1) {
            const own = classes.of[at] as number;
            t.is(classes.rows[own * WIDTH], values[at]);
            t.is(classes.counts[own], values.filter((value) => value === values[at]).length);
            for (let other = 0; other < at; other += 1) t.is(classes.of[other] === own, values[other] === values[at]);
          }
          t.true(classes.end <= 6);
        }
      },
    ),
  );
});

test('row classes › a row that says nothing of its scores is alone in its class', (t) => {
  const classes = new RowClasses();
  classes.begin(2);
  classes.put(0, rowOf(Number.NaN));
  classes.put(1, rowOf(Number.NaN));
  t.not(classes.of[0], classes.of[1]);
});
