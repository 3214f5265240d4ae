/** Evaluates an expression over the values that it asks for (cel-go v0.26 interpreter). */
import { isTypeName } from './checker.js';
import { LIST_COST, MAP_COST, NAME_COST, STRUCT_COST } from './cost/amounts.js';
import { callCost } from './cost/call-costs.js';
import { overloadKind } from './cost/call-estimates.js';
import { charge } from './cost/meter.js';
import { isOfType, overloadsOf } from './functions.js';
import { listIndexFailure, overloadFailure, rangeFailure } from './overload-failures.js';
import {
  qualifiedName,
  RESERVED_WORDS,
  type BindNode,
  type CallNode,
  type CelNode,
  type ListNode,
  type LoopForm,
  type LoopNode,
  type MapNode,
  type OptionalMapNode,
  type SelectNode,
  type StructNode,
} from './syntax.js';
import {
  CelError,
  CelOptional,
  CelStruct,
  CelTypeValue,
  CelUint,
  shortText,
  type CelMap,
  type CelValue,
} from './values.js';

/** Answers for the variables of an expression; undefined for one that has no value. */
export type CelVariables = (name: string) => CelValue | undefined;

/** What an expression answers. @throws CelError */
export function evaluate(node: CelNode, variables: CelVariables): CelValue {
  switch (node.form) {
    case 'literal':
      return node.value;
    case 'ident':
      return named(node.name, variables);
    case 'select':
      return select(node, variables);
    case 'call':
      return call(node, variables);
    case 'list':
      return list(node, variables);
    case 'map':
      return map(node, variables);
    case 'struct':
      return struct(node, variables);
    case 'loop':
      return runLoop(node, variables);
    case 'bind':
      return bound(node, variables);
    default:
      return optionalMap(node, variables);
  }
}

const TYPE_VALUES: Readonly<Record<string, string>> = {
  timestamp: 'google.protobuf.Timestamp',
  duration: 'google.protobuf.Duration',
};

function named(name: string, variables: CelVariables): CelValue {
  charge(NAME_COST);
  const value = variables(name);
  if (value !== undefined) return value;
  if (isTypeName(name)) return new CelTypeValue(TYPE_VALUES[name] ?? name);
  throw new CelError(`no such attribute(s): ${name}`);
}

function select(node: SelectNode, variables: CelVariables): CelValue {
  if (!node.isTest) charge(NAME_COST);
  const name = qualifiedName(node);
  if (name !== undefined) {
    const known = variables(name);
    if (known !== undefined) return known;
    if (isTypeName(name)) return new CelTypeValue(name);
  }
  const operand = evaluate(node.operand, variables);
  const isOptional = operand instanceof CelOptional;
  const target = isOptional ? operand.value : operand;
  const found = target === undefined ? undefined : fieldOf(target, node.field);
  if (node.isTest) return found !== undefined;
  if (isOptional || node.isOptional) return found === undefined ? CelOptional.NONE : new CelOptional(found);
  if (found === undefined) throw new CelError(`no such key: ${node.field}`);
  return found;
}

/** Values whose fields are worked out when they are asked for. */
export interface FieldSource {
  readonly isFieldSource: true;
  field(name: string): CelValue | undefined;
}

function isFieldSource(value: unknown): value is FieldSource {
  return typeof value === 'object' && value !== null && 'isFieldSource' in value;
}

function fieldOf(target: CelValue, field: string): CelValue | undefined {
  if (target instanceof Map) {
    const fields = target as CelMap;
    if (fields.has(field)) return fields.get(field);
    return RESERVED_WORDS.has(field) ? fields.get(`__${field}__`) : undefined;
  }
  if (isFieldSource(target)) return target.field(field);
  if (Array.isArray(target)) throw listIndexFailure(field);
  return undefined;
}

type Outcome = { readonly value: CelValue } | { readonly error: CelError };

function tried(node: CelNode, variables: CelVariables): Outcome {
  try {
    return { value: evaluate(node, variables) };
  } catch (error) {
    if (!(error instanceof CelError)) throw error;
    return { error };
  }
}

/** One side that decides is enough, whatever is wrong with the other. */
function logical({ args }: CallNode, decides: boolean, variables: CelVariables): boolean {
  let error: CelError | undefined;
  for (const arg of args) {
    const outcome = tried(arg, variables);
    if ('error' in outcome) error ??= outcome.error;
    else if (outcome.value === decides) return decides;
    else if (typeof outcome.value !== 'boolean') error ??= new CelError('no such overload');
  }
  if (error !== undefined) throw error;
  return !decides;
}

