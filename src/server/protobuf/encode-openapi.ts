/**
 * OpenAPI's version 2 as protobuf: the messages of gnostic's OpenAPIv2.proto, in which client-go asks for the one
 * document of all groups, and in no other form. As far as this server's document goes: no headers and examples.
 */
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';

type Json = Readonly<Record<string, unknown>>;
type Write = (writer: BinaryWriter, value: unknown) => void;

/** How a field is written: its number, and what follows the tag of each of its values. */
interface Slot {
  readonly number: number;
  readonly wireType: WireType;
  readonly write: Write;
  /** Whether the values of a list are written one by one. */
  readonly isRepeated?: true;
}
type Message = Readonly<Record<string, Slot>>;

/** Extensions (`x-…`) are a list of names with their values as YAML, which JSON is. */
const EXTENSION = 'x-';

const text = (number: number): Slot => ({
  number,
  wireType: WireType.LengthDelimited,
  write: (writer, value) => writer.string(String(value)),
});
const texts = (number: number): Slot => ({ ...text(number), isRepeated: true });
const flag = (number: number): Slot => ({
  number,
  wireType: WireType.Varint,
  write: (writer, value) => writer.bool(value === true),
});
const nested = (number: number, write: Write): Slot => ({
  number,
  wireType: WireType.LengthDelimited,
  write: (writer, value) => {
    writer.fork();
    write(writer, value);
    writer.join();
  },
});
const list = (number: number, write: Write): Slot => ({ ...nested(number, write), isRepeated: true });

/** The field of a message in which another one is. */
function wrapped(number: number, write: Write): Write {
  const slot = nested(number, write);
  return (writer, value) => put(writer, slot, value);
}

function put(writer: BinaryWriter, { number, wireType, write }: Slot, value: unknown): void {
  writer.tag(number, wireType);
  write(writer, value);
}

function message(slots: () => Message, extensions: number): Write {
  return (writer, value) => {
    const known = slots();
    for (const [name, each] of Object.entries(value as Json)) {
      const slot = known[name];
      if (slot === undefined) {
        if (name.startsWith(EXTENSION)) put(writer, namedAny(extensions), [name, each]);
      } else if (slot.isRepeated === true && Array.isArray(each)) for (const one of each) put(writer, slot, one);
      else put(writer, slot, each);
    }
  };
}

/** A map: a list of pairs, in the field of that number. */
function named(number: number, write: Write): Write {
  const pair = nested(number, (writer, value) => {
    const [name, each] = value as readonly [string, unknown];
    put(writer, text(1), name);
    put(writer, nested(2, write), each);
  });
  return (writer, value) => {
    for (const entry of Object.entries(value as Json)) put(writer, pair, entry);
  };
}

const any: Write = (writer, value) => put(writer, text(2), JSON.stringify(value));
const namedAny = (number: number): Slot =>
  nested(number, (writer, value) => {
    const [name, each] = value as readonly [string, unknown];
    put(writer, text(1), name);
    put(writer, nested(2, any), each);
  });

const schema: Write = message(() => SCHEMA, 31);
const SCHEMA: Message = {
  $ref: text(1),
  format: text(2),
  description: text(4),
  default: nested(5, any),
  required: texts(19),
  enum: list(20, any),
  additionalProperties: nested(21, wrapped(1, schema)),
  type: nested(22, (writer, value) => put(writer, text(1), value)),
  items: nested(23, wrapped(1, schema)),
  properties: nested(25, named(1, schema)),
};

const BODY: Message = {
  description: text(1),
  name: text(2),
  in: text(3),
  required: flag(4),
  schema: nested(5, schema),
};
const NAMED: Message = { required: flag(1), in: text(2), description: text(3), name: text(4) };
const QUERY: Message = { ...NAMED, type: text(6), uniqueItems: flag(20) };
const PATH: Message = { ...NAMED, type: text(5), uniqueItems: flag(19) };
const REFERENCE: Message = { $ref: text(1), description: text(2) };
const body = message(() => BODY, 6);
const query = message(() => QUERY, 23);
const path = message(() => PATH, 22);

const reference = message(() => REFERENCE, 0);

/** One of several messages, by where a parameter is. */
const parameter: Write = (writer, value) => {
  const { in: place } = value as Json;
  if (place === 'body') return wrapped(1, body)(writer, value);
  wrapped(2, place === 'path' ? wrapped(4, path) : wrapped(3, query))(writer, value);
};

/** A parameter, or where it stands. */
const parameterItem: Write = (writer, value) => {
  const isReference = (value as Json)['$ref'] !== undefined;
  wrapped(isReference ? 2 : 1, isReference ? reference : parameter)(writer, value);
};

const RESPONSE: Message = { description: text(1), schema: nested(2, wrapped(1, schema)) };
const response: Write = wrapped(
  1,
  message(() => RESPONSE, 5),
);
const OPERATION: Message = {
  tags: texts(1),
  description: text(3),
  operationId: text(5),
  produces: texts(6),
  consumes: texts(7),
  parameters: list(8, parameterItem),
  responses: nested(9, named(1, response)),
  schemes: texts(10),
};
const operation = message(() => OPERATION, 13);
const PATH_ITEM: Message = {
  get: nested(2, operation),
  put: nested(3, operation),
  post: nested(4, operation),
  delete: nested(5, operation),
  options: nested(6, operation),
  head: nested(7, operation),
  patch: nested(8, operation),
  parameters: list(9, parameterItem),
};
const INFO: Message = { title: text(1), version: text(2) };
const KEY: Message = { type: text(1), name: text(2), in: text(3), description: text(4) };
const key = message(() => KEY, 5);
const scopes: Write = (writer, value) => {
  for (const scope of value as readonly string[]) put(writer, text(1), scope);
};
const DOCUMENT: Message = {
  swagger: text(1),
  info: nested(
    2,
    message(() => INFO, 7),
  ),
  paths: nested(
    8,
    named(
      2,
      message(() => PATH_ITEM, 10),
    ),
  ),
  definitions: nested(9, named(1, schema)),
  parameters: nested(10, named(1, parameter)),
  security: list(12, named(1, scopes)),
  securityDefinitions: nested(13, named(1, wrapped(2, key))),
};

/** The document as gnostic's `Document`. */
export function encodeOpenApi(document: object): Uint8Array {
  const writer = new BinaryWriter();
  message(() => DOCUMENT, 16)(writer, document);
  return writer.finish();
}
