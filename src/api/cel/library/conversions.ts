/** Conversions between types, and sizes (cel-go v0.26 common/stdlib). */
import {
  type CelDuration,
  CelError,
  CelTime,
  CelTypeValue,
  CelUint,
  LARGEST_INT,
  LARGEST_UINT,
  SMALLEST_INT,
  timeText,
  typeName,
  type CelMap,
  type CelValue,
} from '../values.js';
import { checkedMoment } from './operators.js';
import { functionTable } from './function-table.js';
import { durationOf, goFloat, timeOf } from './number-texts.js';

const SECOND = 1_000_000_000n;

function sameSelf<T extends CelValue>(value: T): T {
  return value;
}

function sizeOfText(text: string): bigint {
  return BigInt(Array.from(text).length);
}

function intOfDouble(value: number): bigint {
  if (!Number.isFinite(value) || value <= -(2 ** 63) || value >= 2 ** 63) throw new CelError('integer overflow');
  return BigInt(Math.trunc(value));
}

function notOf(type: string): CelError {
  return new CelError(`type conversion error from 'string' to '${type}'`);
}

function parsedInt(text: string): bigint {
  const value = /^[+-]?\d+$/.test(text) ? BigInt(text.replace('+', '')) : undefined;
  if (value === undefined || value > LARGEST_INT || value < SMALLEST_INT) throw notOf('int');
  return value;
}

function parsedUint(text: string): CelUint {
  const value = /^\d+$/.test(text) ? BigInt(text) : undefined;
  if (value === undefined || value > LARGEST_UINT) throw notOf('uint');
  return new CelUint(value);
}

function parsedDouble(text: string): number {
  const plain = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/.test(text);
  if (plain) return Number(text);
  if (/^[+-]?inf(?:inity)?$/i.test(text)) return text.startsWith('-') ? -Infinity : Infinity;
  if (/^nan$/i.test(text)) return Number.NaN;
  throw notOf('double');
}

const TRUTHS: ReadonlyMap<string, boolean> = new Map([
  ...['1', 't', 'T', 'TRUE', 'true', 'True'].map((text) => [text, true] as const),
  ...['0', 'f', 'F', 'FALSE', 'false', 'False'].map((text) => [text, false] as const),
]);

function parsedBool(text: string): boolean {
  const truth = TRUTHS.get(text);
  if (truth === undefined) throw notOf('bool');
  return truth;
}

function parsedDuration(text: string): CelDuration {
  const found = durationOf(text);
  if (found === undefined) throw notOf('google.protobuf.Duration');
  return found;
}

function parsedTime(text: string): CelTime {
  const found = timeOf(text);
  if (found === undefined) throw notOf('google.protobuf.Timestamp');
  return checkedMoment(found.ns);
}

function textOfBytes(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new CelError('invalid UTF-8 in bytes, cannot convert to string');
  }
}

export const CONVERSIONS = functionTable({
  'size(bytes) -> int': (a: Uint8Array) => BigInt(a.length),
  'bytes::size() -> int': (a: Uint8Array) => BigInt(a.length),
  'size(list(A)) -> int': (a: readonly CelValue[]) => BigInt(a.length),
  'list(A)::size() -> int': (a: readonly CelValue[]) => BigInt(a.length),
  'size(map(A, B)) -> int': (a: CelMap) => BigInt(a.size),
  'map(A, B)::size() -> int': (a: CelMap) => BigInt(a.size),
  'size(string) -> int': sizeOfText,
  'string::size() -> int': sizeOfText,
  'type(A) -> type(A)': (a: CelValue) => new CelTypeValue(typeName(a)),
  'bool(bool) -> bool': sameSelf,
  'bool(string) -> bool': parsedBool,
  'bytes(bytes) -> bytes': sameSelf,
  'bytes(string) -> bytes': (a: string) => new Uint8Array(Buffer.from(a)),
  'double(double) -> double': sameSelf,
  'double(int) -> double': Number,
  'double(string) -> double': parsedDouble,
  'double(uint) -> double': (a: CelUint) => Number(a.number),
  'duration(duration) -> duration': sameSelf,
  'duration(int) -> duration': () => {
    throw new CelError("type conversion error from 'int' to 'google.protobuf.Duration'");
  },
  'duration(string) -> duration': parsedDuration,
  'dyn(A) -> dyn': sameSelf,
  'int(int) -> int': sameSelf,
  'int(double) -> int': intOfDouble,
  'int(duration) -> int': (a: CelDuration) => a.ns,
  'int(string) -> int': parsedInt,
  'int(timestamp) -> int': (a: CelTime) => (a.ns - (((a.ns % SECOND) + SECOND) % SECOND)) / SECOND,
  'int(uint) -> int': (a: CelUint) => {
    if (a.number > LARGEST_INT) throw new CelError('integer overflow');
    return a.number;
  },
  'string(string) -> string': sameSelf,
  'string(bool) -> string': String,
  'string(bytes) -> string': textOfBytes,
  'string(double) -> string': goFloat,
  'string(duration) -> string': (a: CelDuration) => `${Number(a.ns) / 1e9}s`,
  'string(int) -> string': String,
  'string(timestamp) -> string': timeText,
  'string(uint) -> string': (a: CelUint) => String(a.number),
  'timestamp(timestamp) -> timestamp': sameSelf,
  'timestamp(int) -> timestamp': (a: bigint) => new CelTime(a * SECOND),
  'timestamp(string) -> timestamp': parsedTime,
  'uint(uint) -> uint': sameSelf,
  'uint(double) -> uint': (a: number) => {
    if (!(a >= 0 && a < 2 ** 63 * 2)) throw new CelError('unsigned integer overflow');
    return new CelUint(BigInt(Math.trunc(a)));
  },
  'uint(int) -> uint': (a: bigint) => new CelUint(a),
  'uint(string) -> uint': parsedUint,
});
