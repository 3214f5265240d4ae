/** Functions on lists and sets (apiserver/pkg/cel/library/lists.go of v1.34, cel-go v0.26 ext/sets.go). */
import { CelDuration, CelError, CelUint, isSameValue, type CelValue } from '../values.js';
import { functionTable, type FunctionTable } from './function-table.js';
import { compareValues, OPERATORS } from './operators.js';

type List = readonly CelValue[];

const COMPARED = ['int', 'uint', 'double', 'bool', 'duration', 'timestamp', 'string', 'bytes'];

function forEach(types: readonly string[], signature: (type: string) => string, run: (list: List) => CelValue) {
  return Object.fromEntries(types.map((type) => [signature(type), run])) as unknown as FunctionTable;
}

function edge(list: List, sign: number, name: string): CelValue {
  const [first] = list;
  if (first === undefined) throw new CelError(`${name} called on empty list`);
  return list.reduce((best, each) => (compareValues(each, best) * sign > 0 ? each : best), first);
}

const ZEROS: Readonly<Record<string, CelValue>> = {
  int: 0n,
  uint: new CelUint(0n),
  double: 0,
  duration: new CelDuration(0n),
};

function sums(): FunctionTable {
  const entries = Object.entries(ZEROS).map(([type, zero]) => {
    const plus = OPERATORS[`_+_(${type}, ${type}) -> ${type}`] as (a: CelValue, b: CelValue) => CelValue;
    return [`list(${type})::sum() -> ${type}`, (list: List) => list.reduce((sum, each) => plus(sum, each), zero)];
  });
  return Object.fromEntries(entries) as FunctionTable;
}

function has(list: List, value: CelValue): boolean {
  return list.some((each) => isSameValue(each, value));
}

function hasAll(list: List, others: List): boolean {
  return others.every((each) => has(list, each));
}

export const LIST_FUNCTIONS = functionTable({
  ...forEach(
    COMPARED,
    (type) => `list(${type})::isSorted() -> bool`,
    (list) => list.every((each, index) => index === 0 || compareValues(list[index - 1] as CelValue, each) <= 0),
  ),
  ...sums(),
  ...forEach(
    COMPARED,
    (type) => `list(${type})::max() -> ${type}`,
    (list) => edge(list, 1, 'max'),
  ),
  ...forEach(
    COMPARED,
    (type) => `list(${type})::min() -> ${type}`,
    (list) => edge(list, -1, 'min'),
  ),
  'list(A)::indexOf(A) -> int': (list: List, value: CelValue) =>
    BigInt(list.findIndex((each) => isSameValue(each, value))),
  'list(A)::lastIndexOf(A) -> int': (list: List, value: CelValue) =>
    BigInt(list.findLastIndex((each) => isSameValue(each, value))),
  'sets.contains(list(T), list(T)) -> bool': hasAll,
  'sets.equivalent(list(T), list(T)) -> bool': (a: List, b: List) => hasAll(a, b) && hasAll(b, a),
  'sets.intersects(list(T), list(T)) -> bool': (a: List, b: List) => a.some((each) => has(b, each)),
});
