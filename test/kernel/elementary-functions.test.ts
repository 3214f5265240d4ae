import test from 'ava';
import { cosineOfTurns, naturalLog, powerOfE } from '../../src/kernel/elementary-functions.js';
import { randomStream } from '../../src/kernel/random.js';

const view = new DataView(new ArrayBuffer(8));

/** The number of a double in the order of all doubles. */
function rankOf(value: number): bigint {
  view.setFloat64(0, value);
  const bits = view.getBigInt64(0);
  return bits < 0n ? -(bits & 0x7fff_ffff_ffff_ffffn) : bits;
}

/** How many doubles lie between two, the second included. */
function unitsApart(a: number, b: number): number {
  if (Object.is(a, b)) return 0;
  const distance = Number(rankOf(a) - rankOf(b));
  return Math.abs(distance);
}

function worst(own: (x: number) => number, engine: (x: number) => number, argument: (unit: number) => number): number {
  const random = randomStream('seed', 'arguments');
  let most = 0;
  for (let draws = 0; draws < 100_000; draws += 1) {
    const x = argument(random.unit());
    most = Math.max(most, unitsApart(own(x), engine(x)));
  }
  return most;
}

test('naturalLog › is within two units in the last place of the engine, on every magnitude', (t) => {
  t.true(worst(naturalLog, Math.log, (unit) => 1 - unit) <= 2);
  t.true(worst(naturalLog, Math.log, (unit) => 1 + (unit - 0.5) * 1e-6) <= 2);
  t.true(worst(naturalLog, Math.log, (unit) => Math.exp((unit - 0.5) * 1480)) <= 2);
  t.deepEqual([0, -0, -1, Number.NaN, Infinity, 1].map(naturalLog), [
    -Infinity,
    -Infinity,
    Number.NaN,
    Number.NaN,
    Infinity,
    0,
  ]);
  t.true(unitsApart(naturalLog(5e-324), Math.log(5e-324)) <= 2);
});

test('powerOfE › is within two units in the last place of the engine, up to where numbers end', (t) => {
  t.true(worst(powerOfE, Math.exp, (unit) => (unit - 0.5) * 40) <= 2);
  t.true(worst(powerOfE, Math.exp, (unit) => (unit - 0.5) * 1490) <= 2);
  t.deepEqual([710, -746, 0, -0, Infinity, -Infinity, Number.NaN].map(powerOfE), [
    Infinity,
    0,
    1,
    1,
    Infinity,
    0,
    Number.NaN,
  ]);
});

test('cosineOfTurns › is that of the angle to 15 digits, and exact where a turn is quartered', (t) => {
  const random = randomStream('seed', 'turns');
  for (let draws = 0; draws < 100_000; draws += 1) {
    const turns = random.unit();
    const difference = Math.abs(cosineOfTurns(turns) - Math.cos(2 * Math.PI * turns));
    if (difference > 1e-15) t.fail(`${turns} is off by ${difference}`);
  }
  t.deepEqual([0, 0.25, 0.5, 0.75, 1].map(cosineOfTurns), [1, 0, -1, 0, 1]);
});

/** The bits of a double, in hex. */
function bitsOf(value: number): string {
  view.setFloat64(0, value);
  return view.getBigUint64(0).toString(16);
}

test('elementary functions › come out the same to the last bit', (t) => {
  t.deepEqual([0.1, 3, 5002, 1e-300].map(naturalLog).map(bitsOf), [
    'c0026bb1bbb55515',
    '3ff193ea7aad030a',
    '40210901f6dc84b9',
    'c085963447f87fb5',
  ]);
  t.deepEqual([0.1, -3, 50, -700.25].map(powerOfE).map(bitsOf), [
    '3ff1aec7b35a00d4',
    '3fa97db0ccceb0af',
    '44719103e4080b45',
    'caf5fe9a485c8e',
  ]);
  t.deepEqual([0.1, 0.2, 0.4, 0.9].map(cosineOfTurns).map(bitsOf), [
    '3fe9e3779b97f4a8',
    '3fd3c6ef372fe94e',
    'bfe9e3779b97f4a8',
    '3fe9e3779b97f4a8',
  ]);
});
