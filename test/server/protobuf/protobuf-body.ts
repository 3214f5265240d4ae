/** Writes bodies in Kubernetes' protobuf as Go's clients do, from the numbers of fields. */
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';

/** A field of a message: a text or bytes, a whole number, a truth, or a message. */
export type Part = readonly [number: number, value: string | number | bigint | boolean | Uint8Array];

/** The bytes of a message. */
export function message(...parts: readonly Part[]): Uint8Array {
  const writer = new BinaryWriter();
  for (const [number, value] of parts) {
    if (typeof value === 'string') writer.tag(number, WireType.LengthDelimited).string(value);
    else if (value instanceof Uint8Array) writer.tag(number, WireType.LengthDelimited).bytes(value);
    else if (typeof value === 'boolean') writer.tag(number, WireType.Varint).bool(value);
    else writer.tag(number, WireType.Varint).int64(value);
  }
  return writer.finish();
}

/** The body with an object's message in it. */
export function protobufBody(apiVersion: string, kind: string, raw: Uint8Array): Uint8Array {
  const envelope = message([1, message([1, apiVersion], [2, kind])], [2, raw], [3, ''], [4, '']);
  return Uint8Array.of(0x6b, 0x38, 0x73, 0, ...envelope);
}
