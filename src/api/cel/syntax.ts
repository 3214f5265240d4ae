/** Expressions of the Common Expression Language as trees: what a parser makes, and what is checked and evaluated. */
import type { CelValue } from './values.js';

/** What every node has. */
interface Place {
  /** Where it is pointed at in the text, in code units. */
  readonly at: number;
}

export interface LiteralNode extends Place {
  readonly form: 'literal';
  readonly value: CelValue;
}

export interface IdentNode extends Place {
  readonly form: 'ident';
  readonly name: string;
}

export interface SelectNode extends Place {
  readonly form: 'select';
  readonly operand: CelNode;
  readonly field: string;
  /** `has(a.b)` */
  readonly isTest: boolean;
  /** `a.?b` */
  readonly isOptional: boolean;
}

export interface CallNode extends Place {
  readonly form: 'call';
  /** An operator is named as cel-go names it: `_+_`. */
  readonly name: string;
  readonly target: CelNode | undefined;
  readonly args: readonly CelNode[];
}

export interface ListNode extends Place {
  readonly form: 'list';
  readonly items: readonly { readonly value: CelNode; readonly isOptional: boolean }[];
}

export interface MapNode extends Place {
  readonly form: 'map';
  readonly entries: readonly { readonly key: CelNode; readonly value: CelNode; readonly isOptional: boolean }[];
}

/** `Object{spec: …}` */
export interface StructNode extends Place {
  readonly form: 'struct';
  readonly typeName: string;
  readonly fields: readonly StructField[];
}

export interface StructField extends Place {
  readonly name: string;
  readonly value: CelNode;
  readonly isOptional: boolean;
}

export type LoopForm =
  | 'all'
  | 'exists'
  | 'existsOne'
  | 'map'
  | 'filter'
  | 'transformList'
  | 'transformMap'
  | 'transformMapEntry';

/** A macro over a list or a map. */
export interface LoopNode extends Place {
  readonly form: 'loop';
  readonly loop: LoopForm;
  readonly range: CelNode;
  readonly variable: string;
  /** Of loops over index and item, or key and value. */
  readonly second: string | undefined;
  readonly filter: CelNode | undefined;
  readonly body: CelNode;
}

/** `a.optMap(v, …)` */
export interface OptionalMapNode extends Place {
  readonly form: 'optionalMap';
  readonly target: CelNode;
  readonly variable: string;
  readonly body: CelNode;
  readonly isFlat: boolean;
}

/** `cel.bind(v, …, …)` */
export interface BindNode extends Place {
  readonly form: 'bind';
  readonly variable: string;
  readonly value: CelNode;
  readonly body: CelNode;
}

export type CelNode =
  | LiteralNode
  | IdentNode
  | SelectNode
  | CallNode
  | ListNode
  | MapNode
  | StructNode
  | LoopNode
  | OptionalMapNode
  | BindNode;

/** What is wrong with an expression before it is evaluated. */
export interface CelProblem extends Place {
  readonly message: string;
}

/** The problem ends the reading of an expression. */
export class CelSyntaxError extends Error implements CelProblem {
  readonly at: number;

  constructor(message: string, at: number) {
    super(message);
    this.at = at;
  }
}

/** Words that are no names by themselves, but may name a field. */
export const RESERVED_WORDS: ReadonlySet<string> = new Set(
  'as break const continue else for function if import let loop package namespace return var void while'.split(' '),
);

/** `a.b.c` as a text; undefined for what is no chain of names. */
export function qualifiedName(node: CelNode): string | undefined {
  if (node.form === 'ident') return node.name;
  if (node.form !== 'select' || node.isTest || node.isOptional) return undefined;
  const before = qualifiedName(node.operand);
  return before === undefined ? undefined : `${before}.${node.field}`;
}

/** The nodes right below one. */
export function childrenOf(node: CelNode): readonly CelNode[] {
  switch (node.form) {
    case 'select':
      return [node.operand];
    case 'call':
      return node.target === undefined ? node.args : [node.target, ...node.args];
    case 'list':
      return node.items.map(({ value }) => value);
    case 'map':
      return node.entries.flatMap(({ key, value }) => [key, value]);
    case 'struct':
      return node.fields.map(({ value }) => value);
    case 'loop':
      return [node.range, ...(node.filter === undefined ? [] : [node.filter]), node.body];
    case 'optionalMap':
      return [node.target, node.body];
    case 'bind':
      return [node.value, node.body];
    default:
      return [];
  }
}

/** Whether an expression asks for a variable. */
export function asksFor(node: CelNode, name: string): boolean {
  if (node.form === 'ident') return node.name === name;
  return childrenOf(node).some((below) => asksFor(below, name));
}

/** Problems as cel-go shows them, in the order of their places. */
export function problemText(problems: readonly CelProblem[], text: string): string {
  return problems
    .toSorted((a, b) => a.at - b.at)
    .map((problem) => shownProblem(problem, text))
    .join('\n');
}

function shownProblem({ at, message }: CelProblem, text: string): string {
  if (text === '') return `ERROR: <input>:1:0: ${message}`;
  const before = text.slice(0, at).split('\n');
  const column = Array.from(before.at(-1) ?? '').length;
  const line = (text.split('\n')[before.length - 1] ?? '').replaceAll('\t', ' ');
  return `ERROR: <input>:${before.length}:${column + 1}: ${message}\n | ${line}\n | ${'.'.repeat(column)}^`;
}
