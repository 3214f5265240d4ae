import test from 'ava';
import { callTogether, slowStart, type CallDone } from '../../../src/controllers/replica-set/slow-start.js';
import { VirtualClock } from '../../../src/kernel/engine/virtual-clock.js';

/** Calls made by millisecond, each answered one millisecond later. */
function recorder(
  clock: VirtualClock,
  fails: (call: number) => boolean,
): { readonly call: (done: CallDone) => void; readonly batches: Map<number, number> } {
  const batches = new Map<number, number>();
  let calls = 0;
  return {
    batches,
    call(done) {
      const number = calls;
      calls += 1;
      batches.set(clock.now(), (batches.get(clock.now()) ?? 0) + 1);
      clock.schedule(1, () => done(fails(number) ? new Error(`call ${number}`) : undefined));
    },
  };
}

test('7.1.2 › a slow start makes batches of 1, 2, 4, 8 and the rest', async (t) => {
  const clock = new VirtualClock();
  const { call, batches } = recorder(clock, () => false);
  const result = slowStart(clock, 20, call);
  await clock.run();
  t.deepEqual(await result, { successes: 20, error: undefined });
  t.deepEqual([...batches.values()], [1, 2, 4, 8, 5]);
});

test('7.1.2 › a failing call stops the batches after its own', async (t) => {
  const clock = new VirtualClock();
  const { call, batches } = recorder(clock, (number) => number === 4);
  const result = slowStart(clock, 20, call);
  await clock.run();
  const { successes, error } = await result;
  t.is(successes, 6);
  t.is(error?.message, 'call 4');
  t.deepEqual([...batches.values()], [1, 2, 4]);
});

test('7.1.2 › a slow start makes no call when none is wanted', async (t) => {
  const clock = new VirtualClock();
  t.deepEqual(await slowStart(clock, 0, () => t.fail()), { successes: 0, error: undefined });
  t.deepEqual(await callTogether(clock, 0, () => t.fail()), []);
});
