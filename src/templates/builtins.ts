/**
 * The functions that every template has (text/template/funcs.go), but for `and` and `or`, which the executor
 * carries out itself because they do not look at what they need not.
 */
import { FunctionError } from './template-error.js';
import { printedValue, sprint, sprintf } from './format.js';
import { fixed, variadic, type FunctionTable } from './functions.js';
import { Float, isDeepEqual, isList, isNil, isTrue, kindOf, typeName, type Value } from './values.js';

const MISSING_ARGUMENT = 'missing argument for comparison';
const INCOMPATIBLE = 'incompatible types for comparison';
const INVALID = 'invalid type for comparison';

/** Function table of the language itself. */
export const BUILTIN_FUNCTIONS: FunctionTable = {
  not: fixed(['any'], (value) => !isTrue(value)),
  eq: variadic(['any'], 'any', (others, first) => isEqualToAny(first, others)),
  ne: fixed(['any', 'any'], (a, b) => !isEqualToAny(a, [b])),
  lt: fixed(['any', 'any'], (a, b) => isLess(a, b)),
  le: fixed(['any', 'any'], (a, b) => isLess(a, b) || isEqualToAny(a, [b])),
  gt: fixed(['any', 'any'], (a, b) => !isLess(a, b) && !isEqualToAny(a, [b])),
  ge: fixed(['any', 'any'], (a, b) => !isLess(a, b)),
  index: variadic(['any'], 'any', (indexes, item) => indexed(item, indexes)),
  slice: variadic(['any'], 'any', (bounds, item) => sliced(item, bounds)),
  len: fixed(['any'], lengthOf),
  print: variadic([], 'any', sprint),
  printf: variadic(['string'], 'any', (values, format) => sprintf(format, values)),
  println: variadic([], 'any', (values) => `${values.map(printedValue).join(' ')}\n`),
  html: variadic([], 'any', (values) => escapeHtml(sprint(values))),
  js: variadic([], 'any', (values) => escapeScript(sprint(values))),
  urlquery: variadic([], 'any', (values) => encodeURIComponent(sprint(values)).replaceAll('%20', '+')),
};

function isEqualToAny(first: Value, others: readonly Value[]): boolean {
  if (others.length === 0) throw new FunctionError(MISSING_ARGUMENT);
  return others.some((other) => isEqual(first, other));
}

function isEqual(a: Value, b: Value): boolean {
  if (kindOf(a) !== kindOf(b)) {
    if (isNil(a) || isNil(b)) return false;
    throw new FunctionError(INCOMPATIBLE);
  }
  if (isList(a) || a instanceof Map) {
    throw new FunctionError(
      `non-comparable types ${typeName(a)}: ${printedValue(a)}, ${typeName(b)}: ${printedValue(b)}`,
    );
  }
  return isDeepEqual(a, b);
}

function isLess(a: Value, b: Value): boolean {
  const kind = kindOf(a);
  if (!['int', 'float64', 'string'].includes(kind)) throw new FunctionError(INVALID);
  if (!['int', 'float64', 'string', 'bool'].includes(kindOf(b))) throw new FunctionError(INVALID);
  if (kind !== kindOf(b)) throw new FunctionError(INCOMPATIBLE);
  if (a instanceof Float && b instanceof Float) return a.value < b.value;
  if (typeof a === 'string' && typeof b === 'string') return Buffer.compare(Buffer.from(a), Buffer.from(b)) < 0;
  return Number(a) < Number(b);
}

function indexed(item: Value, indexes: readonly Value[]): Value {
  if (isNil(item)) throw new FunctionError('index of untyped nil');
  let found: Value = item;
  for (const index of indexes) {
    if (isNil(found)) throw new FunctionError('index of nil pointer');
    if (found instanceof Map) {
      if (typeof index !== 'string') throw new FunctionError(`value has type ${typeName(index)}; should be string`);
      found = found.get(index) ?? null;
    } else if (isList(found) || typeof found === 'string') {
      found = elementAt(found, index);
    } else {
      throw new FunctionError(`can't index item of type ${typeName(found)}`);
    }
  }
  return found;
}

function elementAt(item: readonly Value[] | string, index: Value): Value {
  const elements = typeof item === 'string' ? Buffer.from(item) : item;
  return elements[boundOf(index, elements.length - 1)];
}

function boundOf(index: Value, most: number): number {
  if (isNil(index)) throw new FunctionError('cannot index slice/array with nil');
  const place = index instanceof Float ? index.value : index;
  if (typeof place !== 'number' || !Number.isInteger(place)) {
    throw new FunctionError(`cannot index slice/array with type ${typeName(index)}`);
  }
  if (place < 0 || place > most) throw new FunctionError(`index out of range: ${place}`);
  return place;
}

function sliced(item: Value, bounds: readonly Value[]): Value {
  if (isNil(item)) throw new FunctionError('slice of untyped nil');
  if (bounds.length > 3) throw new FunctionError(`too many slice indexes: ${bounds.length}`);
  if (!isList(item) && typeof item !== 'string') throw new FunctionError(`can't slice item of type ${typeName(item)}`);
  const whole = typeof item === 'string' ? Buffer.from(item) : item;
  const [from = 0, to = whole.length] = bounds.map((bound) => boundOf(bound, whole.length));
  if (from > to) throw new FunctionError(`invalid slice index: ${from} > ${to}`);
  return typeof item === 'string' ? Buffer.from(item).subarray(from, to).toString() : item.slice(from, to);
}

/** Of a text its bytes. */
function lengthOf(value: Value): number {
  if (isNil(value)) throw new FunctionError('len of untyped nil');
  if (typeof value === 'string') return Buffer.byteLength(value);
  if (isList(value)) return value.length;
  if (value instanceof Map) return value.size;
  throw new FunctionError(`len of type ${typeName(value)}`);
}

const HTML: Readonly<Record<string, string>> = {
  '<': '&lt;',
  '>': '&gt;',
  '&': '&amp;',
  '"': '&#34;',
  "'": '&#39;',
};

function escapeHtml(text: string): string {
  return text.replaceAll(/[<>&"']/g, (character) => HTML[character] ?? character);
}

function escapeScript(text: string): string {
  return Array.from(text, (character) => {
    if (character === '\\' || character === "'" || character === '"') return `\\${character}`;
    if (character >= ' ' && !'<>&='.includes(character)) return character;
    return `\\u${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`;
  }).join('');
}
