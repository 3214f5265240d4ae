// The library reads metadata that this makes known.
// oxlint-disable-next-line import/no-unassigned-import
import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import * as x509 from '@peculiar/x509';
import test, { type ExecutionContext } from 'ava';
import { posted } from '../../src/server/webhook-post.js';

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const NAME = 'CN=hook.default.svc, O=example';
const HOST = 'hook.default.svc';
const DAY_MS = 24 * 60 * 60 * 1000;

interface Signed {
  readonly caBundle: string;
  readonly cert: string;
  readonly key: string;
}

/** As webhooks of knative.dev have it: authority and server of one name, without identifiers of keys that tell them apart. */
async function signedUnderOwnName(
  hosts: readonly string[],
  { notAfter = new Date(Date.now() + DAY_MS), mayGrant = true } = {},
): Promise<Signed> {
  const root = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
  const leaf = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
  const validity = { notBefore: new Date(Date.now() - 2 * DAY_MS), notAfter };
  const signing = { signingAlgorithm: ALGORITHM, signingKey: root.privateKey };
  const names = { subject: NAME, issuer: NAME };
  const make = (publicKey: webcrypto.CryptoKey, extensions: x509.Extension[]): Promise<x509.X509Certificate> =>
    x509.X509CertificateGenerator.create({ ...signing, ...validity, ...names, publicKey, extensions });
  const authority = await make(root.publicKey, [new x509.BasicConstraintsExtension(mayGrant)]);
  const server = await make(leaf.publicKey, [
    new x509.SubjectAlternativeNameExtension(hosts.map((value) => ({ type: 'dns', value }))),
  ]);
  const pkcs8 = await webcrypto.subtle.exportKey('pkcs8', leaf.privateKey);
  return {
    caBundle: Buffer.from(authority.toString('pem')).toString('base64'),
    cert: server.toString('pem'),
    key: x509.PemConverter.encode(pkcs8, 'PRIVATE KEY'),
  };
}

/** Serves with one certificate; returns what a caller that trusts `caBundle` gets, or why nothing. */
async function told(t: ExecutionContext, { cert, key }: Signed, caBundle: string): Promise<string> {
  const received: string[] = [];
  const server = createServer({ cert, key }, (request, response) => {
    request.on('data', (part: Buffer) => received.push(part.toString()));
    request.on('end', () => response.end('heard'));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  const url = new URL(`https://127.0.0.1:${(server.address() as AddressInfo).port}/review`);
  const answer = await posted(url, { text: 'secret', timeoutMs: 5000, servername: HOST, ca: caBundle }).then(
    ({ text }) => text,
    (error: unknown) => (error as Error).message,
  );
  t.deepEqual(received, answer === 'heard' ? ['secret'] : []);
  return answer;
}

const PREFIX = 'tls: failed to verify certificate: x509: certificate';

test('webhooks › a certificate that has the name of its authority is trusted for its signature, as in Go', async (t) => {
  const own = await signedUnderOwnName([HOST]);
  t.is(await told(t, own, own.caBundle), 'heard');
  const other = await signedUnderOwnName([HOST]);
  t.is(await told(t, own, other.caBundle), `${PREFIX} signed by unknown authority`);
  const granted = await signedUnderOwnName([HOST], { mayGrant: false });
  t.is(await told(t, granted, granted.caBundle), `${PREFIX} signed by unknown authority`);
});

test('webhooks › a certificate for other names, or of another time, is refused before its signature is looked at', async (t) => {
  const misnamed = await signedUnderOwnName(['a.svc', 'b.svc']);
  t.is(await told(t, misnamed, misnamed.caBundle), `${PREFIX} is valid for a.svc, b.svc, not ${HOST}`);
  const old = await signedUnderOwnName([HOST], { notAfter: new Date('2026-01-02T03:04:05Z') });
  const expired = /certificate has expired or is not yet valid: current time [-\dT:]+Z is after 2026-01-02T03:04:05Z$/;
  t.regex(await told(t, old, old.caBundle), expired);
});
