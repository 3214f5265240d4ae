import test from 'ava';
import fc from 'fast-check';
import { LazyHeap, type HeapEntry } from '../../../src/scheduler/queue/lazy-heap.js';

interface Item {
  readonly id: number;
  rank: number;
}

const create = (): LazyHeap<Item> =>
  new LazyHeap<Item>(
    (a, b) => a.rank < b.rank,
    (item) => ({ ...item }),
  );

test('equal items leave in order of insertion', (t) => {
  const heap = create();
  for (let id = 0; id < 100; id += 1) heap.push({ id, rank: id % 3 });
  const left: Item[] = [];
  for (let item = heap.pop(); item !== undefined; item = heap.pop()) left.push(item);
  const expected = left.toSorted((a, b) => a.rank - b.rank || a.id - b.id);
  t.deepEqual(left, expected);
  t.is(left.length, 100);
});

test('items that come in order and items that push in between leave in one order', (t) => {
  const heap = create();
  const items = Array.from({ length: 1000 }, (_, id): Item => ({ id, rank: id % 7 === 3 ? 5 : 1000 + id }));
  for (const item of items) heap.push(item);
  const expected = items.toSorted((a, b) => a.rank - b.rank || a.id - b.id);
  t.deepEqual(heap.first(1000), expected);
  const left: Item[] = [];
  for (let item = heap.pop(); item !== undefined; item = heap.pop()) {
    left.push(item);
    if (left.length === 500) heap.push({ id: 1000, rank: 0 });
  }
  t.deepEqual(left, [...expected.slice(0, 500), { id: 1000, rank: 0 }, ...expected.slice(500)]);
});

test('an entry can be removed once only', (t) => {
  const heap = create();
  const entry = heap.push({ id: 0, rank: 0 });
  heap.remove(entry);
  t.throws(() => heap.remove(entry), { message: 'only an entry of this heap can be removed from it' });
  t.is(heap.pop(), undefined);
});

test('any mix of push, remove, change and pop gives what a sorted list gives', (t) => {
  const step = fc.record({
    action: fc.constantFrom('push', 'push', 'remove', 'change', 'pop', 'requeue'),
    pick: fc.nat(1000),
    rank: fc.nat(5),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 400 }), (steps) => {
      const heap = create();
      let model: { item: Item; seq: number; entry: HeapEntry<Item> }[] = [];
      let seq = 0;
      const push = (item: Item): void => {
        model.push({ item, seq, entry: heap.push(item) });
        seq += 1;
      };
      for (const { action, pick, rank } of steps) {
        const chosen = model[pick % Math.max(model.length, 1)];
        if (action === 'push') push({ id: seq, rank });
        else if (action === 'pop') {
          const sorted = model.toSorted((a, b) => a.item.rank - b.item.rank || a.seq - b.seq);
          const first = sorted[0];
          t.deepEqual(
            heap.first(3),
            sorted.slice(0, 3).map(({ item }) => item),
          );
          t.is(heap.peek(), first?.item);
          t.is(heap.pop(), first?.item);
          model = model.filter((each) => each !== first);
        } else if (chosen !== undefined && action === 'change') {
          chosen.entry = heap.change(chosen.entry, (item) => {
            item.rank = rank;
          });
        } else if (chosen !== undefined) {
          heap.remove(chosen.entry);
          model = model.filter((each) => each !== chosen);
          // A removed item may change freely, and come back.
          chosen.item.rank = rank;
          if (action === 'requeue') push(chosen.item);
        }
        t.is(heap.size, model.length);
      }
      t.deepEqual(
        heap.items(),
        model.toSorted((a, b) => a.seq - b.seq).map(({ item }) => item),
      );
    }),
  );
});
