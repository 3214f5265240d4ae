/**
 * What an object breaks of the rules that its schema has in the Common Expression Language. Mirrors
 * apiextensions-apiserver's schema/cel/validation.go (v1.34), without its budget of cost.
 */
import { duplicate, forbidden, invalid, required } from '../errors/field-errors.js';
import type { FieldError } from '../objects/resource-kind.js';
import { isSameJson } from '../values/canonical-json.js';
import type { CelVariables } from '../cel/evaluator.js';
import { CelOptional, type CelValue } from '../cel/values.js';
import { compiledRules, type CompiledRule } from './compiled-rules.js';
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

/** What an object breaks; rules about changes are asked on updates alone. */
export function ruleErrors(object: Fields, schema: JsonSchema, previous: Fields | undefined): readonly FieldError[] {
  const errors: FieldError[] = [];
  judge({ value: object, previous, path: '' }, rootSchema(schema), errors);
  return errors;
}

/** A value, what it replaces, and where it stands. */
interface Place {
  readonly value: unknown;
  readonly previous: unknown;
  readonly path: string;
}

function judge(place: Place, schema: JsonSchema, errors: FieldError[]): void {
  const { value, previous, path } = place;
  if (value === null || value === undefined) return;
  const rules = compiledRules(schema);
  if (rules.length > 0) {
    const self = lazily(() => schemaValue(value, schema));
    const oldSelf =
      previous === undefined || previous === null ? undefined : lazily(() => schemaValue(previous, schema));
    for (const rule of rules) judgeRule(rule, { ...place, self, oldSelf }, schema, errors);
  }
  if (Array.isArray(value)) {
    const { items } = schema;
    if (items === undefined || !hasRules(items)) return;
    for (const [index, item] of value.entries()) {
      judge({ value: item, previous: previousItem(item, schema, previous), path: `${path}[${index}]` }, items, errors);
    }
  } else if (isFields(value)) judgeFields(place, value, schema, errors);
}

function judgeFields({ previous, path }: Place, value: Fields, schema: JsonSchema, errors: FieldError[]): void {
  const values = valuesSchema(schema);
  const isWhole = schema['x-kubernetes-map-type'] === 'atomic';
  for (const name of Object.keys(value).toSorted()) {
    const below = propertySchema(schema, name) ?? values;
    if (below === undefined || !hasRules(below)) continue;
    const before = isFields(previous) && !isWhole && Object.hasOwn(previous, name) ? previous[name] : undefined;
    const named = path === '' ? name : `${path}.${name}`;
    const own = values === undefined ? named : `${path}[${name}]`;
    judge({ value: value[name], previous: before, path: own }, below, errors);
  }
}

/** Items of a list with keys are the same ones if their keys are. */
function previousItem(item: unknown, schema: JsonSchema, previous: unknown): unknown {
  if (!Array.isArray(previous) || schema['x-kubernetes-list-type'] !== 'map' || !isFields(item)) return undefined;
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  return (previous as readonly unknown[]).find(
    (each) => isFields(each) && keys.every((key) => isSameJson(each[key], item[key])),
  );
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

function judgeRule(compiled: CompiledRule, sight: Sight, schema: JsonSchema, errors: FieldError[]): void {
  const { rule, expression, usesOldSelf, problem } = compiled;
  const { oldSelf, value, previous, path } = sight;
  const field = path === '' ? '<nil>' : path;
  const type = schema.type ?? '';
  if (problem !== undefined) errors.push(invalid(field, type, `rule compile error: ${problem}`));
  if (expression === undefined) return;
  if (usesOldSelf && oldSelf === undefined && rule.optionalOldSelf !== true) return;
  const variables = variablesOf(rule, sight);
  const outcome = expression.evaluate(variables);
  if ('failure' in outcome) {
    const { failure } = outcome;
    const named = nameOf(rule);
    const text = failure.startsWith('no such overload')
      ? `'${failure}': call arguments did not match a supported operator, function or macro signature for rule: ${named}`
      : `${failure} evaluating rule: ${named}`;
    errors.push(invalid(field, type, text));
    return;
  }
  if (outcome.value === true) return;
  // What an update leaves as it was is not held against it.
  if (!usesOldSelf && previous !== undefined && isSameJson(value, previous)) return;
  const below = normalPath(rule.fieldPath ?? '', schema);
  const place = below === undefined ? field : `${path}${below}`.replace(/^\./, '');
  errors.push(errorOf(rule, place, type, messageOf(compiled, variables)));
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

function messageOf({ rule, message }: CompiledRule, variables: CelVariables): string {
  const plain = (rule.message ?? '') === '' ? `failed rule: ${rule.rule.trim()}` : nameOf(rule);
  if (message === undefined) return plain;
  const outcome = message.evaluate(variables);
  const text = 'value' in outcome && typeof outcome.value === 'string' ? outcome.value.trim() : '';
  return text === '' || text.includes('\n') || Buffer.byteLength(text) > LONGEST_MESSAGE ? plain : text;
}

function errorOf({ reason }: ValidationRule, field: string, type: string, message: string): FieldError {
  if (reason === 'FieldValueForbidden') return forbidden(field, message);
  if (reason === 'FieldValueRequired') return required(field, message);
  return reason === 'FieldValueDuplicate' ? duplicate(field, type) : invalid(field, type, message);
}
