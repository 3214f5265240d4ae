import test from 'ava';
import { readFileSync } from 'node:fs';
import type { JsonSchema } from '../../../src/api/custom/json-schema.js';
import { structuralErrors } from '../../../src/api/custom/structural-rules.js';
import { ruleErrors } from '../../../src/api/custom/rules.js';

/** What a real API server of 1.34.2 said to a rule of a list's items, of which there may be so many. */
interface Recorded {
  readonly rule: string;
  readonly most: number;
  readonly refusal: string | null;
}

const FILE = new URL('../../../../test/api/custom/rule-costs.jsonl', import.meta.url);
const [first = '', ...lines] = readFileSync(FILE, 'utf8').trimEnd().split('\n');
const fields = JSON.parse(first) as NonNullable<JsonSchema['properties']>;
const recorded = lines.map((line) => JSON.parse(line) as Recorded);

function listOf(rule: string, most: number): JsonSchema {
  const items: JsonSchema = { type: 'object', properties: fields, 'x-kubernetes-validations': [{ rule }] };
  return { type: 'object', properties: { list: { type: 'array', maxItems: most, items } } };
}

test('rules that can cost too much are refused with the factor of the real server', (t) => {
  t.true(recorded.filter(({ refusal }) => refusal?.includes('exceeds budget')).length > 150);
  for (const { rule, most, refusal } of recorded) {
    const [error] = structuralErrors(listOf(rule, most), 'schema');
    t.is(error?.detail ?? null, refusal, rule);
  }
});

test('a schema that an update leaves as it was is not refused for the cost of a rule', (t) => {
  const { rule, most } = recorded[0] as Recorded;
  t.is(structuralErrors(listOf(rule, most), 'schema').length, 1);
  t.deepEqual(structuralErrors(listOf(rule, most), 'schema', true), []);
});

function unique(most: number, own: object = {}): JsonSchema {
  return {
    type: 'array',
    maxItems: most,
    items: { type: 'integer' },
    'x-kubernetes-validations': [{ rule: 'self.all(x, self.exists_one(y, x == y))', ...own }],
  };
}

function told(properties: JsonSchema['properties'], object: object): readonly string[] {
  return ruleErrors(object as Record<string, unknown>, { type: 'object', properties: properties ?? {} }, undefined).map(
    ({ field, detail }) => `${field}: ${detail}`,
  );
}

function numbers(count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => index);
}

test('an evaluation that costs too much is given up, and all others with it', (t) => {
  const schema = { a: unique(900, { message: 'all differ' }), b: unique(900, { rule: 'false' }) };
  t.deepEqual(told(schema, { a: numbers(300), b: [] }), ['b: Invalid value: "array": failed rule: false']);
  t.deepEqual(told(schema, { a: numbers(900), b: [] }), [
    `a: Invalid value: "array": 'operation cancelled: actual cost limit exceeded': no further validation rules will be run due to call cost exceeds limit for rule: all differ`,
  ]);
});

function rows(count: number): object {
  return { list: Array.from({ length: count }, () => numbers(140)) };
}

test('the rules of one object have a budget together', (t) => {
  const list: JsonSchema = { type: 'array', items: unique(140) };
  t.deepEqual(told({ list }, rows(20)), []);
  const [error, ...others] = told({ list }, rows(150));
  t.regex(
    error ?? '',
    /^list\[\d+\]: Invalid value: "array": validation failed due to running out of cost budget, no further validation rules will be run$/,
  );
  t.deepEqual(others, []);
});
