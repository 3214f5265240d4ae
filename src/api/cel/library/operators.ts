/** Operators (cel-go v0.26 common/stdlib); those that need not evaluate all they are given are the evaluator's. */
import {
  CelDefaultMap,
  CelDuration,
  CelError,
  CelLazyMap,
  CelOptional,
  CelTime,
  CelUint,
  compareNumbers,
  isDeclared,
  isOpaque,
  isSameValue,
  itemKey,
  LARGEST_INT,
  listKeys,
  mapValue,
  markList,
  shortText,
  SMALLEST_INT,
  type CelMap,
  type CelValue,
} from '../values.js';
import { functionTable, type FunctionTable } from './function-table.js';

function whole(result: bigint): bigint {
  if (result > LARGEST_INT || result < SMALLEST_INT) throw new CelError('integer overflow');
  return result;
}

/** The earliest and the latest moment that there is: the years 1 to 9999. */
const EARLIEST = -62_135_596_800_000_000_000n;
const LATEST = 253_402_300_799_999_999_999n;

function moment(ns: bigint): CelTime {
  if (ns < EARLIEST || ns > LATEST) throw new CelError('timestamp overflow');
  return new CelTime(ns);
}

/** A moment within the years that there are. @throws CelError */
export { moment as checkedMoment };

function divided<T>(by: bigint, what: string, work: () => T): T {
  if (by === 0n) throw new CelError(what);
  return work();
}

type Order = (order: number) => boolean;

/** Texts are compared by code point, as Go does by byte. */
export function compareValues(a: CelValue, b: CelValue): number {
  const order = compareNumbers(a, b);
  if (order !== undefined) return order;
  if (typeof a === 'string' || a instanceof Uint8Array) {
    return Buffer.compare(Buffer.from(a as string), Buffer.from(b as string));
  }
  const [left, right] = [rankOf(a), rankOf(b)];
  return left < right ? -1 : Number(left > right);
}

function rankOf(value: CelValue): bigint {
  if (value instanceof CelTime || value instanceof CelDuration) return value.ns;
  return value === true ? 1n : 0n;
}

const COMPARED = ['bool', 'int', 'uint', 'double', 'string', 'bytes', 'timestamp', 'duration'];
const NUMBERS = ['int', 'uint', 'double'];

function comparison(operator: string, isTrue: Order): FunctionTable {
  const run = (a: CelValue, b: CelValue): boolean => isTrue(compareValues(a, b));
  const alike = COMPARED.map((type) => [`_${operator}_(${type}, ${type}) -> bool`, run] as const);
  const across = NUMBERS.flatMap((left) =>
    NUMBERS.filter((right) => right !== left).map(
      (right) => [`_${operator}_(${left}, ${right}) -> bool`, run] as const,
    ),
  );
  return functionTable(Object.fromEntries([...alike, ...across]));
}

function joined(a: readonly CelValue[], b: readonly CelValue[]): readonly CelValue[] {
  const keys = listKeys(a);
  if (keys === undefined) return [...a, ...b];
  // Sets take in what they do not have, lists with keys replace what has the same ones.
  const result = [...a];
  const places = new Map(a.map((item, index) => [itemKey(item, keys), index]));
  for (const item of b) {
    const key = itemKey(item, keys);
    const place = places.get(key);
    if (place === undefined) places.set(key, result.push(item) - 1);
    else if (keys.length > 0) result[place] = item;
  }
  return markList(result, keys);
}

function elementOf(list: readonly CelValue[], index: CelValue): CelValue {
  const found = itemAt(list, index);
  if (found === undefined) throw new CelError(`index out of bounds: ${String(numeric(index))}`);
  return found;
}

function itemAt(list: readonly CelValue[], index: CelValue): CelValue | undefined {
  const at = numeric(index);
  if (at === undefined || !Number.isInteger(at))
    throw new CelError(`unsupported index value ${shortText(index)} in list`);
  return at < 0 ? undefined : list[at];
}

