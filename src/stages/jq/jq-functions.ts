/** jq's functions, as far as queries about objects use them. */
import { piped, single, type Filter } from './jq-filter.js';
import { JqError } from './jq-tokens.js';
import {
  addJson,
  compareJson,
  isJsonList,
  isJsonObject,
  isSameValue,
  isTruthy,
  jsonAt,
  jsonItems,
  jsonText,
  jsonType,
  sortedKeys,
  type Json,
} from './jq-values.js';

/** @throws JqError for a name or a number of arguments that there is not */
export function jqFunction(name: string, values: readonly Filter[]): Filter {
  const key = `${name}/${values.length}`;
  const simple = Object.hasOwn(SIMPLE, key) ? SIMPLE[key] : undefined;
  if (simple !== undefined) return single(simple);
  const made = Object.hasOwn(WITH_FILTERS, key) ? WITH_FILTERS[key] : undefined;
  if (made !== undefined) return made(...values);
  const pair = Object.hasOwn(WITH_VALUE, key) ? WITH_VALUE[key] : undefined;
  const [value] = values;
  if (pair === undefined || value === undefined) throw new JqError(`function not defined: ${key}`);
  return function* each(input, scope) {
    for (const argument of value(input, scope)) yield pair(input, argument);
  };
}

/** Functions of their input alone. */
const SIMPLE: Readonly<Record<string, (input: Json) => Json>> = {
  'not/0': (input) => !isTruthy(input),
  'length/0': lengthOf,
  'keys/0': (input) => (isJsonList(input) ? input.map((_item, index) => index) : sortedKeys(objectOf(input, 'keys'))),
  'type/0': jsonType,
  'add/0': (input) => jsonItems(input).reduce(addJson, null),
  'any/0': (input) => jsonItems(input).some(isTruthy),
  'all/0': (input) => jsonItems(input).every(isTruthy),
  'first/0': (input) => jsonAt(input, 0),
  'last/0': (input) => jsonAt(input, -1),
  'min/0': (input) => listOf(input, 'min').toSorted(compareJson)[0] ?? null,
  'max/0': (input) => listOf(input, 'max').toSorted(compareJson).at(-1) ?? null,
  'sort/0': (input) => listOf(input, 'sort').toSorted(compareJson),
  'unique/0': (input) =>
    listOf(input, 'unique')
      .toSorted(compareJson)
      .filter((item, index, all) => index === 0 || !isSameValue(item, all[index - 1] ?? null)),
  'reverse/0': (input) => (input === null ? [] : listOf(input, 'reverse').toReversed()),
  'flatten/0': (input) => flattened(listOf(input, 'flatten')),
  'tostring/0': jsonText,
  'tonumber/0': toNumber,
  'ascii_downcase/0': (input) => textOf(input, 'ascii_downcase').replaceAll(/[A-Z]/g, (each) => each.toLowerCase()),
  'ascii_upcase/0': (input) => textOf(input, 'ascii_upcase').replaceAll(/[a-z]/g, (each) => each.toUpperCase()),
  'floor/0': (input) => Math.floor(numberOf(input, 'floor')),
  'ceil/0': (input) => Math.ceil(numberOf(input, 'ceil')),
  'round/0': (input) => Math.round(numberOf(input, 'round')),
  'abs/0': (input) => Math.abs(numberOf(input, 'abs')),
  'fromjson/0': fromJson,
  'tojson/0': (input) => JSON.stringify(input),
  'to_entries/0': (input) => {
    const object = objectOf(input, 'to_entries');
    return sortedKeys(object).map((key) => ({ key, value: object[key] ?? null }));
  },
  'from_entries/0': (input) =>
    Object.fromEntries(jsonItems(input).map((each) => [jsonText(jsonAt(each, 'key')), jsonAt(each, 'value')])),
  'error/0': (input) => {
    throw new JqError(jsonText(input));
  },
};

