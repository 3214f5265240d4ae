/** Parts of schemas that are one thing or another in JSON, and in protobuf a message with a field for each. */
import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';

type Decode = (key: string, bytes: Uint8Array) => unknown;

const SCHEMA = 'apiextensions/v1.JSONSchemaProps';

/** Undefined for types that have no form of their own. */
export function specialMessage(key: string, bytes: Uint8Array, decode: Decode): unknown {
  switch (key) {
    case 'apiextensions/v1.JSONSchemaPropsOrArray':
      return schemaOrList(bytes, decode, (inner) => decode(SCHEMA, inner));
    case 'apiextensions/v1.JSONSchemaPropsOrStringArray':
      return schemaOrList(bytes, decode, (text) => new TextDecoder().decode(text));
    case 'apiextensions/v1.JSONSchemaPropsOrBool':
      return schemaOrFlag(bytes, decode);
    default:
      return undefined;
  }
}

/** A schema is field 1, the items of a list are field 2. */
function schemaOrList(bytes: Uint8Array, decode: Decode, itemOf: (bytes: Uint8Array) => unknown): unknown {
  const reader = new BinaryReader(bytes);
  const list: unknown[] = [];
  let schema: unknown;
  while (reader.pos < reader.len) {
    const [number, wireType] = reader.tag();
    if (wireType !== WireType.LengthDelimited) reader.skip(wireType, number);
    else if (number === 1) schema = decode(SCHEMA, reader.bytes());
    else if (number === 2) list.push(itemOf(reader.bytes()));
    else reader.bytes();
  }
  return schema ?? list;
}

/** The flag is field 1, and written beside a schema as well, which is field 2. */
function schemaOrFlag(bytes: Uint8Array, decode: Decode): unknown {
  const reader = new BinaryReader(bytes);
  let schema: unknown;
  let flag = false;
  while (reader.pos < reader.len) {
    const [number, wireType] = reader.tag();
    if (number === 1 && wireType === WireType.Varint) flag = reader.bool();
    else if (number === 2 && wireType === WireType.LengthDelimited) schema = decode(SCHEMA, reader.bytes());
    else reader.skip(wireType, number);
  }
  return schema ?? flag;
}
