import test from 'ava';
import { embeddedErrors, withEmbeddedMeta } from '../../../src/api/custom/embedded-resources.js';
import type { JsonSchema, ValidationRule } from '../../../src/api/custom/json-schema.js';
import { ruleErrors } from '../../../src/api/custom/rules.js';
import { hasFormat } from '../../../src/api/go/text-formats.js';

function ruled(schema: JsonSchema, ...rules: readonly ValidationRule[]): JsonSchema {
  return { ...schema, 'x-kubernetes-validations': rules };
}

const ITEM = ruled(
  { type: 'object', properties: { a: { type: 'string' }, b: ruled({ type: 'integer' }, { rule: 'self < 5' }) } },
  { rule: "self.a != 'bad'" },
);
const SCHEMA: JsonSchema = {
  type: 'object',
  properties: {
    atomic: { type: 'array', items: ITEM },
    keyed: { type: 'array', 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['a'], items: ITEM },
    whole: {
      type: 'object',
      'x-kubernetes-map-type': 'atomic',
      properties: { x: ruled({ type: 'integer' }, { rule: 'self >= oldSelf', message: 'x grows' }) },
    },
    once: ruled(
      { type: 'string' },
      {
        rule: "oldSelf.hasValue() ? self == oldSelf.value() : self == 'new'",
        optionalOldSelf: true,
        messageExpression: "oldSelf.hasValue() ? 'was ' + oldSelf.value() : 'is new'",
        message: 'set once',
      },
    ),
  },
};

function told(object: object, previous?: object): readonly string[] {
  const errors = ruleErrors(object as Record<string, unknown>, SCHEMA, previous as Record<string, unknown> | undefined);
  return errors.map(({ field, detail }) => `${field}: ${detail.replace(/^Invalid value: "\w*": /, '')}`);
}

const BAD = { atomic: [{ a: 'bad', b: 1 }, { a: 'ok' }] };
const KEYED = [
  { a: 'x', b: 7 },
  { a: 'y', b: 9 },
];

test('what an update leaves as it was is not held against it, as far as the real server can tell', (t) => {
  t.deepEqual(told({ ...BAD, keyed: [] }, BAD), []);
  // Items of a list without keys are the same ones if the whole list is.
  t.deepEqual(told({ atomic: [...BAD.atomic, { a: 'c' }] }, BAD), ["atomic[0]: failed rule: self.a != 'bad'"]);
  t.deepEqual(told({ keyed: KEYED.toReversed() }, { keyed: KEYED }), []);
  const changed = told({ keyed: [KEYED[0], { a: 'y', b: 10 }, { a: 'z', b: 6 }] }, { keyed: KEYED });
  t.deepEqual(changed, ['keyed[1].b: failed rule: self < 5', 'keyed[2].b: failed rule: self < 5']);
});

test('fields of a map that is replaced whole are compared with what they were', (t) => {
  t.deepEqual(told({ whole: { x: 1 } }, { whole: { x: 2 } }), ['whole.x: x grows']);
});

test('the expression of a message does not see an optional oldSelf', (t) => {
  t.deepEqual(told({ once: 'other' }), ['once: set once']);
  t.deepEqual(told({ once: 'other' }, { once: 'new' }), ['once: set once']);
});

const EMBEDDED: JsonSchema = {
  type: 'object',
  properties: {
    in: {
      type: 'object',
      'x-kubernetes-embedded-resource': true,
      'x-kubernetes-preserve-unknown-fields': true,
    },
  },
};

function found(inside: object): readonly string[] {
  return embeddedErrors({ in: inside }, EMBEDDED).map(({ field, detail }) => `${field}: ${detail.slice(0, 60)}`);
}

test('resources within resources have a kind, a version and metadata that any could have', (t) => {
  t.deepEqual(found({}), ['in.apiVersion: Required value', 'in.kind: Required value']);
  t.deepEqual(found({ apiVersion: 'a/b/c', kind: 'X' }), [
    'in.apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/',
  ]);
  t.is(found({ apiVersion: 'v1', kind: 'X', metadata: { labels: { '-x': 'a b' } } }).length, 2);
  const object = { in: { apiVersion: 'v1', kind: 'X', metadata: { name: 'a', stray: 1 }, more: 1 } };
  const names = { kind: 'Whole', version: 'v1' };
  const unknown: string[] = [];
  const read = (each: object): object => withEmbeddedMeta({ ...each }, EMBEDDED, names, (path) => unknown.push(path));
  t.deepEqual(read(object), { in: { apiVersion: 'v1', kind: 'X', metadata: { name: 'a' }, more: 1 } });
  t.deepEqual(unknown, ['in.metadata.stray']);
  const wrong = { in: { ...object.in, metadata: { name: 'a', creationTimestamp: 'x' } } };
  t.is(
    t.throws(() => read(wrong)).message,
    'Whole in version "v1" cannot be handled as a Whole: in.metadata: Invalid value: ' +
      '{"creationTimestamp":"x","name":"a"}: parsing time "x" as "2006-01-02T15:04:05Z07:00": cannot parse "x" as "2006"',
  );
});

test('formats take what the real server takes', (t) => {
  const cases: readonly (readonly [format: string, text: string, has: boolean])[] = [
    ['ipv4', '01.02.03.04', true],
    ['ipv6', 'fe80::1%eth0', false],
    ['uri', 'fe80::1%eth0', true],
    ['uri', '/%zz', false],
    ['duration', '5 min', true],
    ['duration', '1d', true],
    ['duration', 'abc', false],
    ['k8s-short-name', 'A_b', true],
  ];
  for (const [format, text, has] of cases) t.is(hasFormat(format, text), has, `${format} ${text}`);
});
