/**
 * Tokens of service accounts: a request with one is the account's for as long as the cluster's clock allows, the account is
 * there, and what the token was bound to. A token is a JWT; a server that clients reach signs it under a key of its own,
 * which is no part of what is simulated. Mirrors pkg/serviceaccount (v1.34).
 */
import { createHash } from 'node:crypto';
import type { Kind } from '../../api/objects/objects.js';
import type { Kernel } from '../../kernel/engine/kernel.js';
import type { ApiServer } from '../../apiserver/store/server-types.js';
import type { RequestUser } from '../api-request.js';
import { serviceAccountGroups } from './authorizer.js';

/** The issuer of tokens, and their audience where nothing else is said. */
export const ISSUER = 'https://kubernetes.default.svc.cluster.local';

/**
 * A pod's token of this duration, which is that of every `kube-api-access` volume, is good for longer than it says:
 * programs that never read it again go on (`--service-account-extend-token-expiration`).
 */
const KEPT_SECONDS = 3607;
const MOST_KEPT_SECONDS = 365 * 24 * 3600;

/** An object whose end ends a token. */
export interface BoundObject {
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
}

/** The audience of a token, and the object that it is bound to. */
export interface TokenWish {
  readonly namespace: string;
  readonly account: { readonly name: string; readonly uid: string };
  readonly audiences: readonly string[];
  readonly expirationSeconds: number;
  readonly bound: BoundObject | undefined;
}

/** A token that was issued. */
export interface IssuedToken {
  readonly token: string;
  readonly expirationTimestamp: string;
}

/** A token that was read. */
export interface ReadToken {
  readonly user: RequestUser;
  readonly audiences: readonly string[];
}

interface NodeClaim {
  readonly name: string;
  readonly uid?: string;
}

interface Claims {
  readonly aud: readonly string[];
  readonly exp: number;
  readonly jti: string;
  readonly 'kubernetes.io': {
    readonly namespace: string;
    readonly serviceaccount: { readonly name: string; readonly uid: string };
    /** Seconds since 1970. */
    readonly warnafter?: number;
    readonly [bound: string]: unknown;
  };
}

/** A key by which others tell that a token is signed, in the form of JSON web keys. */
export interface PublishedKey {
  readonly alg: string;
  readonly [field: string]: unknown;
}

/** The keys of an issuer, and where they are to be had. */
export interface PublishedKeys {
  /** Such as `https://127.0.0.1:6443`; known once the server listens. */
  readonly address: () => string;
  readonly keys: readonly PublishedKey[];
}

/** Signs tokens. */
export interface TokenSeal {
  /** How a token says what it is signed with. */
  readonly header: object;
  /** Absent = nothing but the seal itself tells whether a token is signed. */
  readonly published?: PublishedKeys;
  sign(text: string): string;
  isSigned(text: string, signature: string): boolean;
  /** A name that no other token has. */
  newId(): string;
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}

const HEADER = { alg: 'HS256', typ: 'JWT' };

/** Of a cluster that no client reaches from outside of the program: there is nothing to be kept out. */
function openSeal(): TokenSeal {
  let count = 0;
  const isSigned = (text: string, signature: string): boolean => digest(text) === signature;
  return { header: HEADER, sign: digest, isSigned, newId: () => `token-${(count += 1)}` };
}

const BOUND_KINDS: Readonly<Record<string, Kind>> = { pod: 'Pod', secret: 'Secret', node: 'Node' };

/** See the file header. */
export class ServiceAccountTokens {
  #seal: TokenSeal = openSeal();
  readonly #server: ApiServer;
  readonly #kernel: Pick<Kernel, 'clock' | 'timestamps'>;

  constructor(server: ApiServer, kernel: Pick<Kernel, 'clock' | 'timestamps'>) {
    this.#server = server;
    this.#kernel = kernel;
  }

  /** Signs with another seal from now on: tokens from before are good no more. */
  sealWith(seal: TokenSeal): void {
    this.#seal = seal;
  }

  /** By which others judge the tokens; undefined where nothing outside of the program has any. */
  get published(): PublishedKeys | undefined {
    return this.#seal.published;
  }

