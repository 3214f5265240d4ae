/** The body of a DELETE, whose refusals are no bad requests to upstream but plain failures (handlers/delete.go, v1.34). */
import { decodeStruct } from '../../api/decoding/decode.js';
import { internalError } from '../../apiserver/store/api-errors.js';
import type { ApiRequest } from '../api-request.js';
import { mediaType, unsupportedBody } from '../negotiation.js';
import { GO_TYPE_META, jsonProblem } from './request-body.js';
import { readYamlBody } from './yaml-body.js';

type Fields = Readonly<Record<string, unknown>>;

const READABLE: ReadonlySet<string> = new Set(['', 'application/json', 'application/yaml']);
const SCHEME = 'k8s.io/apimachinery/pkg/apis/meta/internalversion/scheme/register.go:27';
/** Kinds that every group has beside the options of a DELETE. */
const OTHER_KINDS: ReadonlySet<string> = new Set([
  'CreateOptions',
  'GetOptions',
  'ListOptions',
  'PatchOptions',
  'Status',
  'UpdateOptions',
]);

/** The fields of the options; undefined without a body. @throws ApiError 415, 500 */
export function deleteBody({ body, headers }: ApiRequest): Fields | undefined {
  if (body === undefined) return undefined;
  if ('value' in body) return typed(body.value);
  const type = mediaType(headers['content-type']);
  if (!READABLE.has(type)) throw unsupportedBody();
  return typed(type === 'application/yaml' ? yamlOf(body.text) : jsonOf(body.text));
}

function yamlOf(text: string): unknown {
  const read = readYamlBody(text);
  if ('problem' in read) throw internalError(`yaml: ${read.problem}`);
  return read.value;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw noVersion(jsonProblem(text));
  }
}

function typed(value: unknown): Fields {
  if (value === null || value === undefined) return {};
  if (typeof value !== 'object' || Array.isArray(value)) {
    const got = Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value;
    throw noVersion(`json: cannot unmarshal ${got} into Go value of type ${GO_TYPE_META}`);
  }
  const { kind = '', apiVersion = '', ...options } = value as Fields;
  for (const [field, text] of Object.entries({ apiVersion, kind })) {
    if (typeof text === 'string') continue;
    throw noVersion(`json: cannot unmarshal ${typeof text} into Go struct field .${field} of type string`);
  }
  const version = String(apiVersion);
  if (version.split('/').length > 2) throw internalError(`unexpected GroupVersion string: ${version}`);
  if (kind !== '' && kind !== 'DeleteOptions')
    throw otherKind(String(kind), version === '' ? 'meta.k8s.io/v1' : version);
  return decodeStruct('meta/v1.DeleteOptions', options, internalError);
}

function otherKind(kind: string, version: string): Error {
  if (OTHER_KINDS.has(kind)) {
    return internalError(`converting (v1.${kind}) to (v1.DeleteOptions): unknown conversion`);
  }
  const what = `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(version)}`;
  return internalError(`${what} in scheme ${JSON.stringify(SCHEME)}`);
}

function noVersion(problem: string): Error {
  return internalError(`couldn't get version/kind; json parse error: ${problem}`);
}