function call(node: CallNode, variables: CelVariables): CelValue {
  const { name, target, args } = node;
  if (name === '_&&_') return logical(node, false, variables);
  if (name === '_||_') return logical(node, true, variables);
  if (name === '_?_:_') return ternary(args, variables);
  const prefix = target === undefined ? undefined : qualifiedName(target);
  const qualified = prefix === undefined ? undefined : `${prefix}.${name}`;
  if (qualified !== undefined && overloadsOf(qualified).length > 0) {
    return dispatch(qualified, evaluateAll(args, variables), false);
  }
  if (target !== undefined && (name === 'or' || name === 'orValue')) return orElse(name, target, args, variables);
  const own = target === undefined ? args : [target, ...args];
  if (name === '@in' && isConstant(args[1])) return isAmong(args, variables);
  return dispatch(name, evaluateAll(own, variables), target !== undefined);
}

/** Lists and maps of literals alone are made once, and cost nothing; nor does it whether something is among them. */
function isConstant(node: CelNode | undefined): boolean {
  if (node?.form === 'list') return node.items.every(({ value, isOptional }) => !isOptional && isConstant(value));
  if (node?.form === 'map') {
    return node.entries.every(({ key, value, isOptional }) => !isOptional && isConstant(key) && isConstant(value));
  }
  return node?.form === 'literal';
}

function isAmong(args: readonly CelNode[], variables: CelVariables): CelValue {
  const [value, container] = evaluateAll(args, variables) as [CelValue, CelValue];
  return runOverload('@in', [value, container], false).result;
}

function evaluateAll(nodes: readonly CelNode[], variables: CelVariables): CelValue[] {
  return nodes.map((each) => evaluate(each, variables));
}

function ternary([condition, yes, no]: readonly CelNode[], variables: CelVariables): CelValue {
  const chosen = evaluate(condition as CelNode, variables);
  if (typeof chosen !== 'boolean') throw new CelError('no such overload');
  return evaluate((chosen ? yes : no) as CelNode, variables);
}

function orElse(name: string, target: CelNode, args: readonly CelNode[], variables: CelVariables): CelValue {
  const optional = evaluate(target, variables);
  // What may be anything, and is no optional, is there.
  if (!(optional instanceof CelOptional)) return optional;
  if (optional.value !== undefined) return name === 'or' ? optional : optional.value;
  return evaluate(args[0] as CelNode, variables);
}

function dispatch(name: string, args: CelValue[], isMember: boolean): CelValue {
  const { result, kind } = runOverload(name, args, isMember);
  charge(callCost(kind, args, result));
  return result;
}

function runOverload(name: string, args: CelValue[], isMember: boolean): { result: CelValue; kind: string } {
  for (const overload of overloadsOf(name)) {
    if (overload.isMember !== isMember || overload.params.length !== args.length) continue;
    if (!overload.params.every((type, index) => isOfType(args[index] as CelValue, type))) continue;
    return { result: overload.run(...args), kind: overloadKind(name, overload.params, isMember) };
  }
  throw overloadFailure(name, args);
}

function list(node: ListNode, variables: CelVariables): CelValue {
  if (!isConstant(node)) charge(LIST_COST);
  return node.items.flatMap(({ value, isOptional }): readonly CelValue[] => {
    const item = evaluate(value, variables);
    if (!isOptional || !(item instanceof CelOptional)) return [item];
    return item.value === undefined ? [] : [item.value];
  });
}

function map(node: MapNode, variables: CelVariables): CelValue {
  if (!isConstant(node)) charge(MAP_COST);
  const result = new Map<CelValue, CelValue>();
  for (const { key, value, isOptional } of node.entries) {
    const own = mapKey(evaluate(key, variables));
    const given = evaluate(value, variables);
    if (!isOptional || !(given instanceof CelOptional)) result.set(own, given);
    else if (given.value !== undefined) result.set(own, given.value);
  }
  return result;
}

function mapKey(key: CelValue): CelValue {
  if (key instanceof CelUint) return key.number;
  if (typeof key === 'number' && Number.isInteger(key)) return BigInt(key);
  return key;
}

function struct({ typeName, fields }: StructNode, variables: CelVariables): CelValue {
  charge(STRUCT_COST);
  const result = new CelStruct(typeName, []);
  for (const { name, value, isOptional } of fields) {
    const given = evaluate(value, variables);
    if (!isOptional || !(given instanceof CelOptional)) result.set(name, given);
    else if (given.value !== undefined) result.set(name, given.value);
  }
  return result;
}

