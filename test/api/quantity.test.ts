import test from 'ava';
import fc from 'fast-check';
import {
  addQuantities,
  canonicalQuantity,
  compareQuantities,
  cpuMillis,
  formatQuantity,
  isNegative,
  isWhole,
  milliValue,
  parseQuantity,
  QuantityError,
  subtractQuantities,
  value,
  wholeValue,
} from '../../src/api/values/quantity.js';

const SUFFIXES = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'Ki', 'Mi', 'Gi', 'Ti', 'e3', 'E-2'];

const quantityTexts = fc
  .tuple(
    fc.constantFrom('', '-', '+'),
    fc.integer({ min: 0, max: 99_999 }),
    fc.option(fc.integer({ min: 0, max: 999 })),
    fc.constantFrom(...SUFFIXES),
  )
  .map(([sign, whole, fraction, suffix]) => `${sign}${whole}${fraction === null ? '' : `.${fraction}`}${suffix}`);

test('amounts come out in milli and in whole units, rounded away from zero', (t) => {
  const amounts = ['1', '0.5', '1500m', '100u', '1n', '-0.5', '1Ki', '1.5Gi', '1e3', '12E', '2k', '.5', '5.', '+3'];
  t.deepEqual(
    amounts.map((text) => [milliValue(parseQuantity(text)), value(parseQuantity(text))]),
    [
      [1000, 1],
      [500, 1],
      [1500, 2],
      [1, 1],
      [1, 1],
      [-500, -1],
      [1_024_000, 1024],
      [1_610_612_736_000, 1_610_612_736],
      [1_000_000, 1000],
      // Everything above 2^63 - 1 counts as that.
      [2 ** 63 * 1000, 2 ** 63],
      [2_000_000, 2000],
      [500, 1],
      [5000, 5],
      [3000, 3],
    ],
  );
});

test('the canonical form keeps the kind of suffix and has no fraction', (t) => {
  const forms: readonly (readonly [string, string])[] = [
    ['0.5', '500m'],
    ['1000m', '1'],
    ['1500m', '1500m'],
    ['1000', '1k'],
    ['100000', '100k'],
    ['1.5Gi', '1536Mi'],
    ['1024Ki', '1Mi'],
    ['0.5Ki', '512'],
    ['0.5Mi', '512Ki'],
    ['1000Ki', '1000Ki'],
    ['1e3', '1e3'],
    ['1500e0', '1500'],
    ['10e2', '1e3'],
    ['0Gi', '0'],
    ['-1', '-1'],
    ['-0.0005', '-500u'],
    ['0.0000000001', '1n'],
    ['128974848', '128974848'],
    ['129M', '129M'],
  ];
  t.deepEqual(
    forms.map(([text]) => formatQuantity(parseQuantity(text))),
    forms.map(([, form]) => form),
  );
});

test('numbers as YAML has them are quantities', (t) => {
  t.deepEqual(
    [1, 0.5, 1e21].map((number) => formatQuantity(parseQuantity(number))),
    ['1', '500m', '1e21'],
  );
});

test('resource lists keep thousandths at the finest', (t) => {
  t.deepEqual(['0.0001', '1000m', '1.0005'].map(canonicalQuantity), ['1m', '1', '1001m']);
});

test('texts that look canonical to Go are kept', (t) => {
  const kept = ['01', '+1', '5.', '1.500', '01Gi', '1e3', '-1'];
  t.deepEqual(kept.map(canonicalQuantity), kept);
  const others = ['.5', '1.5', '1000m', '1024Mi', '00', '8Ki', '0.001'];
  t.deepEqual(others.map(canonicalQuantity), ['500m', '1500m', '1', '1Gi', '0', '8Ki', '1m']);
});

test('texts that are no quantities are refused in the words of Kubernetes', (t) => {
  const format = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
  for (const text of ['', 'abc', '1 Gi', '1.2.3', 'NaN']) {
    t.throws(() => parseQuantity(text), { instanceOf: QuantityError, message: format }, text);
  }
  for (const text of ['1Kii', '1mm', '1e', '1Gi5']) {
    t.throws(
      () => parseQuantity(text),
      { instanceOf: QuantityError, message: "unable to parse quantity's suffix" },
      text,
    );
  }
});

test('the remembered fast paths give the same amounts', (t) => {
  t.is(cpuMillis('250m'), 250);
  t.is(cpuMillis('250m'), 250);
  t.is(wholeValue('1Gi'), 1_073_741_824);
  t.is(cpuMillis(2), 2000);
});

test('a quantity survives printing and reading', (t) => {
  fc.assert(
    fc.property(quantityTexts, (text) => {
      const quantity = parseQuantity(text);
      const again = parseQuantity(formatQuantity(quantity));
      return compareQuantities(quantity, again) === 0 && formatQuantity(again) === formatQuantity(quantity);
    }),
  );
  t.pass();
});

test('subtraction undoes addition', (t) => {
  fc.assert(
    fc.property(quantityTexts, quantityTexts, (left, right) => {
      const [a, b] = [parseQuantity(left), parseQuantity(right)];
      return compareQuantities(subtractQuantities(addQuantities(a, b), b), a) === 0;
    }),
  );
  t.pass();
});

test('order is total and agrees with the sign of the difference', (t) => {
  fc.assert(
    fc.property(quantityTexts, quantityTexts, (left, right) => {
      const [a, b] = [parseQuantity(left), parseQuantity(right)];
      const order = compareQuantities(a, b);
      return order === -compareQuantities(b, a) + 0 && isNegative(subtractQuantities(a, b)) === order < 0;
    }),
  );
  t.pass();
});

test('isWhole › is true of whole units alone', (t) => {
  t.deepEqual(
    ['1', '1500m', '1000m', '1Ki'].map((text) => isWhole(parseQuantity(text))),
    [true, false, true, true],
  );
});
