import test from 'ava';
import type { HostClock } from '../../src/kernel/engine/host-clock.js';
import { RealClock } from '../../src/kernel/engine/real-clock.js';

/** Simulated seconds per real second: a simulated minute takes less than a millisecond. */
const SPEED = 1_000_000;

/** A host with a time that passes by sleeps, and when a test says so. */
class StillHost implements HostClock {
  #nowMs = 1_000_000;

  nowMs(): number {
    return this.#nowMs;
  }

  after(delayMs: number, task: () => void): () => void {
    const handle = setImmediate(() => {
      this.pass(delayMs);
      task();
    });
    return () => clearImmediate(handle);
  }

  pass(ms: number): void {
    this.#nowMs += ms;
  }
}

test('entries run in the same order as in virtual time, each at its own due time', async (t) => {
  const clock = new RealClock(SPEED);
  const ran: string[] = [];
  for (const [delayMs, name] of [
    [20_000, 'b'],
    [10_000, 'a'],
    [20_000, 'c'],
  ] as const) {
    clock.schedule(delayMs, () => ran.push(`${name}@${clock.now()}`));
  }
  t.is(await clock.run({ untilMs: 30_000 }), 'limit');
  t.deepEqual(ran, ['a@10000', 'b@20000', 'c@20000']);
  t.is(clock.pending, 0);
});

test('an entry from outside wakes a clock that waits for a later one', async (t) => {
  const clock = new RealClock(1);
  const ran: string[] = [];
  clock.schedule(3_600_000, () => ran.push('in an hour'));
  const run = clock.run({ isDone: () => ran.length === 1 });
  setImmediate(() => clock.schedule(0, () => ran.push('now')));
  t.is(await run, 'done');
  t.deepEqual(ran, ['now']);
  clock.dispose();
});

test('a signal wakes a clock that sleeps', async (t) => {
  const clock = new RealClock(1);
  const stop = new AbortController();
  clock.schedule(3_600_000, () => t.fail());
  const run = clock.run({ signal: stop.signal });
  setImmediate(() => stop.abort());
  t.is(await run, 'aborted');
  clock.dispose();
});

test('dispose wakes a clock that waits for input, and ends its run', async (t) => {
  const clock = new RealClock(SPEED);
  const run = clock.run();
  setImmediate(() => clock.dispose());
  t.is(await run, 'aborted');
  t.is(clock.pending, 0);
});

test('time never falls and never passes an entry that has not run', async (t) => {
  const clock = new RealClock(SPEED);
  const seen: number[] = [];
  for (const delayMs of [7, 7, 100, 1000]) clock.schedule(delayMs, () => seen.push(clock.now()));
  await clock.run({ untilMs: 2000 });
  t.deepEqual(seen, [7, 7, 100, 1000]);
  t.true(clock.now() >= 2000);
});

test('real time between two runs takes no simulated time', async (t) => {
  const host = new StillHost();
  const clock = new RealClock(2, host);
  const ran: number[] = [];
  clock.schedule(1000, () => ran.push(clock.now()));
  t.is(await clock.run({ isDone: () => ran.length === 1 }), 'done');
  host.pass(60_000);
  t.is(clock.now(), 1000);
  clock.schedule(3000, () => ran.push(clock.now()));
  const beforeMs = host.nowMs();
  t.is(await clock.run({ untilMs: 2000 }), 'limit');
  t.deepEqual([clock.now(), host.nowMs() - beforeMs, ran], [2000, 500, [1000]]);
  host.pass(60_000);
  t.true(await clock.step());
  t.deepEqual([host.nowMs() - beforeMs, ran], [500 + 60_000 + 1000, [1000, 4000]]);
});

test('a run that is behind real time does not make up for it in the next run', async (t) => {
  const host = new StillHost();
  const clock = new RealClock(1, host);
  clock.schedule(10, () => host.pass(5000));
  clock.schedule(20, () => t.is(clock.now(), 20));
  t.is(await clock.run({ isDone: () => clock.now() === 10 }), 'done');
  const beforeMs = host.nowMs();
  await clock.run({ untilMs: 100 });
  t.is(host.nowMs() - beforeMs, 90);
});
