/** Bodies: text of JSON or YAML, or what a transport has decoded. */
import { parse, YAMLParseError } from 'yaml';
import { duplicateFields } from '../api/decoding/duplicate-fields.js';
import { badRequest } from '../apiserver/store/api-errors.js';
import type { Draft } from '../api/objects/objects.js';
import type { ApiRequest } from './api-request.js';
import { mediaType, unsupportedBody } from './negotiation.js';

const PROTOBUF = 'application/vnd.kubernetes.protobuf';
/** Aliases in YAML are for people; a body that nests them is a bomb. */
const MOST_ALIASES = 100;

/** The body as an object of a kind. @throws ApiError 400 or 415 */
export function draftOf(request: ApiRequest, kind: string): Draft {
  const { body } = request;
  const type = mediaType(request.headers['content-type']);
  if (body === undefined) throw unrecognized(kind, 'unexpected end of JSON input', '<empty>');
  if ('value' in body) return objectOf(body.value, kind);
  if (type === 'application/yaml') return objectOf(yamlOf(body.text), kind);
  if (type !== '' && type !== 'application/json') {
    if (type === PROTOBUF) throw badRequest('the body is no protobuf message');
    throw unsupportedBody();
  }
  return objectOf(jsonOf(body.text, kind), kind);
}

/** Paths of fields that stand twice in a body of JSON, once it has been read. */
export function duplicatesIn({ body, headers }: ApiRequest): readonly string[] {
  const type = mediaType(headers['content-type']);
  if (body === undefined || 'value' in body || (type !== '' && type !== 'application/json')) return [];
  return duplicateFields(body.text);
}

function objectOf(value: unknown, kind: string): Draft {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Draft;
  const got = Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value;
  const goType =
    'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';
  throw unrecognized(kind, `json: cannot unmarshal ${got} into Go value of type ${goType}`, JSON.stringify(value));
}

function jsonOf(text: string, kind: string): unknown {
  if (text === '') throw unrecognized(kind, 'unexpected end of JSON input', '<empty>');
  try {
    return JSON.parse(text);
  } catch {
    throw unrecognized(kind, jsonProblem(text), text);
  }
}

/** What Go says of a text that is no JSON. */
function jsonProblem(text: string): string {
  // A text that is cut off is refused for its end, any other for a letter.
  const wrong = wrongLetter(text);
  return wrong === undefined
    ? 'unexpected end of JSON input'
    : `invalid character ${goLetter(wrong)} looking for beginning of value`;
}

/** The letter with which no JSON goes on, where the parser names one. */
function wrongLetter(text: string): string | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    const at = /at position (\d+)/.exec((error as Error).message)?.[1];
    const token = /Unexpected token '(.+?)'/su.exec((error as Error).message)?.[1];
    return token ?? (at === undefined ? undefined : text[Number(at)]);
  }
}

function goLetter(letter: string): string {
  return letter === "'" ? String.raw`'\''` : `'${letter}'`;
}

function unrecognized(kind: string, problem: string, text: string): Error {
  const what = `the object provided is unrecognized (must be of type ${kind})`;
  return badRequest(`${what}: couldn't get version/kind; json parse error: ${problem} (${text})`);
}

/** @throws ApiError 400 */
function yamlOf(text: string): unknown {
  try {
    return parse(text, { maxAliasCount: MOST_ALIASES, logLevel: 'silent' });
  } catch (error) {
    if (error instanceof YAMLParseError || error instanceof ReferenceError) {
      throw badRequest(`error converting YAML to JSON: yaml: ${error.message.split('\n')[0] ?? ''}`);
    }
    throw error;
  }
}

/** The body of a patch, whatever it is. @throws ApiError 400 */
export function patchBody({ body }: ApiRequest, isYaml: boolean): unknown {
  if (body === undefined) return undefined;
  if ('value' in body) return body.value;
  if (isYaml) return yamlOf(body.text);
  try {
    return JSON.parse(body.text);
  } catch {
    throw badRequest(`error decoding patch: ${jsonProblem(body.text)}`);
  }
}
