import test from 'ava';
import fc from 'fast-check';
import { RowClasses } from '../../../../src/scheduler/cycle/walk/row-classes.js';

/** Numbers of a row, the last of which does not count. */
const WIDTH = 8;

/** Rows in which one number tells all. */
function rowsOf(values: readonly number[]): Float64Array {
  const rows = new Float64Array(values.length * WIDTH);
  values.forEach((value, at) => rows.fill(value, at * WIDTH, at * WIDTH + WIDTH - 1));
  return rows;
}

test('row classes › equal rows are one class after every change, and its numbers are used again', (t) => {
  fc.assert(
    fc.property(
      fc.array(fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 6, maxLength: 6 }), { minLength: 1 }),
      (steps) => {
        const classes = new RowClasses();
        classes.begin(6);
        for (const values of steps) {
          const rows = rowsOf(values);
          for (let at = 0; at < 6; at += 1) classes.put(at, rows);
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
  const rows = rowsOf([Number.NaN, Number.NaN]);
  classes.put(0, rows);
  classes.put(1, rows);
  t.not(classes.of[0], classes.of[1]);
});
