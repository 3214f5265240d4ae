import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import test from 'ava';
import type { RunSummary } from '../../src/index.js';
import { measuredRun } from './measured-run.js';

const schema = JSON.parse(readFileSync('schemas/run-summary-1.json', 'utf8')) as object;
const validate = new Ajv2020({ allErrors: true, strict: true, allowUnionTypes: true }).compile(schema);

function problems(summary: unknown): readonly string[] {
  return validate(JSON.parse(JSON.stringify(summary)))
    ? []
    : (validate.errors ?? []).map((each) => `${each.instancePath} ${each.message ?? ''}`);
}

test('a summary is what its schema says, and the schema knows every field', async (t) => {
  const summary = await measuredRun();
  t.deepEqual(problems(summary), []);
  const { properties } = schema as { readonly properties: object };
  t.deepEqual(Object.keys(summary).toSorted(), Object.keys(properties).toSorted());
  t.false(summary.passed);
});

test('the schema refuses what is no summary', async (t) => {
  const summary = await measuredRun();
  const broken: readonly ((good: RunSummary) => object)[] = [
    (good) => ({ ...good, version: '2.0.0' }),
    (good) => ({ ...good, seed: 3 }),
    (good) => ({ ...good, marks: [{ ...good.marks[0], kind: 'rumour' }] }),
    (good) => ({ ...good, metrics: [{ ...good.metrics[0], values: { count: 'many' } }] }),
    ({ thresholds: _left, ...rest }) => rest,
  ];
  for (const each of broken) t.not(problems(each(summary)).length, 0);
});

test('the same run has the same summary, but for what its host used', async (t) => {
  const [first, second, other] = [await measuredRun(), await measuredRun(), await measuredRun(4)];
  t.deepEqual(first, second);
  t.notDeepEqual(first.metrics, other.metrics);
});

test('all columns of the series have one value for each slot, and add up to what the metrics say', async (t) => {
  const { series, metrics } = await measuredRun();
  const { levels, amounts, spreads, slots } = series;
  for (const { name, values } of [...levels, ...amounts]) t.is(values.length, slots, name);
  for (const spread of Object.values(spreads))
    for (const values of Object.values(spread)) t.is((values as readonly number[]).length, slots);
  const total = (name: string): number =>
    (amounts.find((each) => each.name === name)?.values ?? []).reduce((a, b) => a + b, 0);
  const metric = (name: string): number | undefined => metrics.find((each) => each.name === name)?.values['count'];
  t.is(total('created'), metric('pods_created') ?? NaN);
  t.is(total('scheduled'), metric('pods_scheduled') ?? NaN);
  t.is(total('started'), metric('pods_started') ?? NaN);
  t.is(
    levels.find(({ name }) => name === 'pods Running')?.values.at(-1),
    metrics.find(({ name }) => name === 'pods_running')?.values['value'],
  );
});
