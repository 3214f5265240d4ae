/**
 * Expressions as cel-go has them once its macros are expanded and all is checked: what costs are reckoned on. Mirrors
 * the parser's macros (cel-go v0.26 parser/macro.go, ext/comprehensions.go, cel/library.go).
 */
import { qualifiedName, type CallNode, type CelNode, type LoopNode, type OptionalMapNode } from '../syntax.js';
import { BOOL, DYN, INT, listOf, STRING, type CelType } from '../types.js';
import type { CelValue } from '../values.js';
import type { CheckedNodes } from '../checker.js';

/** A way to call a function, as far as its cost asks for it. */
export interface CostOverload {
  /** The types of what is given, the receiver first. */
  readonly params: readonly CelType[];
}

interface Typed {
  readonly type: CelType;
}

export interface CostCall extends Typed {
  readonly kind: 'call';
  readonly name: string;
  readonly target: CostNode | undefined;
  readonly args: readonly CostNode[];
  readonly overloads: readonly CostOverload[];
}

export interface CostFold extends Typed {
  readonly kind: 'fold';
  readonly range: CostNode;
  readonly variable: string;
  readonly second: string | undefined;
  readonly start: CostNode;
  readonly condition: CostNode;
  readonly step: CostNode;
  readonly result: CostNode;
}

export type CostNode =
  | (Typed & { readonly kind: 'literal'; readonly value: CelValue })
  | (Typed & { readonly kind: 'ident'; readonly name: string })
  | (Typed & { readonly kind: 'select'; readonly operand: CostNode; readonly field: string; readonly isTest: boolean })
  | (Typed & { readonly kind: 'list'; readonly items: readonly CostNode[] })
  | (Typed & { readonly kind: 'map'; readonly entries: readonly (readonly [CostNode, CostNode])[] })
  | (Typed & { readonly kind: 'struct'; readonly fields: readonly CostNode[] })
  /** A value that has a name within another expression. */
  | (Typed & { readonly kind: 'bind'; readonly variable: string; readonly value: CostNode; readonly result: CostNode })
  | CostCall
  | CostFold;

/** What loops gather their result in; no name that an expression can have. */
export const ACCUMULATOR = '@result';

const PLAIN: readonly CostOverload[] = [{ params: [] }];

/** An expression with its macros expanded. */
export function costTree(node: CelNode, checked: CheckedNodes): CostNode {
  const type = checked.typeOf(node);
  const tree = (each: CelNode): CostNode => costTree(each, checked);
  if (checked.isQualified(node)) return { kind: 'ident', name: qualifiedName(node) ?? '', type };
  switch (node.form) {
    case 'literal':
      return { kind: 'literal', value: node.value, type };
    case 'ident':
      return { kind: 'ident', name: node.name, type };
    case 'select': {
      const { field, isTest, isOptional } = node;
      const operand = tree(node.operand);
      if (!isOptional) return { kind: 'select', operand, field, isTest, type };
      const name: CostNode = { kind: 'literal', value: field, type: STRING };
      return { kind: 'call', name: '_?._', target: undefined, args: [operand, name], overloads: PLAIN, type };
    }
    case 'list':
      return { kind: 'list', items: node.items.map(({ value }) => tree(value)), type };
    case 'map':
      return { kind: 'map', entries: node.entries.map(({ key, value }) => [tree(key), tree(value)] as const), type };
    case 'struct':
      return { kind: 'struct', fields: node.fields.map(({ value }) => tree(value)), type };
    case 'call':
      return callTree(node, type, checked);
    case 'loop':
      return loopTree(node, type, checked);
    case 'bind':
      return { kind: 'bind', variable: node.variable, value: tree(node.value), result: tree(node.body), type };
    case 'optionalMap':
      return optionalTree(node, type, checked);
  }
}

function callTree(node: CallNode, type: CelType, checked: CheckedNodes): CostNode {
  const called = checked.calledAs(node);
  const overloads = called?.overloads ?? PLAIN;
  const args = node.args.map((each) => costTree(each, checked));
  const isQualified = called !== undefined && called.name !== node.name;
  const target = node.target === undefined || isQualified ? undefined : costTree(node.target, checked);
  return { kind: 'call', name: called?.name ?? node.name, target, args, overloads, type };
}

function accumulated(type: CelType): CostNode {
  return { kind: 'ident', name: ACCUMULATOR, type };
}

function literal(value: CelValue, type: CelType): CostNode {
  return { kind: 'literal', value, type };
}

function callOf(name: string, type: CelType, ...args: readonly CostNode[]): CostCall {
  return { kind: 'call', name, target: undefined, args, overloads: [{ params: args.map((each) => each.type) }], type };
}

function loopTree(node: LoopNode, type: CelType, checked: CheckedNodes): CostNode {
  const { loop, variable, second } = node;
  const body = costTree(node.body, checked);
  const filter = node.filter === undefined ? undefined : costTree(node.filter, checked);
  const common = { kind: 'fold', range: costTree(node.range, checked), variable, second, type } as const;
  const always = literal(true, BOOL);
  const gathered = accumulated(type);
  switch (loop) {
    case 'all':
    case 'exists': {
      const isAll = loop === 'all';
      const goesOn = isAll ? gathered : callOf('!_', BOOL, gathered);
      return {
        ...common,
        start: literal(isAll, BOOL),
        condition: callOf('@not_strictly_false', BOOL, goesOn),
        step: callOf(isAll ? '_&&_' : '_||_', BOOL, gathered, body),
        result: gathered,
      };
    }
    case 'existsOne': {
      const count = accumulated(INT);
      const one = literal(1n, INT);
      return {
        ...common,
        start: literal(0n, INT),
        condition: always,
        step: callOf('_?_:_', INT, body, callOf('_+_', INT, count, one), count),
        result: callOf('_==_', BOOL, count, one),
      };
    }
    case 'filter':
    case 'map':
    case 'transformList': {
      const item: CostNode = loop === 'filter' ? { kind: 'ident', name: variable, type: type.params[0] ?? DYN } : body;
      const list: CostNode = { kind: 'list', items: [item], type: listOf(item.type) };
      const longer = callOf('_+_', type, gathered, list);
      const condition = loop === 'filter' ? body : filter;
      const step = condition === undefined ? longer : callOf('_?_:_', type, condition, longer, gathered);
      return { ...common, start: { kind: 'list', items: [], type }, condition: always, step, result: gathered };
    }
    default: {
      const key: CostNode = { kind: 'ident', name: variable, type: type.params[0] ?? DYN };
      const entry = loop === 'transformMap' ? [key, body] : [body];
      const larger = callOf('cel.@mapInsert', type, gathered, ...entry);
      const step = filter === undefined ? larger : callOf('_?_:_', type, filter, larger, gathered);
      return { ...common, start: { kind: 'map', entries: [], type }, condition: always, step, result: gathered };
    }
  }
}

/** `a.optMap(v, …)` asks whether there is a value, and gives it a name if so. */
function optionalTree({ target, variable, body, isFlat }: OptionalMapNode, type: CelType, checked: CheckedNodes) {
  const optional = costTree(target, checked);
  const [held = DYN] = optional.type.params;
  const asked = (name: string, answer: CelType): CostCall => ({
    ...callOf(name, answer),
    target: optional,
  });
  const result = costTree(body, checked);
  const bound: CostNode = { kind: 'bind', variable, value: asked('value', held), result, type: result.type };
  const some = isFlat ? bound : callOf('optional.of', type, bound);
  return callOf('_?_:_', type, asked('hasValue', BOOL), some, callOf('optional.none', type));
}
