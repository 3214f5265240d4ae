/**
 * Structures of Go as data: which fields they have, in which order, of which types, and what JSON calls them.
 *
 * The notation is `Name { Field:type Field=json:type Field?:type +Embedded:type }`. Without `=json` a field's JSON name is its own
 * with the capitals that it begins with made small (`HTTPGet` → `httpGet`); the fields of an embedded structure
 * (`+`) stand among those of the structure around it in JSON, and in one of their own in Go. JSON
 * leaves fields with a `?` out where they are empty.
 */
import { assert } from '../../kernel/assert.js';

/** One field of a structure. */
export interface GoField {
  readonly name: string;
  /** What JSON calls it; nothing for an embedded structure. */
  readonly json: string | undefined;
  /** As Go spells it, packages called v1 left out: `*int64`, `[]Container`, `map[string]string`, `intstr.IntOrString`. */
  readonly type: string;
  /** Whether JSON leaves the field out where it is empty. */
  readonly omitsEmpty: boolean;
}

/** Fields by name of the structure. */
export type GoStructs = ReadonlyMap<string, readonly GoField[]>;

const STRUCT = /(\w+) \{([^}]*)\}/g;
const FIELD = /^(\+?)(\w+)(?:=(\w+))?(\??)(?::(\S+))?$/;
const LEADING_CAPITALS = /^[A-Z]+/;

/** Reads the notation of the file header. */
export function readStructs(notation: string): GoStructs {
  const structs = new Map<string, readonly GoField[]>();
  for (const [, name = '', fields = ''] of notation.matchAll(STRUCT)) {
    structs.set(name, fields.trim().split(/\s+/).filter(Boolean).map(readField));
  }
  return structs;
}

function readField(text: string): GoField {
  const [, plus, name, json, mark, type] = FIELD.exec(text) ?? [];
  assert(name !== undefined, `a field of a structure must be Field:type, got ${text}`);
  return {
    name,
    json: plus === '+' ? undefined : (json ?? jsonName(name)),
    type: type ?? name,
    omitsEmpty: mark === '?',
  };
}

/** `HTTPGet` → `httpGet`, `TTY` → `tty`, `Name` → `name`. */
function jsonName(name: string): string {
  const [capitals = ''] = LEADING_CAPITALS.exec(name) ?? [];
  const isWhole = capitals.length === name.length || !/[a-z]/.test(name.charAt(capitals.length));
  const small = capitals.length === 1 || isWhole ? capitals.length : capitals.length - 1;
  return name.slice(0, small).toLowerCase() + name.slice(small);
}
