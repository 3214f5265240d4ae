/** Types of the Common Expression Language, as a checker compares them (cel-go v0.26 checker/types.go). */

export type CelTypeForm =
  | 'plain'
  | 'dyn'
  | 'error'
  | 'null'
  | 'list'
  | 'map'
  | 'object'
  | 'opaque'
  | 'optional'
  | 'type'
  | 'param';

/** A type. */
export interface CelType {
  readonly form: CelTypeForm;
  /** As texts tell it. */
  readonly name: string;
  /** Of items; of keys and values; of what an optional holds, or what a type is the type of. */
  readonly params: readonly CelType[];
  /** Of an object, by the names that expressions use. */
  readonly fields: ReadonlyMap<string, CelType> | undefined;
}

function simple(form: CelTypeForm, name: string, params: readonly CelType[] = []): CelType {
  return { form, name, params, fields: undefined };
}

export const DYN = simple('dyn', 'dyn');
/** A value of which a declaration says no more; goes wherever {@link DYN} goes. */
export const ANY = simple('dyn', 'any');
export const ERROR = simple('error', '!error!');
export const NULL = simple('null', 'null');
export const BOOL = simple('plain', 'bool');
export const INT = simple('plain', 'int');
export const UINT = simple('plain', 'uint');
export const DOUBLE = simple('plain', 'double');
export const STRING = simple('plain', 'string');
export const BYTES = simple('plain', 'bytes');
export const TIMESTAMP = simple('plain', 'timestamp');
export const DURATION = simple('plain', 'duration');

/** A list of these. */
export function listOf(item: CelType): CelType {
  return simple('list', 'list', [item]);
}

/** A map of these. */
export function mapOf(key: CelType, value: CelType): CelType {
  return simple('map', 'map', [key, value]);
}

/** A value that may not be there. */
export function optionalOf(value: CelType): CelType {
  return simple('optional', 'optional_type', [value]);
}

/** The type of a type. */
export function typeOf(type: CelType): CelType {
  return simple('type', 'type', [type]);
}

/** A type of a library. */
function opaque(name: string): CelType {
  return simple('opaque', name);
}

/** A type that stands for others, by name. */
function param(name: string): CelType {
  return simple('param', name);
}

/** An object with these fields. */
export function objectType(name: string, fields: ReadonlyMap<string, CelType>): CelType {
  return { form: 'object', name, params: [], fields };
}

/** A type as refusals show it. */
export function typeText({ name, params }: CelType): string {
  return params.length === 0 ? name : `${name}(${params.map(typeText).join(', ')})`;
}

const PLAIN: ReadonlyMap<string, CelType> = new Map(
  [DYN, NULL, BOOL, INT, UINT, DOUBLE, STRING, BYTES, TIMESTAMP, DURATION].map((type) => [type.name, type]),
);

/** A type as declarations of functions write it: `map(string, list(T))`; a capital letter stands for any. */
export function readType(text: string): CelType {
  const found = /^([\w.]+)(?:\((.*)\))?$/.exec(text.trim());
  const [, name = '', inner] = found ?? [];
  if (inner === undefined) {
    return PLAIN.get(name) ?? (/^[A-Z]$/.test(name) ? param(name) : name === 'type' ? typeOf(DYN) : opaque(name));
  }
  const [first = DYN, second = DYN] = splitTypes(inner).map(readType);
  if (name === 'list') return listOf(first);
  if (name === 'map') return mapOf(first, second);
  return name === 'optional' ? optionalOf(first) : typeOf(first);
}

/** Parts between commas that stand in no brackets. */
export function splitTypes(text: string): readonly string[] {
  const parts: string[] = [];
  let depth = 0;
  let part = '';
  for (const letter of text) {
    if (letter === '(') depth += 1;
    if (letter === ')') depth -= 1;
    if (letter === ',' && depth === 0) {
      parts.push(part);
      part = '';
    } else part += letter;
  }
  return part.trim() === '' && parts.length === 0 ? [] : [...parts, part];
}

/** What type parameters stand for, found while an expression is checked. */
export class TypeMapping {
  #bound = new Map<string, CelType>();
  #fresh = 0;

  /** A parameter that no other type is. */
  fresh(): CelType {
    this.#fresh += 1;
    return param(`_var${this.#fresh}`);
  }

  /** A type with all that is known of its parameters. @param isFinal - what is not known is anything */
  resolved(type: CelType, isFinal = false): CelType {
    if (type.form === 'param') {
      const bound = this.#bound.get(type.name);
      if (bound !== undefined) return this.resolved(bound, isFinal);
      return isFinal ? DYN : type;
    }
    if (type.params.length === 0) return type;
    return { ...type, params: type.params.map((each) => this.resolved(each, isFinal)) };
  }

  /** Whether values of one type go where the other is asked for; what has been found out stays if so. */
  accepts(given: readonly CelType[], asked: readonly CelType[]): boolean {
    if (given.length !== asked.length) return false;
    const before = new Map(this.#bound);
    if (given.every((type, index) => this.#fits(type, asked[index] as CelType))) return true;
    this.#bound = before;
    return false;
  }

  #fits(given: CelType, asked: CelType): boolean {
    const left = this.resolved(given);
    const right = this.resolved(asked);
    if (left.form === 'param') return this.#bind(left, right);
    if (right.form === 'param') return this.#bind(right, left);
    if (isLoose(left) || isLoose(right)) return true;
    if (left.form === 'null' || right.form === 'null') return left.form === right.form || isNullable(left, right);
    if (left.form !== right.form || left.name !== right.name || left.params.length !== right.params.length)
      return false;
    if (left.form === 'type') return true;
    return left.params.every((each, index) => this.#fits(each, right.params[index] as CelType));
  }

  #bind(left: CelType, right: CelType): boolean {
    if (right.form === 'param' && right.name === left.name) return true;
    if (this.#mentions(right, left.name)) return false;
    this.#bound.set(left.name, right);
    return true;
  }

  #mentions(type: CelType, name: string): boolean {
    if (type.form === 'param') return type.name === name;
    return type.params.some((each) => this.#mentions(each, name));
  }
}

function isLoose({ form }: CelType): boolean {
  return form === 'dyn' || form === 'error';
}

function isNullable(left: CelType, right: CelType): boolean {
  const other = left.form === 'null' ? right : left;
  return ['object', 'opaque', 'optional'].includes(other.form) || other === TIMESTAMP || other === DURATION;
}
