/** The options of lists: what is allowed, which version they ask for, and how pages are continued. */
import path from 'node:path';
import { ApiError, type StatusCause } from '../../api/errors/api-error.js';
import { badRequest, tooLargeVersion } from './api-errors.js';
import type { ListOptions } from './server-types.js';

/** Which state a list answers with, and which part of it. */
export interface ListPlan {
  /** The version to answer with; absent = the latest. */
  readonly version?: number;
  /** Storage key from which to go on, included; absent = from the beginning. */
  readonly startKey?: string;
  /** Largest number of items; absent = all. */
  readonly limit?: number;
  /** Whether the plan continues an earlier page. */
  readonly isContinuation: boolean;
}

/** @throws ApiError 400, 422 or 504 for options that contradict each other or ask for the future */
export function planList(options: ListOptions, currentVersion: number): ListPlan {
  refuseListFaults(listFaults(options));
  const { resourceVersion = '', resourceVersionMatch, continue: token = '' } = options;
  const limit = options.limit !== undefined && options.limit > 0 ? { limit: options.limit } : {};
  if (token !== '') {
    const { version, startKey } = decodeContinue(token);
    if (resourceVersion !== '' && resourceVersion !== '0') {
      throw badRequest('specifying resource version is not allowed when using continue');
    }
    return { ...limit, ...(version < 0 ? {} : { version }), startKey, isContinuation: true };
  }
  if (resourceVersion === '') return { ...limit, isContinuation: false };
  const version = parseListVersion(resourceVersion);
  if (version === 0) return { isContinuation: false };
  if (version > currentVersion) throw tooLargeVersion(version, currentVersion);
  const isExact = resourceVersionMatch === 'Exact' || (resourceVersionMatch === undefined && limit.limit !== undefined);
  return { ...limit, ...(isExact ? { version } : {}), isContinuation: false };
}

const MOST_UINT64 = 18_446_744_073_709_551_615n;

/** The number in a resourceVersion; undefined when it is none of 64 bits. */
export function parseVersion(text: string): number | undefined {
  return /^\d+$/.test(text) && BigInt(text) <= MOST_UINT64 ? Number(text) : undefined;
}

/** Kubernetes' text for a resourceVersion that is no number of 64 bits. */
export function versionSyntaxText(text: string): string {
  const why = /^\d+$/.test(text) ? 'value out of range' : 'invalid syntax';
  return `strconv.ParseUint: parsing ${JSON.stringify(text)}: ${why}`;
}

/** The token with which the next page begins after `lastKey`. */
export function encodeContinue(version: number, lastKey: string): string {
  const token = JSON.stringify({ v: TOKEN_VERSION, rv: version, start: `/${lastKey}\u0000` });
  return Buffer.from(token, 'utf8').toString('base64url');
}

const TOKEN_VERSION = 'meta.k8s.io/v1';

function parseListVersion(text: string): number {
  const version = parseVersion(text);
  if (version !== undefined) return version;
  const invalid = `resourceVersion: Invalid value: ${JSON.stringify(text)}`;
  throw badRequest(`invalid resource version: ${invalid}: ${versionSyntaxText(text)}`);
}

/** @throws ApiError 422 that names every one */
export function refuseListFaults(causes: readonly StatusCause[]): void {
  if (causes.length === 0) return;
  const texts = causes.map(({ field = '', message = '' }) => `${field}: ${message}`);
  const text = texts.length === 1 ? texts.join('') : `[${texts.join(', ')}]`;
  const details = { group: 'meta.k8s.io', kind: 'ListOptions', causes };
  throw new ApiError(422, 'Invalid', `ListOptions.meta.k8s.io "" is invalid: ${text}`, details);
}

