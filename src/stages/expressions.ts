/** Expressions of stages: tests and values out of an object, by jq or by CEL (kwok, pkg/utils/expression and cel). */
import { jsonValue } from '../api/admission/expression-scopes.js';
import { readExpression, type CelExpression } from '../api/cel/expression.js';
import { DOUBLE, DYN, TIMESTAMP } from '../api/cel/types.js';
import { CelDuration, CelTime, CelUint, type CelValue } from '../api/cel/values.js';
import { createTimestamps } from '../kernel/timestamps.js';
import { readQuery, type Query } from './jq/jq.js';
import { JqError } from './jq/jq-tokens.js';
import { jsonText, type Json } from './jq/jq-values.js';
import { StageFailure, type StageNumber, type StageTest, type StageView } from './stage.js';
import type { StageField } from './stage-error.js';

const OPERATORS = ['In', 'NotIn', 'Exists', 'DoesNotExist'] as const;
const NS_PER_MS = 1_000_000;
const NS_PER_S = 1_000_000_000;

/** One of `matchExpressions`. @throws StageError */
export function testOf(field: StageField): StageTest {
  const { jq, cel, key, operator, values } = field.fields(['jq', 'cel', 'key', 'operator', 'values']);
  if (!cel.isAbsent) {
    const evaluate = celOf(cel.fields(['expression']).expression);
    return (view) => {
      const value = evaluate(view);
      if (typeof value !== 'boolean') throw new StageFailure('an expression of a selector must answer true or false');
      return value;
    };
  }
  if (!jq.isAbsent) return requirementOf(jq.fields(['key', 'operator', 'values']));
  return requirementOf({ key, operator, values });
}

function requirementOf(fields: Readonly<Record<'key' | 'operator' | 'values', StageField>>): StageTest {
  const query = queryOf(fields.key);
  const operator = fields.operator.oneOf(OPERATORS) ?? fields.operator.refuse(`one of ${OPERATORS.join(', ')}`);
  const values = new Set(fields.values.texts());
  const wantsValues = operator === 'In' || operator === 'NotIn';
  if (wantsValues && values.size === 0) fields.values.refuse(`a list with a value at least for ${operator}`);
  if (!wantsValues && values.size > 0) fields.values.refuse(`absent for ${operator}`);
  return ({ object }) => {
    const found = query(object) ?? [];
    if (!wantsValues) return found.length > 0 === (operator === 'Exists');
    return found.some((each) => isPlain(each) && values.has(jsonText(each))) === (operator === 'In');
  };
}

function isPlain(value: Json): boolean {
  return typeof value === 'string' || typeof value === 'boolean' || Number.isInteger(value);
}

/** Milliseconds: what is said, or what the object says where there is such an expression. @throws StageError */
export function durationOf(said: StageField, from: StageField, isJitter: boolean): StageNumber {
  const fallback = said.count();
  const source = sourceOf(from);
  // A jitter is looked up by jq alone (lifecycle.go).
  if (source === undefined || (isJitter && source.form === 'cel')) return () => fallback;
  if (source.form === 'cel') return (view) => celMilliseconds(source.evaluate(view));
  return ({ object, nowMs }) => {
    const [found] = source.query(object) ?? [];
    if (typeof found !== 'string') return fallback;
    if (found === '') return undefined;
    const time = timeMs(found);
    return time === undefined ? (goDurationMs(found) ?? fallback) : time - nowMs;
  };
}

/** A weight: what is said, or what the object says where there is such an expression. @throws StageError */
export function weightOf(said: StageField, from: StageField): StageNumber {
  const fallback = said.count() ?? 0;
  const source = sourceOf(from);
  if (source === undefined) return () => fallback;
  if (source.form === 'cel') {
    return (view) => {
      const value = source.evaluate(view);
      if (typeof value === 'bigint' || typeof value === 'number') return Math.trunc(Number(value));
      if (value instanceof CelUint) return Number(value.number);
      throw new StageFailure('an expression of a weight must answer a number');
    };
  }
  return ({ object }) => {
    const [found] = source.query(object) ?? [];
    if (typeof found === 'number') return Math.trunc(found);
    if (typeof found !== 'string') return fallback;
    return /^[+-]?(?:\d+|0[xX][\da-fA-F]+|0[bB][01]+|0[oO][0-7]+)$/.test(found) ? Number(found) : undefined;
  };
}

type Source =
  | { readonly form: 'jq'; readonly query: Query }
  | { readonly form: 'cel'; readonly evaluate: (view: StageView) => CelValue };

