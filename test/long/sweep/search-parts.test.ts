import test from 'ava';
import { OptionError, search, searchParts } from '../../../src/index.js';

const TIMEOUT_MS = 300_000;
const BOUNDS = { nodes: [2, 3], faults: [1, 3], minutes: [2, 3], changes: [1, 2] } as const;

test('a search in parts, on threads, comes to what it comes to in one piece', async (t) => {
  t.timeout(TIMEOUT_MS);
  const what = { seeds: 5, from: 3, bounds: BOUNDS };
  const whole = await search(what);
  const [first, second] = [1, 2].map((index) => searchParts({ ...what, workers: 1, shard: { index, count: 2 } }));
  const parts = [await first, await second];
  t.deepEqual(
    parts.map((part) => part?.seeds),
    [3, 2],
  );
  t.is((parts[0]?.virtualMs ?? 0) + (parts[1]?.virtualMs ?? 0), whole.virtualMs);
  t.is((parts[0]?.podsCreated ?? 0) + (parts[1]?.podsCreated ?? 0), whole.podsCreated);
  const all = await searchParts(what);
  t.deepEqual(
    { ...all, actions: new Map([...all.actions].toSorted(byVerb)) },
    { ...whole, actions: new Map([...whole.actions].toSorted(byVerb)) },
  );
});

test('a search in parts that cannot be is refused', async (t) => {
  for (const [options, message] of [
    [{ seeds: 1, shard: { index: 3, count: 2 } }, /^shard must be an index in 1\.\.count, got /],
    [{ seeds: 1, workers: 1, queue: 'redis://localhost' }, /^workers must be 0 with a queue/],
    [{ seeds: -1 }, /^seeds must be an integer >= 0, got -1$/],
  ] as const) {
    await t.throwsAsync(searchParts(options), { instanceOf: OptionError, message });
  }
});

function byVerb([left]: readonly [string, number], [right]: readonly [string, number]): number {
  return left < right ? -1 : 1;
}
