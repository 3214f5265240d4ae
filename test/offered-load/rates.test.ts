import test from 'ava';
import { readRate, readRateTable, tableAsText } from '../../src/offered-load/read-rate.js';
import { queueStep } from '../../src/offered-load/request-queue.js';
import { isNear } from './is-near.js';

const MINUTE_MS = 60_000;

function at(rate: number | string, minutes: number): number | undefined {
  return readRate(rate)?.at(minutes * MINUTE_MS);
}

function until(rate: number | string, minutes: number): number | undefined {
  return readRate(rate)?.until(minutes * MINUTE_MS);
}

test('rates › a number, points, steps and a wave say how many requests come when', (t) => {
  t.is(at(2.5, 9), 2.5);
  t.is(until('200', 1), 12_000);
  t.is(at('0s=0, 10m=100', 5), 50);
  t.is(until('0s=0, 10m=100', 5), 7500);
  t.is(until('0s=0, 10m=100', 20), 30_000 + 60_000);
  t.is(at('steps 0s=10, 5m=50', 4.99), 10);
  t.is(at('steps 0s=10, 5m=50', 5), 50);
  t.is(until('steps 0s=10, 5m=50', 10), 3000 + 15_000);
  t.is(at('0s=0, 10m=100 repeat 20m', 25), 50);
  t.is(until('0s=0, 10m=100 repeat 20m', 40), 2 * 90_000);
  const wave = 'sine 100..500 every 24h';
  t.is(at(wave, 0), 100);
  t.true(isNear(at(wave, 12 * 60), 500, 1e-9));
  t.true(isNear(at(wave, 6 * 60), 300, 1e-9));
  t.true(isNear(at(wave, 3 * 60 + 7), 300 - 200 * Math.cos((2 * Math.PI * 187) / 1440), 0.3));
  t.true(isNear(until(wave, 48 * 60), 300 * 2 * 86_400, 1e-3));
  t.true(isNear(at('sine 100..500 every 24h from 12h', 0), 500, 1e-9));
});

test('rates › a table has lines of times and rates, and may have a head', (t) => {
  const table = 'time,requests\n0,10\n60,20\n2m,20\n# an evening\n2m,5\n';
  const curve = readRateTable(table);
  t.is(curve?.at(30_000), 15);
  t.is(curve?.at(90_000), 20);
  t.is(curve?.at(120_000), 5);
  t.is(curve?.until(120_000), 15 * 60 + 20 * 60);
  t.is(tableAsText(table), '0ms=10, 60000ms=20, 120000ms=20, 120000ms=5');
  t.is(readRate(tableAsText(table))?.until(180_000), curve?.until(180_000));
});

test('rates › what is none is refused', (t) => {
  const wrong = [
    -1,
    Number.NaN,
    Infinity,
    '',
    'many',
    '-5',
    '5m=10, 1m=20',
    '0s=10, 5m=20 repeat 5m',
    '0s=10=20',
    'sine 5..1 every 1h',
    'sine 1..5 every 0',
    'sine 1..5',
    'steps',
    {},
    null,
  ];
  for (const rate of wrong) t.is(readRate(rate), undefined, JSON.stringify(rate));
  for (const table of ['', 'time,rate\n', '0,1,2', '10,1\n5,1', '0;1', 'a,b\nc,d']) {
    t.is(readRateTable(table), undefined, table);
  }
});

test('a queue › comes to the mean of M/M/1 at a steady rate, loses nothing, and keeps what it cannot do', (t) => {
  const play = (perSecond: number, couldServe: number, seconds: number, queue = Infinity): readonly number[] => {
    let [inSystem, served, refused] = [0, 0, 0];
    for (let second = 0; second < seconds; second += 1) {
      const step = queueStep(inSystem, perSecond, couldServe, queue);
      inSystem = step.inSystem;
      served += step.served;
      refused += step.refused;
    }
    t.true(isNear(served + inSystem + refused, perSecond * seconds, 1e-6));
    return [inSystem, served, refused];
  };
  for (const load of [0.1, 0.5, 0.8, 0.95]) {
    t.true(isNear(play(100 * load, 100, 2000)[0], load / (1 - load), 1e-6), `${load}`);
  }
  const [piled = 0, served = 0] = play(150, 100, 100);
  t.true(isNear(piled, 5000, 20));
  t.true(isNear(served, 10_000, 20));
  t.deepEqual(play(0, 100, 10), [0, 0, 0]);
  t.deepEqual(play(7, Infinity, 10), [0, 70, 0]);
  const [held, , refused = 0] = play(150, 100, 100, 500);
  t.is(held, 500);
  t.true(isNear(refused, 4500, 50));
});
