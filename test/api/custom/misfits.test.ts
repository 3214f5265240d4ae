import test from 'ava';
import { readFileSync } from 'node:fs';
import { compiledRules } from '../../../src/api/custom/compiled-rules.js';
import type { JsonSchema } from '../../../src/api/custom/json-schema.js';
import { schemaValue } from '../../../src/api/custom/schema-values.js';

/** What a rule came to on a real API server of 1.34.2, or what its evaluation failed with. */
interface Recorded {
  readonly rule: string;
  readonly outcome: boolean | string;
}

const FILE = new URL('../../../../test/api/custom/misfits.jsonl', import.meta.url);
const [first = '', ...lines] = readFileSync(FILE, 'utf8').trimEnd().split('\n');
const { schema, value } = JSON.parse(first) as { readonly schema: JsonSchema; readonly value: object };

test('values that fit no overload fail in the words of the real server', (t) => {
  t.true(lines.length > 100);
  for (const line of lines) {
    const { rule, outcome } = JSON.parse(line) as Recorded;
    const [compiled] = compiledRules({ ...schema, 'x-kubernetes-validations': [{ rule }] });
    const found = compiled?.expression?.evaluate((name) => (name === 'self' ? schemaValue(value, schema) : undefined));
    t.is(found !== undefined && 'value' in found ? found.value : found?.failure, outcome, rule);
  }
});

function why(at: string): string {
  return `Invalid date-time formatted string ${at}: parsing time "${at}"`;
}

test('a field that cannot be read harms only the rules that ask for it', (t) => {
  const times: JsonSchema = {
    type: 'object',
    properties: { at: { type: 'string', format: 'date-time' }, size: { type: 'integer' } },
  };
  const outcomeOf = (rule: string, at: string): unknown => {
    const [compiled] = compiledRules({ ...times, 'x-kubernetes-validations': [{ rule }] });
    return compiled?.expression?.evaluate((name) =>
      name === 'self' ? schemaValue({ at, size: 1 }, times) : undefined,
    );
  };
  t.like(outcomeOf('self.size == 1', '2024-01-01t00:00:00Z'), { value: true });
  t.like(outcomeOf("self.at < timestamp('2030-01-01T00:00:00Z')", '2024-01-01t00:00:00Z'), {
    failure: `${why('2024-01-01t00:00:00Z')} as "2006-01-02T15:04:05": cannot parse "t00:00:00Z" as "T"`,
  });
  t.like(outcomeOf("self.at < timestamp('2030-01-01T00:00:00Z')", '2024-01-01T00:00:00z'), {
    failure: `${why('2024-01-01T00:00:00z')}: extra text: "z"`,
  });
});
