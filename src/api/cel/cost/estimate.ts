/**
 * What an expression costs at most, worked out from the sizes that its values can have. Mirrors cel-go v0.26
 * checker/cost.go; what it says of a function is in `call-estimates.ts`.
 */
import { CelUint } from '../values.js';
import type { CelType } from '../types.js';
import {
  exactly,
  LIST_COST,
  MAP_COST,
  NAME_COST,
  NO_COST,
  product,
  STRUCT_COST,
  sum,
  UNKNOWN_SIZE,
  union,
} from './amounts.js';
import { LARGEST, type Amount, type SizeOf } from './amounts.js';
import { callEstimate, overloadKind, type Operand } from './call-estimates.js';
import { ACCUMULATOR, type CostCall, type CostFold, type CostNode } from './cost-tree.js';

/** What an expression costs. @param sizeOf - of the values that it asks for */
export function estimateCost(tree: CostNode, sizeOf: SizeOf): Amount {
  return new Estimator(sizeOf).cost(tree);
}

/** The sizes of keys or places, and of what is there. */
interface EntrySizes {
  readonly isList: boolean;
  readonly key: Amount;
  readonly value: Amount;
}

interface Local {
  readonly path: readonly string[];
  readonly size: Amount | undefined;
  readonly entries: EntrySizes | undefined;
}

const FRESH: Amount = { min: LARGEST, max: 0n };

class Estimator {
  readonly #sizeOf: SizeOf;
  readonly #paths = new Map<CostNode, readonly string[]>();
  readonly #sizes = new Map<CostNode, Amount>();
  readonly #entrySizes = new Map<CostNode, EntrySizes>();
  readonly #locals = new Map<string, Local[]>();

  constructor(sizeOf: SizeOf) {
    this.#sizeOf = sizeOf;
  }

  cost(node: CostNode): Amount {
    switch (node.kind) {
      case 'literal':
        return NO_COST;
      case 'ident':
        this.#paths.set(node, this.#local(node.name)?.path ?? [node.name]);
        return exactly(NAME_COST);
      case 'select':
        return this.#select(node);
      case 'list':
        return this.#list(node, node.items);
      case 'map':
        return this.#map(node, node.entries);
      case 'struct':
        return sum(exactly(STRUCT_COST), ...node.fields.map((each) => this.cost(each)));
      case 'bind':
        return this.#bind(node);
      case 'fold':
        return this.#fold(node);
      default:
        return this.#call(node);
    }
  }

