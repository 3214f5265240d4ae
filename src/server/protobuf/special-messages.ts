/** Parts of schemas that are one thing or another in JSON, and in protobuf a message with a field for each. */
import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';

type Decode = (key: string, bytes: Uint8Array) => unknown;

const SCHEMA = 'apiextensions/v1.JSONSchemaProps';

/** Undefined for types that have no form of their own. */
export function specialMessage(key: string, bytes: Uint8Array, decode: Decode): unknown {
  switch (key) {
    case 'apiextensions/v1.JSONSchemaPropsOrArray':
      return alternatives(bytes, decode, (_flag, schemas) => schemas);
    case 'apiextensions/v1.JSONSchemaPropsOrBool':
      return alternatives(bytes, decode, (flag) => flag);
    case 'apiextensions/v1.JSONSchemaPropsOrStringArray':
      return alternatives(
        bytes,
        (_key, text) => new TextDecoder().decode(text),
        (_flag, texts) => texts,
        decode,
      );
    default:
      return undefined;
  }
}

/** @param first - decodes the schema, where that is not what the list is of */
function alternatives(
  bytes: Uint8Array,
  each: Decode,
  otherwise: (flag: boolean, list: readonly unknown[]) => unknown,
  first: Decode = each,
): unknown {
  const reader = new BinaryReader(bytes);
  const list: unknown[] = [];
  let schema: unknown;
  let flag = false;
  while (reader.pos < reader.len) {
    const [number, wireType] = reader.tag();
    if (wireType === WireType.Varint && number === 1) flag = reader.bool();
    else if (wireType !== WireType.LengthDelimited) reader.skip(wireType, number);
    else if (number === 1) schema = first(SCHEMA, reader.bytes());
    else if (number === 2) {
      const inner = reader.bytes();
      list.push(each(SCHEMA, inner));
    } else reader.bytes();
  }
  if (schema !== undefined) return schema;
  return otherwise(flag, list);
}
