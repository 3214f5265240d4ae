import test from 'ava';
import { yamlText } from '../../src/server/yaml-text.js';

test('YAML › names are in order, lists as far to the left as their names, and empty parts on their line', (t) => {
  const value = {
    kind: 'List',
    apiVersion: 'v1',
    items: [{ b: [1, [2]], a: {} }],
    none: null,
    list: [],
    deep: { x: true },
  };
  t.is(
    yamlText(value),
    'apiVersion: v1\ndeep:\n  x: true\nitems:\n- a: {}\n  b:\n  - 1\n  - - 2\nkind: List\nlist: []\nnone: null\n',
  );
});

/** As kube-apiserver v1.34.2 answered them in the data of a config map. */
const TEXTS: readonly (readonly [value: string, written: string])[] = [
  ['', '""'],
  ['true', '"true"'],
  ['y', '"y"'],
  ['12', '"12"'],
  ['1e3', '"1e3"'],
  ['0x1f', '"0x1f"'],
  ['1_000', '"1_000"'],
  ['12:30:45', '"12:30:45"'],
  ['2026-01-01T00:00:00Z', '"2026-01-01T00:00:00Z"'],
  ['.NaN', '".NaN"'],
  ['1.2.3', '1.2.3'],
  ['100m', '100m'],
  ['a: b', "'a: b'"],
  ['a:', "'a:'"],
  ['a #b', "'a #b'"],
  ['- a', "'- a'"],
  ['?', "'?'"],
  ['*a', "'*a'"],
  ["it's", "it's"],
  ['say "x"', 'say "x"'],
  [' a', "' a'"],
  ['a\tb', String.raw`"a\tb"`],
  ['a\r\nb', String.raw`"a\r\nb"`],
  ['a\u0001b', String.raw`"a\x01b"`],
  ['\u{1f600}', String.raw`"\U0001F600"`],
  ['é', 'é'],
  ['a\nb\n', '|\n  a\n  b'],
  ['a\nb', '|-\n  a\n  b'],
  ['a\n\n', '|+\n  a\n'],
  ['\n a\nb', '|2-\n\n   a\n  b'],
];

test('YAML › texts are written as Go writes them', (t) => {
  for (const [value, written] of TEXTS) t.is(yamlText({ k: value }), `k: ${written}\n`, JSON.stringify(value));
});

test('YAML › long texts are folded at single blanks beyond 80 columns', (t) => {
  t.is(
    yamlText({ data: { long: `${'word '.repeat(20)}end` } }),
    `data:\n  long: ${Array.from({ length: 15 }, () => 'word').join(' ')}\n    word word word word word end\n`,
  );
});
