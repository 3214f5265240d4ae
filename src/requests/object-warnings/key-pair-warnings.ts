/**
 * What is wrong with the certificate and the key of a TLS secret, in Go's words (crypto/tls, X509KeyPair): whether each
 * is there. What is in them is not looked at.
 */
import { part, text, type Fields } from '../tables/cells.js';

const BLOCK = /-----BEGIN ([^\n]*?)-----\r?\n([A-Za-z0-9+/=\s]*?)-----END \1-----/g;
const CERTIFICATE = 'CERTIFICATE';
const KEY = 'PRIVATE KEY';

/** See the file header. */
export function keyPairWarnings(secret: Fields): readonly string[] {
  if (secret['type'] !== 'kubernetes.io/tls') return [];
  const data = part(secret, 'data');
  const [certificate, key] = ['tls.crt', 'tls.key'].map((name) =>
    Buffer.from(text(data[name]), 'base64').toString('latin1'),
  );
  const problem = certificateProblem(certificate ?? '') ?? keyProblem(key ?? '');
  return problem === undefined ? [] : [`tls: ${problem}`];
}

function typesIn(pem: string): readonly string[] {
  return [...pem.matchAll(BLOCK)].map(([, type = '']) => type);
}

function certificateProblem(pem: string): string | undefined {
  const types = typesIn(pem);
  if (types.includes(CERTIFICATE)) return undefined;
  if (types.length === 0) return 'failed to find any PEM data in certificate input';
  if (types.length === 1 && types[0]?.endsWith(KEY) === true) {
    return 'failed to find certificate PEM data in certificate input, but did find a private key; PEM inputs may have been switched';
  }
  const skipped = `after skipping PEM blocks of the following types: [${types.join(' ')}]`;
  return `failed to find "CERTIFICATE" PEM block in certificate input ${skipped}`;
}

function keyProblem(pem: string): string | undefined {
  const types = typesIn(pem);
  if (types.some((type) => type === KEY || type.endsWith(` ${KEY}`))) return undefined;
  if (types.length === 0) return 'failed to find any PEM data in key input';
  if (types.length === 1 && types[0] === CERTIFICATE) {
    return 'found a certificate rather than a key in the PEM for the private key';
  }
  const skipped = `after skipping PEM blocks of the following types: [${types.join(' ')}]`;
  return `failed to find PEM block with type ending in "PRIVATE KEY" in key input ${skipped}`;
}