function numeric(index: CelValue): number | undefined {
  if (index instanceof CelUint) return Number(index.number);
  return typeof index === 'bigint' || typeof index === 'number' ? Number(index) : undefined;
}

/** Objects and values of libraries are compared with their like alone, and anything with null. */
function equal(a: CelValue, b: CelValue): boolean {
  if (b !== null) {
    const isAlike = Array.isArray(a) ? Array.isArray(b) : b instanceof Map;
    if ((isDeclared(a) && !isAlike) || (isOpaque(a) && !isOpaque(b))) throw new CelError('no such overload');
  }
  return isSameValue(a, b);
}

/** The keys of objects are texts. */
function checkKey(map: CelMap, key: CelValue): void {
  if (map instanceof CelLazyMap && typeof key !== 'string') throw new CelError('no such overload');
}

function hasKey(key: CelValue, map: CelMap): boolean {
  checkKey(map, key);
  return map instanceof CelDefaultMap || map instanceof CelLazyMap ? map.has(key) : mapValue(map, key) !== undefined;
}

function entry(map: CelMap, key: CelValue): CelValue {
  checkKey(map, key);
  const found = mapValue(map, key);
  if (found === undefined) throw new CelError(`no such key: ${shortText(key)}`);
  return found;
}

function optional(found: CelValue | undefined): CelOptional {
  return found === undefined ? CelOptional.NONE : new CelOptional(found);
}

function inside(container: CelOptional, find: (value: CelValue) => CelValue | undefined): CelOptional {
  return container.value === undefined ? CelOptional.NONE : optional(find(container.value));
}

function unwrapped(list: readonly CelOptional[]): readonly CelValue[] {
  return list.flatMap(({ value }) => (value === undefined ? [] : [value]));
}

