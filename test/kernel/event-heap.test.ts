import test from 'ava';
import fc from 'fast-check';
import { InvariantError } from '../../src/kernel/assert.js';
import { EventHeap } from '../../src/kernel/engine/event-heap.js';

/** Runs everything that is in the heap and returns what ran. */
function runAll(heap: EventHeap): void {
  for (let task = heap.peekDueMs() === undefined ? undefined : heap.pop(); task !== undefined; task = heap.pop())
    task();
}

test('entries come out by due time, and in order of arrival among equals', (t) => {
  fc.assert(
    fc.property(fc.array(fc.nat({ max: 20 }), { maxLength: 200 }), (dues) => {
      const heap = new EventHeap();
      const ran: [number, number][] = [];
      for (const [seq, dueMs] of dues.entries()) heap.push(dueMs, () => ran.push([dueMs, seq]));
      runAll(heap);
      const expected = dues
        .map((dueMs, seq): [number, number] => [dueMs, seq])
        .sort((a, b) => a[0] - b[0] || a[1] - b[1]);
      t.deepEqual(ran, expected);
    }),
  );
});

test('pushes, cancellations and pops in any order match a sorted list', (t) => {
  const step = fc.oneof(
    fc.record({ push: fc.nat({ max: 9 }) }),
    fc.record({ cancel: fc.nat({ max: 50 }) }),
    fc.constant({ pop: true } as const),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 120 }), (steps) => {
      const heap = new EventHeap();
      const timers: ReturnType<EventHeap['push']>[] = [];
      let model: { dueMs: number; seq: number }[] = [];
      const ran: number[] = [];
      const expected: number[] = [];
      for (const action of steps) {
        if ('push' in action) {
          const seq = timers.length;
          timers.push(heap.push(action.push, () => ran.push(seq)));
          model.push({ dueMs: action.push, seq });
        } else if ('cancel' in action) {
          const timer = timers[action.cancel];
          const isLive = model.some(({ seq }) => seq === action.cancel);
          if (timer !== undefined) t.is(heap.cancel(timer), isLive);
          model = model.filter(({ seq }) => seq !== action.cancel);
        } else {
          model.sort((a, b) => a.dueMs - b.dueMs || a.seq - b.seq);
          t.is(heap.peekDueMs(), model[0]?.dueMs);
          const first = model.shift();
          if (first !== undefined) expected.push(first.seq);
          heap.pop()?.();
        }
        t.is(heap.size, model.length);
      }
      t.deepEqual(ran, expected);
    }),
  );
});

test('a due time that is no integer stops the run', (t) => {
  t.throws(() => new EventHeap().push(1.5, () => undefined), {
    instanceOf: InvariantError,
    message: 'dueMs must be an integer, got 1.5',
  });
});

test('clear › empties the heap', (t) => {
  const heap = new EventHeap();
  heap.push(1, () => t.fail());
  heap.clear();
  t.is(heap.size, 0);
  t.is(heap.pop(), undefined);
});
