import test from 'ava';
import { ApiError } from '../../src/api/errors/api-error.js';
import { randomStream } from '../../src/kernel/random.js';
import { arrivalTimes, type ArrivalProcess } from '../../src/workload/arrival-process.js';
import { startArrivals, timedDrafts, type ArrivalProgress, type TimedDraft } from '../../src/workload/arrivals.js';
import { createScene, podDraft } from '../bus/scene.js';

const first = (count: number, process: ArrivalProcess, seed = '1'): number[] => {
  const times: number[] = [];
  for (const atMs of arrivalTimes(process, randomStream(seed, 'workload/arrivals'))) {
    if (times.length === count) break;
    times.push(atMs);
  }
  return times;
};

const make = (index: number): Omit<TimedDraft, 'atMs'> => ({
  kind: 'Pod',
  draft: { metadata: { name: `p-${index}` } },
});

test('constant arrivals are evenly spaced, without drift', (t) => {
  t.deepEqual(first(6, { type: 'constant', perSecond: 3 }), [333, 667, 1000, 1333, 1667, 2000]);
});

test('bursts come all at once, again and again', (t) => {
  t.deepEqual(first(5, { type: 'burst', size: 2, everyMs: 500 }), [0, 0, 500, 500, 1000]);
});

test('Poisson arrivals have the mean of their rate and depend on the seed alone', (t) => {
  const times = first(20_000, { type: 'poisson', perSecond: 100 });
  t.deepEqual(times.slice(0, 100), first(100, { type: 'poisson', perSecond: 100 }));
  t.notDeepEqual(times.slice(0, 100), first(100, { type: 'poisson', perSecond: 100 }, '2'));
  t.true(times.every((time, index) => index === 0 || time >= (times[index - 1] ?? 0)));
  t.true(Math.abs((times.at(-1) ?? 0) - 200_000) < 5000);
});

test('drafts are made one by one, as many as were asked for', (t) => {
  const times = arrivalTimes({ type: 'burst', size: 2, everyMs: 10 }, randomStream('1', 'x'));
  t.deepEqual(
    [...timedDrafts(times, 3, make)].map(({ atMs, draft }) => [atMs, draft.metadata?.name]),
    [
      [0, 'p-0'],
      [0, 'p-1'],
      [10, 'p-2'],
    ],
  );
  t.deepEqual([...timedDrafts(times, 0, make)], []);
});

const podAt = (atMs: number, name: string): TimedDraft => ({ atMs, kind: 'Pod', draft: podDraft(name) });

test('objects are created at their moments, over the link', async (t) => {
  const { clock, server, bus, run } = createScene();
  await run(1000);
  const { client } = bus.connect('workload');
  const arrivals = startArrivals({ clock, client, arrivals: [podAt(0, 'a'), podAt(10, 'b'), podAt(10, 'c')] });
  const told: ArrivalProgress[] = [];
  let completedMs = 0;
  arrivals.progress$.subscribe({
    next: (progress) => told.push(progress),
    complete: () => (completedMs = clock.now()),
  });
  const existing = server.count('Pod');
  await run(12);
  t.is(server.count('Pod') - existing, 1, 'requests take 3 ms one way');
  await run(100);
  t.is(server.count('Pod') - existing, 3);
  t.deepEqual(
    told.map(({ atMs, sent, created, failed }) => [atMs, sent, created, failed]),
    [
      [1000, 1, 0, 0],
      [1010, 3, 1, 0],
      [1016, 3, 3, 0],
    ],
  );
  t.is(completedMs, 1016);
  t.true(arrivals.isDone);
});

test('a refused object is counted with its reason, and the others go on', async (t) => {
  const { clock, bus, run } = createScene();
  const { client } = bus.connect('workload');
  const arrivals = startArrivals({ clock, client, arrivals: [podAt(0, 'a'), podAt(5, 'a'), podAt(10, 'b')] });
  await run(100);
  const { sent, created, failed, lastError } = arrivals.progress;
  t.deepEqual([sent, created, failed], [3, 2, 1]);
  t.true(lastError instanceof ApiError && lastError.reason === 'AlreadyExists');
});

test('stopped arrivals send no more and leave no timer', async (t) => {
  const { clock, bus, run } = createScene();
  const { client } = bus.connect('workload');
  const before = clock.pending;
  const endless = timedDrafts(arrivalTimes({ type: 'constant', perSecond: 1 }, randomStream('1', 'x')), 1e9, make);
  const arrivals = startArrivals({ clock, client, arrivals: endless });
  let isComplete = false;
  arrivals.progress$.subscribe({ complete: () => (isComplete = true) });
  await run(2500);
  arrivals.stop();
  await run(1000);
  t.is(arrivals.progress.sent, 2);
  t.true(isComplete);
  t.true(clock.pending <= before);
});

test('without any object the arrivals are done', async (t) => {
  const { clock, bus, run } = createScene();
  const arrivals = startArrivals({ clock, client: bus.connect('workload').client, arrivals: [] });
  let isComplete = false;
  arrivals.progress$.subscribe({ complete: () => (isComplete = true) });
  await run(1);
  t.true(isComplete && arrivals.isDone);
});