/** `cel`, `jq`, or the older `expressionFrom`. */
function sourceOf(field: StageField): Source | undefined {
  if (field.isAbsent) return undefined;
  const { cel, jq, expressionFrom } = field.fields(['cel', 'jq', 'expressionFrom']);
  if (!cel.isAbsent) return { form: 'cel', evaluate: celOf(cel.fields(['expression']).expression) };
  if (!jq.isAbsent) return { form: 'jq', query: queryOf(jq.fields(['expression']).expression) };
  if (!expressionFrom.isAbsent) return { form: 'jq', query: queryOf(expressionFrom) };
  return field.refuse('a mapping with cel, jq or expressionFrom');
}

function queryOf(field: StageField): Query {
  try {
    return readQuery(field.text());
  } catch (error) {
    if (!(error instanceof JqError)) throw error;
    return field.refuse(`a query of jq (${error.message})`);
  }
}

/** kwok's functions that are worked out before an expression is evaluated, as variables of it. */
const FUNCTIONS: readonly (readonly [call: RegExp, variable: string])[] = [
  [/\bUnixSecond\(\s*Now\(\s*\)\s*\)/g, 'kwok_now_seconds'],
  [/\bSinceSecond\(\s*self\s*\)|\bself\.SinceSecond\(\s*\)/g, 'kwok_age_seconds'],
  [/\bNow\(\s*\)/g, 'kwok_now'],
  [/\bRand\(\s*\)/g, 'kwok_rand'],
  [/\bQuantity\(/g, 'quantity('],
];

const SCOPE = {
  variables: new Map([
    ['self', DYN],
    ['kwok_now', TIMESTAMP],
    ['kwok_now_seconds', DOUBLE],
    ['kwok_age_seconds', DOUBLE],
    ['kwok_rand', DOUBLE],
  ]),
};

const CREATED = readQuery('.metadata.creationTimestamp');

function celOf(field: StageField): (view: StageView) => CelValue {
  const text = FUNCTIONS.reduce((rest, [call, name]) => rest.replaceAll(call, name), field.text());
  const reading = readExpression(text, SCOPE);
  if ('problem' in reading) return field.refuse(`an expression of CEL (${reading.problem.split('\n')[0] ?? ''})`);
  return (view) => evaluated(reading.expression, view);
}

function evaluated(expression: CelExpression, { object, nowMs, draw }: StageView): CelValue {
  const outcome = expression.evaluate((name) => {
    if (name === 'self') return jsonValue(object);
    if (name === 'kwok_now') return new CelTime(BigInt(Math.floor(nowMs)) * BigInt(NS_PER_MS));
    if (name === 'kwok_now_seconds') return nowMs / 1000;
    if (name === 'kwok_rand') return draw();
    if (name !== 'kwok_age_seconds') return undefined;
    const [created] = CREATED(object) ?? [];
    return typeof created === 'string' ? (nowMs - (timeMs(created) ?? nowMs)) / 1000 : 0;
  });
  if ('failure' in outcome) throw new StageFailure(outcome.failure);
  return outcome.value;
}

/** Go's time.Duration of a value: numbers are nanoseconds. */
function celMilliseconds(value: CelValue): number {
  if (value instanceof CelDuration) return Number(value.ns) / NS_PER_MS;
  if (typeof value === 'bigint' || typeof value === 'number') return Number(value) / NS_PER_MS;
  const text = typeof value === 'string' ? goDurationMs(value) : undefined;
  if (text === undefined) throw new StageFailure('an expression of a delay must answer a duration');
  return text;
}

const timestamps = createTimestamps('1970-01-01T00:00:00Z');

/** RFC 3339 as milliseconds since 1970. */
function timeMs(text: string): number | undefined {
  const ms = timestamps.toMs(text);
  return Number.isNaN(ms) ? undefined : ms;
}

const UNITS: Readonly<Record<string, number>> = {
  ns: 1 / NS_PER_MS,
  us: 1 / 1000,
  µs: 1 / 1000,
  ms: 1,
  s: NS_PER_S / NS_PER_MS,
  m: 60_000,
  h: 3_600_000,
};

/** Go's time.ParseDuration. */
function goDurationMs(text: string): number | undefined {
  const [, sign = '', parts = ''] = /^([+-]?)((?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|ms|s|m|h))+|0)$/.exec(text) ?? [];
  if (parts === '') return undefined;
  let sum = 0;
  for (const [, amount = '0', unit = ''] of parts.matchAll(/([\d.]+)(ns|us|µs|ms|s|m|h)/g))
    sum += Number(amount) * (UNITS[unit] ?? 0);
  return sign === '-' ? -sum : sum;
}
