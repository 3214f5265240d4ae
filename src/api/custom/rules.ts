/**
 * What an object breaks of the rules that its schema has in the Common Expression Language. Mirrors
 * apiextensions-apiserver's schema/cel/validation.go (v1.34) with its budget of cost.
 */
import { duplicate, forbidden, invalid, required } from '../errors/field-errors.js';
import type { AskedUpdate, FieldError } from '../objects/resource-kind.js';
import { quoted } from '../go/go-json.js';
import type { CelVariables } from '../cel/evaluator.js';
import { CelOptional, type CelValue } from '../cel/values.js';
import { compiledRules, type CompiledRule } from './compiled-rules.js';
import { isUnchanged, previousItem } from './correlation.js';
import {
  isFields,
  propertySchema,
  valuesSchema,
  type Fields,
  type JsonSchema,
  type ValidationRule,
} from './json-schema.js';
import { normalPath } from './rule-declarations.js';
import { rootSchema, schemaValue } from './schema-values.js';

const known = new WeakMap<JsonSchema, boolean>();

/** Whether there is a rule anywhere in a schema. */
export function hasRules(schema: JsonSchema): boolean {
  let found = known.get(schema);
  if (found === undefined) known.set(schema, (found = findRules(schema)));
  return found;
}

function findRules(schema: JsonSchema): boolean {
  if ((schema['x-kubernetes-validations'] ?? []).length > 0) return true;
  const below = [schema.items, valuesSchema(schema), ...Object.values(schema.properties ?? {})];
  return below.some((each) => each !== undefined && hasRules(each));
}

/** What the rules of an object may cost together (apiserver's apis/cel/config.go). */
const MOST_FOR_OBJECT = 10_000_000;

/** What has been found out about an object so far. */
interface Trial {
  readonly errors: FieldError[];
  /** What may still be spent; less than nothing when no further rules are asked. */
  budget: number;
  /** Tells of what an update leaves as it was. */
  readonly warn: AskedUpdate['warn'];
}

/** What an object breaks; rules about changes are asked on updates alone. */
export function ruleErrors(
  object: Fields,
  schema: JsonSchema,
  previous: Fields | undefined,
  warn?: AskedUpdate['warn'],
): readonly FieldError[] {
  const trial: Trial = { errors: [], budget: MOST_FOR_OBJECT, warn };
  const kept = previous === undefined ? undefined : { value: object, previous, schema };
  judge({ value: object, previous, path: '', kept, above: undefined }, rootSchema(schema), trial);
  return trial.errors;
}

/** A value and the one that it replaces, where both are known to be the same one. */
interface Pair {
  readonly value: unknown;
  readonly previous: unknown;
  readonly schema: JsonSchema;
}

/** A value, what it replaces, and where it stands. */
interface Place extends Omit<Pair, 'schema'> {
  readonly path: string;
  /** The value with what it was before; undefined where that is not known. */
  readonly kept: Pair | undefined;
  /** The nearest value around it of which that is known. */
  readonly above: Pair | undefined;
}

function judge(place: Place, schema: JsonSchema, trial: Trial): void {
  const { value, previous, path } = place;
  if (value === null || value === undefined || trial.budget < 0) return;
  const rules = compiledRules(schema);
  if (rules.length > 0) {
    const self = lazily(() => schemaValue(value, schema));
    const oldSelf =
      previous === undefined || previous === null ? undefined : lazily(() => schemaValue(previous, schema));
    if (trial.budget === 0) refuse({ path, schema }, OUT_OF_BUDGET, trial);
    for (const rule of rules) {
      if (trial.budget < 0) return;
      judgeRule(rule, { ...place, self, oldSelf }, schema, trial);
    }
    if (trial.budget < 0) return;
  }
  if (Array.isArray(value)) {
    const { items } = schema;
    if (items === undefined || !hasRules(items)) return;
    for (const [index, item] of (value as readonly unknown[]).entries()) {
      const before = previousItem(item, schema, previous);
      const below = { value: item, previous: before, path: `${path}[${index}]` };
      judge({ ...below, ...traced(place, { value: item, previous: before, schema: items }) }, items, trial);
    }
  } else if (isFields(value)) judgeFields(place, value, schema, trial);
}

/** What is known of the value before, one step further down. */
function traced({ kept, above }: Place, pair: Pair): Pick<Place, 'kept' | 'above'> {
  const { previous } = pair;
  if (kept === undefined) return { kept, above };
  return { kept: previous === undefined || previous === null ? undefined : pair, above: kept };
}

function judgeFields(place: Place, value: Fields, schema: JsonSchema, trial: Trial): void {
  const { previous, path } = place;
  const values = valuesSchema(schema);
  for (const name of Object.keys(value).toSorted()) {
    const below = propertySchema(schema, name) ?? values;
    if (below === undefined || !hasRules(below)) continue;
    const before = isFields(previous) && Object.hasOwn(previous, name) ? previous[name] : undefined;
    const named = path === '' ? name : `${path}.${name}`;
    const own = values === undefined ? named : `${path}[${name}]`;
    const inside = { value: value[name], previous: before, path: own };
    // Kind and version are those of the request, whatever they were.
    const isHidden = place.above === undefined && path === '' && (name === 'apiVersion' || name === 'kind');
    judge(
      {
        ...inside,
        ...(isHidden ? { kept: undefined, above: undefined } : traced(place, { ...inside, schema: below })),
      },
      below,
      trial,
    );
  }
}

