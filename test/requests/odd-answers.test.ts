/** Answers of a kube-apiserver 1.34.2 to requests that few send. */
import test from 'ava';
import { createRoom } from './ask.js';

function block(type: string): string {
  return `-----BEGIN ${type}-----\nAAAA\n-----END ${type}-----\n`;
}

function told(problem: string): readonly string[] {
  return [`299 - "tls: ${problem}"`];
}

test('secrets with a key pair are warned of in the words of crypto/tls', (t) => {
  const { ask } = createRoom();
  const warned = (certificate: string, key: string): unknown => {
    const data = { 'tls.crt': btoa(certificate), 'tls.key': btoa(key) };
    const body = { metadata: { generateName: 't-' }, type: 'kubernetes.io/tls', data };
    const { status, headers } = ask('POST', '/api/v1/namespaces/default/secrets', { body });
    t.is(status, 201);
    return (headers as Readonly<Record<string, unknown>>)['warning'];
  };
  const [certificate, rsaKey] = [block('CERTIFICATE'), block('RSA PRIVATE KEY')];
  t.deepEqual(warned('', ''), told('failed to find any PEM data in certificate input'));
  t.deepEqual(warned(certificate, 'AAAA'), told('failed to find any PEM data in key input'));
  const switched =
    'failed to find certificate PEM data in certificate input, but did find a private key; PEM inputs may have been switched';
  t.deepEqual(warned(rsaKey, certificate), told(switched));
  const found = 'found a certificate rather than a key in the PEM for the private key';
  t.deepEqual(warned(certificate, certificate), told(found));
  t.is(warned(certificate, rsaKey), undefined);
});

test('a namespace that is deleted looks at its preconditions itself', (t) => {
  const { ask } = createRoom();
  ask('POST', '/api/v1/namespaces', { body: { metadata: { name: 'a' } } });
  const { status, body } = ask('DELETE', '/api/v1/namespaces/a', { body: { preconditions: { uid: 'x' } } });
  t.is(status, 409);
  t.regex(
    (body as { readonly message: string }).message,
    /^Operation cannot be fulfilled on namespaces "a": Precondition failed: UID in precondition: x, UID in object meta: /,
  );
});
