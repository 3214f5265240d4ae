import test from 'ava';
import { UsageSum } from '../../../src/kubelet/scripts/usage-sum.js';
import type { UsageCurve } from '../../../src/kubelet/scripts/script-types.js';
import { createKernel } from '../../../src/kernel/engine/kernel.js';

test('lines are added, and where their sum crosses a level is found to the millisecond', (t) => {
  const sum = new UsageSum();
  sum.add(100);
  sum.addCurve(
    {
      points: [
        [0, 0],
        [1000, 100],
      ],
    },
    500,
  );
  sum.addCurve(
    {
      points: [
        [0, 0],
        [1000, 100],
      ],
    },
    1000,
  );
  t.deepEqual(
    [0, 1000, 1250, 9000].map((atMs) => sum.at(Math.max(atMs, 1000))),
    [150, 150, 200, 300],
  );
  t.is(sum.nextCrossing(200, 1000), 1251);
  t.is(sum.nextCrossing(300, 1000), Infinity);
  t.is(sum.nextCrossing(299, 1000), 1991);
});

test('curves that begin anew cross again; two of them in step with neither', (t) => {
  const sum = new UsageSum();
  sum.addCurve(
    {
      points: [
        [0, 0],
        [10, 10],
      ],
      repeatMs: 20,
    },
    0,
  );
  sum.addCurve(
    {
      points: [
        [0, 0],
        [15, 15],
      ],
      repeatMs: 30,
    },
    0,
  );
  const slow = (level: number, fromMs: number): number => {
    const isOver = sum.at(fromMs) > level;
    let atMs = fromMs + 1;
    while (sum.at(atMs) > level === isOver) atMs += 1;
    return atMs;
  };
  for (let fromMs = 0; fromMs < 120; fromMs += 7) t.is(sum.nextCrossing(18, fromMs), slow(18, fromMs));
});

test('any sum is crossed where a search millisecond by millisecond finds it', (t) => {
  const random = createKernel({ seed: 'sums' }).random('curves');
  for (let round = 0; round < 60; round += 1) {
    const sum = new UsageSum();
    for (let index = 0; index < 3; index += 1) {
      const curve: UsageCurve = {
        points: [
          [0, random.int(0, 50)],
          [random.int(1, 40), random.int(0, 50)],
          [random.int(41, 80), random.int(0, 50)],
        ],
        ...(random.int(0, 1) === 0 ? {} : { repeatMs: random.int(81, 120) }),
      };
      sum.addCurve(curve, random.int(0, 30));
    }
    const level = random.int(20, 120);
    const fromMs = random.int(30, 60);
    const isOver = sum.at(fromMs) > level;
    let slowMs = fromMs + 1;
    while (slowMs < 2000 && sum.at(slowMs) > level === isOver) slowMs += 1;
    const foundMs = sum.nextCrossing(level, fromMs);
    t.is(slowMs === 2000 ? foundMs >= 2000 : foundMs === slowMs, true, `round ${round}: ${foundMs}, not ${slowMs}`);
  }
});
