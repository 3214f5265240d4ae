/**
 * Values as Go's encoding/json and `%q` print them, which is how refusals show what was wrong (apimachinery's
 * util/validation/field, v1.34).
 */
import { canonicalJson } from '../values/canonical-json.js';
import { escapedForHtml } from '../values/go-json.js';
import type { GoField } from './go-struct.js';
import { INTERNAL_STRUCTS, SHARED_STRUCTS } from './internal-structs.js';

type Fields = Readonly<Record<string, unknown>>;

const MAP = /^map\[[\w.]+\](.+)$/;
/** Types of values that stand in an object as JSON prints them, with what is printed where there is none. */
const PLAIN: ReadonlyMap<string, string> = new Map([
  ['bool', 'false'],
  ['int32', '0'],
  ['int64', '0'],
  ['resource.Quantity', '"0"'],
  ['intstr.IntOrString', '0'],
  ['Time', 'null'],
  ['runtime.Object', 'null'],
  ['RawExtension', 'null'],
]);
const NAMED: ReadonlyMap<string, string> = new Map([['ResourceList', 'map[ResourceName]resource.Quantity']]);
/** Letters that `%q` escapes in its own way. */
const SHORT_ESCAPES: ReadonlyMap<string, string> = new Map([
  ['\u0007', '\\a'],
  ['\b', '\\b'],
  ['\t', '\\t'],
  ['\n', '\\n'],
  ['\u000B', '\\v'],
  ['\f', '\\f'],
  ['\r', '\\r'],
]);

/** A value that is printed already. */
export class GoValue {
  /** JSON. */
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/**
 * A value as a structure of the API server, for a refusal that shows it: all of its fields, in Go's order.
 *
 * @param type - as Go spells it, without packages: `Taint`, `*LabelSelector`, `[]NodeSelectorTerm`
 */
export function asGo(type: string, value: unknown): GoValue {
  return new GoValue(escapedForHtml(print(type, value)));
}

/** The lines of such a structure, indented by one space a level, as refusals of updates show their differences. */
export function goJsonLines(type: string, value: unknown): readonly string[] {
  return escapedForHtml(JSON.stringify(JSON.parse(print(type, value)), undefined, 1)).split('\n');
}

/** JSON of a value that is no structure: members of maps are sorted. */
export function goJson(value: unknown): string {
  return escapedForHtml(canonicalJson(value));
}

/** A text as `%q` prints it. */
export function quoted(text: string): string {
  let result = '';
  for (const letter of text) result += quotedLetter(letter);
  return `"${result}"`;
}

function quotedLetter(letter: string): string {
  if (letter === '"' || letter === '\\') return `\\${letter}`;
  if (PRINTED.test(letter)) return letter;
  const code = letter.codePointAt(0) ?? 0;
  const digits = code.toString(16);
  if (code > 0xffff) return `\\U${digits.padStart(8, '0')}`;
  const isShort = code < 0x20 || code === 0x7f;
  return SHORT_ESCAPES.get(letter) ?? (isShort ? `\\x${digits.padStart(2, '0')}` : `\\u${digits.padStart(4, '0')}`);
}

/** Letters, marks, numbers, punctuation, symbols and the blank of ASCII (Go's strconv.IsPrint). */
const PRINTED = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u;

function print(type: string, value: unknown): string {
  if (type.startsWith('*')) return value === undefined || value === null ? 'null' : print(type.slice(1), value);
  if (type.startsWith('[]')) {
    if (!Array.isArray(value)) return 'null';
    return `[${value.map((member) => print(type.slice(2), member)).join(',')}]`;
  }
  const memberType = MAP.exec(NAMED.get(type) ?? type)?.[1];
  if (memberType !== undefined) return printMap(memberType, value);
  const fields = INTERNAL_STRUCTS.get(type) ?? SHARED_STRUCTS.get(type);
  if (fields !== undefined)
    return `{${printFields(fields, (value ?? {}) as Fields, !INTERNAL_STRUCTS.has(type)).join(',')}}`;
  return JSON.stringify(value) ?? PLAIN.get(type) ?? '""';
}

function printMap(type: string, value: unknown): string {
  if (typeof value !== 'object' || value === null) return 'null';
  const entries = Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1));
  return `{${entries.map(([key, member]) => `${JSON.stringify(key)}:${print(type, member)}`).join(',')}}`;
}

/** @param hasTags - whether fields are called as in the API, and not as in Go */
function printFields(fields: readonly GoField[], object: Fields, hasTags: boolean): string[] {
  return fields.flatMap(({ name, json, type, omitsEmpty }) => {
    // What is embedded without a name of its own has its fields among the others.
    if (json === undefined) {
      const shared = SHARED_STRUCTS.get(type);
      const own = shared ?? INTERNAL_STRUCTS.get(type) ?? [];
      const part = type === 'ObjectMeta' ? ((object['metadata'] ?? {}) as Fields) : object;
      return printFields(own, part, shared !== undefined);
    }
    const value = object[json];
    if (omitsEmpty && isEmpty(value)) return [];
    return [`${JSON.stringify(hasTags ? json : name)}:${print(type, value)}`];
  });
}

function isEmpty(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.keys(value).length === 0;
  return value === undefined || value === null || value === '' || value === 0;
}
