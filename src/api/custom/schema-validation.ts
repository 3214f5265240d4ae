/**
 * Values held against a schema, in upstream's words. Of alternatives of which none fits, the errors of the one that
 * fits best are told, as counted by the checks that passed. On an update, what is as it was before is not judged
 * again. Mirrors kube-openapi's validation/validate and apiextensions-apiserver's apiserver/validation (v1.34).
 */
import { goFloat } from '../cel/library/number-texts.js';
import {
  invalid,
  invalidAsWhole,
  notSupported,
  required,
  tooLong,
  tooMany,
  typeInvalid,
} from '../errors/field-errors.js';
import { quoted } from '../go/go-json.js';
import type { FieldError } from '../objects/resource-kind.js';
import { isSameJson } from '../values/canonical-json.js';
import { hasFormat, isCheckedFormat } from '../go/text-formats.js';
import { isUnchanged, previousItem } from './correlation.js';
import { isFields, propertySchema, valuesSchema, type Fields, type JsonSchema } from './json-schema.js';
import { goPattern } from '../values/go-pattern.js';

/** What is wrong with a value; `previous` is what an update replaces. @param place - the path to the value, if any */
export function schemaErrors(
  value: unknown,
  schema: JsonSchema,
  { previous, place = '' }: { readonly previous?: unknown; readonly place?: string } = {},
): readonly FieldError[] {
  return validated(value, schema, '', { previous }).errors.map((error) => error.at(place));
}

/** An error that has yet to be told where its value stands. */
interface Problem {
  /** By which equal ones are told once. */
  readonly text: string;
  at(place: string): FieldError;
}

/** What came of a check, and how many checks passed on the way. */
interface Result {
  readonly errors: readonly Problem[];
  readonly matches: number;
}

const PASSED: Result = { errors: [], matches: 1 };
/** A check that says nothing when it passes. */
const SILENT: Result = { errors: [], matches: 0 };

/** What a value replaces; absent where there is nothing to compare with. */
interface Before {
  readonly previous?: unknown;
}

function merged(...results: readonly Result[]): Result {
  const errors = new Map<string, Problem>();
  let matches = 0;
  for (const each of results) {
    matches += each.matches;
    for (const error of each.errors) if (!errors.has(error.text)) errors.set(error.text, error);
  }
  return { errors: [...errors.values()], matches };
}

function problem(path: string, text: string, make: (field: string) => FieldError): Problem {
  const own = path.replace(/^\./, '');
  return {
    text,
    at: (place) => make([place, own].filter((part) => part !== '').join('.') || '<nil>'),
  };
}

/** Of no field: it is told by its text alone. */
function general(text: string): Problem {
  return { text, at: (place) => invalid(place === '' ? '<nil>' : place, '', text) };
}

function failed(error: Problem): Result {
  return { errors: [error], matches: 0 };
}

function wrong(path: string, value: unknown, text: string): Result {
  const full = `${path} in body ${text}`;
  return failed(problem(path, full, (field) => invalid(field, value, full)));
}

function wrongType(path: string, value: unknown, type: string): Result {
  const full = `${path} in body must be of type ${type}: ${typeof value === 'string' ? quoted(value) : JSON.stringify(value)}`;
  return failed(problem(path, full, (field) => typeInvalid(field, value, full)));
}

function validated(value: unknown, schema: JsonSchema, path: string, before: Before): Result {
  if (before.previous !== undefined && isUnchanged(value, before.previous, schema)) return SILENT;
  if (value === null || value === undefined)
    return merged(checkType(null, schema, path), checkEnum(null, schema, path));
  const hasType = typesOf(schema).length > 0 || schema.format !== undefined;
  const checks = [
    ...(hasType ? [checkType(value, schema, path)] : []),
    checkAlternatives(value, schema, path, before),
    ...(typeof value === 'string' ? [checkText(value, schema, path), ...checkFormat(value, schema, path)] : []),
    ...(typeof value === 'number' ? [checkNumber(value, schema, path)] : []),
    ...(Array.isArray(value) ? [checkList(value, schema, path, before)] : []),
    checkEnum(value, schema, path),
    ...(isFields(value) ? [checkObject(value, schema, path, before)] : []),
  ];
  // Every check that applied counts once more, and the value itself.
  return merged(...checks, { errors: [], matches: checks.length + 1 });
}

function typesOf(schema: JsonSchema): readonly string[] {
  if (schema['x-kubernetes-int-or-string'] === true) return ['integer', 'string'];
  return schema.type === undefined || schema.type === '' ? [] : [schema.type];
}

function jsonType(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return isWhole(value) ? 'integer' : 'number';
  return typeof value;
}

/** Whole numbers beyond what 64 bits hold are read as others. */
function isWhole(value: number): boolean {
  return Number.isInteger(value) && Math.abs(value) <= LARGEST_WHOLE;
}

