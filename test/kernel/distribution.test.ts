import test from 'ava';
import {
  isDistribution,
  parseDistribution,
  parseDurationMs,
  sample,
  type Distribution,
} from '../../src/kernel/distribution.js';
import { randomStream, type RandomStream } from '../../src/kernel/random.js';

const drawMany = (distribution: Distribution): number[] => {
  const random = randomStream('s', 'd');
  return Array.from({ length: 4000 }, () => sample(distribution, random));
};
const mean = (numbers: readonly number[]): number => numbers.reduce((sum, number) => sum + number, 0) / numbers.length;

test('Go durations are read in milliseconds, anything else is none', (t) => {
  const read = ['0', '500ms', '1m30s', '1.5h', '2d', ' 3s ', '', '5', '-1s', '1s 2s', '1y', `${'9'.repeat(400)}s`].map(
    parseDurationMs,
  );
  const none = undefined;
  t.deepEqual(read, [0, 500, 90_000, 5_400_000, 172_800_000, 3000, none, none, none, none, none, none]);
});

test('distributions are read from text', (t) => {
  t.deepEqual(parseDistribution('2s'), 2000);
  t.deepEqual(parseDistribution('uniform(1s, 3s)'), { uniform: [1000, 3000] });
  t.deepEqual(parseDistribution(' exponential( 10s ) '), { exponential: { meanMs: 10_000 } });
  t.deepEqual(parseDistribution('lognormal(10s, 0.5)'), { lognormal: { medianMs: 10_000, sigma: 0.5 } });
  t.deepEqual(parseDistribution('choice(1s, 5s, 1m)'), { choice: [1000, 5000, 60_000] });
});

test('text that is no distribution is refused', (t) => {
  for (const text of [
    'uniform(3s, 1s)',
    'uniform(1s)',
    'exponential(1s, 2s)',
    'exponential()',
    'lognormal(1s)',
    'lognormal(1s, -1)',
    'lognormal(1s, )',
    'lognormal(1s, Infinity)',
    'lognormal(1s, 1, 1)',
    'lognormal(x, 1)',
    'choice(1s, x)',
    'choice()',
    'gauss(1s)',
    'uniform(1s, 2s',
  ]) {
    t.is(parseDistribution(text), undefined, text);
  }
});

test('a fixed duration draws nothing and is rounded to whole milliseconds, at least 0', (t) => {
  const random: RandomStream = { int: () => t.fail(), unit: () => t.fail(), bits: () => t.fail() };
  t.is(sample(1.6, random), 2);
  t.is(sample(-5, random), 0);
});

test('draws are whole milliseconds with the right mean or median', (t) => {
  const uniform = drawMany({ uniform: [1000, 3000] });
  t.true(uniform.every((ms) => Number.isInteger(ms) && ms >= 1000 && ms <= 3000));
  t.true(Math.abs(mean(uniform) - 2000) < 50);
  t.true(Math.abs(mean(drawMany({ exponential: { meanMs: 1000 } })) - 1000) < 60);
  const lognormal = drawMany({ lognormal: { medianMs: 1000, sigma: 0.5 } }).sort((a, b) => a - b);
  t.true(Math.abs((lognormal[2000] ?? 0) - 1000) < 60);
  t.deepEqual(
    [...new Set(drawMany({ choice: [1, 5, 9] }))].sort((a, b) => a - b),
    [1, 5, 9],
  );
});

test('no draw is longer than a hundred years, whatever its tail', (t) => {
  const random: RandomStream = { int: () => 0, unit: () => 0, bits: () => 0 };
  t.is(sample({ lognormal: { medianMs: 1000, sigma: 0 } }, random), 1000);
  t.is(sample({ exponential: { meanMs: Number.MAX_VALUE } }, { ...random, unit: () => 0.9 }), 3_155_760_000_000);
});

test('isDistribution › takes what sample can draw from, and nothing else', (t) => {
  const good: readonly unknown[] = [
    0,
    1.5,
    { uniform: [1, 2] },
    { exponential: { meanMs: 0 } },
    { lognormal: { medianMs: 1, sigma: 0 } },
    { choice: [1, 2] },
  ];
  const bad: readonly unknown[] = [
    -1,
    Number.NaN,
    Infinity,
    '1s',
    null,
    undefined,
    [1],
    {},
    { uniform: [2, 1] },
    { uniform: [1] },
    { uniform: 1 },
    { exponential: null },
    { exponential: {} },
    { lognormal: { medianMs: 1 } },
    { choice: [] },
    { choice: ['1s'] },
    { uniform: [1, 2], choice: [1] },
  ];
  t.deepEqual(
    good.map(isDistribution),
    good.map(() => true),
  );
  t.deepEqual(
    bad.map(isDistribution),
    bad.map(() => false),
  );
});
