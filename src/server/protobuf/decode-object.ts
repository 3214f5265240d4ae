/**
 * Bodies in Kubernetes' protobuf: four bytes that say so, then an envelope (`runtime.Unknown`) with the kind and the
 * object's own message. Typed clients of Go send them by default.
 */
import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';
import { ApiError } from '../../api/errors/api-error.js';
import { typeKeyOf } from '../../api/types/type-facts.js';
import { decodeMessage } from './decode-message.js';
import { DecodingError } from './decoding-error.js';

const PREFIX = Uint8Array.of(0x6b, 0x38, 0x73, 0x00);

/** Kinds that every group has, of meta/v1. */
const OF_EVERY_GROUP: ReadonlySet<string> = new Set(['DeleteOptions', 'Status']);

interface Envelope {
  readonly apiVersion: string;
  readonly kind: string;
  readonly raw: Uint8Array;
}

/**
 * The object in the form that its JSON has.
 *
 * @throws ApiError 400 for bytes that are no such body, 415 for a kind that has no form in protobuf
 */
export function decodeObject(bytes: Uint8Array): object {
  try {
    const { apiVersion, kind, raw } = envelopeOf(bytes);
    const slash = apiVersion.indexOf('/');
    const [group, version] = [apiVersion.slice(0, Math.max(0, slash)), apiVersion.slice(slash + 1)];
    const key = OF_EVERY_GROUP.has(kind) ? `meta/v1.${kind}` : typeKeyOf({ group, version, kind });
    const object = decodeMessage(key, raw);
    if (object === undefined) {
      const what = `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)}`;
      throw new ApiError(415, 'UnsupportedMediaType', `${what} with a form in protobuf`, {});
    }
    return { kind, apiVersion, ...object };
  } catch (error) {
    if (error instanceof ApiError) throw error;
    // Whatever the reader of the format throws is about bytes that are not what they are said to be.
    const what = error instanceof Error ? error.message : String(error);
    throw new ApiError(400, 'BadRequest', `the body is no protobuf message of Kubernetes: ${what}`);
  }
}

function envelopeOf(bytes: Uint8Array): Envelope {
  if (bytes.length <= PREFIX.length || PREFIX.some((byte, index) => bytes[index] !== byte)) {
    throw new DecodingError(`provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]`);
  }
  const reader = new BinaryReader(bytes.subarray(PREFIX.length));
  let apiVersion = '';
  let kind = '';
  let raw = new Uint8Array();
  while (reader.pos < reader.len) {
    const [number, wireType] = reader.tag();
    if (wireType !== WireType.LengthDelimited) reader.skip(wireType, number);
    else if (number === 1) [apiVersion, kind] = typeMeta(reader.bytes());
    else if (number === 2) raw = Uint8Array.from(reader.bytes());
    else reader.bytes();
  }
  return { apiVersion, kind, raw };
}

function typeMeta(bytes: Uint8Array): [string, string] {
  const reader = new BinaryReader(bytes);
  const told: [string, string] = ['', ''];
  while (reader.pos < reader.len) {
    const [number, wireType] = reader.tag();
    if (wireType === WireType.LengthDelimited && (number === 1 || number === 2)) told[number - 1] = reader.string();
    else reader.skip(wireType, number);
  }
  return told;
}