const LARGEST_WHOLE = 2 * 0x4000_0000_0000_0000;

/** Formats that Go's numbers have by themselves. */
const NUMBER_FORMATS: Readonly<Record<string, string>> = { integer: 'int64', number: 'float64' };

function checkType(value: unknown, schema: JsonSchema, path: string): Result {
  const types = typesOf(schema);
  const expected = types.join(',');
  if (value === null) {
    const isRefused = types.length > 0 && schema.nullable !== true;
    return isRefused ? wrongType(path, 'null', expected) : PASSED;
  }
  // Formats of texts that are checked come first; those of numbers, and unknown ones, count for nothing.
  const format = isCheckedFormat(schema.format ?? '') ? (schema.format ?? '') : '';
  const type = jsonType(value);
  const ownFormat = NUMBER_FORMATS[type] ?? '';
  const isIntegral = type === 'integer' && types.includes('number');
  const fits = types.includes(type) || isIntegral;
  const isTextOrList = typeof value === 'string' || Array.isArray(value);
  if (!isTextOrList && format !== '' && !fits && ownFormat !== format) return wrongType(path, ownFormat, format);
  if (isTextOrList && format !== '' && !types.includes('number') && !types.includes('integer')) return PASSED;
  return fits ? PASSED : wrongType(path, type, expected);
}

function checkEnum(value: unknown, { enum: allowed = [] }: JsonSchema, path: string): Result {
  if (allowed.length === 0 || (value !== null && allowed.some((each) => isSameJson(each, value)))) return SILENT;
  const texts = allowed.map((each) => (typeof each === 'string' ? each : JSON.stringify(each)));
  const text = `${path} in body should be one of ${texts.join(' ')}`;
  return failed(problem(path, text, (field) => notSupported(field, value, texts)));
}

function checkText(value: string, { maxLength, minLength, pattern }: JsonSchema, path: string): Result {
  const length = Array.from(value).length;
  if (maxLength !== undefined && length > maxLength) {
    const text = `${path} in body should be at most ${maxLength} chars long`;
    return failed(problem(path, text, (field) => tooLong(field, maxLength)));
  }
  if (minLength !== undefined && length < minLength) {
    return wrong(path, value, `should be at least ${minLength} chars long`);
  }
  const isMatch = pattern === undefined || pattern === '' || goPattern(pattern)?.test(value) !== false;
  return isMatch ? SILENT : wrong(path, value, `should match '${pattern}'`);
}

function checkFormat(value: string, { format = '' }: JsonSchema, path: string): readonly Result[] {
  if (format === '') return [];
  return [hasFormat(format, value) ? SILENT : wrongType(path, value, format)];
}

function checkNumber(value: number, schema: JsonSchema, path: string): Result {
  const { multipleOf, maximum, minimum, exclusiveMaximum = false, exclusiveMinimum = false } = schema;
  const results: Result[] = [{ errors: [], matches: 1 }];
  // Limits of whole numbers are whole numbers, too; of others Go prints them as such.
  const limitOf = (limit: number): number => (isWhole(value) ? Math.trunc(limit) : limit);
  const show = (limit: number): string => (isWhole(value) ? String(limit) : goFloat(limit));
  if (multipleOf !== undefined && !isMultiple(value, limitOf(multipleOf))) {
    results.push(wrong(path, value, `should be a multiple of ${show(limitOf(multipleOf))}`));
  }
  if (minimum !== undefined) {
    const least = limitOf(minimum);
    const isBelow = exclusiveMinimum ? value <= least : value < least;
    if (isBelow) {
      results.push(
        wrong(path, value, `should be greater than ${exclusiveMinimum ? '' : 'or equal to '}${show(least)}`),
      );
    }
  }
  if (maximum !== undefined) {
    const most = limitOf(maximum);
    const isAbove = exclusiveMaximum ? value >= most : value > most;
    if (isAbove)
      results.push(wrong(path, value, `should be less than ${exclusiveMaximum ? '' : 'or equal to '}${show(most)}`));
  }
  return merged(...results);
}

function isMultiple(value: number, factor: number): boolean {
  if (factor <= 0) return true;
  return Number.isInteger(factor < 1 ? (1 / factor) * value : value / factor);
}

