import test from 'ava';
import { VirtualClock } from '../../src/kernel/engine/virtual-clock.js';

/** A clock and what ran on it, as `<name>@<time>`. */
function trackedClock(): { clock: VirtualClock; ran: string[]; at: (delayMs: number, name: string) => void } {
  const clock = new VirtualClock();
  const ran: string[] = [];
  return { clock, ran, at: (delayMs, name) => void clock.schedule(delayMs, () => ran.push(`${name}@${clock.now()}`)) };
}

/** Stands for work on another thread: takes some turns of the host's event loop. */
async function otherThread(turns: number): Promise<void> {
  for (let turn = 0; turn < turns; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

test('entries run by due time, equals in the order in which they were scheduled', async (t) => {
  const { clock, ran, at } = trackedClock();
  at(5, 'c');
  at(1, 'a');
  at(5, 'd');
  at(1, 'b');
  t.is(await clock.run(), 'idle');
  t.deepEqual(ran, ['a@1', 'b@1', 'c@5', 'd@5']);
  t.is(clock.now(), 5);
  t.is(clock.ticks, 4);
  t.is(clock.pending, 0);
});

test('a delay of 0 runs after all that is due already', async (t) => {
  const { clock, ran, at } = trackedClock();
  clock.schedule(3, () => at(0, 'late'));
  at(3, 'early');
  await clock.run();
  t.deepEqual(ran, ['early@3', 'late@3']);
});

test('delays are rounded up to whole milliseconds and are never negative', async (t) => {
  const { clock, ran, at } = trackedClock();
  at(0.2, 'a');
  at(-7, 'b');
  at(Number.NaN, 'c');
  await clock.run();
  t.deepEqual(ran, ['b@0', 'c@0', 'a@1']);
});

test('a cancelled entry does not run, and cancelling again or too late is harmless', async (t) => {
  const { clock, ran, at } = trackedClock();
  const cancelled = clock.schedule(1, () => t.fail());
  at(2, 'a');
  clock.cancel(cancelled);
  clock.cancel(cancelled);
  t.is(clock.pending, 1);
  await clock.run();
  clock.cancel(cancelled);
  t.deepEqual(ran, ['a@2']);
  t.is(clock.pending, 0);
});

test('untilMs is the last millisecond that runs, and time ends there', async (t) => {
  const { clock, ran, at } = trackedClock();
  at(10, 'a');
  at(11, 'b');
  t.is(await clock.run({ untilMs: 10 }), 'limit');
  t.deepEqual(ran, ['a@10']);
  t.is(await clock.run({ untilMs: 10 }), 'limit');
  t.is(await clock.run({ untilMs: 50 }), 'idle');
  t.deepEqual(ran, ['a@10', 'b@11']);
  t.is(clock.now(), 50);
});

test('time never falls when a limit lies in the past', async (t) => {
  const { clock, at } = trackedClock();
  await clock.run({ untilMs: 20 });
  at(5, 'a');
  t.is(await clock.run({ untilMs: 10 }), 'limit');
  t.is(clock.now(), 20);
});

test('isDone ends a run before the first and after each tick', async (t) => {
  const { clock, ran, at } = trackedClock();
  at(1, 'a');
  at(2, 'b');
  t.is(await clock.run({ isDone: () => true }), 'done');
  t.deepEqual(ran, []);
  t.is(await clock.run({ isDone: () => ran.length === 1 }), 'done');
  t.deepEqual(ran, ['a@1']);
});

test('a signal ends a run between two ticks', async (t) => {
  const { clock, ran, at } = trackedClock();
  const stop = new AbortController();
  at(1, 'a');
  clock.schedule(2, () => stop.abort());
  at(3, 'b');
  t.is(await clock.run({ signal: stop.signal }), 'aborted');
  t.deepEqual(ran, ['a@1']);
});

test('step runs one entry, whatever its time', async (t) => {
  const { clock, ran, at } = trackedClock();
  at(1000, 'a');
  at(1000, 'b');
  t.true(await clock.step());
  t.deepEqual(ran, ['a@1000']);
  t.true(await clock.step());
  t.false(await clock.step());
  t.is(clock.now(), 1000);
});

test('virtual time does not overtake the continuations of a promise that a tick resolved', async (t) => {
  const { clock, ran, at } = trackedClock();
  clock.schedule(1, () => {
    const answered = new Promise<void>((resolve) => {
      clock.settle();
      resolve();
    });
    void (async () => {
      for (let turn = 0; turn < 10; turn += 1) await answered;
      at(1, 'continuation');
    })();
  });
  at(100, 'later');
  await clock.run();
  t.deepEqual(ran, ['continuation@2', 'later@100']);
});

test('held work keeps time still until it has settled, and what it holds in turn too', async (t) => {
  const { clock, ran, at } = trackedClock();
  clock.schedule(1, () => {
    const first = otherThread(5).then(() => {
      ran.push(`first@${clock.now()}`);
      clock.hold(otherThread(5).then(() => ran.push(`second@${clock.now()}`)));
    });
    clock.hold(first);
  });
  at(2, 'later');
  await clock.run();
  t.deepEqual(ran, ['first@1', 'second@1', 'later@2']);
});

test('step › waits for held work too', async (t) => {
  const { clock, ran } = trackedClock();
  clock.schedule(1, () => clock.hold(Promise.resolve().then(() => ran.push('held'))));
  await clock.step();
  t.deepEqual(ran, ['held']);
});

test('a rejection of held work surfaces from the run', async (t) => {
  const { clock } = trackedClock();
  clock.schedule(1, () => clock.hold(Promise.reject(new Error('worker died'))));
  await t.throwsAsync(clock.run(), { message: 'worker died' });
});

test('an error in an entry surfaces from the run, and the run can go on', async (t) => {
  const { clock, ran, at } = trackedClock();
  clock.schedule(1, () => {
    throw new Error('boom');
  });
  at(1, 'next');
  await t.throwsAsync(clock.run(), { message: 'boom' });
  t.is(await clock.run(), 'idle');
  t.deepEqual(ran, ['next@1']);
});

test('dispose drops every entry and ends the run that is under way', async (t) => {
  const { clock, ran, at } = trackedClock();
  clock.schedule(1, () => clock.dispose());
  at(1, 'a');
  t.is(await clock.run(), 'aborted');
  t.deepEqual(ran, []);
  t.is(clock.pending, 0);
});