/** Functions of their input and of a value. */
const WITH_VALUE: Readonly<Record<string, (input: Json, value: Json) => Json>> = {
  'has/1': (input, key) => {
    if (isJsonObject(input) && typeof key === 'string') return Object.hasOwn(input, key);
    if (isJsonList(input) && typeof key === 'number') return key >= 0 && key < input.length;
    throw new JqError(`cannot check whether ${jsonType(input)} has a key: ${jsonText(key)}`);
  },
  'in/1': (input, object) => typeof input === 'string' && isJsonObject(object) && Object.hasOwn(object, input),
  'contains/1': contains,
  'inside/1': (input, whole) => contains(whole, input),
  'startswith/1': (input, start) => textOf(input, 'startswith').startsWith(textOf(start, 'startswith')),
  'endswith/1': (input, end) => textOf(input, 'endswith').endsWith(textOf(end, 'endswith')),
  'ltrimstr/1': (input, start) =>
    typeof input === 'string' && typeof start === 'string' && input.startsWith(start)
      ? input.slice(start.length)
      : input,
  'rtrimstr/1': (input, end) =>
    typeof input === 'string' && typeof end === 'string' && end !== '' && input.endsWith(end)
      ? input.slice(0, -end.length)
      : input,
  'split/1': (input, separator) => {
    const text = textOf(input, 'split');
    return text === '' ? [] : text.split(textOf(separator, 'split'));
  },
  'join/1': (input, separator) =>
    jsonItems(input)
      .map((item) => (item === null ? '' : jsonText(item)))
      .join(textOf(separator, 'join')),
  'test/1': (input, pattern) => expressionOf(pattern).test(textOf(input, 'test')),
  'index/1': (input, part) => {
    const place = textOf(input, 'index').indexOf(textOf(part, 'index'));
    return place < 0 ? null : place;
  },
  'getpath/1': (input, path) =>
    jsonItems(path).reduce<Json>((value, key) => (value === null ? null : jsonAt(value, key)), input),
};

/** Functions of filters. */
const WITH_FILTERS: Readonly<Record<string, (...filters: Filter[]) => Filter>> = {
  'empty/0': () => () => [],
  'recurse/0': () => recursed,
  'values/0': () => (input) => (input === null ? [] : [input]),
  'select/1': (test = none) =>
    function* select(input, scope) {
      for (const value of test(input, scope)) if (isTruthy(value)) yield input;
    },
  'map/1':
    (filter = none) =>
    (input, scope) => [[...piped(jsonItems, filter)(input, scope)]],
  'map_values/1':
    (filter = none) =>
    (input, scope) => {
      const firstOf = (item: Json): readonly Json[] => [...filter(item, scope)].slice(0, 1);
      if (!isJsonObject(input)) return [jsonItems(input).flatMap(firstOf)];
      return [
        Object.fromEntries(Object.entries(input).flatMap(([key, item]) => firstOf(item).map((each) => [key, each]))),
      ];
    },
  'any/1':
    (test = none) =>
    (input, scope) => [jsonItems(input).some((item) => [...test(item, scope)].some(isTruthy))],
  'all/1':
    (test = none) =>
    (input, scope) => [jsonItems(input).every((item) => [...test(item, scope)].every(isTruthy))],
  'any/2':
    (source = none, test = none) =>
    (input, scope) => [[...piped(source, test)(input, scope)].some(isTruthy)],
  'all/2':
    (source = none, test = none) =>
    (input, scope) => [[...piped(source, test)(input, scope)].every(isTruthy)],
  'first/1': (filter = none) =>
    function* first(input, scope) {
      for (const value of filter(input, scope)) {
        yield value;
        return;
      }
    },
  'last/1':
    (filter = none) =>
    (input, scope) =>
      [...filter(input, scope)].slice(-1),
  'sort_by/1': (filter) => (input, scope) => [sortedBy(listOf(input, 'sort_by'), keysBy(filter, scope))],
  'min_by/1': (filter) => (input, scope) => [sortedBy(listOf(input, 'min_by'), keysBy(filter, scope))[0] ?? null],
  'max_by/1': (filter) => (input, scope) => [sortedBy(listOf(input, 'max_by'), keysBy(filter, scope)).at(-1) ?? null],
  'error/1': (filter = none) =>
    piped(
      filter,
      single((message) => {
        throw new JqError(jsonText(message));
      }),
    ),
};