function checkList(value: readonly unknown[], schema: JsonSchema, path: string, before: Before): Result {
  const { items, minItems, maxItems, uniqueItems = false } = schema;
  const results: Result[] = [{ errors: [], matches: 1 }];
  if (items !== undefined) {
    for (const [index, item] of value.entries()) {
      const previous = previousItem(item, schema, before.previous);
      results.push(validated(item, items, `${path}[${index}]`, { previous }));
    }
  }
  if (minItems !== undefined && value.length < minItems) {
    results.push(wrong(path, value.length, `should have at least ${minItems} items`));
  }
  if (maxItems !== undefined && value.length > maxItems) {
    const text = `${path} in body should have at most ${maxItems} items`;
    results.push(failed(problem(path, text, (field) => tooMany(field, value.length, maxItems))));
  }
  const isTwice =
    uniqueItems && value.some((item, index) => value.slice(0, index).some((each) => isSameJson(each, item)));
  if (isTwice) results.push(wrong(path, '', "shouldn't contain duplicates"));
  return merged(...results);
}

function checkObject(value: Fields, schema: JsonSchema, path: string, before: Before): Result {
  const { minProperties, maxProperties, required: needed = [] } = schema;
  const names = Object.keys(value).toSorted();
  const results: Result[] = [];
  if (minProperties !== undefined && names.length < minProperties) {
    results.push(wrong(path, names.length, `should have at least ${minProperties} properties`));
  }
  if (maxProperties !== undefined && names.length > maxProperties) {
    const text = `${path} in body should have at most ${maxProperties} properties`;
    results.push(failed(problem(path, text, (field) => tooMany(field, names.length, maxProperties))));
  }
  const previousOf = (name: string): unknown =>
    isFields(before.previous) && schema['x-kubernetes-map-type'] !== 'atomic' ? before.previous[name] : undefined;
  const values = valuesSchema(schema);
  for (const name of names) {
    const property = propertySchema(schema, name);
    const previous = previousOf(name);
    if (property !== undefined) {
      results.push(validated(value[name], property, path === '' ? name : `${path}.${name}`, { previous }));
    } else if (values !== undefined) results.push(validated(value[name], values, `${path}.${name}`, { previous }));
    else if (schema.additionalProperties === false) {
      const text = `${path}.${name} in body is a forbidden property`;
      results.push(failed(problem(path, text, (field) => invalid(field, name, text))));
    }
  }
  for (const name of needed) {
    if (Object.hasOwn(value, name)) continue;
    const own = `${path}.${name}`;
    results.push(failed(problem(own, `${own} in body is required`, required)));
  }
  return merged(...results);
}

function checkAlternatives(value: unknown, schema: JsonSchema, path: string, before: Before): Result {
  const { anyOf = [], oneOf = [], allOf = [], not } = schema;
  const ownPath = JSON.stringify(path);
  const judge = (each: JsonSchema): Result => validated(value, each, path, before);
  const results: Result[] = [];
  if (anyOf.length > 0) {
    const judged = anyOf.map(judge);
    const fitting = judged.find(isValid);
    if (fitting === undefined) results.push(failed(general(`${ownPath} must validate at least one schema (anyOf)`)));
    results.push(fitting ?? bestOf(judged));
  }
  if (oneOf.length > 0) {
    const judged = oneOf.map(judge);
    const fitting = judged.filter(isValid);
    const [first] = fitting;
    if (fitting.length === 1 && first !== undefined) results.push(first);
    else {
      const found = fitting.length === 0 ? 'Found none valid' : `Found ${fitting.length} valid alternatives`;
      const text = `${ownPath} must validate one and only one schema (oneOf). ${found}`;
      results.push(failed(general(text)));
      if (fitting.length === 0) results.push(bestOf(judged));
      // What failed after the first that fits is not told.
    }
  }
  if (allOf.length > 0) {
    const judged = allOf.map(judge);
    results.push(...judged);
    const fitting = judged.filter(isValid).length;
    if (fitting !== allOf.length) {
      const more = fitting === 0 ? '. None validated' : '';
      results.push(failed(general(`${ownPath} must validate all the schemas (allOf)${more}`)));
    }
  }
  if (not !== undefined && isValid(judge(not))) {
    results.push(failed(general(`${ownPath} must not validate the schema (not)`)));
  }
  return merged({ errors: [], matches: 1 }, ...results);
}

function isValid({ errors }: Result): boolean {
  return errors.length === 0;
}

/** The first of those with most checks that passed. */
function bestOf(results: readonly Result[]): Result {
  return results.reduce((best, each) => (each.matches > best.matches ? each : best));
}

/** Errors that keep rules from being judged. */
const BLOCKING: ReadonlySet<string> = new Set([
  'FieldValueNotSupported',
  'FieldValueRequired',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
]);

/** What is said where errors keep rules from being judged; nothing where they do not. */
export function unjudgedRules(errors: readonly FieldError[]): FieldError | undefined {
  if (!errors.some(({ type }) => BLOCKING.has(type))) return undefined;
  const why = 'some validation rules were not checked because the object was invalid';
  return invalidAsWhole('<nil>', `null: ${why}; correct the existing errors to complete validation`);
}
