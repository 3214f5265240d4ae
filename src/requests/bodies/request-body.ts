/** Bodies: text of JSON or YAML, or what a transport has decoded. */
import { badRequest } from '../../apiserver/store/api-errors.js';
import type { Patch } from '../../apiserver/store/server-types.js';
import type { Draft } from '../../api/objects/objects.js';
import { canonicalJson } from '../../api/values/canonical-json.js';
import type { ApiRequest } from '../api-request.js';
import { mediaType, unsupportedBody } from '../negotiation.js';
import { readYamlBody } from './yaml-body.js';

const PROTOBUF = 'application/vnd.kubernetes.protobuf';
/** What Go reads the kind and version of a body into. */
export const GO_TYPE_META =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';
/** Bytes of a body that a refusal shows. */
const MOST_SHOWN = 30;

/** What a body states. */
export interface StatedBody {
  readonly draft: Draft;
  /** As JSON, which says what stands where; absent for a body of another form. */
  readonly text?: string;
  /** Faults of YAML that is read nevertheless. */
  readonly yamlFaults?: readonly string[];
}

/** The body as an object of a kind. @throws ApiError 400 or 415 */
export function draftOf(request: ApiRequest, kind: string): Draft {
  return statedBody(request, kind).draft;
}

/** The body as an object of a kind, and how it was written. @throws ApiError 400 or 415 */
export function statedBody({ body, headers }: ApiRequest, kind: string): StatedBody {
  const type = mediaType(headers['content-type']);
  const isText = type === '' || type === 'application/json' || type === 'application/yaml' || type === PROTOBUF;
  if (body === undefined) throw isText ? unrecognized(kind, 'unexpected end of JSON input', '') : unsupportedBody();
  if ('value' in body) return { draft: objectOf(body.value, kind) };
  if (type === 'application/yaml') {
    const read = readYamlBody(body.text);
    if ('problem' in read) throw unrecognized(kind, `yaml: ${read.problem}`, body.text, '');
    // A body of YAML is turned into JSON first, with its keys in order.
    return { draft: objectOf(read.value, kind), text: canonicalJson(read.value), yamlFaults: read.twice };
  }
  if (type !== '' && type !== 'application/json') {
    if (type === PROTOBUF) throw badRequest('the body is no protobuf message');
    throw unsupportedBody();
  }
  return { draft: objectOf(jsonOf(body.text, kind), kind), text: body.text };
}

/** The text of the body of a patch, which may say a thing twice. */
export function textOfPatch({ body }: ApiRequest): string {
  return body !== undefined && 'text' in body ? body.text : '';
}

/** Keys that stand twice in the body of an apply, which is YAML; the last one counts. */
export function twiceInPatch(request: ApiRequest): readonly string[] {
  const read = readYamlBody(textOfPatch(request));
  return 'problem' in read ? [] : read.twice;
}

function objectOf(value: unknown, kind: string): Draft {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Draft;
  // To Go null is an object of which nothing is said.
  if (value === null) return {};
  const got = Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value;
  throw unrecognized(
    kind,
    `json: cannot unmarshal ${got} into Go value of type ${GO_TYPE_META}`,
    JSON.stringify(value),
  );
}

function jsonOf(text: string, kind: string): unknown {
  if (text === '') throw unrecognized(kind, 'unexpected end of JSON input', '');
  try {
    return JSON.parse(text);
  } catch {
    throw unrecognized(kind, jsonProblem(text), text);
  }
}

/** What Go says of a text that is no JSON. */
export function jsonProblem(text: string): string {
  // A text that is cut off is refused for its end, any other for a letter.
  const wrong = wrongLetter(text);
  if (wrong === undefined) return 'unexpected end of JSON input';
  return `invalid character ${goLetter(wrong.letter)} ${wrong.place}`;
}

/** Where a letter is wrong, by the beginning of what JSON.parse says of it, and in Go's words. */
const PLACES: readonly (readonly [string, string])[] = [
  ['Unexpected non-whitespace character after JSON', 'after top-level value'],
  ['Expected property name', 'looking for beginning of object key string'],
  ['Expected double-quoted property name', 'looking for beginning of object key string'],
  ["Expected ':'", 'after object key'],
  ["Expected ',' or '}'", 'after object key:value pair'],
  ["Expected ',' or ']'", 'after array element'],
  ['Bad control character in string', 'in string literal'],
  ['', 'looking for beginning of value'],
];

/** The letter with which no JSON goes on, where the parser names one. */
function wrongLetter(text: string): { readonly letter: string; readonly place: string } | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    const { message } = error as Error;
    const at = /at position (\d+)/.exec(message)?.[1];
    const token = /Unexpected token '(.+?)'/su.exec(message)?.[1];
    const place = PLACES.find(([beginning]) => message.startsWith(beginning))?.[1] ?? '';
    const letter = token ?? (at === undefined ? undefined : text[Number(at)]);
    return letter === undefined ? undefined : { letter, place };
  }
}

function goLetter(letter: string): string {
  return letter === "'" ? String.raw`'\''` : `'${letter}'`;
}

/** The refusal of a body of which it cannot be said what it is. */
export function unrecognized(
  kind: string,
  problem: string,
  text: string,
  what = "couldn't get version/kind; json parse error: ",
): Error {
  return badRequest(
    `the object provided is unrecognized (must be of type ${kind}): ${what}${problem} (${summaryOf(text)})`,
  );
}

/** The beginning of a body: as it is where it seems to be an object of JSON, else its bytes. */
function summaryOf(text: string): string {
  if (text === '') return '<empty>';
  const bytes = Buffer.from(text);
  const form = text.startsWith('{') ? 'utf8' : 'hex';
  return bytes.toString(form, 0, MOST_SHOWN) + (bytes.length > MOST_SHOWN ? ' ...' : '');
}

/** The body of a patch, whatever it is. @throws ApiError 400 */
export function patchBody({ body }: ApiRequest, type: Patch['type'] | 'apply'): unknown {
  if (body !== undefined && 'value' in body) return body.value;
  const { text } = body ?? { text: '' };
  if (type === 'apply') {
    const read = readYamlBody(text);
    if ('value' in read) return read.value;
    throw badRequest(`error decoding YAML: error converting YAML to JSON: yaml: ${read.problem}`);
  }
  try {
    // To Go null is a list without an operation.
    return JSON.parse(text) ?? (type === 'json' ? [] : null);
  } catch {
    throw badRequest(`${type === 'strategic' ? '' : 'error decoding patch: '}${jsonProblem(text)}`);
  }
}
