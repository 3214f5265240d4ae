/** A request to a webhook over TLS, and in Go's words why it failed. */
import type { TLSSocket } from 'node:tls';
import { isSignedByOneOf, nameProblem, UNTRUSTED, UNTRUSTED_PREFIX, validityProblem } from './trusted-certificate.js';

/** What is posted, and to whom. */
export interface Posting {
  readonly text: string;
  readonly timeoutMs: number;
  /** The name that the server's certificate has to be for; absent = the URL's own. */
  readonly servername: string | undefined;
  /** The authority that is trusted, base64 of PEM; absent or empty = those of the host. */
  readonly ca: string | undefined;
}

/** What came back, whatever its status. */
export interface Posted {
  readonly status: number;
  readonly text: string;
  readonly contentType: string | undefined;
}

class DeadlineError extends Error {}

/** The server is not the one that was meant; the message is Go's. */
class UntrustedError extends Error {}

/** Posts a text of JSON. @throws Error in Go's words, as `dial tcp 127.0.0.1:1: connect: connection refused` */
export async function posted(url: URL, posting: Posting): Promise<Posted> {
  try {
    return await exchanged(url, posting);
  } catch (error) {
    throw new Error(failureText(error, url), { cause: error });
  }
}

function exchanged(url: URL, { text, timeoutMs, servername, ca = '' }: Posting): Promise<Posted> {
  return new Promise((resolve, reject) => {
    const authority = ca === '' ? {} : { ca: Buffer.from(ca, 'base64') };
    const name = servername === undefined ? {} : { servername };
    const headers = {
      'content-type': 'application/json',
      accept: 'application/json, */*',
      'content-length': Buffer.byteLength(text),
    };
    // A connection of its own, whose certificate is judged below, before a byte of the request goes out.
    const options = { method: 'POST', headers, agent: false, rejectUnauthorized: false, ...authority, ...name };
    // Loaded with the first call: importing it brings undici along, a tenth of what this program's import costs.
    const request = process.getBuiltinModule('node:https').request(url, options, (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('error', reject);
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          text: Buffer.concat(parts).toString('utf8'),
          contentType: response.headers['content-type'],
        }),
      );
    });
    const late = setTimeout(() => request.destroy(new DeadlineError('context deadline exceeded')), timeoutMs);
    request.on('close', () => clearTimeout(late));
    request.on('error', reject);
    request.on('socket', (socket) => {
      socket.once('secureConnect', () => {
        const problem = trustProblem(socket as TLSSocket, servername ?? url.hostname, ca);
        if (problem === undefined) request.end(text);
        else request.destroy(new UntrustedError(`${UNTRUSTED_PREFIX} ${problem}`));
      });
    });
  });
}

/** OpenSSL's verdict on the chain; ours where it takes a certificate for its own issuer, because both have one name. */
function trustProblem(socket: TLSSocket, host: string, ca: string): string | undefined {
  if (socket.authorized) return undefined;
  const leaf = socket.getPeerX509Certificate();
  if (leaf === undefined) return UNTRUSTED;
  const problem = validityProblem(leaf, Date.now()) ?? nameProblem(leaf, host);
  if (problem !== undefined) return problem;
  const isOwnIssuerByName = String(socket.authorizationError) === 'DEPTH_ZERO_SELF_SIGNED_CERT';
  return isOwnIssuerByName && isSignedByOneOf(leaf, ca) ? undefined : UNTRUSTED;
}

/** Why no answer came, in Go's words. */
export function failureText(error: unknown, { hostname, port }: URL): string {
  const { code = '', message } = error as Error & { readonly code?: string };
  const address = `${hostname}:${port === '' ? '443' : port}`;
  if (code === 'ECONNREFUSED') return `dial tcp ${address}: connect: connection refused`;
  if (code === 'ENOTFOUND') return `dial tcp: lookup ${hostname}: no such host`;
  if (code === 'ECONNRESET') return 'EOF';
  return message;
}