  issue({ namespace, account, audiences, expirationSeconds, bound }: TokenWish): IssuedToken {
    const now = this.#nowSeconds();
    const isKept = bound?.kind === 'Pod' && expirationSeconds === KEPT_SECONDS && audiences.every(isOwnAudience);
    const exp = now + (isKept ? MOST_KEPT_SECONDS : expirationSeconds);
    const claims = {
      aud: audiences,
      exp,
      iat: now,
      iss: ISSUER,
      jti: this.#seal.newId(),
      'kubernetes.io': {
        namespace,
        ...this.#nodeOf(namespace, bound),
        ...(bound === undefined ? {} : { [bound.kind.toLowerCase()]: { name: bound.name, uid: bound.uid } }),
        serviceaccount: account,
        ...(isKept ? { warnafter: now + expirationSeconds } : {}),
      },
      nbf: now,
      sub: `system:serviceaccount:${namespace}:${account.name}`,
    };
    const text = `${encoded(this.#seal.header)}.${encoded(claims)}`;
    const { clock, timestamps } = this.#kernel;
    const expirationTimestamp = timestamps.toTime(clock.now() + expirationSeconds * 1000);
    return { token: `${text}.${this.#seal.sign(text)}`, expirationTimestamp };
  }

  /** The node of the pod that it is bound to; of one that is not there the name alone. */
  #nodeOf(namespace: string, bound: BoundObject | undefined): { readonly node?: NodeClaim } {
    if (bound?.kind !== 'Pod') return {};
    const name = this.#server.find('Pod', { namespace, name: bound.name })?.spec.nodeName;
    if (name === undefined || name === '') return {};
    const uid = this.#server.find('Node', { name })?.metadata.uid;
    return { node: { name, ...(uid === undefined ? {} : { uid }) } };
  }

  /** `undefined` = it is none of ours, or good no more. */
  read(token: string): ReadToken | undefined {
    const at = token.lastIndexOf('.');
    if (at <= 0) return undefined;
    const text = token.slice(0, at);
    if (!this.#seal.isSigned(text, token.slice(at + 1))) return undefined;
    const claims = JSON.parse(Buffer.from(text.slice(text.indexOf('.') + 1), 'base64url').toString()) as Claims;
    return claims.exp > this.#nowSeconds() && this.#isGood(claims) ? readToken(claims) : undefined;
  }

  #isGood({ 'kubernetes.io': { namespace, serviceaccount, warnafter: _after, ...bound } }: Claims): boolean {
    const account = this.#server.find('ServiceAccount', { namespace, name: serviceaccount.name });
    if (account?.metadata.uid !== serviceaccount.uid) return false;
    return Object.entries(bound).every(([kind, value]) => {
      // That of a pod's node is told, and not looked at.
      if (kind === 'node' && 'pod' in bound) return true;
      const known = BOUND_KINDS[kind];
      const { name, uid } = value as { readonly name: string; readonly uid: string };
      return known === undefined || this.#server.find(known, { namespace, name })?.metadata.uid === uid;
    });
  }

  /** By the cluster's clock, since 1970. */
  #nowSeconds(): number {
    const { clock, timestamps } = this.#kernel;
    return Math.floor((clock.now() - timestamps.toMs('1970-01-01T00:00:00Z')) / 1000);
  }
}

function readToken({ aud, jti, 'kubernetes.io': { namespace, serviceaccount, pod, node } }: Claims): ReadToken {
  const own = pod as { readonly name: string; readonly uid: string } | undefined;
  const ofNode = node as NodeClaim | undefined;
  const user = {
    name: `system:serviceaccount:${namespace}:${serviceaccount.name}`,
    uid: serviceaccount.uid,
    groups: [...serviceAccountGroups(namespace), 'system:authenticated'],
    extra: {
      'authentication.kubernetes.io/credential-id': [`JTI=${jti}`],
      ...(own === undefined
        ? {}
        : {
            'authentication.kubernetes.io/pod-name': [own.name],
            'authentication.kubernetes.io/pod-uid': [own.uid],
          }),
      ...(ofNode === undefined ? {} : { 'authentication.kubernetes.io/node-name': [ofNode.name] }),
      ...(ofNode?.uid === undefined ? {} : { 'authentication.kubernetes.io/node-uid': [ofNode.uid] }),
    },
  };
  return { user, audiences: aud };
}

function isOwnAudience(audience: string): boolean {
  return audience === ISSUER;
}

function encoded(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
