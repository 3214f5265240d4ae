import test from 'ava';
import type { JsonSchema } from '../../../src/api/custom/json-schema.js';
import { scaleErrors } from '../../../src/api/custom/scale-paths.js';
import { schemaErrors } from '../../../src/api/custom/schema-validation.js';

const PROPERTIES: Readonly<Record<string, JsonSchema>> = {
  l: { type: 'integer', format: 'int64' },
  d: { type: 'number', format: 'double' },
  b: { type: 'boolean', format: 'unknown' },
  o: { type: 'object', format: 'unknown' },
  t: { type: 'string', format: 'date-time' },
};

function told(name: string, value: unknown): string {
  const errors = schemaErrors({ [name]: value }, { type: 'object', properties: PROPERTIES }, { previous: undefined });
  return errors.map(({ detail }) => detail).join('; ');
}

function wrong(name: string, found: string, wanted: string): string {
  return `Invalid value: "${found}": ${name} in body must be of type ${wanted}: "${found}"`;
}

test('values of other types are refused as the real server refuses them, whatever format they should have', (t) => {
  const cases: readonly (readonly [name: string, value: unknown, found: string, wanted: string])[] = [
    ['l', true, 'boolean', 'integer'],
    ['l', 1.5, 'number', 'integer'],
    ['l', {}, 'object', 'integer'],
    ['l', [], 'array', 'integer'],
    ['l', 1e21, 'number', 'integer'],
    ['d', {}, 'object', 'number'],
    ['b', 1.5, 'number', 'boolean'],
    ['o', true, 'boolean', 'object'],
    ['o', 3_000_000_000, 'integer', 'object'],
    ['t', true, '', 'date-time'],
    ['t', 1.5, 'float64', 'date-time'],
    ['t', 3, 'int64', 'date-time'],
    ['t', 'x', 'x', 'date-time'],
  ];
  for (const [name, value, found, wanted] of cases)
    t.is(told(name, value), wrong(name, found, wanted), `${name} ${JSON.stringify(value)}`);
  for (const [name, value] of [
    ['l', 9_007_199_254_740_991],
    ['d', 1e21],
    ['b', true],
    ['o', { a: 1 }],
    ['t', []],
  ] as const) {
    t.is(told(name, value), '', `${name} ${JSON.stringify(value)}`);
  }
});

test('limits are told as whole numbers to whole numbers, and as Go prints a float64 to others', (t) => {
  const limited: JsonSchema = { type: 'number', minimum: 0, maximum: 1_000_000 };
  const text = (value: number): string =>
    schemaErrors({ n: value }, { type: 'object', properties: { n: limited } }, { previous: undefined })
      .map(({ detail }) => detail.replace(/^Invalid value: [^:]*: /, ''))
      .join('; ');
  t.is(text(2_000_000), 'n in body should be less than or equal to 1000000');
  t.is(text(1e21), 'n in body should be less than or equal to 1e+06');
  t.is(text(2_000_000.5), 'n in body should be less than or equal to 1e+06');
  t.is(text(-0.5), 'n in body should be greater than or equal to 0');
});

test('what stands on the way to the replicas and is no object is told in the words of the real server', (t) => {
  const scale = { specReplicasPath: '.spec.shards', statusReplicasPath: '.status.shards' };
  const text = (spec: unknown): string =>
    scaleErrors({ spec }, scale)
      .map(({ field, detail }) => `${field}: ${detail}`)
      .join('; ');
  const found = 'Invalid value: 0: .spec.shards accessor error:';
  t.is(text(-1.5), `.spec.shards: ${found} -1.5 is of the type float64, expected map[string]interface{}`);
  t.is(text('text'), `.spec.shards: ${found} text is of the type string, expected map[string]interface{}`);
  t.is(text(['a', 'a']), `.spec.shards: ${found} [a a] is of the type []interface {}, expected map[string]interface{}`);
  t.is(text({ shards: {} }), `.spec.shards: ${found} map[] is of the type map[string]interface {}, expected int64`);
  t.is(text(null), '');
  t.is(text({ shards: 3 }), '');
});
