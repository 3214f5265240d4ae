import test from 'ava';
import { take } from 'rxjs';
import { arrivals, createCluster, type Arrival, type ArrivalProcess, type Cluster } from '../../src/index.js';
import { randomStream } from '../../src/kernel/random.js';
import { arrivalTimes } from '../../src/workload/arrival-process.js';
import { errorOf } from '../error-of.js';

function times(process: ArrivalProcess, count: number): readonly number[] {
  const found: number[] = [];
  for (const atMs of arrivalTimes(process, randomStream('1', 'x'))) {
    if (found.length === count) break;
    found.push(atMs);
  }
  return found;
}

async function played(
  cluster: Cluster,
  process: ArrivalProcess,
  count = Infinity,
): Promise<{ readonly heard: readonly Arrival[]; readonly isOver: boolean; readonly atMs: readonly number[] }> {
  const heard: Arrival[] = [];
  const atMs: number[] = [];
  let isOver = false;
  await cluster.run({ limit: '5s' });
  const startMs = cluster.nowMs;
  arrivals(cluster, process, { count }).subscribe({
    next: (arrival) => {
      heard.push(arrival);
      atMs.push(cluster.nowMs - startMs);
    },
    complete: () => (isOver = true),
  });
  await cluster.run({ limit: '10s' });
  return { heard, isOver, atMs };
}

test('a ramp comes where the area below its rate is whole, and goes on at the rate that it came to', (t) => {
  // From 0 to 10 a second over 2 s: 10 arrivals at 2·sqrt(n/10) s, then one each 100 ms.
  t.deepEqual(
    times({ type: 'ramp', fromPerSecond: 0, toPerSecond: 10, overMs: 2000 }, 13),
    [632, 894, 1095, 1265, 1414, 1549, 1673, 1789, 1897, 2000, 2100, 2200, 2300],
  );
  const falling = times({ type: 'ramp', fromPerSecond: 10, toPerSecond: 0, overMs: 2000 }, 100);
  t.deepEqual(falling, [103, 211, 327, 451, 586, 735, 905, 1106, 1368, 2000]);
  const even = times({ type: 'ramp', fromPerSecond: 4, toPerSecond: 4, overMs: 500 }, 4);
  t.deepEqual(even, [250, 500, 750, 1000]);
  t.deepEqual(times({ type: 'ramp', fromPerSecond: 0, toPerSecond: 0, overMs: 500 }, 4), []);
});

test('a recording is played again at its moments, and ends with it', async (t) => {
  const cluster = createCluster({ nodes: 0 });
  const { heard, isOver, atMs } = await played(cluster, { type: 'replayed', atMs: [0, 12, 12, 40.4] });
  t.deepEqual(atMs, [0, 12, 12, 40]);
  t.deepEqual(heard.at(-1), { index: 3, atMs: 40 });
  t.true(isOver);
  await cluster.dispose();
});

test('a source tells each arrival at its moment, as many as are wanted, the same for the same seed and name', async (t) => {
  const cluster = createCluster({ nodes: 0, seed: 5 });
  const process = { type: 'poisson', perSecond: 20 } as const;
  const first = await played(cluster, process, 50);
  t.deepEqual(
    first.heard.map(({ atMs }) => atMs),
    first.atMs,
  );
  t.is(first.heard.length, 50);
  t.true(first.isOver);
  t.deepEqual((await played(cluster, process, 50)).atMs, first.atMs);
  const other = createCluster({ nodes: 0, seed: 6 });
  t.notDeepEqual((await played(other, process, 50)).atMs, first.atMs);
  await Promise.all([cluster.dispose(), other.dispose()]);
});

test('a source makes load, and ends with its subscription', async (t) => {
  const cluster = createCluster({ nodes: 2 });
  await cluster.ready();
  const burst = arrivals(cluster, { type: 'burst', size: 5, everyMs: 1000 });
  burst.pipe(take(12)).subscribe(({ index }) => {
    cluster.create('Pod', { metadata: { name: `p-${index}` }, spec: { containers: [{ name: 'c', image: 'i' }] } });
  });
  const { end } = await cluster.run({ until: () => cluster.readyPods === 12, limit: '1m' });
  t.is(end, 'done');
  t.is(cluster.list('Pod').length, 12);
  await cluster.dispose();
});

test('a process that cannot be is refused with its field, what it got and what is allowed', async (t) => {
  const cluster = createCluster({ nodes: 0 });
  const refusal = (process: unknown, options = {}): string =>
    errorOf(() => arrivals(cluster, process as ArrivalProcess, options));
  t.is(
    refusal({ type: 'steady' }),
    'ArrivalError: process.type must be one of constant, ramp, poisson, burst, replayed, got "steady"',
  );
  t.is(refusal(undefined), 'OptionError: process must be an object, got undefined');
  t.is(refusal({ type: 'constant', perSecond: 0 }), 'ArrivalError: process.perSecond must be a number > 0, got 0');
  t.is(refusal({ type: 'burst', size: 1.5, everyMs: 1 }), 'ArrivalError: process.size must be an integer > 0, got 1.5');
  t.is(
    refusal({ type: 'constant', perSecond: 1, rate: 2 }),
    'ArrivalError: process.rate is not known of constant; known are perSecond',
  );
  t.regex(
    refusal({ type: 'replayed', atMs: [5, 4] }),
    /process\.atMs must be a list of milliseconds >= 0 that do not fall, got a list$/,
  );
  t.is(refusal({ type: 'constant', perSecond: 1 }, { count: -1 }), 'ArrivalError: count must be a number >= 0, got -1');
  t.is(refusal({ type: 'constant', perSecond: 1 }, { name: 7 }), 'ArrivalError: name must be a text, got 7');
  await cluster.dispose();
});
