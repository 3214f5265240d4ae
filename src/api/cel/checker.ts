/** What an expression answers, and what is wrong with it, by the types of what it asks for (cel-go v0.26 checker). */
import { overloadsOf, SCOPED_FUNCTIONS, type Overload } from './functions.js';
import {
  qualifiedName,
  RESERVED_WORDS,
  type BindNode,
  type CallNode,
  type CelNode,
  type CelProblem,
  type ListNode,
  type LoopNode,
  type MapNode,
  type OptionalMapNode,
  type SelectNode,
  type StructNode,
} from './syntax.js';
import {
  BOOL,
  BYTES,
  DOUBLE,
  DYN,
  ERROR,
  INT,
  listOf,
  mapOf,
  NULL,
  optionalOf,
  STRING,
  TypeMapping,
  typeOf,
  typeText,
  UINT,
  type CelType,
} from './types.js';
import { CelUint, type CelValue } from './values.js';

/** What may be asked for. */
export interface CelScope {
  readonly variables: ReadonlyMap<string, CelType>;
  /** Objects that an expression may make, by name. */
  readonly structs?: ReadonlyMap<string, CelType>;
  /** Functions beyond those of every expression, by name. */
  readonly functions?: ReadonlySet<string>;
  /** Whether `cel.bind` may be used. @defaultValue false */
  readonly hasBindings?: boolean;
}

/** What has been found out. */
export interface CheckedType {
  readonly type: CelType;
  readonly problems: readonly CelProblem[];
}

/** Names that stand for types. */
const TYPE_NAMES = [
  'bool',
  'bytes',
  'double',
  'duration',
  'int',
  'list',
  'map',
  'null_type',
  'string',
  'timestamp',
  'type',
  'uint',
];
const TYPES: ReadonlyMap<string, CelType> = new Map([
  ...TYPE_NAMES.map((name) => [name, typeOf(DYN)] as const),
  ...['Duration', 'Timestamp'].map((name) => [`google.protobuf.${name}`, typeOf(DYN)] as const),
  ...['IP', 'CIDR'].map((name) => [`net.${name}`, typeOf(DYN)] as const),
]);

/** Whether a name is that of a type. */
export function isTypeName(name: string): boolean {
  return TYPES.has(name);
}

/** The type of an expression. */
export function checkExpression(node: CelNode, scope: CelScope): CheckedType {
  const checker = new Checker(scope);
  return { type: checker.whole(node), problems: checker.problems };
}

/** What is known of the nodes of an expression that has been checked. */
export interface CheckedNodes {
  typeOf(node: CelNode): CelType;
  /** Whether a chain of names is the name of a variable or a type as a whole. */
  isQualified(node: CelNode): boolean;
  /** Which function a call is one of, and in which ways. */
  calledAs(node: CelNode): { readonly name: string; readonly overloads: readonly Overload[] } | undefined;
}

/** All that is known of an expression's nodes; for one without problems. */
export function checkedNodes(node: CelNode, scope: CelScope): CheckedNodes {
  const notes: Notes = { types: new Map(), calls: new Map(), qualified: new Set() };
  const checker = new Checker(scope, notes);
  checker.whole(node);
  return {
    typeOf: (each) => checker.resolved(notes.types.get(each) ?? DYN),
    isQualified: (each) => notes.qualified.has(each),
    calledAs: (each) => notes.calls.get(each),
  };
}

interface Notes {
  readonly types: Map<CelNode, CelType>;
  readonly calls: Map<CelNode, { readonly name: string; readonly overloads: readonly Overload[] }>;
  readonly qualified: Set<CelNode>;
}

class Checker {
  readonly problems: CelProblem[] = [];
  readonly #notes: Notes | undefined;
  readonly #mapping = new TypeMapping();
  readonly #structs: ReadonlyMap<string, CelType>;
  #variables: ReadonlyMap<string, CelType>;
  readonly #functions: ReadonlySet<string> | undefined;
  #allowsMixed = false;

  constructor({ variables, structs = new Map(), functions }: CelScope, notes?: Notes) {
    this.#variables = variables;
    this.#structs = structs;
    this.#functions = functions;
    this.#notes = notes;
  }

  whole(node: CelNode): CelType {
    return this.resolved(this.#check(node));
  }

  resolved(type: CelType): CelType {
    return this.#mapping.resolved(type, true);
  }

  #problem(at: number, message: string): CelType {
    this.problems.push({ at, message });
    return ERROR;
  }

