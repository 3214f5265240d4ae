/** printf and printed values, against what Go's fmt documents. */
import test from 'ava';
import { formatFloat, quoted, sprintf } from '../../src/templates/format.js';
import { Float, type Value } from '../../src/templates/values.js';

const f = (value: number): Float => new Float(value);

const CASES: readonly (readonly [string, readonly Value[], string])[] = [
  ['%d|%5d|%-5d|%05d|%+d|% d', [42, 42, 42, 42, 42, 42], '42|   42|42   |00042|+42| 42'],
  ['%x %X %o %b %#x %c %U %q', [255, 255, 8, 5, 255, 65, 0x1f, 65], "ff FF 10 101 0xff A U+001F 'A'"],
  ['%05d %.3d %*d', [-42, 7, 4, 9], '-0042 007    9'],
  [
    '%f %.2f %8.3f %-8.1f| %e %g',
    [f(1.5), f(3.1379), f(2), f(2.25), f(123456), f(1e-7)],
    '1.500000 3.14    2.000 2.2     | 1.234560e+05 1e-07',
  ],
  [
    '%g %g %g %.3g %+.1f %06.2f',
    [f(100_000), f(1e21), f(0.5), f(1234.5), f(2), f(-1.5)],
    '100000 1e+21 0.5 1.23e+03 +2.0 -01.50',
  ],
  [
    '%s %q %v %x %.2s %5s|%-5s|',
    ['hi', 'a"b\n', 'v', 'hi', 'héllo', 'ab', 'ab'],
    'hi "a\\"b\\n" v 6869 hé    ab|ab   |',
  ],
  ['%t %v %v %v', [true, false, null, [1, 'a', f(0.5)]], 'true false <nil> [1 a 0.5]'],
  [
    '%v %v',
    [
      new Map<string, Value>([
        ['b', 1],
        ['a', new Map([['c', 'x']])],
      ]),
      [],
    ],
    'map[a:map[c:x] b:1] []',
  ],
  ['%T %T %T %T', [1, 'a', f(1), [1]], 'int string float64 []interface {}'],
  ['%d %s %t', ['x', 3, f(1)], '%!d(string=x) %!s(int=3) %!t(float64=1)'],
  ['%d', [], '%!d(MISSING)'],
  ['x', [1, 'a'], 'x%!(EXTRA int=1, string=a)'],
  ['%', [], '%!(NOVERB)'],
  ['100%%', [], '100%'],
  ['%z', [1], '%!z(int=1)'],
  ['%[2]s %[1]s', ['a', 'b'], 'b a'],
  ['%s', [['a', 'b']], '[a b]'],
  ['%d', [[1, 2]], '[1 2]'],
  ['%#v %#v', ['a', ['b']], '"a" []interface {}{"b"}'],
];

test('printf formats as Go does, complaints included', (t) => {
  for (const [format, values, expected] of CASES) t.is(sprintf(format, values), expected, format);
});

test('floats print at their shortest, with an exponent far from 1', (t) => {
  const cases: readonly (readonly [number, string])[] = [
    [1, '1'],
    [150_000, '150000'],
    [0.1, '0.1'],
    [1e20, '100000000000000000000'],
    [1e21, '1e+21'],
    [0.0001, '0.0001'],
    [0.00001, '1e-05'],
    [-2.5, '-2.5'],
    [Infinity, '+Inf'],
    [Number.NaN, 'NaN'],
    [123456.789, '123456.789'],
  ];
  for (const [value, expected] of cases) t.is(formatFloat(value), expected);
});

test('quoted text is escaped as Go escapes it', (t) => {
  t.is(quoted('a\u0001\t"\\é\u200b😀'), '"a\\x01\\t\\"\\\\é\\u200b😀"');
});