  #local(name: string): Local | undefined {
    return this.#locals.get(name)?.at(-1);
  }

  #within<T>(locals: readonly (readonly [string, Local])[], work: () => T): T {
    for (const [name, local] of locals) {
      const known = this.#locals.get(name);
      if (known === undefined) this.#locals.set(name, [local]);
      else known.push(local);
    }
    const result = work();
    for (const [name] of locals) this.#locals.get(name)?.pop();
    return result;
  }

  #select(node: CostNode & { readonly kind: 'select' }): Amount {
    const operand = this.cost(node.operand);
    if (node.isTest) return operand;
    this.#paths.set(node, [...this.#path(node.operand), node.field]);
    const { form } = node.operand.type;
    return form === 'map' || form === 'object' ? sum(operand, exactly(NAME_COST)) : operand;
  }

  #list(node: CostNode, items: readonly CostNode[]): Amount {
    const costs = items.map((each) => this.cost(each));
    const sizes = items.map((each) => this.#sizeOrUnknown(each));
    const start = items.length === 0 ? NO_COST : FRESH;
    this.#entrySizes.set(node, { isList: true, key: exactly(1), value: sizes.reduce(union, start) });
    return sum(exactly(LIST_COST), ...costs);
  }

  #map(node: CostNode, entries: readonly (readonly [CostNode, CostNode])[]): Amount {
    const costs = entries.map(([key, value]) => sum(this.cost(key), this.cost(value)));
    const start = entries.length === 0 ? NO_COST : FRESH;
    const keys = entries.map(([key]) => this.#sizeOrUnknown(key)).reduce(union, start);
    const values = entries.map(([, value]) => this.#sizeOrUnknown(value)).reduce(union, start);
    this.#entrySizes.set(node, { isList: false, key: keys, value: values });
    return sum(exactly(MAP_COST), ...costs);
  }

  #bind({ ...node }: CostNode & { readonly kind: 'bind' }): Amount {
    // The range of the loop that a name stands for is an empty list.
    const value = this.cost(node.value);
    const local = { path: this.#path(node.value), size: this.#size(node.value), entries: this.#entries(node.value) };
    const result = this.#within([[node.variable, local]], () => this.cost(node.result));
    return sum(exactly(LIST_COST), value, result);
  }

  #fold(node: CostFold): Amount {
    const { range, start, condition, step, result, variable, second } = node;
    const before = sum(this.cost(range), this.cost(start));
    const gathered = { path: this.#path(start), size: this.#size(start), entries: this.#entries(start) };
    const entries = this.#entries(range);
    const isList = entries?.isList ?? range.type.form === 'list';
    const path = this.#path(range);
    const item = (part: 'key' | 'value', name: string): Local => ({
      path: [...path, name],
      size: entries?.[part],
      entries: undefined,
    });
    const keys = item('key', second !== undefined && isList ? '@indices' : '@keys');
    const values = item('value', isList ? '@items' : '@values');
    const own: (readonly [string, Local])[] =
      second === undefined
        ? [[variable, isList ? values : keys]]
        : [
            [variable, keys],
            [second, values],
          ];
    const [each, after] = this.#within([[ACCUMULATOR, gathered]], () => [
      this.#within(own, () => {
        const loop = this.cost(condition);
        return sum(this.cost(step), loop);
      }),
      this.cost(result),
    ]);
    const count = this.#sizeOrUnknown(range);
    if (start.kind === 'literal') this.#setSize(node, this.#size(start));
    else {
      this.#setSize(node, count);
      const last = this.#entries(step);
      if (last !== undefined) this.#entrySizes.set(node, last);
    }
    return sum(before, after, product(count, each));
  }

  #call(node: CostCall): Amount {
    const { name, args, target, overloads } = node;
    const [first] = args;
    if (name === 'dyn' && first !== undefined) {
      const cost = sum(exactly(1), this.cost(first));
      this.#setSize(node, this.#size(first));
      const entries = this.#entries(first);
      if (entries !== undefined) this.#entrySizes.set(node, entries);
      return cost;
    }
    const costs = args.map((each) => this.cost(each));
    const operands = args.map((each) => this.#operand(each));
    const before = target === undefined ? NO_COST : this.cost(target);
    const receiver = target === undefined ? undefined : this.#operand(target);
    let own: Amount = FRESH;
    let size: Amount | undefined;
    for (const overload of overloads) {
      const kind = overloadKind(name, overload.params, target !== undefined);
      const special = this.#special(node, kind, costs);
      const told = special ?? callEstimate(kind, receiver, operands, this.#sizeOf);
      own = union(own, special === undefined ? sum(told.cost, ...costs) : told.cost);
      if (told.size !== undefined) size = size === undefined ? told.size : union(size, told.size);
      if ((kind === 'index_list' || kind === 'index_map') && first !== undefined) {
        size = this.#entries(first)?.value;
        this.#paths.set(node, [...this.#path(first), kind === 'index_list' ? '@items' : '@values']);
      }
      size ??= this.#size(node);
    }
    this.#setSize(node, size);
    return sum(before, own);
  }

  /** What depends on more than the sizes of what is given. */
  #special(
    node: CostCall,
    kind: string,
    costs: readonly Amount[],
  ): { readonly cost: Amount; readonly size?: Amount } | undefined {
    const { args } = node;
    const [first, second, third] = args;
    const [one = NO_COST, two = NO_COST, three = NO_COST] = costs;
    if (kind === 'logical') return { cost: { min: one.min, max: sum(one, two).max } };
    if (kind === 'conditional' && second !== undefined && third !== undefined) {
      const entries = joinedEntries(this.#entries(second), this.#entries(third));
      if (entries !== undefined) this.#entrySizes.set(node, entries);
      const size = union(this.#sizeOrUnknown(second), this.#sizeOrUnknown(third));
      return { cost: sum(one, union(two, three)), size };
    }
    if (kind.startsWith('add_') && first !== undefined && second !== undefined) {
      const entries = joinedEntries(this.#entries(first), this.#entries(second));
      if (entries !== undefined) this.#entrySizes.set(node, entries);
    }
    return undefined;
  }

  #path(node: CostNode): readonly string[] {
    const local = node.kind === 'ident' ? this.#local(node.name) : undefined;
    return local?.path ?? this.#paths.get(node) ?? [];
  }

  #operand(node: CostNode): Operand {
    const path = this.#path(node);
    const isGathered = path[0] === ACCUMULATOR;
    return { path: isGathered ? [] : path, type: node.type, size: this.#size(node), node };
  }

  #setSize(node: CostNode, size: Amount | undefined): void {
    if (size !== undefined) this.#sizes.set(node, size);
  }

  #sizeOrUnknown(node: CostNode): Amount {
    return this.#size(node) ?? UNKNOWN_SIZE;
  }

  #size(node: CostNode): Amount | undefined {
    const known = this.#sizes.get(node) ?? literalSize(node);
    if (known !== undefined) return known;
    const path = this.#path(node);
    const told = path.length === 0 ? undefined : this.#sizeOf(path);
    if (told !== undefined) {
      this.#sizes.set(node, told);
      return told;
    }
    if (isScalar(node.type)) return exactly(1);
    return node.kind === 'ident' ? this.#local(node.name)?.size : undefined;
  }

  #entries(node: CostNode): EntrySizes | undefined {
    const own = this.#entrySizes.get(node);
    if (own !== undefined || node.kind !== 'ident') return own;
    return this.#local(node.name)?.entries;
  }
}

function joinedEntries(a: EntrySizes | undefined, b: EntrySizes | undefined): EntrySizes | undefined {
  if (a === undefined || b === undefined) return undefined;
  return { isList: a.isList, key: union(a.key, b.key), value: union(a.value, b.value) };
}

function literalSize(node: CostNode): Amount | undefined {
  if (node.kind === 'list') return exactly(node.items.length);
  if (node.kind === 'map') return exactly(node.entries.length);
  if (node.kind !== 'literal') return undefined;
  const { value } = node;
  if (typeof value === 'string') return exactly(Array.from(value).length);
  if (value instanceof Uint8Array) return exactly(value.length);
  return value === null || typeof value !== 'object' || value instanceof CelUint ? exactly(1) : undefined;
}

const SCALARS: ReadonlySet<string> = new Set(['bool', 'double', 'duration', 'int', 'timestamp', 'uint']);

function isScalar({ form, name, params }: CelType): boolean {
  if (form === 'optional') return params[0] !== undefined && isScalar(params[0]);
  return form === 'plain' && SCALARS.has(name);
}