/** A place with its values as expressions see them. */
interface Sight extends Place {
  readonly self: () => CelValue;
  readonly oldSelf: (() => CelValue) | undefined;
}

/** Worked out once, when an expression asks for it: what is wrong with a value is told there. */
function lazily<T>(work: () => T): () => T {
  let done: { readonly result: T } | undefined;
  return () => (done ??= { result: work() }).result;
}

const OUT_OF_BUDGET = 'validation failed due to running out of cost budget, no further validation rules will be run';

/** Refuses a value, and asks no further rules. */
function refuse({ path, schema }: { path: string; schema: JsonSchema }, text: string, trial: Trial): void {
  trial.errors.push(invalid(path === '' ? '<nil>' : path, schema.type ?? '', text));
  trial.budget = -1;
}

function judgeRule(compiled: CompiledRule, sight: Sight, schema: JsonSchema, trial: Trial): void {
  const { rule, expression, usesOldSelf, problem } = compiled;
  const { oldSelf, path, kept, above } = sight;
  const { errors } = trial;
  const field = path === '' ? '<nil>' : path;
  const type = schema.type ?? '';
  if (problem !== undefined) errors.push(invalid(field, type, `rule compile error: ${problem}`));
  if (expression === undefined) return;
  if (usesOldSelf && oldSelf === undefined && rule.optionalOldSelf !== true) return;
  const variables = variablesOf(rule, sight);
  const outcome = expression.evaluate(variables);
  if (outcome.cost > trial.budget) {
    refuse({ path, schema }, OUT_OF_BUDGET, trial);
    return;
  }
  trial.budget -= outcome.cost;
  const named = nameOf(rule);
  if ('failure' in outcome) {
    const { failure, isTooDear = false } = outcome;
    if (isTooDear) {
      const text = `'${failure}': no further validation rules will be run due to call cost exceeds limit for rule: ${named}`;
      refuse({ path, schema }, text, trial);
      return;
    }
    const text = failure.startsWith('no such overload')
      ? `'${failure}': call arguments did not match a supported operator, function or macro signature for rule: ${named}`
      : `${failure} evaluating rule: ${named}`;
    errors.push(invalid(field, type, text));
    return;
  }
  if (outcome.value === true) return;
  const below = normalPath(rule.fieldPath ?? '', schema);
  const place = below === undefined ? field : `${path}${below}`.replace(/^\./, '');
  // What an update leaves as it was is not held against it.
  const pair = kept ?? above;
  const isKept = !usesOldSelf && pair !== undefined && isUnchanged(pair.value, pair.previous, pair.schema);
  // Expressions of messages see what was there before as it is, or not at all.
  const message = messageOf(compiled, variablesOf({ ...rule, optionalOldSelf: false }, sight), trial);
  const error = 'refusal' in message ? invalid(place, type, message.refusal) : errorOf(rule, place, type, message.text);
  if (!isKept) errors.push(error);
  else trial.warn?.(`${error.field}: ${error.detail}`);
}

function variablesOf({ optionalOldSelf = false }: ValidationRule, { self, oldSelf }: Sight): CelVariables {
  return (name) => {
    if (name === 'self') return self();
    if (name !== 'oldSelf') return undefined;
    if (!optionalOldSelf) return oldSelf?.();
    return oldSelf === undefined ? CelOptional.NONE : new CelOptional(oldSelf());
  };
}

function nameOf({ message = '', rule }: ValidationRule): string {
  return (message === '' ? rule : message).trim();
}

const LONGEST_MESSAGE = 5120;

type Message = { readonly text: string } | { readonly refusal: string };

function messageOf({ rule, message }: CompiledRule, variables: CelVariables, trial: Trial): Message {
  const plain = (rule.message ?? '') === '' ? `failed rule: ${rule.rule.trim()}` : nameOf(rule);
  if (message === undefined) return { text: plain };
  const outcome = message.evaluate(variables);
  const isTooDear = 'failure' in outcome && outcome.isTooDear === true;
  if (outcome.cost > trial.budget || isTooDear) {
    trial.budget = -1;
    const limit = `no further validation rules will be run due to call cost exceeds limit for messageExpression: ${quoted(message.text)}`;
    const budget =
      'messageExpression evaluation failed due to running out of cost budget, no further validation rules will be run';
    return { refusal: isTooDear ? limit : budget };
  }
  trial.budget -= outcome.cost;
  const text = 'value' in outcome && typeof outcome.value === 'string' ? outcome.value.trim() : '';
  const isUsed = text !== '' && !text.includes('\n') && Buffer.byteLength(text) <= LONGEST_MESSAGE;
  return { text: isUsed ? text : plain };
}

function errorOf({ reason }: ValidationRule, field: string, type: string, message: string): FieldError {
  if (reason === 'FieldValueForbidden') return forbidden(field, message);
  if (reason === 'FieldValueRequired') return required(field, message);
  return reason === 'FieldValueDuplicate' ? duplicate(field, type) : invalid(field, type, message);
}
