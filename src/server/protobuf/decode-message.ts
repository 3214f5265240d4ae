/**
 * Objects out of Kubernetes' protobuf, in the form that their JSON has. Go's encoder writes fields that are no
 * pointers always, zero or not, and its JSON leaves out some zeros and keeps others: the facts of a field say which
 * (pointer or not, omitempty or not; src/api/types/type-facts.ts). Go's own decoders of these messages are in the
 * generated.pb.go files of k8s.io/api and k8s.io/apimachinery.
 */
import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';
import { structFact, type FieldFact, type ScalarCode, type TypeRef } from '../../api/types/type-facts.js';
import { readScalar } from './read-scalar.js';
import { specialMessage } from './special-messages.js';
import { DecodingError } from './decoding-error.js';

/** Messages within messages: no type of the API comes near it, but for schemas, which nest themselves. */
const DEEPEST = 100;

type Fields = Record<string, unknown>;

/** What a number of a message leads to: a field, or the message of an embedded struct. */
type Slot = { readonly field: FieldFact } | { readonly embedded: Slots };
type Slots = Map<number, Slot>;

const known = new Map<string, Slots>();

/** @throws DecodingError for bytes that are no such message; undefined for a type that is not known */
export function decodeMessage(key: string, bytes: Uint8Array, depth = 0): Fields | undefined {
  const slots = slotsOf(key);
  if (slots === undefined) return undefined;
  const object: Fields = {};
  readInto(object, slots, bytes, depth);
  return object;
}

function slotsOf(key: string): Slots | undefined {
  const present = known.get(key);
  if (present !== undefined) return present;
  const fact = structFact(key);
  if (fact === undefined) return undefined;
  const slots: Slots = new Map();
  for (const field of fact.fields.values()) {
    if (field.number === 0) continue;
    let at = slots;
    for (const number of field.within) {
      let slot = at.get(number);
      if (slot === undefined || 'field' in slot) {
        slot = { embedded: new Map() };
        at.set(number, slot);
      }
      at = slot.embedded;
    }
    at.set(field.number, { field });
  }
  known.set(key, slots);
  return slots;
}

function readInto(object: Fields, slots: Slots, bytes: Uint8Array, depth: number): void {
  if (depth > DEEPEST) throw new DecodingError(`messages nest deeper than ${DEEPEST}`);
  const reader = new BinaryReader(bytes);
  while (reader.pos < reader.len) {
    const [number, wireType] = reader.tag();
    const slot = slots.get(number);
    if (slot === undefined) reader.skip(wireType, number);
    else if ('embedded' in slot) readInto(object, slot.embedded, lengthDelimited(reader, wireType), depth + 1);
    else readField(object, slot.field, reader, wireType, depth);
  }
}

function readField(object: Fields, field: FieldFact, reader: BinaryReader, wireType: WireType, depth: number): void {
  const { type, name } = field;
  switch (type.form) {
    case 'list':
      return append(object, name, readElements(type.of, reader, wireType, depth));
    case 'map':
      return readEntry(object, field, type.of, lengthDelimited(reader, wireType), depth);
    case 'pointer':
      return set(object, name, readValue(type.of, reader, wireType, depth));
    default: {
      const value = readValue(type, reader, wireType, depth);
      if (field.isOmitempty && type.form === 'scalar' && isZero(value)) return;
      if (value !== undefined) set(object, name, value);
    }
  }
}

/** One element, or all of a list of numbers that is packed. */
function readElements(type: TypeRef, reader: BinaryReader, wireType: WireType, depth: number): readonly unknown[] {
  const isPacked = wireType === WireType.LengthDelimited && type.form === 'scalar' && isNumber(type.code);
  if (!isPacked) return [readValue(type, reader, wireType, depth)];
  const packed = new BinaryReader(reader.bytes());
  const values: unknown[] = [];
  const each = type.code === 'd' ? WireType.Bit64 : WireType.Varint;
  while (packed.pos < packed.len) values.push(readScalar(type.code, packed, each));
  return values;
}

/** An entry of a map is a message of a key and a value; what is missing in it is zero. */
function readEntry(object: Fields, { name }: FieldFact, type: TypeRef, bytes: Uint8Array, depth: number): void {
  const reader = new BinaryReader(bytes);
  let key = '';
  let value: unknown;
  while (reader.pos < reader.len) {
    const [number, wireType] = reader.tag();
    if (number === 1) key = reader.string();
    else if (number === 2) value = readMapValue(type, reader, wireType, depth);
    else reader.skip(wireType, number);
  }
  const present: unknown = object[name];
  const map: Fields = typeof present === 'object' && present !== null ? (present as Fields) : {};
  set(map, key, value ?? zeroOf(type));
  set(object, name, map);
}

/** A list as the value of a map is a message with the list as its field 1. */
function readMapValue(type: TypeRef, reader: BinaryReader, wireType: WireType, depth: number): unknown {
  if (type.form !== 'list') return readValue(type, reader, wireType, depth);
  const items = new BinaryReader(lengthDelimited(reader, wireType));
  const values: unknown[] = [];
  while (items.pos < items.len) {
    const [number, each] = items.tag();
    if (number === 1) values.push(...readElements(type.of, items, each, depth));
    else items.skip(each, number);
  }
  return values;
}

function readValue(type: TypeRef, reader: BinaryReader, wireType: WireType, depth: number): unknown {
  if (type.form === 'scalar') return readScalar(type.code, reader, wireType);
  if (type.form === 'pointer') return readValue(type.of, reader, wireType, depth);
  if (type.form !== 'struct') throw new DecodingError('a list of lists has no form in protobuf');
  const bytes = lengthDelimited(reader, wireType);
  const decode = (key: string, inner: Uint8Array): Fields => decodeMessage(key, inner, depth + 1) ?? {};
  return specialMessage(type.key, bytes, decode) ?? decode(type.key, bytes);
}

function zeroOf(type: TypeRef): unknown {
  if (type.form === 'list') return [];
  if (type.form !== 'scalar') return {};
  if (type.code === 't' || type.code === 'u' || type.code === 'r') return null;
  return isNumber(type.code) ? 0 : type.code === 'q' ? '0' : '';
}

function isNumber(code: ScalarCode): boolean {
  return code === 'i' || code === 'l' || code === 'd' || code === 'b';
}

/** What Go's JSON leaves out where a field says omitempty. */
function isZero(value: unknown): boolean {
  return value === '' || value === 0 || value === false;
}

function append(object: Fields, name: string, values: readonly unknown[]): void {
  const present = object[name];
  if (Array.isArray(present)) for (const value of values) present.push(value);
  else set(object, name, [...values]);
}

/** A key such as `__proto__` is one like any other. */
function set(object: Fields, name: string, value: unknown): void {
  if (name !== '__proto__') object[name] = value;
  else Object.defineProperty(object, name, { value, enumerable: true, writable: true, configurable: true });
}

function lengthDelimited(reader: BinaryReader, wireType: WireType): Uint8Array {
  if (wireType !== WireType.LengthDelimited) throw new DecodingError(`wire type ${wireType} is no message`);
  return reader.bytes();
}
