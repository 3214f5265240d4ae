/**
 * Prints objects of the API as Go prints the structures behind them with go-spew's `%#v`: upstream hashes that text
 * (k8s.io/apimachinery/pkg/util/dump ForHash, v1.34). Objects are printed as a client has them that reads the API in
 * protobuf, where a list or map without members is the same as none.
 */
import { assert } from '../../kernel/assert.js';
import type { GoField, GoStructs } from './go-struct.js';
import { printQuantity } from './print-quantity.js';

type Fields = Readonly<Record<string, unknown>>;

const PREDECLARED: ReadonlySet<string> = new Set(['string', 'bool', 'int32', 'int64']);
const MAP = /^map\[(?:[\w.]+)\](.+)$/;
const ZERO_TIME = '{Time:(time.Time){wall:(uint64)0 ext:(int64)0 loc:(*time.Location)<nil>}}';

/** Named types that are neither structures nor texts, by what they stand for. */
const NAMED: ReadonlyMap<string, string> = new Map([['ResourceList', 'map[ResourceName]resource.Quantity']]);

/** The text of one structure with its type, such as `(v1.PodTemplateSpec){ObjectMeta:…}`. */
export function printGo(structs: GoStructs, type: string, value: object): string {
  return new Printer(structs).typed(type, value);
}

class Printer {
  readonly #structs: GoStructs;

  constructor(structs: GoStructs) {
    this.#structs = structs;
  }

  typed(type: string, value: unknown): string {
    return `(${qualified(type)})${this.#untyped(type, value)}`;
  }

  /** The type of a member of a list or map, or of what a pointer points to, is not printed again. */
  #untyped(type: string, value: unknown): string {
    if (type.startsWith('*'))
      return value === undefined || value === null ? '<nil>' : this.#untyped(type.slice(1), value);
    if (type.startsWith('[]')) return this.#list(type.slice(2), value);
    const named = NAMED.get(type) ?? type;
    const memberType = MAP.exec(named)?.[1];
    if (memberType !== undefined) return this.#map(memberType, value);
    const fields = this.#structs.get(type);
    if (fields !== undefined) return this.#struct(fields, asFields(value));
    return printLeaf(type, value);
  }

  #list(type: string, value: unknown): string {
    if (!Array.isArray(value) || value.length === 0) return '<nil>';
    return `[${value.map((member) => this.#untyped(type, member)).join(' ')}]`;
  }

  #map(type: string, value: unknown): string {
    const entries = Object.entries(asFields(value)).sort(([left], [right]) => (left < right ? -1 : 1));
    if (entries.length === 0) return '<nil>';
    return `map[${entries.map(([key, member]) => `${key}:${this.#untyped(type, member)}`).join(' ')}]`;
  }

  #struct(fields: readonly GoField[], object: Fields): string {
    const texts = fields.map(
      ({ name, json, type }) => `${name}:${this.typed(type, json === undefined ? object : object[json])}`,
    );
    return `{${texts.join(' ')}}`;
  }
}

function printLeaf(type: string, value: unknown): string {
  switch (type) {
    case 'Time':
      // No template has one but the null that older clients write.
      return ZERO_TIME;
    case 'bool':
      return String(value === true);
    case 'int32':
    case 'int64':
      return String(typeof value === 'number' ? value : 0);
    case 'resource.Quantity':
      return printQuantity(value);
    case 'intstr.IntOrString':
      return typeof value === 'string'
        ? `{Type:(intstr.Type)1 IntVal:(int32)0 StrVal:(string)${value}}`
        : `{Type:(intstr.Type)0 IntVal:(int32)${typeof value === 'number' ? value : 0} StrVal:(string)}`;
    default:
      return typeof value === 'string' ? value : '';
  }
}

function asFields(value: unknown): Fields {
  assert(value === undefined || value === null || typeof value === 'object', `expected an object, got ${typeof value}`);
  return (value ?? {}) as Fields;
}

/** `*Container` → `*v1.Container`: spew names packages, and all that are left out are called v1. */
function qualified(type: string): string {
  return type.replaceAll(/(?<![\w.])[A-Za-z]\w*(?![\w.]*\.)/g, (name) =>
    PREDECLARED.has(name) || name === 'map' ? name : `v1.${name}`,
  );
}
