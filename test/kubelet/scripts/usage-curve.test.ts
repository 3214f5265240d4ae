import test from 'ava';
import fc from 'fast-check';
import { nextCrossing, outOfMemoryAfterMs, usageAt, usageUntil } from '../../../src/kubelet/scripts/usage-curve.js';
import type { UsageCurve } from '../../../src/kubelet/scripts/script-types.js';

const RAMP: UsageCurve = {
  points: [
    [0, 100],
    [1000, 200],
  ],
};
const SAW: UsageCurve = { ...RAMP, repeatMs: 2000 };

test('usageAt › follows straight lines, stays level after the last point and begins anew', (t) => {
  t.deepEqual(
    [0, 250, 999, 1000, 5000].map((ms) => usageAt(RAMP, ms)),
    [100, 125, 199.9, 200, 200],
  );
  t.deepEqual(
    [0, 1999, 2000, 2500, 1_000_000_250].map((ms) => usageAt(SAW, ms)),
    [100, 200, 100, 150, 125],
  );
});

test('usageAt › is the first amount before the first point, and the later of two at one time', (t) => {
  const step: UsageCurve = {
    points: [
      [10, 1],
      [20, 1],
      [20, 5],
    ],
  };
  t.deepEqual(
    [0, 10, 19, 20, 21].map((ms) => usageAt(step, ms)),
    [1, 1, 1, 5, 5],
  );
});

test('usageUntil › adds up what is used: lines, steps, rounds, and what comes before the first and after the last point', (t) => {
  t.deepEqual(
    [0, 500, 1000, 3000].map((ms) => usageUntil(RAMP, ms)),
    [0, 62_500, 150_000, 550_000],
  );
  t.deepEqual(
    [2000, 2500, 4000].map((ms) => usageUntil(SAW, ms)),
    [350_000, 412_500, 700_000],
  );
  const step: UsageCurve = {
    points: [
      [10, 1],
      [20, 1],
      [20, 5],
    ],
  };
  t.deepEqual(
    [5, 15, 20, 30].map((ms) => usageUntil(step, ms)),
    [5, 15, 20, 70],
  );
});

test('nextCrossing › names the millisecond at which the use is over the threshold, and that at which it no longer is', (t) => {
  t.is(nextCrossing(RAMP, 150, 0), 501);
  t.is(nextCrossing(RAMP, 200, 0), Infinity);
  t.is(nextCrossing(RAMP, 50, 0), Infinity);
  t.is(nextCrossing(SAW, 150, 0), 501);
  t.is(nextCrossing(SAW, 150, 501), 2000);
  t.is(nextCrossing(SAW, 150, 2000), 2501);
  t.is(nextCrossing(SAW, 150, 9_000_000_000_000), 9_000_000_000_501);
});

test('nextCrossing › finds the millisecond of a line that rises by a byte in days', (t) => {
  const slow: UsageCurve = {
    points: [
      [0, 2 ** 40],
      [1e9, 2 ** 40 + 1],
    ],
  };
  const atMs = nextCrossing(slow, 2 ** 40 + 0.5, 0);
  t.true(usageAt(slow, atMs) > 2 ** 40 + 0.5);
  t.false(usageAt(slow, atMs - 1) > 2 ** 40 + 0.5);
});

/** Points at rising times, some of them steps. */
const curves: fc.Arbitrary<UsageCurve> = fc
  .record({
    gaps: fc.array(fc.tuple(fc.integer({ min: 0, max: 40 }), fc.integer({ min: 0, max: 12 })), {
      minLength: 1,
      maxLength: 6,
    }),
    rest: fc.option(fc.integer({ min: 1, max: 30 }), { nil: undefined }),
  })
  .map(({ gaps, rest }) => {
    let atMs = 0;
    const points = gaps.map(([gap, amount]): [number, number] => [(atMs += gap), amount]);
    return rest === undefined ? { points } : { points, repeatMs: atMs + rest };
  });

/** The same answer by looking at every millisecond. */
function lookedUp(curve: UsageCurve, threshold: number, sinceMs: number): number {
  const isOver = usageAt(curve, sinceMs) > threshold;
  const lastMs = curve.points.at(-1)?.[0] ?? 0;
  const endMs = curve.repeatMs === undefined ? lastMs : sinceMs + 2 * curve.repeatMs;
  for (let ms = sinceMs + 1; ms <= endMs; ms += 1) if (usageAt(curve, ms) > threshold !== isOver) return ms;
  return Infinity;
}

test('nextCrossing › equals what looking at every millisecond finds', (t) => {
  let crossings = 0;
  fc.assert(
    fc.property(curves, fc.integer({ min: 0, max: 24 }), fc.integer({ min: 0, max: 400 }), (curve, halves, sinceMs) => {
      const wanted = lookedUp(curve, halves / 2, sinceMs);
      if (wanted !== Infinity) crossings += 1;
      t.is(nextCrossing(curve, halves / 2, sinceMs), wanted);
    }),
    { numRuns: 5000, seed: 4 },
  );
  t.true(crossings > 1000, `${crossings} crossings`);
});

test('outOfMemoryAfterMs › is the first millisecond over the limit', (t) => {
  const limited = { resources: { limits: { memory: '150' } } };
  t.is(outOfMemoryAfterMs({ memoryBytes: RAMP }, limited), 501);
  t.is(outOfMemoryAfterMs({ memoryBytes: { points: [[0, 151]] } }, limited), 0);
  t.is(outOfMemoryAfterMs({ memoryBytes: { points: [[0, 150]] } }, limited), Infinity);
  t.is(outOfMemoryAfterMs({}, limited), Infinity);
  t.is(outOfMemoryAfterMs({ memoryBytes: RAMP }, { resources: { requests: { memory: '1' } } }), Infinity);
  t.is(outOfMemoryAfterMs({ memoryBytes: RAMP }, {}), Infinity);
});
