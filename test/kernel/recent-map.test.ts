import test from 'ava';
import { RecentMap } from '../../src/kernel/recent-map.js';

function objects(count: number): readonly { readonly number: number }[] {
  return Array.from({ length: count }, (_, number) => ({ number }));
}

test('a map of recent objects › knows at least as many as a generation holds', (t) => {
  const map = new RecentMap<object, number>(3);
  const all = objects(7);
  for (const each of all) map.set(each, each.number);
  t.deepEqual(
    all.map((each) => map.get(each)),
    [undefined, undefined, undefined, 3, 4, 5, 6],
  );
});

test('a map of recent objects › keeps what is asked for again and again', (t) => {
  const map = new RecentMap<object, string>(2);
  const kept = {};
  map.set(kept, 'kept');
  for (const each of objects(20)) {
    map.set(each, 'other');
    t.is(map.get(kept), 'kept');
  }
});

test('a map of recent objects › tells objects apart by reference, and takes new findings', (t) => {
  const map = new RecentMap<object, string>(2);
  const object = { a: 1 };
  map.set(object, 'first');
  t.is(map.get({ a: 1 }), undefined);
  map.set(object, 'second');
  t.is(map.get(object), 'second');
});
