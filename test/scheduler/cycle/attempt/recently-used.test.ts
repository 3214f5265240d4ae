import test from 'ava';
import { RecentlyUsed, SeenNumbers } from '../../../../src/scheduler/cycle/attempt/recently-used.js';

test('recently used › with more than the limit the one that was not used for longest makes room', (t) => {
  const entries = new RecentlyUsed<string, number>(() => 2);
  t.is(entries.set('a', 1), undefined);
  t.is(entries.set('b', 2), undefined);
  t.is(entries.get('a'), 1);
  t.is(entries.peek('b'), 2);
  t.deepEqual(entries.set('c', 3), ['b', 2]);
  t.deepEqual(
    ['a', 'b', 'c'].map((key) => entries.has(key)),
    [true, false, true],
  );
});

test('recently used › what is put in again takes the place of what was there', (t) => {
  const entries = new RecentlyUsed<string, number>(() => 2);
  entries.set('a', 1);
  entries.set('b', 2);
  t.is(entries.set('a', 9), undefined);
  t.deepEqual(entries.set('c', 3), ['b', 2]);
  t.is(entries.get('a'), 9);
  t.true(entries.delete('a'));
  t.is(entries.get('a'), undefined);
});

test('seen numbers › are all forgotten when they are too many', (t) => {
  const seen = new SeenNumbers(2);
  seen.add(1);
  seen.add(2);
  t.true(seen.has(1));
  seen.add(3);
  t.deepEqual([seen.has(1), seen.has(3), seen.delete(3), seen.delete(3)], [false, true, true, false]);
});