export const OPERATORS = functionTable({
  '!_(bool) -> bool': (a: boolean) => !a,
  '-_(int) -> int': (a: bigint) => whole(-a),
  '-_(double) -> double': (a: number) => -a,
  '_==_(A, A) -> bool': equal,
  '_!=_(A, A) -> bool': (a: CelValue, b: CelValue) => !isSameValue(a, b),
  ...comparison('<', (order) => order < 0),
  ...comparison('<=', (order) => order <= 0),
  ...comparison('>', (order) => order > 0),
  ...comparison('>=', (order) => order >= 0),
  '_+_(bytes, bytes) -> bytes': (a: Uint8Array, b: Uint8Array) => new Uint8Array(Buffer.concat([a, b])),
  '_+_(double, double) -> double': (a: number, b: number) => a + b,
  '_+_(duration, duration) -> duration': (a: CelDuration, b: CelDuration) => new CelDuration(a.ns + b.ns),
  '_+_(duration, timestamp) -> timestamp': (a: CelDuration, b: CelTime) => moment(a.ns + b.ns),
  '_+_(timestamp, duration) -> timestamp': (a: CelTime, b: CelDuration) => moment(a.ns + b.ns),
  '_+_(int, int) -> int': (a: bigint, b: bigint) => whole(a + b),
  '_+_(list(A), list(A)) -> list(A)': joined,
  '_+_(string, string) -> string': (a: string, b: string) => a + b,
  '_+_(uint, uint) -> uint': (a: CelUint, b: CelUint) => new CelUint(a.number + b.number),
  '_-_(double, double) -> double': (a: number, b: number) => a - b,
  '_-_(duration, duration) -> duration': (a: CelDuration, b: CelDuration) => new CelDuration(a.ns - b.ns),
  '_-_(int, int) -> int': (a: bigint, b: bigint) => whole(a - b),
  '_-_(timestamp, duration) -> timestamp': (a: CelTime, b: CelDuration) => moment(a.ns - b.ns),
  '_-_(timestamp, timestamp) -> duration': (a: CelTime, b: CelTime) => new CelDuration(a.ns - b.ns),
  '_-_(uint, uint) -> uint': (a: CelUint, b: CelUint) => new CelUint(a.number - b.number),
  '_*_(double, double) -> double': (a: number, b: number) => a * b,
  '_*_(int, int) -> int': (a: bigint, b: bigint) => whole(a * b),
  '_*_(uint, uint) -> uint': (a: CelUint, b: CelUint) => new CelUint(a.number * b.number),
  '_/_(double, double) -> double': (a: number, b: number) => a / b,
  '_/_(int, int) -> int': (a: bigint, b: bigint) => divided(b, 'division by zero', () => whole(a / b)),
  '_/_(uint, uint) -> uint': (a: CelUint, b: CelUint) =>
    divided(b.number, 'division by zero', () => new CelUint(a.number / b.number)),
  '_%_(int, int) -> int': (a: bigint, b: bigint) => divided(b, 'modulus by zero', () => whole(a % b)),
  '_%_(uint, uint) -> uint': (a: CelUint, b: CelUint) =>
    divided(b.number, 'modulus by zero', () => new CelUint(a.number % b.number)),
  '_[_](list(A), int) -> A': elementOf,
  '_[_](map(A, B), A) -> B': entry,
  '_[_](optional(list(A)), int) -> optional(A)': (a: CelOptional, b: CelValue) =>
    inside(a, (list) => itemAt(list as readonly CelValue[], b)),
  '_[_](optional(map(A, B)), A) -> optional(B)': (a: CelOptional, b: CelValue) =>
    inside(a, (map) => mapValue(map as CelMap, b)),
  '_[?_](list(A), int) -> optional(A)': (a: readonly CelValue[], b: CelValue) => optional(itemAt(a, b)),
  '_[?_](optional(list(A)), int) -> optional(A)': (a: CelOptional, b: CelValue) =>
    inside(a, (list) => itemAt(list as readonly CelValue[], b)),
  '_[?_](map(A, B), A) -> optional(B)': (a: CelMap, b: CelValue) => optional(mapValue(a, b)),
  '_[?_](optional(map(A, B)), A) -> optional(B)': (a: CelOptional, b: CelValue) =>
    inside(a, (map) => mapValue(map as CelMap, b)),
  '@in(A, list(A)) -> bool': (a: CelValue, b: readonly CelValue[]) => b.some((each) => isSameValue(each, a)),
  '@in(A, map(A, B)) -> bool': hasKey,
  'optional.of(V) -> optional(V)': (a: CelValue) => new CelOptional(a),
  'optional.ofNonZeroValue(V) -> optional(V)': (a: CelValue) => (isZero(a) ? CelOptional.NONE : new CelOptional(a)),
  'optional.none() -> optional(V)': () => CelOptional.NONE,
  'optional(V)::value() -> V': (a: CelOptional) => {
    if (a.value === undefined) throw new CelError('optional.none() dereference');
    return a.value;
  },
  'optional.unwrap(list(optional(V))) -> list(V)': unwrapped,
  'list(optional(V))::unwrapOpt() -> list(V)': unwrapped,
  'list(V)::first() -> optional(V)': (a: readonly CelValue[]) => optional(a[0]),
  'list(V)::last() -> optional(V)': (a: readonly CelValue[]) => optional(a.at(-1)),
  'optional(V)::hasValue() -> bool': (a: CelOptional) => a.value !== undefined,
});

function isZero(value: CelValue): boolean {
  if (value === null || value === false || value === '' || value === 0n || value === 0) return true;
  if (Array.isArray(value)) return value.length === 0;
  if (value instanceof Map) return value.size === 0;
  if (value instanceof Uint8Array) return value.length === 0;
  if (value instanceof CelUint) return value.number === 0n;
  if (value instanceof CelDuration) return value.ns === 0n;
  return value instanceof CelOptional && value.value === undefined;
}
