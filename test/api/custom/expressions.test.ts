import test from 'ava';
import { readFileSync } from 'node:fs';
import { compiledRules } from '../../../src/api/custom/compiled-rules.js';
import type { JsonSchema } from '../../../src/api/custom/json-schema.js';
import { schemaValue } from '../../../src/api/custom/schema-values.js';

/** What a real API server of 1.34.2 said to a rule when its definition was written, and to objects under it. */
interface Recorded {
  readonly rule: string;
  readonly problem?: string;
  /** For each value: whether it holds, or what its evaluation failed with. */
  readonly outcomes?: readonly (boolean | string)[];
}

const FILE = new URL('../../../../test/api/custom/expressions.jsonl', import.meta.url);
const [first = '', ...lines] = readFileSync(FILE, 'utf8').trimEnd().split('\n');
const { schema, values } = JSON.parse(first) as { readonly schema: JsonSchema; readonly values: readonly object[] };
const recorded = lines.map((line) => JSON.parse(line) as Recorded);

function ruleOf(rule: string) {
  const [compiled] = compiledRules({ ...schema, 'x-kubernetes-validations': [{ rule }] });
  return compiled;
}

test('rules are refused in the words of the real server', (t) => {
  const refused = recorded.filter(({ problem }) => problem !== undefined);
  t.true(refused.length > 100);
  for (const { rule, problem } of refused) {
    const found = ruleOf(rule)?.problem?.replaceAll(/\bobject\.[\w.@]+/g, 'object');
    t.is(found?.replaceAll('object()', 'object'), problem?.replaceAll('object()', 'object'), rule);
  }
});

test('rules hold for the values for which they hold on the real server, and fail as they do there', (t) => {
  const held = recorded.filter(({ outcomes }) => outcomes !== undefined);
  t.true(held.length > 250);
  for (const { rule, outcomes = [] } of held) {
    const expression = ruleOf(rule)?.expression;
    const found = values.map((value) => {
      const outcome = expression?.evaluate((name) => (name === 'self' ? schemaValue(value, schema) : undefined));
      return outcome !== undefined && 'value' in outcome ? outcome.value : outcome?.failure;
    });
    for (const [index, wanted] of outcomes.entries()) t.is(found[index], wanted, `${rule} ${index}`);
  }
});
