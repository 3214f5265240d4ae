import test from 'ava';
import fc from 'fast-check';
import { VirtualClock } from '../../../src/kernel/engine/virtual-clock.js';
import { WorkQueue } from '../../../src/controllers/runtime/work-queue.js';

function queueOf(): { readonly clock: VirtualClock; readonly queue: WorkQueue } {
  const clock = new VirtualClock();
  return { clock, queue: new WorkQueue(clock, () => undefined) };
}

function drain(queue: WorkQueue): string[] {
  const keys: string[] = [];
  for (let key = queue.take(); key !== undefined; key = queue.take()) {
    keys.push(key);
    queue.done(key);
  }
  return keys;
}

test('WorkQueue › hands out keys in order of arrival, each once', (t) => {
  const { queue } = queueOf();
  for (const key of ['b', 'a', 'b', 'c', 'a']) queue.add(key);
  t.deepEqual(drain(queue), ['b', 'a', 'c']);
});

test('WorkQueue › keeps back a key that is being worked on until it is done', (t) => {
  const { queue } = queueOf();
  queue.add('a');
  t.is(queue.take(), 'a');
  queue.add('a');
  queue.add('a');
  t.is(queue.take(), undefined);
  queue.done('a');
  t.deepEqual(drain(queue), ['a']);
});

test('WorkQueue › of several delayed adds of a key the earliest holds', async (t) => {
  const { clock, queue } = queueOf();
  queue.addAfter('a', 100);
  queue.addAfter('a', 30);
  queue.addAfter('a', 60);
  await clock.run({ untilMs: 29 });
  t.is(queue.length, 0);
  await clock.run({ untilMs: 30 });
  t.deepEqual(drain(queue), ['a']);
  await clock.run({ untilMs: 200 });
  t.is(queue.length, 0);
});

test('WorkQueue › backs off 5 ms, doubling, and begins anew once forgotten', async (t) => {
  const { clock, queue } = queueOf();
  const waits: number[] = [];
  for (let failure = 0; failure < 5; failure += 1) {
    const sinceMs = clock.now();
    queue.addRateLimited('a');
    await clock.run();
    waits.push(clock.now() - sinceMs);
    drain(queue);
  }
  t.deepEqual(waits, [5, 10, 20, 40, 80]);
  t.is(queue.retries('a'), 5);
  queue.forget('a');
  const sinceMs = clock.now();
  queue.addRateLimited('a');
  await clock.run();
  t.is(clock.now() - sinceMs, 5);
});

test('WorkQueue › never backs off for more than 1,000 s', async (t) => {
  const { clock, queue } = queueOf();
  for (let failure = 0; failure < 60; failure += 1) {
    queue.addRateLimited('a');
    await clock.run();
    drain(queue);
  }
  const sinceMs = clock.now();
  queue.addRateLimited('a');
  await clock.run();
  t.is(clock.now() - sinceMs, 1_000_000);
});

test('WorkQueue › spaces a key by its gap since it was last done, and not at all at first', async (t) => {
  const { clock, queue } = queueOf();
  queue.addSpaced('a', 50);
  t.deepEqual(drain(queue), ['a']);
  queue.addSpaced('a', 50);
  t.is(queue.length, 0);
  await clock.run({ untilMs: 49 });
  t.is(queue.length, 0);
  await clock.run({ untilMs: 50 });
  t.deepEqual(drain(queue), ['a']);
  queue.addSpaced('a', 50);
  queue.add('a');
  t.deepEqual(drain(queue), ['a']);
});

test('WorkQueue › a key that is spaced while it is worked on keeps its gap from the end of that work', async (t) => {
  const { clock, queue } = queueOf();
  queue.add('a');
  queue.take();
  queue.addSpaced('a', 50);
  await clock.run({ untilMs: 20 });
  queue.addSpaced('a', 40);
  queue.done('a');
  await clock.run({ untilMs: 59 });
  t.is(queue.length, 0);
  await clock.run({ untilMs: 60 });
  t.is(queue.take(), 'a');
  queue.addSpaced('a', 50);
  queue.add('a');
  queue.done('a');
  t.deepEqual(drain(queue), ['a']);
});

test('WorkQueue › nothing is spaced by more than a minute', async (t) => {
  const { clock, queue } = queueOf();
  queue.add('a');
  t.deepEqual(drain(queue), ['a']);
  queue.addSpaced('a', 1_000_000);
  await clock.run({ untilMs: 59_999 });
  t.is(queue.length, 0);
  await clock.run({ untilMs: 60_000 });
  t.deepEqual(drain(queue), ['a']);
  await clock.run({ untilMs: 120_001 });
  queue.addSpaced('a', 1_000_000);
  t.deepEqual(drain(queue), ['a']);
});

test('WorkQueue › a shut down queue holds nothing and leaves no timer', (t) => {
  const { clock, queue } = queueOf();
  queue.add('a');
  queue.addAfter('b', 10);
  queue.addRateLimited('c');
  queue.shutDown();
  queue.add('d');
  t.is(queue.take(), undefined);
  t.is(clock.pending, 0);
});

test('WorkQueue › a property: every added key is taken after its last add, never twice at once', (t) => {
  const step = fc.oneof(
    fc.record({ add: fc.integer({ min: 0, max: 5 }) }),
    fc.record({ take: fc.constant(true) }),
    fc.record({ done: fc.integer({ min: 0, max: 5 }) }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const { queue } = queueOf();
      const owed = new Set<string>();
      const busy = new Set<string>();
      for (const action of steps) {
        if ('add' in action) {
          queue.add(String(action.add));
          owed.add(String(action.add));
        } else if ('done' in action) {
          if (busy.delete(String(action.done))) queue.done(String(action.done));
        } else {
          const key = queue.take();
          if (key === undefined) continue;
          if (busy.has(key) || !owed.delete(key)) return false;
          busy.add(key);
        }
      }
      for (const key of busy) queue.done(key);
      return drain(queue).every((key) => owed.delete(key)) && owed.size === 0;
    }),
  );
  t.pass();
});