/** What is wrong with the options of a list, in upstream's order. */
export function listFaults(options: ListOptions): readonly StatusCause[] {
  const { resourceVersion = '', resourceVersionMatch, continue: token = '' } = options;
  if (resourceVersionMatch === undefined) return [];
  const known: readonly string[] = ['Exact', 'NotOlderThan'];
  const field = 'resourceVersionMatch';
  const causes: StatusCause[] = [];
  const forbid = (why: string): void => {
    causes.push({ reason: 'FieldValueForbidden', message: `Forbidden: ${why}`, field });
  };
  if (resourceVersion === '') forbid('resourceVersionMatch is forbidden unless resourceVersion is provided');
  if (token !== '') forbid('resourceVersionMatch is forbidden when continue is provided');
  if (!known.includes(resourceVersionMatch)) {
    const supported = 'supported values: "Exact", "NotOlderThan", ""';
    const message = `Unsupported value: ${JSON.stringify(resourceVersionMatch)}: ${supported}`;
    causes.push({ reason: 'FieldValueNotSupported', message, field });
  }
  if (resourceVersionMatch === 'Exact' && resourceVersion === '0') {
    forbid('resourceVersionMatch "exact" is forbidden for resourceVersion "0"');
  }
  return causes;
}

function decodeContinue(token: string): { readonly version: number; readonly startKey: string } {
  const { v = '', rv = 0, start = '' } = parseToken(token);
  if (v !== TOKEN_VERSION) throw badToken(`server does not recognize this encoded version ${v}`);
  if (rv === 0) throw badToken(`incorrect encoded start resourceVersion (version ${TOKEN_VERSION})`);
  if (start === '') throw badToken(`encoded start key empty (version ${TOKEN_VERSION})`);
  const key = start.startsWith('/') ? start : `/${start}`;
  // A key that leads out of its kind, such as one with two dots.
  if (path.posix.normalize(key) !== key || (key !== '/' && key.endsWith('/'))) throw badToken(start);
  return { version: rv, startKey: key.slice(1) };
}

interface Token {
  readonly v?: string;
  readonly rv?: number;
  readonly start?: string;
}

const TOKEN_FIELDS = [
  ['v', 'string', 'string'],
  ['rv', 'number', 'int64'],
  ['start', 'string', 'string'],
] as const;

/** What is read of a token as Go reads it into its struct. */
function parseToken(token: string): Token {
  const parsed = decodedToken(token);
  if (parsed === null) return {};
  if (typeof parsed !== 'object' || Array.isArray(parsed)) {
    throw badToken(`json: cannot unmarshal ${jsonType(parsed)} into Go value of type storage.continueToken`);
  }
  const fields = parsed as Readonly<Record<string, unknown>>;
  for (const [name, type, goType] of TOKEN_FIELDS) {
    const value = fields[name];
    if (value === undefined || value === null) continue;
    const isWhole = goType !== 'int64' || Number.isSafeInteger(value);
    if (typeof value === type && isWhole) continue;
    const what = goType === 'int64' && typeof value === 'number' ? `number ${value}` : jsonType(value);
    throw badToken(`json: cannot unmarshal ${what} into Go struct field continueToken.${name} of type ${goType}`);
  }
  const { v, rv, start } = fields as { [name in keyof Token]: Token[name] | null };
  return { v: v ?? '', rv: rv ?? 0, start: start ?? '' };
}

/** What Go calls a value of JSON. */
function jsonType(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}

function decodedToken(token: string): unknown {
  const wrong = token.search(/[^A-Za-z0-9_-]/);
  if (wrong !== -1) throw badToken(`illegal base64 data at input byte ${wrong}`);
  // A letter of its own holds no byte.
  if (token.length % 4 === 1) throw badToken(`illegal base64 data at input byte ${token.length - 1}`);
  const decoded = Buffer.from(token, 'base64url');
  try {
    return JSON.parse(decoded.toString('utf8')) as unknown;
  } catch {
    const [first] = decoded.toString('latin1').trimStart();
    if (first === undefined || first === '{') throw badToken('unexpected end of JSON input');
    throw badToken(`invalid character ${goLetter(first)} looking for beginning of value`);
  }
}

/** A byte as Go quotes it. */
function goLetter(letter: string): string {
  const code = letter.charCodeAt(0);
  const isPlain = code >= FIRST_PRINTABLE && code < DELETE;
  return isPlain ? `'${letter}'` : `'\\u${code.toString(16).padStart(4, '0')}'`;
}
const FIRST_PRINTABLE = 0x20;
const DELETE = 0x7f;

function badToken(why: string): ApiError {
  return badRequest(`invalid continue token: continue key is not valid: ${why}`);
}
