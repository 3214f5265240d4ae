/**
 * Values as Go's templates know them. Go tells integers from floats (`eq 1 1.0` is refused), and a value that is
 * absent from a nil; JavaScript does not, so a float is an object here and an integer a plain number.
 */

/** A float64. */
export class Float {
  readonly value: number;

  constructor(value: number) {
    this.value = value;
  }
}

/** A `map[string]any`. */
export type Dict = Map<string, Value>;

/** A moment, as sprig's `now` gives it: milliseconds since 1970, UTC. */
export class Moment {
  readonly epochMs: number;

  constructor(epochMs: number) {
    this.epochMs = epochMs;
  }
}

/** A value; `null` is nil, `undefined` what is not there at all, such as a key that a map does not have. */
export type Value = undefined | null | boolean | number | string | Float | Moment | readonly Value[] | Dict;

/** How numbers of data are taken: encoding/json makes every number a float64, YAML's readers tell them apart. */
export type NumberReading = 'json' | 'yaml';

/** Plain data, such as a YAML document, as a value of templates. */
export function valueOf(data: unknown, numbers: NumberReading): Value {
  switch (typeof data) {
    case 'boolean':
    case 'string':
      return data;
    case 'number':
      return numbers === 'yaml' && Number.isInteger(data) ? data : new Float(data);
    case 'bigint':
      return numbers === 'yaml' ? Number(data) : new Float(Number(data));
    case 'object':
      if (data === null) return null;
      if (data instanceof Float || data instanceof Moment) return data;
      if (Array.isArray(data)) return data.map((item: unknown) => valueOf(item, numbers));
      return dictOf(data as Readonly<Record<string, unknown>>, numbers);
    default:
      return null;
  }
}

/** A mapping of plain data as a map of templates. */
export function dictOf(data: Readonly<Record<string, unknown>>, numbers: NumberReading): Dict {
  return new Map(Object.entries(data).map(([key, value]) => [key, valueOf(value, numbers)]));
}

/** A value of templates as plain data. */
export function plainOf(value: Value): unknown {
  if (value === undefined || value === null) return null;
  if (value instanceof Float) return value.value;
  if (value instanceof Map) return Object.fromEntries([...value].map(([key, each]) => [key, plainOf(each)]));
  if (isList(value)) return value.map(plainOf);
  return value;
}

export function isList(value: Value): value is readonly Value[] {
  return Array.isArray(value);
}

export function isNil(value: Value): value is null | undefined {
  return value === undefined || value === null;
}

/** The kind as Go's reflect package names it. */
export function kindOf(value: Value): string {
  if (isNil(value)) return 'invalid';
  if (value instanceof Float) return 'float64';
  if (value instanceof Map) return 'map';
  if (value instanceof Moment) return 'struct';
  if (isList(value)) return 'slice';
  switch (typeof value) {
    case 'boolean':
      return 'bool';
    case 'number':
      return 'int';
    default:
      return 'string';
  }
}

/** The type as Go's `%T` prints it. */
export function typeName(value: Value): string {
  if (isNil(value)) return '<nil>';
  if (value instanceof Map) return 'map[string]interface {}';
  if (value instanceof Moment) return 'time.Time';
  return isList(value) ? '[]interface {}' : kindOf(value);
}

/** Whether `if` takes it for true: everything but false, 0, nil and what is empty. */
export function isTrue(value: Value): boolean {
  if (isNil(value)) return false;
  if (value instanceof Float) return value.value !== 0;
  if (value instanceof Map) return value.size > 0;
  if (value instanceof Moment) return true;
  if (isList(value)) return value.length > 0;
  return typeof value === 'boolean' ? value : value !== 0 && value !== '';
}

/** Keys in the order in which Go prints and ranges over a map. */
export function sortedEntries(dict: Dict): [string, Value][] {
  return [...dict].sort(([a], [b]) => (a < b ? -1 : 1));
}

/** Whether two values are deeply equal, types included. */
export function isDeepEqual(a: Value, b: Value): boolean {
  if (isNil(a) || isNil(b)) return isNil(a) && isNil(b);
  if (a instanceof Float) return b instanceof Float && a.value === b.value;
  if (a instanceof Moment) return b instanceof Moment && a.epochMs === b.epochMs;
  if (a instanceof Map) {
    return (
      b instanceof Map &&
      a.size === b.size &&
      [...a].every(([key, value]) => b.has(key) && isDeepEqual(value, b.get(key)))
    );
  }
  if (isList(a)) return isList(b) && a.length === b.length && a.every((value, index) => isDeepEqual(value, b[index]));
  return a === b;
}