  #text(type: CelType): string {
    return typeText(this.#mapping.resolved(type, true));
  }

  #check(node: CelNode): CelType {
    const type = this.#typeOf(node);
    this.#notes?.types.set(node, type);
    return type;
  }

  #typeOf(node: CelNode): CelType {
    switch (node.form) {
      case 'literal':
        return literalType(node.value);
      case 'ident':
        return this.#lookup(node.name) ?? this.#undeclared(node.at, node.name);
      case 'select':
        return this.#select(node);
      case 'call':
        return this.#call(node);
      case 'list':
        return this.#list(node);
      case 'map':
        return this.#map(node);
      case 'struct':
        return this.#struct(node);
      case 'loop':
        return this.#loop(node);
      default:
        return this.#optionalMap(node);
      case 'bind':
        return this.#bind(node);
    }
  }

  #undeclared(at: number, name: string): CelType {
    return this.#problem(at, `undeclared reference to '${name}' (in container '')`);
  }

  #lookup(name: string): CelType | undefined {
    const found = this.#variables.get(name) ?? TYPES.get(name);
    if (found !== undefined) return found;
    const struct = this.#structs.get(name);
    return struct === undefined ? undefined : typeOf(struct);
  }

  #select(node: SelectNode): CelType {
    const name = qualifiedName(node);
    const known = name === undefined ? undefined : this.#lookup(name);
    if (known !== undefined) {
      this.#notes?.qualified.add(node);
      return known;
    }
    const operand = this.#mapping.resolved(this.#check(node.operand));
    const isOptional = operand.form === 'optional';
    const target = isOptional ? (operand.params[0] ?? DYN) : operand;
    const field = this.#field(node, this.#mapping.resolved(target));
    if (node.isTest) return BOOL;
    return isOptional || node.isOptional ? optionalOf(field) : field;
  }

  #field({ at, field }: SelectNode, target: CelType): CelType {
    switch (target.form) {
      case 'map':
        return target.params[1] ?? DYN;
      case 'object':
        return fieldType(target, field) ?? this.#problem(at, `undefined field '${field}'`);
      case 'param':
        this.#mapping.accepts([DYN], [target]);
        return DYN;
      case 'dyn':
      case 'error':
        return DYN;
      default:
        this.#problem(
          at,
          isUndeclaredObject(target)
            ? `unexpected failed resolution of '${target.name}'`
            : `type '${this.#text(target)}' does not support field selection`,
        );
        return DYN;
    }
  }

  #call(node: CallNode): CelType {
    const { name, target, args, at } = node;
    const argTypes =
      name === 'format' ? this.#mixed(() => args.map((arg) => this.#check(arg))) : args.map((arg) => this.#check(arg));
    if (name === '_&&_' || name === '_||_') return this.#logical(node, argTypes);
    if (name === '_?_:_') return this.#ternary(at, argTypes);
    const prefix = target === undefined ? undefined : qualifiedName(target);
    const qualified = prefix === undefined ? undefined : `${prefix}.${name}`;
    if (qualified !== undefined && this.#hasFunction(qualified)) return this.#resolve(node, qualified, argTypes, false);
    const own = target === undefined ? argTypes : [this.#check(target), ...argTypes];
    if ((name === 'or' || name === 'orValue') && target !== undefined) return this.#orElse(at, name, own);
    if (overloadsOf(name).length === 0) return this.#undeclared(at, name);
    return this.#resolve(node, name, own, target !== undefined);
  }

  #hasFunction(name: string): boolean {
    if (overloadsOf(name).length === 0) return false;
    return !SCOPED_FUNCTIONS.has(name) || this.#functions?.has(name) === true;
  }

  #logical({ args }: CallNode, argTypes: readonly CelType[]): CelType {
    let isRight = true;
    for (const [index, type] of argTypes.entries()) {
      if (this.#mapping.accepts([type], [BOOL])) continue;
      isRight = false;
      this.#problem(args[index]?.at ?? 0, `expected type 'bool' but found '${this.#text(type)}'`);
    }
    return isRight ? BOOL : ERROR;
  }

  #ternary(at: number, argTypes: readonly CelType[]): CelType {
    const result = this.#mapping.fresh();
    if (this.#mapping.accepts(argTypes, [BOOL, result, result])) return this.#mapping.resolved(result);
    return this.#noOverload(at, '_?_:_', argTypes, false);
  }

  #orElse(at: number, name: string, argTypes: readonly CelType[]): CelType {
    const value = this.#mapping.fresh();
    const optional = optionalOf(value);
    if (this.#mapping.accepts(argTypes, [optional, name === 'or' ? optional : value])) {
      return this.#mapping.resolved(name === 'or' ? optional : value);
    }
    return this.#noOverload(at, name, argTypes, true);
  }

  #noOverload(at: number, name: string, argTypes: readonly CelType[], isMember: boolean): CelType {
    const texts = argTypes.map((type) => this.#text(type));
    const [receiver, ...rest] = texts;
    const signature = isMember ? `${receiver}.(${rest.join(', ')})` : `(${texts.join(', ')})`;
    return this.#problem(at, `found no matching overload for '${name}' applied to '${signature}'`);
  }

  /** What a call answers: what the first way to call it says, unless others that fit say something else. */
  #resolve(node: CallNode, name: string, argTypes: readonly CelType[], isMember: boolean): CelType {
    let result: CelType | undefined;
    const fitting: Overload[] = [];
    for (const overload of overloadsOf(name)) {
      if (overload.isMember !== isMember) continue;
      const fresh = new Map<string, CelType>();
      const params = overload.params.map((type) => this.#instance(type, fresh));
      if (!this.#mapping.accepts(argTypes, params)) continue;
      fitting.push(overload);
      const own = this.#mapping.resolved(this.#instance(overload.result, fresh));
      if (result === undefined) result = own;
      else if (result.form !== 'dyn' && typeText(result) !== typeText(own)) result = DYN;
    }
    this.#notes?.calls.set(node, { name, overloads: fitting });
    return result ?? this.#noOverload(node.at, name, argTypes, isMember);
  }

  #instance(type: CelType, fresh: Map<string, CelType>): CelType {
    if (type.form === 'param') {
      let own = fresh.get(type.name);
      if (own === undefined) fresh.set(type.name, (own = this.#mapping.fresh()));
      return own;
    }
    if (type.params.length === 0) return type;
    return { ...type, params: type.params.map((each) => this.#instance(each, fresh)) };
  }

  /** The type of all items so far. */
  #joined(at: number, before: CelType | undefined, next: CelType): CelType {
    if (before === undefined || this.#mapping.accepts([next], [before])) return before ?? next;
    if (this.#allowsMixed) return DYN;
    return this.#problem(at, `expected type '${this.#text(before)}' but found '${this.#text(next)}'`);
  }

  /** What is formatted may be of several types. */
  #mixed<T>(work: () => T): T {
    this.#allowsMixed = true;
    try {
      return work();
    } finally {
      this.#allowsMixed = false;
    }
  }

  #unwrapped(at: number, type: CelType, isOptional: boolean): CelType {
    if (!isOptional || type.form === 'dyn') return type;
    if (type.form === 'optional') return type.params[0] ?? DYN;
    const wanted = this.#text(optionalOf(type));
    return this.#problem(at, `expected type '${wanted}' but found '${this.#text(type)}'`);
  }

  #list({ items }: ListNode): CelType {
    let joined: CelType | undefined;
    for (const { value, isOptional } of items) {
      joined = this.#joined(value.at, joined, this.#unwrapped(value.at, this.#check(value), isOptional));
    }
    return listOf(joined ?? this.#mapping.fresh());
  }

  #map({ entries }: MapNode): CelType {
    let keys: CelType | undefined;
    let values: CelType | undefined;
    for (const { key, value, isOptional } of entries) {
      keys = this.#joined(key.at, keys, this.#check(key));
      values = this.#joined(value.at, values, this.#unwrapped(value.at, this.#check(value), isOptional));
    }
    return mapOf(keys ?? this.#mapping.fresh(), values ?? this.#mapping.fresh());
  }

  #struct({ typeName, fields, at }: StructNode): CelType {
    const type = this.#structs.get(typeName);
    if (type === undefined) return this.#undeclared(at, typeName);
    for (const { name, value, isOptional, at: fieldAt } of fields) {
      const given = this.#unwrapped(value.at, this.#check(value), isOptional);
      const wanted = type.fields?.get(name) ?? this.#problem(fieldAt, `undefined field '${name}'`);
      if (this.#mapping.accepts([given], [wanted])) continue;
      const texts = `'${this.#text(wanted)}' but provided type is '${this.#text(given)}'`;
      this.#problem(fieldAt, `expected type of field '${name}' is ${texts}`);
    }
    return type;
  }

  /** The types of the variables of a loop. */
  #loopTypes(range: CelNode, hasTwo: boolean): readonly [CelType, CelType] {
    const type = this.#mapping.resolved(this.#check(range));
    const [first = DYN, second = DYN] = type.params;
    switch (type.form) {
      case 'list':
        return hasTwo ? [INT, first] : [first, DYN];
      case 'map':
        return [first, second];
      case 'dyn':
      case 'error':
      case 'param':
        this.#mapping.accepts([DYN], [type]);
        return [DYN, DYN];
      default: {
        const why = 'cannot be range of a comprehension (must be list, map, or dynamic)';
        this.#problem(range.at, `expression of type '${this.#text(type)}' ${why}`);
        return [ERROR, ERROR];
      }
    }
  }

  #within<T>(variables: readonly (readonly [string, CelType])[], work: () => T): T {
    const before = this.#variables;
    this.#variables = new Map([...before, ...variables]);
    try {
      return work();
    } finally {
      this.#variables = before;
    }
  }

  #loop(node: LoopNode): CelType {
    const { loop, range, variable, second, filter, body, at } = node;
    const [first, other] = this.#loopTypes(range, second !== undefined);
    const variables: (readonly [string, CelType])[] = [[variable, first]];
    if (second !== undefined) variables.push([second, other]);
    const [condition, result] = this.#within(variables, () => [
      filter === undefined ? BOOL : this.#check(filter),
      this.#check(body),
    ]);
    switch (loop) {
      case 'all':
      case 'exists':
        return this.#truth(body.at, result);
      case 'existsOne':
        return this.#chosen(at, result, INT) === undefined ? ERROR : BOOL;
      case 'filter':
        return this.#chosen(at, result, listOf(first)) ?? ERROR;
      case 'map':
      case 'transformList': {
        const list = listOf(result);
        return filter === undefined ? list : (this.#chosen(at, condition, list) ?? ERROR);
      }
      case 'transformMap': {
        const map = mapOf(second === undefined ? DYN : first, result);
        return filter === undefined ? map : (this.#chosen(at, condition, map) ?? ERROR);
      }
      default:
        return filter === undefined ? result : (this.#chosen(at, condition, result) ?? ERROR);
    }
  }

  #truth(at: number, type: CelType): CelType {
    if (this.#mapping.accepts([type], [BOOL])) return BOOL;
    return this.#problem(at, `expected type 'bool' but found '${this.#text(type)}'`);
  }

  /** What a loop takes by a condition, which is a ternary in cel-go's tree. */
  #chosen(at: number, condition: CelType, result: CelType): CelType | undefined {
    if (this.#mapping.accepts([condition], [BOOL])) return result;
    this.#noOverload(at, '_?_:_', [condition, result, result], false);
    return undefined;
  }

  #bind({ variable, value, body }: BindNode): CelType {
    const type = this.#check(value);
    return this.#within([[variable, type]], () => this.#check(body));
  }

  #optionalMap({ target, variable, body, isFlat, at }: OptionalMapNode): CelType {
    const type = this.#mapping.resolved(this.#check(target));
    if (type.form !== 'optional' && type.form !== 'dyn' && type.form !== 'error') {
      return this.#noOverload(at, 'hasValue', [type], true);
    }
    const result = this.#within([[variable, type.params[0] ?? DYN]], () => this.#check(body));
    return isFlat ? result : optionalOf(result);
  }
}

/** A field that is named by a word of the language may be asked for as it is. */
/** Types of Kubernetes' own libraries are objects to cel-go, whose fields are declared nowhere. */
function isUndeclaredObject({ form, name }: CelType): boolean {
  return form === 'opaque' && name.startsWith('kubernetes.');
}

function fieldType({ fields }: CelType, field: string): CelType | undefined {
  return fields?.get(field) ?? (RESERVED_WORDS.has(field) ? fields?.get(`__${field}__`) : undefined);
}

function literalType(value: CelValue): CelType {
  switch (typeof value) {
    case 'bigint':
      return INT;
    case 'number':
      return DOUBLE;
    case 'string':
      return STRING;
    case 'boolean':
      return BOOL;
    default:
      if (value === null) return NULL;
      return value instanceof CelUint ? UINT : BYTES;
  }
}
