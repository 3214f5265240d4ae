/** sprig's lists and dictionaries. Lists are copied, dictionaries changed in place, as there. */
import { toText } from '../casts.js';
import { fixed, variadic, type FunctionTable } from '../functions.js';
import { FunctionError } from '../template-error.js';
import { isDeepEqual, isList, isNil, isTrue, kindOf, typeName, type Dict, type Value } from '../values.js';

const LISTS: FunctionTable = {
  list: variadic([], 'any', (values) => [...values]),
  tuple: variadic([], 'any', (values) => [...values]),
  first: fixed(['any'], (value) => listOf('first', value)[0] ?? null),
  last: fixed(['any'], (value) => listOf('last', value).at(-1) ?? null),
  rest: fixed(['any'], (value) => listOf('rest', value).slice(1)),
  initial: fixed(['any'], (value) => listOf('initial', value).slice(0, -1)),
  append: fixed(['any', 'any'], (value, item) => [...listOf('push', value), item]),
  push: fixed(['any', 'any'], (value, item) => [...listOf('push', value), item]),
  prepend: fixed(['any', 'any'], (value, item) => [item, ...listOf('prepend', value)]),
  concat: variadic([], 'any', (values) => values.flatMap((value) => listOf('concat', value))),
  reverse: fixed(['any'], (value) => [...listOf('reverse', value)].reverse()),
  uniq: fixed(['any'], (value) => unique(listOf('uniq', value))),
  without: variadic(['any'], 'any', (items, value) =>
    listOf('without', value).filter((each) => !items.some((item) => isDeepEqual(each, item))),
  ),
  has: fixed(
    ['any', 'any'],
    (item, value) => !isNil(value) && listOf('has', value).some((each) => isDeepEqual(each, item)),
  ),
  compact: fixed(['any'], (value) => listOf('compact', value).filter(isTrue)),
  chunk: fixed(['int', 'any'], (size, value) => chunks(size, listOf('chunk', value))),
  sortAlpha: fixed(['any'], (value) => (isList(value) ? value.map(toText).sort() : [toText(value)])),
};

const DICTIONARIES: FunctionTable = {
  dict: variadic([], 'any', (values) => {
    const dict: Dict = new Map();
    for (let index = 0; index < values.length; index += 2) dict.set(toText(values[index]), values[index + 1] ?? '');
    return dict;
  }),
  get: fixed(['dict', 'string'], (dict, key) => dict.get(key) ?? ''),
  set: fixed(['dict', 'string', 'any'], (dict, key, value) => dict.set(key, value)),
  unset: fixed(['dict', 'string'], (dict, key) => {
    dict.delete(key);
    return dict;
  }),
  hasKey: fixed(['dict', 'string'], (dict, key) => dict.has(key)),
  keys: variadic([], 'dict', (dicts) => dicts.flatMap((dict) => [...dict.keys()])),
  values: fixed(['dict'], (dict) => [...dict.values()]),
  pluck: variadic(['string'], 'dict', (dicts, key) =>
    dicts.filter((dict) => dict.has(key)).map((dict) => dict.get(key)),
  ),
  pick: variadic(['dict'], 'string', (keys, dict) => selected(dict, (key) => keys.includes(key))),
  omit: variadic(['dict'], 'string', (keys, dict) => selected(dict, (key) => !keys.includes(key))),
  merge: variadic(['dict'], 'dict', (sources, target) =>
    sources.reduce((into, source) => merged(into, source, false), target),
  ),
  mergeOverwrite: variadic(['dict'], 'dict', (sources, target) =>
    sources.reduce((into, source) => merged(into, source, true), target),
  ),
  deepCopy: fixed(['any'], copied),
  dig: variadic(['string'], 'any', (rest, first) => dug([first, ...rest])),
};

const TYPES: FunctionTable = {
  kindOf: fixed(['any'], kindOf),
  kindIs: fixed(['string', 'any'], (kind, value) => kindOf(value) === kind),
  typeOf: fixed(['any'], typeName),
  typeIs: fixed(['string', 'any'], (type, value) => typeName(value) === type),
  typeIsLike: fixed(['string', 'any'], (type, value) => [type, `*${type}`].includes(typeName(value))),
  deepEqual: fixed(['any', 'any'], isDeepEqual),
};

export const COLLECTION_FUNCTIONS: FunctionTable = { ...LISTS, ...DICTIONARIES, ...TYPES };

function listOf(name: string, value: Value): readonly Value[] {
  if (isList(value)) return value;
  throw new FunctionError(`Cannot ${name} on type ${kindOf(value)}`);
}

function unique(list: readonly Value[]): Value[] {
  const found: Value[] = [];
  for (const value of list) if (!found.some((each) => isDeepEqual(each, value))) found.push(value);
  return found;
}

function chunks(size: number, list: readonly Value[]): Value[] {
  if (size < 1) throw new FunctionError(`size of chunks must be at least 1, got ${size}`);
  return Array.from({ length: Math.ceil(list.length / size) }, (_, index) =>
    list.slice(index * size, (index + 1) * size),
  );
}

function selected(dict: Dict, isWanted: (key: string) => boolean): Dict {
  return new Map([...dict].filter(([key]) => isWanted(key)));
}

function merged(target: Dict, source: Dict, isOverwriting: boolean): Dict {
  for (const [key, value] of source) {
    const present = target.get(key);
    if (present instanceof Map && value instanceof Map) merged(present, value, isOverwriting);
    else if (isOverwriting ? isTrue(value) : !isTrue(present)) target.set(key, value);
  }
  return target;
}

function copied(value: Value): Value {
  if (value instanceof Map) return new Map([...value].map(([key, each]) => [key, copied(each)]));
  return isList(value) ? value.map(copied) : value;
}

/** `dig "a" "b" standard dict`. */
function dug(values: readonly Value[]): Value {
  if (values.length < 3) throw new FunctionError('dig needs at least three arguments');
  let found: Value = values.at(-1);
  const standard = values.at(-2);
  for (const key of values.slice(0, -2)) {
    if (!(found instanceof Map) || !found.has(toText(key))) return standard;
    found = found.get(toText(key));
  }
  return found;
}
