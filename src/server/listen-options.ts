import { createPrivateKey, X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { printedValue } from '../kernel/printed-value.js';
import { findUnreadable } from '../kernel/unreadable.js';
import type { AuthorizationMode } from '../requests/api-request.js';
import type { KeyPair } from './certificates.js';
import type { RecordedRequest } from './recording.js';

/** How a cluster is served. */
export interface ListenOptions {
  /** The port; 0 = a free one. @defaultValue 6443 */
  readonly port?: number;
  /**
   * The address to listen at. Others than those of the loopback are reached from other machines, which needs
   * {@link allowRemote} as well. @defaultValue 127.0.0.1
   */
  readonly host?: string;
  /** Lets `host` be an address that other machines reach. @defaultValue false */
  readonly allowRemote?: boolean;
  /** Plain HTTP without certificates, on the loopback only. @defaultValue false */
  readonly insecureHttp?: boolean;
  /** Lets requests without credentials in, as `system:anonymous`. @defaultValue false */
  readonly anonymous?: boolean;
  /**
   * What clients may do that are no members of `system:masters`, as kube-apiserver's `--authorization-mode`: what roles
   * that are bound to them allow, or everything. @defaultValue RBAC
   */
  readonly authorization?: AuthorizationMode;
  /** The administrator's bearer token. @defaultValue a new one of 256 bits */
  readonly token?: string;
  /** The certificate and key, in PEM, of the authority that signs what is shown. @defaultValue a new one */
  readonly authority?: KeyPair;
  /**
   * Has requests and watches go over the link of a party of this name, such as `operator/web`, which faults then cut,
   * slow down or have lag as the link of any component: `cluster.faults.cut({ component: 'operator/web' })`. A program
   * outside sees connections that break off, and events that come late. @defaultValue no link lies between
   */
  readonly party?: string;
  /** Told of each request that may write, with the place at which it entered, for `cluster.replayRequests`. */
  readonly record?: (request: RecordedRequest) => void;
}

/** {@link ListenOptions} that have been checked. */
export interface ResolvedListenOptions {
  readonly port: number;
  readonly host: string;
  readonly isSecure: boolean;
  readonly isAnonymousAllowed: boolean;
  readonly authorization: AuthorizationMode;
  readonly token: string | undefined;
  readonly authority: KeyPair | undefined;
  readonly record: ((request: RecordedRequest) => void) | undefined;
  readonly party: string | undefined;
}

/** Options of listening that cannot be followed: names the field, what it got and what is allowed. */
export class ListenError extends Error {
  override readonly name = 'ListenError';

  constructor(field: string, allowed: string, got: unknown) {
    super(`${field} must be ${allowed}, got ${printedValue(got)}`);
  }
}

const KNOWN: readonly string[] = [
  'port',
  'host',
  'allowRemote',
  'insecureHttp',
  'anonymous',
  'authorization',
  'token',
  'authority',
  'record',
  'party',
];

const MODES: readonly AuthorizationMode[] = ['RBAC', 'AlwaysAllow'];

/** Fewest characters of a token that is not to be guessed. */
const SHORTEST_TOKEN = 16;

/** Looks at options of `cluster.listen` without opening anything. @throws ListenError */
export function checkListenOptions(options: ListenOptions): void {
  resolveListenOptions(options);
}

/** @throws ListenError */
export function resolveListenOptions(options: ListenOptions): ResolvedListenOptions {
  const unreadable = findUnreadable(options);
  if (unreadable !== undefined) throw new ListenError(`options of listen${unreadable}`, 'readable', options);
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    throw new ListenError('options of listen', 'an object', options);
  }
  for (const field of Object.keys(options)) {
    if (!KNOWN.includes(field)) throw new ListenError('an option of listen', `one of ${KNOWN.join(', ')}`, field);
  }
  const { port = 6443, host = '127.0.0.1', authorization = 'RBAC', token, record, party } = options;
  if (!MODES.includes(authorization)) throw new ListenError('authorization', MODES.join(' or '), authorization);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new ListenError('port', 'an integer in 0..65535', port);
  }
  for (const field of ['allowRemote', 'insecureHttp', 'anonymous'] as const) {
    const value: unknown = options[field];
    if (value !== undefined && typeof value !== 'boolean') throw new ListenError(field, 'true or false', value);
  }
  if (typeof host !== 'string' || (host !== 'localhost' && isIP(host) === 0)) {
    throw new ListenError('host', 'an IP address or localhost', host);
  }
  if (record !== undefined && typeof record !== 'function') throw new ListenError('record', 'a function', record);
  if (party !== undefined && (typeof party !== 'string' || !/^[\w./-]+$/.test(party) || party.startsWith('kubelet/'))) {
    throw new ListenError('party', 'a name such as operator/web, and none of a kubelet', party);
  }
  const isRemote = !isLoopback(host);
  if (isRemote && options.insecureHttp === true) {
    throw new ListenError('host', 'an address of the loopback with insecureHttp', host);
  }
  if (isRemote && options.allowRemote !== true) {
    throw new ListenError('host', 'an address of the loopback without allowRemote', host);
  }
  if (
    token !== undefined &&
    (typeof token !== 'string' || !/^[\x21-\x7e]+$/.test(token) || token.length < SHORTEST_TOKEN)
  ) {
    throw new ListenError('token', `at least ${SHORTEST_TOKEN} visible ASCII characters`, '<token>');
  }
  return {
    port,
    host,
    isSecure: options.insecureHttp !== true,
    isAnonymousAllowed: options.anonymous === true,
    authorization,
    token,
    authority: authorityOf(options.authority),
    record,
    party,
  };
}

function authorityOf(pair: unknown): KeyPair | undefined {
  if (pair === undefined) return undefined;
  const allowed = 'a certificate and its key, both as PEM text';
  if (typeof pair !== 'object' || pair === null) throw new ListenError('authority', allowed, pair);
  const { certificate, key }: Partial<Record<keyof KeyPair, unknown>> = pair;
  if (typeof certificate !== 'string' || typeof key !== 'string') {
    throw new ListenError('authority', allowed, Object.keys(pair));
  }
  if (!isPair(certificate, key)) {
    throw new ListenError('authority', 'a certificate and its own key, ECDSA over P-256, both as PEM text', '<PEM>');
  }
  return { certificate, key };
}

/** Whether an authority can sign with them. */
function isPair(certificate: string, key: string): boolean {
  try {
    const privateKey = createPrivateKey(key);
    if (privateKey.asymmetricKeyDetails?.namedCurve !== 'prime256v1') return false;
    return new X509Certificate(certificate).checkPrivateKey(privateKey);
  } catch {
    return false;
  }
}

/** Whether an address is of this machine alone. */
function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host.startsWith('127.');
}