const none: Filter = () => [];

/** A value and everything in it. */
export function* recursed(value: Json): Generator<Json> {
  yield value;
  if (isJsonList(value) || isJsonObject(value)) for (const item of jsonItems(value)) yield* recursed(item);
}

function keysBy(filter: Filter = none, scope: Parameters<Filter>[1]): (item: Json) => Json {
  return (item) => [...filter(item, scope)];
}

function sortedBy(items: readonly Json[], keyOf: (item: Json) => Json): readonly Json[] {
  return items
    .map((item) => ({ item, key: keyOf(item) }))
    .toSorted((a, b) => compareJson(a.key, b.key))
    .map(({ item }) => item);
}

function lengthOf(input: Json): Json {
  if (input === null) return 0;
  if (typeof input === 'number') return Math.abs(input);
  if (typeof input === 'string') return Array.from(input).length;
  if (isJsonList(input)) return input.length;
  if (isJsonObject(input)) return Object.keys(input).length;
  throw new JqError(`length cannot be applied to: ${jsonType(input)}`);
}

function flattened(list: readonly Json[]): readonly Json[] {
  return list.flatMap((item) => (isJsonList(item) ? flattened(item) : [item]));
}

function contains(whole: Json, part: Json): boolean {
  if (typeof whole === 'string' && typeof part === 'string') return whole.includes(part);
  if (isJsonList(whole) && isJsonList(part)) return part.every((each) => whole.some((item) => contains(item, each)));
  if (isJsonObject(whole) && isJsonObject(part)) {
    return Object.entries(part).every(([key, each]) => Object.hasOwn(whole, key) && contains(whole[key] ?? null, each));
  }
  if (jsonType(whole) !== jsonType(part)) throw new JqError(`contains cannot be applied to: ${jsonType(part)}`);
  return isSameValue(whole, part);
}

function toNumber(input: Json): Json {
  if (typeof input === 'number') return input;
  if (typeof input === 'string' && /^\s*-?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?\s*$/.test(input))
    return Number(input);
  throw new JqError(`tonumber cannot be applied to: ${jsonType(input)} (${JSON.stringify(input)})`);
}

function fromJson(input: Json): Json {
  try {
    return JSON.parse(textOf(input, 'fromjson')) as Json;
  } catch {
    throw new JqError(`fromjson cannot be applied to: ${JSON.stringify(input)}`);
  }
}

function expressionOf(pattern: Json): RegExp {
  try {
    return new RegExp(textOf(pattern, 'test'), 'u');
  } catch {
    throw new JqError(`invalid regular expression ${JSON.stringify(pattern)}`);
  }
}

function textOf(value: Json, name: string): string {
  if (typeof value === 'string') return value;
  throw new JqError(`${name} cannot be applied to: ${jsonType(value)} (${JSON.stringify(value)})`);
}

function numberOf(value: Json, name: string): number {
  if (typeof value === 'number') return value;
  throw new JqError(`${name} cannot be applied to: ${jsonType(value)} (${JSON.stringify(value)})`);
}

function listOf(value: Json, name: string): readonly Json[] {
  if (isJsonList(value)) return value;
  throw new JqError(`${name} cannot be applied to: ${jsonType(value)} (${JSON.stringify(value)})`);
}

function objectOf(value: Json, name: string): Exclude<Json, null | boolean | number | string | readonly Json[]> {
  if (isJsonObject(value)) return value;
  throw new JqError(`${name} cannot be applied to: ${jsonType(value)} (${JSON.stringify(value)})`);
}
