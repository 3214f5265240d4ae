/**
 * What an object breaks of the rules that its schema has in the Common Expression Language. Mirrors
 * apiextensions-apiserver's schema/cel/validation.go (v1.34), without its budget of cost.
 */
import { duplicate, forbidden, invalid, required } from '../errors/field-errors.js';
import type { FieldError } from '../objects/resource-kind.js';
import { isSameJson } from '../values/canonical-json.js';
import { failureText, optionalValue, readRule, type CompiledRule } from './cel/cel-rules.js';
import { celValue } from './cel/cel-values.js';
import {
  isFields,
  propertySchema,
  valuesSchema,
  type Fields,
  type JsonSchema,
  type ValidationRule,
} from './json-schema.js';

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
  judge({ value: object, previous, path: '' }, { ...schema, 'x-kubernetes-embedded-resource': true }, errors);
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
  const rules = schema['x-kubernetes-validations'] ?? [];
  if (rules.length > 0) {
    const self = celValue(value, schema);
    const oldSelf = previous === undefined || previous === null ? undefined : celValue(previous, schema);
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
  readonly self: unknown;
  readonly oldSelf: unknown;
}

const OLD_SELF = /\boldSelf\b/;

function judgeRule(rule: ValidationRule, sight: Sight, schema: JsonSchema, errors: FieldError[]): void {
  const { self, oldSelf, value, previous, path } = sight;
  const asksOld = OLD_SELF.test(rule.rule);
  const isOptional = rule.optionalOldSelf === true;
  if (asksOld && oldSelf === undefined && !isOptional) return;
  const field = path === '' ? '<nil>' : path;
  const type = schema.type ?? '';
  const reading = readRule(rule.rule);
  if ('problem' in reading) {
    errors.push(invalid(field, type, `rule compile error: ${reading.problem}`));
    return;
  }
  const context = { self, oldSelf: isOptional ? optionalValue(oldSelf) : oldSelf };
  const outcome = outcomeOf(reading.run, context);
  if ('failure' in outcome) {
    const named = rule.message === undefined || rule.message === '' ? rule.rule : rule.message;
    errors.push(invalid(field, type, `${outcome.failure} evaluating rule: ${named.trim()}`));
    return;
  }
  if (outcome.result === true) return;
  // What an update leaves as it was is not held against it.
  if (!asksOld && previous !== undefined && isSameJson(value, previous)) return;
  const place = rule.fieldPath === undefined || rule.fieldPath === '' ? field : joined(path, rule.fieldPath);
  errors.push(errorOf(rule, place, type, messageOf(rule, context)));
}

function joined(path: string, fieldPath: string): string {
  return path === '' ? fieldPath.replace(/^\./, '') : `${path}${fieldPath.replaceAll(/\['([^']*)'\]/g, '[$1]')}`;
}

type Outcome = { readonly result: unknown } | { readonly failure: string };

function outcomeOf(run: CompiledRule, context: Parameters<CompiledRule>[0]): Outcome {
  try {
    return { result: run(context) };
  } catch (error) {
    return { failure: failureText(error) };
  }
}

const LONGEST_MESSAGE = 5120;

function messageOf({ message = '', messageExpression = '', rule }: ValidationRule, context: object): string {
  const plain = message === '' ? `failed rule: ${rule.trim()}` : message.trim();
  if (messageExpression === '') return plain;
  const reading = readRule(messageExpression);
  if ('problem' in reading) return plain;
  const outcome = outcomeOf(reading.run, context as Parameters<CompiledRule>[0]);
  const text = 'result' in outcome && typeof outcome.result === 'string' ? outcome.result.trim() : '';
  return text === '' || text.includes('\n') || Buffer.byteLength(text) > LONGEST_MESSAGE ? plain : text;
}

function errorOf({ reason }: ValidationRule, field: string, type: string, message: string): FieldError {
  if (reason === 'FieldValueForbidden') return forbidden(field, message);
  if (reason === 'FieldValueRequired') return required(field, message);
  return reason === 'FieldValueDuplicate' ? duplicate(field, type) : invalid(field, type, message);
}
