import test from 'ava';
import { StandstillError, type InstantObserver } from '../../src/kernel/engine/standstill.js';
import { VirtualClock } from '../../src/kernel/engine/virtual-clock.js';

/** An observer that sees a circle after so many questions, and what it was told. */
function observer(clock: VirtualClock, circleAfter = Number.POSITIVE_INFINITY): string[] {
  const told: string[] = [];
  let questions = 0;
  const observing: InstantObserver = {
    begin: () => {
      told.push(`begin at ${clock.now()}`);
      return 0;
    },
    circle: () => {
      questions += 1;
      return questions >= circleAfter ? 'a circle' : undefined;
    },
    summary: () => 'much of nothing',
    end: () => told.push(`end at ${clock.now()}`),
  };
  clock.observeInstants(observing);
  return told;
}

function spin(clock: VirtualClock, times = Number.POSITIVE_INFINITY): void {
  if (times > 0) clock.schedule(0, () => spin(clock, times - 1));
}

test('an entry that schedules the next one for the same millisecond without end ends the run', async (t) => {
  const clock = new VirtualClock();
  const told = observer(clock);
  clock.schedule(7, () => spin(clock));
  const error = await t.throwsAsync(clock.run(), { instanceOf: StandstillError });
  t.is(
    error?.message,
    'simulated time stands still at 7 ms: 300016 rounds of work that followed from each other took no time; much of nothing',
  );
  t.is(error?.atMs, 7);
  t.deepEqual(told, ['begin at 7', 'end at 7']);
});

test('a run at a standstill ends as soon as its observer sees a circle', async (t) => {
  const clock = new VirtualClock();
  observer(clock, 3);
  spin(clock);
  await t.throwsAsync(clock.run(), { instanceOf: StandstillError, message: /at 0 ms: 112 rounds .*; a circle$/ });
});

test('all that is due at one millisecond is one round, however much it is', async (t) => {
  const clock = new VirtualClock();
  const told = observer(clock, 1);
  let done = 0;
  for (let index = 0; index < 500_000; index += 1) clock.schedule(0, () => (done += 1));
  t.is(await clock.run(), 'idle');
  t.is(done, 500_000);
  t.deepEqual(told, []);
});

test('a long instant that ends is no circle, and the next one begins anew', async (t) => {
  const clock = new VirtualClock();
  const told = observer(clock);
  spin(clock, 1000);
  clock.schedule(1, () => spin(clock, 1000));
  clock.schedule(2, () => spin(clock, 10));
  t.is(await clock.run(), 'idle');
  t.deepEqual(told, ['begin at 0', 'end at 1', 'begin at 1', 'end at 2']);
});

test('rounds are counted anew with each run: a program that goes on step by step goes round in no circle', async (t) => {
  const clock = new VirtualClock();
  const told = observer(clock, 1);
  let rounds = 0;
  const next = (): void => {
    rounds += 1;
    clock.schedule(0, next);
  };
  next();
  for (let run = 1; run <= 100; run += 1) t.is(await clock.run({ isDone: () => rounds >= 10 * run }), 'done');
  t.is(clock.now(), 0);
  t.deepEqual(told, []);
});