/** The values of a loop's variables, step by step. */
function stepsOf({ range, second }: LoopNode, variables: CelVariables): readonly (readonly [CelValue, CelValue])[] {
  const over = evaluate(range, variables);
  if (Array.isArray(over)) {
    const items = over as readonly CelValue[];
    return second === undefined
      ? items.map((item) => [item, null] as const)
      : items.map((item, index) => [BigInt(index), item] as const);
  }
  if (over instanceof Map) return [...(over as CelMap)];
  throw rangeFailure(over);
}

/** What a round of a loop costs beside its condition and what it gathers, and what taking its item in costs. */
const ROUND_COSTS: Readonly<Record<LoopForm, readonly [round: number, taken: number]>> = {
  all: [3, 0],
  exists: [4, 0],
  existsOne: [1, 1],
  filter: [1, LIST_COST + 2],
  map: [1, LIST_COST + 1],
  transformList: [1, LIST_COST + 1],
  transformMap: [1, 2],
  transformMapEntry: [1, 1],
};

function runLoop(node: LoopNode, variables: CelVariables): CelValue {
  const { loop, variable, second, filter, body } = node;
  const [round, taken] = ROUND_COSTS[loop];
  charge(1);
  const steps = stepsOf(node, variables);
  const scopes = steps.map(
    ([first, other]): CelVariables =>
      (name) =>
        name === variable ? first : name === second ? other : variables(name),
  );
  if (loop === 'all' || loop === 'exists') return quantified(scopes, body, { decides: loop === 'exists', round });
  const isTaken = (condition: CelNode | undefined, scope: CelVariables | undefined): boolean => {
    charge(round);
    if (condition !== undefined && !isTrue(condition, scope)) return false;
    charge(taken);
    return true;
  };
  if (loop === 'existsOne') return scopes.filter((scope) => isTaken(body, scope)).length === 1;
  if (loop === 'filter') return steps.flatMap(([item], index) => (isTaken(body, scopes[index]) ? [item] : []));
  const kept = steps.flatMap(([key], index) => {
    const scope = scopes[index] as CelVariables;
    return isTaken(filter, scope) ? [{ key, scope }] : [];
  });
  if (loop === 'map' || loop === 'transformList') return kept.map(({ scope }) => evaluate(body, scope));
  const result = new Map<CelValue, CelValue>();
  for (const { key, scope } of kept) {
    const value = evaluate(body, scope);
    if (loop === 'transformMap') result.set(key, value);
    else for (const [own, each] of value as CelMap) putOnce(result, own, each);
  }
  return result;
}

function putOnce(result: Map<CelValue, CelValue>, key: CelValue, value: CelValue): void {
  if (result.has(key)) throw new CelError(`insert failed: key '${shortText(key)}' already exists`);
  result.set(key, value);
}

function isTrue(node: CelNode, scope: CelVariables | undefined): boolean {
  const value = evaluate(node, scope as CelVariables);
  if (typeof value !== 'boolean') throw new CelError('no such overload');
  return value;
}

/** One item that decides is enough, whatever is wrong with those before it; of what is wrong the first is told. */
function quantified(
  scopes: readonly CelVariables[],
  body: CelNode,
  { decides, round }: { readonly decides: boolean; readonly round: number },
): boolean {
  let error: CelError | undefined;
  for (const scope of scopes) {
    charge(round);
    const outcome = tried(body, scope);
    if ('error' in outcome) error ??= outcome.error;
    else if (outcome.value === decides) return decides;
    else if (typeof outcome.value !== 'boolean') error ??= new CelError('no such overload');
  }
  if (error !== undefined) throw error;
  return !decides;
}

const OPTIONAL_COST = 3;

function optionalMap({ target, variable, body, isFlat }: OptionalMapNode, variables: CelVariables): CelValue {
  // Whether there is a value is asked before the value is, and both ask for the optional.
  charge(OPTIONAL_COST);
  const optional = evaluate(target, variables);
  if (!(optional instanceof CelOptional)) throw new CelError('no such overload');
  const { value } = optional;
  if (value === undefined) return CelOptional.NONE;
  const result = evaluate(body, (name) => (name === variable ? value : variables(name)));
  return isFlat ? result : new CelOptional(result);
}

/** The value is worked out when it is asked for, as cel-go does. */
function bound({ variable, value, body }: BindNode, variables: CelVariables): CelValue {
  let known: CelValue | undefined;
  return evaluate(body, (name) => (name === variable ? (known ??= evaluate(value, variables)) : variables(name)));
}
