/**
 * The user of a request: the owner of a client certificate, else of a bearer token, else none, as kube-apiserver
 * asks (staging/src/k8s.io/apiserver/pkg/authentication/request). A token that is wrong is refused even where
 * requests without a user are let in.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { RequestUser } from '../requests/api-request.js';

/** What counts of a certificate; Node's `PeerCertificate` is one. */
export interface ShownCertificate {
  readonly subject: { readonly CN?: string | string[] | undefined; readonly O?: string | string[] | undefined };
  /** The SHA-256 of its bytes, in pairs of hexadecimal digits between colons. */
  readonly fingerprint256: string;
}

/** What a request brings to name its user. */
export interface Credentials {
  /** The value of the header `Authorization`. */
  readonly authorization: string | undefined;
  /** The certificate that the client has shown, and whether our authority has signed it. */
  readonly certificate: { readonly peer: ShownCertificate; readonly isSigned: boolean } | undefined;
}

/** Finds the owner of a token; `undefined` = it has none. */
export type TokenReader = (token: string) => RequestUser | undefined;

/** Finds the user of a request; `undefined` = the credentials are wrong, or are needed and not there. */
export type Authenticator = (credentials: Credentials) => RequestUser | undefined;

const AUTHENTICATED = 'system:authenticated';

/** The user of requests without credentials, where these are allowed. */
const ANONYMOUS: RequestUser = { name: 'system:anonymous', groups: ['system:unauthenticated'] };

/** @param isAnonymousAllowed - whether requests without credentials are let in as `system:anonymous` */
export function createAuthenticator(
  readers: readonly TokenReader[],
  { isAnonymousAllowed }: { readonly isAnonymousAllowed: boolean },
): Authenticator {
  return ({ authorization, certificate }) => {
    if (certificate !== undefined) return certificate.isSigned ? ownerOf(certificate.peer) : undefined;
    const token = bearerToken(authorization);
    if (token === undefined) return isAnonymousAllowed ? ANONYMOUS : undefined;
    for (const read of readers) {
      const user = read(token);
      if (user !== undefined) return withGroup(user);
    }
    return undefined;
  };
}

/** Reads one token that is known from the start; how long it takes tells nothing of how much of a guess is right. */
export function staticToken(known: string, user: RequestUser): TokenReader {
  const expected = digest(known);
  return (token) => (timingSafeEqual(digest(token), expected) ? user : undefined);
}

/** The token of the header; other schemes of authorization count as none. */
function bearerToken(authorization: string | undefined): string | undefined {
  if (authorization === undefined) return undefined;
  const [scheme, token = ''] = authorization.trim().split(' ', 2);
  return scheme?.toLowerCase() === 'bearer' && token !== '' ? token : undefined;
}

function ownerOf(peer: ShownCertificate): RequestUser | undefined {
  const { subject } = peer;
  const name = one(subject.CN);
  if (name === undefined) return undefined;
  const groups = many(subject.O);
  const credential = `X509SHA256=${peer.fingerprint256.replaceAll(':', '').toLowerCase()}`;
  return withGroup({ name, groups, extra: { 'authentication.kubernetes.io/credential-id': [credential] } });
}

function withGroup(user: RequestUser): RequestUser {
  return user.groups.includes(AUTHENTICATED) ? user : { ...user, groups: [...user.groups, AUTHENTICATED] };
}

function one(value: string | readonly string[] | undefined): string | undefined {
  return many(value).at(-1);
}

function many(value: string | readonly string[] | undefined): readonly string[] {
  if (value === undefined) return [];
  return typeof value === 'string' ? [value] : value;
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
