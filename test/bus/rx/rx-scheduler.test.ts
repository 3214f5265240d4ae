import test from 'ava';
import {
  auditTime,
  debounceTime,
  delay,
  interval,
  map,
  merge,
  observeOn,
  of,
  take,
  timer,
  type Observable,
} from 'rxjs';
import { createRxScheduler } from '../../../src/bus/rx/rx-scheduler.js';
import { VirtualClock } from '../../../src/kernel/engine/virtual-clock.js';

/** Runs a stream to its end in simulated time; each value as `<value>@<time>`. */
async function play<T>(
  t: { is(actual: unknown, expected: unknown): void },
  build: (scheduler: ReturnType<typeof createRxScheduler>) => Observable<T>,
): Promise<string[]> {
  const clock = new VirtualClock();
  const seen: string[] = [];
  build(createRxScheduler(clock)).subscribe((value) => seen.push(`${String(value)}@${clock.now()}`));
  t.is(await clock.run(), 'idle');
  t.is(clock.pending, 0);
  return seen;
}

/** Emits each of five times when it has come. */
function times(scheduler: ReturnType<typeof createRxScheduler>): Observable<number> {
  return merge(...[0, 10, 20, 50, 51].map((ms) => timer(ms, scheduler).pipe(map(() => ms))));
}

test('timer and interval emit in simulated time', async (t) => {
  t.deepEqual(await play(t, (scheduler) => timer(1000, scheduler)), ['0@1000']);
  t.deepEqual(await play(t, (scheduler) => timer(5, 10, scheduler).pipe(take(3))), ['0@5', '1@15', '2@25']);
  t.deepEqual(await play(t, (scheduler) => interval(60_000, scheduler).pipe(take(2))), ['0@60000', '1@120000']);
});

test('delay keeps the order and the distances', async (t) => {
  const seen = await play(t, (scheduler) =>
    merge(of('a', 'b'), timer(7, scheduler).pipe(map(() => 'c'))).pipe(delay(100, scheduler)),
  );
  t.deepEqual(seen, ['a@100', 'b@100', 'c@107']);
});

test('debounceTime and auditTime work on simulated time', async (t) => {
  t.deepEqual(await play(t, (scheduler) => times(scheduler).pipe(debounceTime(15, scheduler))), ['20@35', '51@51']);
  t.deepEqual(await play(t, (scheduler) => times(scheduler).pipe(auditTime(15, scheduler))), [
    '10@15',
    '20@35',
    '51@65',
  ]);
});

test('observeOn delivers in a tick of its own', async (t) => {
  const clock = new VirtualClock();
  const seen: string[] = [];
  of('a', 'b')
    .pipe(observeOn(createRxScheduler(clock)))
    .subscribe((value) => seen.push(value));
  t.deepEqual(seen, []);
  await clock.run();
  t.deepEqual(seen, ['a', 'b']);
});

test('unsubscribing leaves no timer', (t) => {
  const clock = new VirtualClock();
  const subscription = interval(10, createRxScheduler(clock)).subscribe();
  t.is(clock.pending, 1);
  subscription.unsubscribe();
  t.is(clock.pending, 0);
});

test('an error in scheduled work surfaces from the loop and ends that work', async (t) => {
  const clock = new VirtualClock();
  const subscription = createRxScheduler(clock).schedule(() => {
    throw new Error('boom');
  }, 5);
  await t.throwsAsync(clock.run(), { message: 'boom' });
  t.true(subscription.closed);
  t.is(clock.pending, 0);
});
