import test from 'ava';
import { documentsOf } from '../../../src/load/input/load-fields.js';
import { RenderedTexts } from '../../../src/load/input/rendered-texts.js';
import { randomStream, type RandomStream } from '../../../src/kernel/random.js';

/** What is written behind a key: plain, quoted, of other kinds than it looks, and what reaches beyond its line. */
const WRITTEN = [
  'web-1',
  'web-22',
  'registry.k8s.io/pause:3.9',
  'a',
  '1',
  '22',
  '0',
  '007',
  '1.5',
  '-3',
  '1e3',
  '0x1f',
  '0o17',
  '.5',
  '~',
  'null',
  'Null',
  'true',
  'True',
  'no',
  'on',
  '500m',
  '12Mi',
  '3E',
  '2030-01-01',
  '12:30',
  '"5"',
  '"true"',
  "'x y'",
  "'it''s'",
  String.raw`"tab\tbed"`,
  '"a: b"',
  '"# no comment"',
  'a # comment',
  'a#b',
  'a: b',
  '',
  '|',
  '>-',
  '{a: 1}',
  '[a, 1]',
  '&x a',
  '*x',
  '!!str 5',
  '"open',
  'two words',
  '-',
  '- a',
  '__proto__',
  'constructor',
  '@a',
  '%a',
  '`a`',
  ',a',
  '?',
  '? a',
];

const SHAPES: readonly ((value: () => string) => string)[] = [
  (value) =>
    `apiVersion: v1\nkind: Pod\nmetadata:\n  name: ${value()}\n  labels: {a: b}\nspec:\n  containers:\n  - name: ${value()}\n    image: ${value()}\n  - image: ${value()}\n`,
  (value) => `a: ${value()}\n  more\nb: ${value()}\n`,
  (value) => `a: |\n  b: ${value()}\n  c: ${value()}\nd: ${value()}\n`,
  (value) => `a: ${value()}\n---\na: ${value()}\n---\n# a: ${value()}\n`,
  (value) => `a: ${value()}\na: ${value()}\n`,
  (value) => `a:\n- - b: ${value()}\n    c: ${value()}\n- d: "x\n  e: ${value()}"\n`,
  (value) => `a: &x\n  b: ${value()}\nc: *x\nd:\n  <<: *x\n  e: ${value()}\n`,
  (value) => `a: {\n  b: ${value()}\n}\nc: [\n  d: ${value()}\n]\n`,
  (value) => `"a": ${value()}\n? b\n: ${value()}\n1: ${value()}\n`,
  (value) => `a: ${value()}\r\nb: ${value()}\r\n`,
];

function outcome(read: () => unknown): unknown {
  try {
    return { read: read() };
  } catch (error) {
    return error instanceof Error ? `${error.name} ${error.message}` : error;
  }
}

function pick<T>(random: RandomStream, from: readonly T[]): T {
  return from[random.int(0, from.length - 1)] as T;
}

test('a text reads as it does by itself, whatever was read before', (t) => {
  const random = randomStream('1', 'texts');
  let shared = 0;
  for (let round = 0; round < 60; round += 1) {
    const texts = new RenderedTexts();
    const shape = SHAPES[round % SHAPES.length] ?? SHAPES[0];
    for (let turn = 0; turn < 60; turn += 1) {
      // Mostly values that differ in their number alone, as templates make them.
      const value = (): string => (random.int(0, 3) > 0 ? `web-${random.int(0, 9)}` : pick(random, WRITTEN));
      const text = shape?.(value) ?? '';
      const alone = outcome(() => documentsOf(text, 'a.yaml').map((document) => document.value));
      const together = outcome(() => texts.valuesOf(text, 'a.yaml'));
      t.deepEqual(together, alone, text);
      if (typeof alone === 'object') shared += 1;
    }
  }
  t.true(shared > 1000);
});

function named(name: string): string {
  return `metadata:\n  name: ${name}\n  labels:\n    app: ${name}\nspec:\n  size: 3\n`;
}

test('texts that share parts stay as they were when others are read', (t) => {
  const texts = new RenderedTexts();
  const [first] = texts.valuesOf(named('web-1'), 'a.yaml');
  const [second] = texts.valuesOf(named('web-2'), 'a.yaml') as readonly { readonly spec: unknown }[];
  t.deepEqual(first, { metadata: { name: 'web-1', labels: { app: 'web-1' } }, spec: { size: 3 } });
  t.deepEqual(second, { metadata: { name: 'web-2', labels: { app: 'web-2' } }, spec: { size: 3 } });
  // It was put together, and not read: that is what makes it cheap.
  t.is(second?.spec, (first as { readonly spec: unknown }).spec);
});
