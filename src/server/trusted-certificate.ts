/** Whether the certificate of a server is one that a client trusts, told in the words of Go's crypto/x509. Time counts for nothing. */
import { X509Certificate } from 'node:crypto';

const PEM = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/**
 * @param pem - the server's, with those that signed it behind it
 * @param authority - that the client trusts, as base64 of PEM
 * @returns what is wrong; undefined = nothing
 */
export function certificateProblem(pem: string, authority: string | undefined, host: string): string | undefined {
  const [leaf, ...others] = certificatesIn(pem);
  if (leaf === undefined) return 'remote error: tls: internal error';
  const why = 'tls: failed to verify certificate: x509: certificate';
  const roots = certificatesIn(Buffer.from(authority ?? '', 'base64').toString('latin1'));
  if (!isSigned(leaf, others, roots)) return `${why} signed by unknown authority`;
  if (leaf.checkHost(host) !== undefined) return undefined;
  const names = (leaf.subjectAltName ?? '')
    .split(', ')
    .flatMap((each) => (each.startsWith('DNS:') ? [each.slice(4)] : []));
  return `${why} is valid for ${names.join(', ')}, not ${host}`;
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

function isSigned(
  certificate: X509Certificate,
  others: readonly X509Certificate[],
  roots: readonly X509Certificate[],
): boolean {
  const isBy = (issuer: X509Certificate): boolean =>
    certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey);
  if (roots.some((root) => root.fingerprint256 === certificate.fingerprint256 || isBy(root))) return true;
  const [next, ...rest] = others;
  return next !== undefined && isBy(next) && isSigned(next, rest, roots);
}
