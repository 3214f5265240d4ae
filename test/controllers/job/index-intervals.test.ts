import test from 'ava';
import fc from 'fast-check';
import { IndexIntervals } from '../../../src/controllers/job/index-intervals.js';

const indexSets = fc.uniqueArray(fc.nat(30));

function shown(indexes: readonly number[]): string {
  return IndexIntervals.of(indexes).toString();
}

test('indexes are written as Kubernetes writes them: two neighbours with a comma, more with a hyphen', (t) => {
  t.is(shown([]), '');
  t.is(shown([4, 3, 0, 2]), '0,2-4');
  t.is(shown([0, 1, 5, 6, 7]), '0,1,5-7');
});

test('reading leaves out what the job does not have, and what is no index', (t) => {
  t.is(IndexIntervals.parse('0,2-9,12', 5).toString(), '0,2-4');
  t.is(IndexIntervals.parse('x,1,2-y,3', 5).toString(), '1,3');
  t.is(IndexIntervals.parse('0,1,2-3', 9).toString(), '0-3');
});

test('sets of indexes behave as sets', (t) => {
  const property = fc.property(indexSets, indexSets, (left, right) => {
    const [one, other] = [IndexIntervals.of(left), IndexIntervals.of(right)];
    const union = new Set([...left, ...right]);
    t.is(one.merge(other).toString(), shown([...union]));
    t.is(one.merge(other).total, union.size);
    t.is(one.overlap(other), left.filter((index) => right.includes(index)).length);
    t.is(IndexIntervals.parse(one.toString(), 31).toString(), one.toString());
    const all = Array.from({ length: 31 }, (_, index) => index);
    t.deepEqual(
      all.filter((index) => one.has(index)),
      all.filter((index) => left.includes(index)),
    );
    t.deepEqual(one.firstMissing(5, 31), all.filter((index) => !left.includes(index)).slice(0, 5));
  });
  t.notThrows(() => fc.assert(property));
});
