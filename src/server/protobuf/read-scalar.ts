/** Values of protobuf that are one value in JSON: numbers, texts, and the small messages of times and quantities. */
import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';
import type { ScalarCode } from '../../api/types/type-facts.js';
import { DecodingError } from './decoding-error.js';

const WIRE_TYPES: Readonly<Record<ScalarCode, WireType>> = {
  s: WireType.LengthDelimited,
  b: WireType.Varint,
  i: WireType.Varint,
  l: WireType.Varint,
  d: WireType.Bit64,
  y: WireType.LengthDelimited,
  q: WireType.LengthDelimited,
  t: WireType.LengthDelimited,
  u: WireType.LengthDelimited,
  x: WireType.LengthDelimited,
  r: WireType.LengthDelimited,
};

/** The value in JSON's form; undefined for a time that is not set. @throws DecodingError */
export function readScalar(code: ScalarCode, reader: BinaryReader, wireType: WireType): unknown {
  const expected = WIRE_TYPES[code];
  if (wireType !== expected) throw new DecodingError(`wire type ${wireType} in place of ${expected}`);
  switch (code) {
    case 's':
      return reader.string();
    case 'b':
      return reader.bool();
    case 'i':
      return reader.int32();
    case 'l':
      return Number(reader.int64());
    case 'd':
      return reader.double();
    case 'y':
      return Buffer.from(reader.bytes()).toString('base64');
    case 'q':
      return textIn(reader.bytes()) || '0';
    case 't':
      return timeOf(reader.bytes(), false);
    case 'u':
      return timeOf(reader.bytes(), true);
    case 'x':
      return intOrString(reader.bytes());
    case 'r':
      return rawJson(reader.bytes());
  }
}

/** Fields of a small message by number, the last of each: numbers, or bytes. */
function smallMessage(bytes: Uint8Array): ReadonlyMap<number, number | Uint8Array> {
  const reader = new BinaryReader(bytes);
  const fields = new Map<number, number | Uint8Array>();
  while (reader.pos < reader.len) {
    const [number, wireType] = reader.tag();
    if (wireType === WireType.Varint) fields.set(number, Number(reader.int64()));
    else if (wireType === WireType.LengthDelimited) fields.set(number, reader.bytes());
    else reader.skip(wireType, number);
  }
  return fields;
}

function textIn(bytes: Uint8Array, number = 1): string {
  const value = smallMessage(bytes).get(number);
  return value instanceof Uint8Array ? new TextDecoder().decode(value) : '';
}

/** What the four digits of a year reach from and to, in seconds. */
const FIRST_SECOND = -62_135_596_800;
const LAST_SECOND = 253_402_300_799;

/** An empty message is a time that is not set. Times have whole seconds, and, where they are precise, microseconds. */
function timeOf(bytes: Uint8Array, isPrecise: boolean): string | undefined {
  if (bytes.length === 0) return undefined;
  const fields = smallMessage(bytes);
  const seconds = numberIn(fields, 1);
  const nanos = numberIn(fields, 2);
  if (seconds < FIRST_SECOND || seconds > LAST_SECOND) throw new DecodingError(`${seconds} s is no time`);
  if (seconds === FIRST_SECOND) return undefined;
  const whole = new Date(seconds * 1000).toISOString().slice(0, 19);
  if (!isPrecise) return `${whole}Z`;
  const micros = String(Math.min(999_999, Math.max(0, Math.floor(nanos / 1000)))).padStart(6, '0');
  return `${whole}.${micros}Z`;
}

function numberIn(fields: ReadonlyMap<number, number | Uint8Array>, number: number): number {
  const value = fields.get(number);
  return typeof value === 'number' ? value : 0;
}

function intOrString(bytes: Uint8Array): number | string {
  const fields = smallMessage(bytes);
  return numberIn(fields, 1) === 0 ? Math.trunc(numberIn(fields, 2)) : textIn(bytes, 3);
}

/** Any JSON, carried as its text; none is an object that is not there. */
function rawJson(bytes: Uint8Array): unknown {
  const text = textIn(bytes);
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    throw new DecodingError('a raw extension is no JSON');
  }
}
