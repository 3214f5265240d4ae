/** Whether the certificate of a server is one that a client trusts, told in the words of Go's crypto/x509. */
import { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';

const PEM = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** Before what is wrong with a certificate. */
export const UNTRUSTED_PREFIX = 'tls: failed to verify certificate: x509:';
/** Nobody who is trusted has signed it. */
export const UNTRUSTED = 'certificate signed by unknown authority';

/**
 * Time counts for nothing.
 *
 * @param pem - the server's, with those that signed it behind it
 * @param authority - that the client trusts, as base64 of PEM
 * @returns what is wrong; undefined = nothing
 */
export function certificateProblem(pem: string, authority: string | undefined, host: string): string | undefined {
  const [leaf, ...others] = certificatesIn(pem);
  if (leaf === undefined) return 'remote error: tls: internal error';
  const problem =
    nameProblem(leaf, host) ?? (isSigned(leaf, others, trustedBy(authority ?? '')) ? undefined : UNTRUSTED);
  return problem === undefined ? undefined : `${UNTRUSTED_PREFIX} ${problem}`;
}

/** Whether one of the certificates that are trusted is an authority's and has signed this one itself. @param authority - base64 of PEM */
export function isSignedByOneOf(leaf: X509Certificate, authority: string): boolean {
  return trustedBy(authority).some((root) => root.ca && isBy(leaf, root));
}

/** What is wrong with the time in which it is valid; undefined = nothing. @param nowMs - since 1970 */
export function validityProblem(leaf: X509Certificate, nowMs: number): string | undefined {
  const [from, to] = [new Date(leaf.validFrom), new Date(leaf.validTo)];
  const told = (relation: string, bound: Date): string =>
    `certificate has expired or is not yet valid: current time ${secondOf(new Date(nowMs))} is ${relation} ${secondOf(bound)}`;
  if (nowMs < from.getTime()) return told('before', from);
  return nowMs > to.getTime() ? told('after', to) : undefined;
}

/** What is wrong with the names that it is for; undefined = the host is among them. The common name is none. */
export function nameProblem(leaf: X509Certificate, host: string): string | undefined {
  const name = host.replace(/^\[(.*)\]$/, '$1');
  const isAddress = isIP(name) !== 0;
  const isMatch = isAddress ? leaf.checkIP(name) : leaf.checkHost(name, { subject: 'never' });
  if (isMatch !== undefined) return undefined;
  const alternatives = leaf.subjectAltName;
  if (alternatives === undefined && !isAddress && leaf.checkHost(name, { subject: 'always' }) !== undefined) {
    return 'certificate relies on legacy Common Name field, use SANs instead';
  }
  const marker = isAddress ? 'IP Address:' : 'DNS:';
  const names = (alternatives ?? '')
    .split(', ')
    .flatMap((each) => (each.startsWith(marker) ? [each.slice(marker.length)] : []));
  if (names.length > 0) return `certificate is valid for ${names.join(', ')}, not ${name}`;
  return isAddress
    ? `cannot validate certificate for ${name} because it doesn't contain any IP SANs`
    : `certificate is not valid for any names, but wanted to match ${name}`;
}

function secondOf(time: Date): string {
  return time.toISOString().replace(/\.\d+/, '');
}

function trustedBy(authority: string): readonly X509Certificate[] {
  return certificatesIn(Buffer.from(authority, 'base64').toString('latin1'));
}

/** Texts that are no certificates are left out. */
function certificatesIn(pem: string): readonly X509Certificate[] {
  return (pem.match(PEM) ?? []).flatMap((each) => {
    try {
      return [new X509Certificate(each)];
    } catch {
      return [];
    }
  });
}

function isBy(certificate: X509Certificate, issuer: X509Certificate): boolean {
  return certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey);
}

function isSigned(
  certificate: X509Certificate,
  others: readonly X509Certificate[],
  roots: readonly X509Certificate[],
): boolean {
  if (roots.some((root) => root.fingerprint256 === certificate.fingerprint256 || isBy(certificate, root))) return true;
  const [next, ...rest] = others;
  return next !== undefined && isBy(certificate, next) && isSigned(next, rest, roots);
}
