/** What a served cluster bears of clients that ask too much, too slowly, or without a right to. */
import { createPublicKey, verify } from 'node:crypto';
import { connect } from 'node:http2';
import { Agent, get } from 'node:https';
import test from 'ava';
import { WebSocket } from 'ws';
import { ask, serve } from './wire-client.js';

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';
const MOST_WRITES = 200;

test('cluster.listen › writes beyond so many at a time are told to come again', async (t) => {
  const served = await serve(t);
  const session = connect(served.url, { ca: served.authority?.certificate ?? '' });
  t.teardown(() => session.destroy());
  const headers = { ':method': 'POST', ':path': CONFIG_MAPS, authorization: `Bearer ${served.token}` };
  const open = Array.from({ length: MOST_WRITES }, () => session.request(headers));
  // The body of each is begun and not ended.
  await Promise.all(open.map((stream) => new Promise((resolve) => stream.write('{', resolve))));
  const late = session.request(headers);
  const answer = await new Promise<Readonly<Record<string, unknown>>>((resolve) => late.on('response', resolve));
  t.is(answer[':status'], 429);
  t.is(answer['retry-after'], '1');
});

test('cluster.listen › a watch whose reader stays behind too far is cut off', async (t) => {
  const served = await serve(t);
  const { cluster } = served;
  const text = 'y'.repeat(4000);
  cluster.create('ConfigMap', { metadata: { name: 'a' } });
  const path = `${CONFIG_MAPS}?watch=true&resourceVersion=${cluster.version}`;
  const agent = new Agent({ ca: served.authority?.certificate });
  const sent = get(new URL(path, served.url), { agent, headers: { authorization: `Bearer ${served.token}` } });
  const closed = new Promise<void>((resolve) => {
    sent.on('response', (answer) => {
      answer.on('error', () => undefined);
      answer.on('close', () => resolve());
      answer.pause();
      // The reader takes nothing while this goes on.
      for (let round = 0; round < 12_000; round += 1)
        cluster.patch('ConfigMap', 'a', { data: { text, round: `${round}` } });
      setImmediate(() => answer.resume());
    });
  });
  sent.on('error', () => undefined);
  await t.notThrowsAsync(closed);
});

test('cluster.listen › headers without end are refused, and the server goes on', async (t) => {
  const served = await serve(t);
  const long = await ask(served, '/version', { headers: { 'x-long': 'y'.repeat(100_000) } }).catch(
    (error: unknown) => error,
  );
  t.true(long instanceof Error || (long as { readonly status: number }).status === 431);
  t.is((await ask(served, '/version')).status, 200);
});

test('cluster.listen › who brings no credentials may read how the server is, and nothing of the cluster', async (t) => {
  const served = await serve(t, {}, { anonymous: true });
  const nobody = { token: undefined };
  t.is((await ask(served, '/version', nobody)).status, 200);
  const read = await ask(served, CONFIG_MAPS, nobody);
  t.is(read.status, 403);
  t.regex(read.text, /User \\"system:anonymous\\" cannot list resource/);
  const body = JSON.stringify({ metadata: { name: 'x' } });
  t.is((await ask(served, CONFIG_MAPS, { ...nobody, method: 'POST', body })).status, 403);
});

test('cluster.listen › a token of an account opens what is bound to it', async (t) => {
  const served = await serve(t);
  served.cluster.create('ServiceAccount', { metadata: { name: 'robot' } });
  const wish = { method: 'POST', body: JSON.stringify({ spec: {} }) };
  const made = await ask(served, '/api/v1/namespaces/default/serviceaccounts/robot/token', wish);
  const { token } = (made.json as { readonly status: { readonly token: string } }).status;
  t.is((await ask(served, CONFIG_MAPS, { token })).status, 403);
  served.cluster.create('ClusterRole', {
    metadata: { name: 'reader' },
    rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['list'] }],
  });
  served.cluster.create('RoleBinding', {
    metadata: { name: 'robot' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'reader' },
    subjects: [{ kind: 'ServiceAccount', name: 'robot', namespace: 'default' }],
  });
  t.is((await ask(served, CONFIG_MAPS, { token })).status, 200);
  t.is((await ask(served, CONFIG_MAPS, { token: `${token}x` })).status, 401);
});

test('cluster.listen › others judge the token of an account by the key that is served', async (t) => {
  const served = await serve(t);
  served.cluster.create('ServiceAccount', { metadata: { name: 'robot' } });
  const wish = { method: 'POST', body: JSON.stringify({ spec: { audiences: ['vault'] } }) };
  const made = await ask(served, '/api/v1/namespaces/default/serviceaccounts/robot/token', wish);
  const { token } = (made.json as { readonly status: { readonly token: string } }).status;
  const [header = '', claims = '', signature = ''] = token.split('.');
  const configuration = await ask(served, '/.well-known/openid-configuration');
  const { jwks_uri: place, ...rest } = configuration.json as Readonly<Record<string, unknown>>;
  t.is(configuration.headers['cache-control'], 'public, max-age=3600');
  t.deepEqual(rest, {
    issuer: (decoded(claims) as { readonly iss: string }).iss,
    response_types_supported: ['id_token'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['ES256'],
  });
  t.is(place, `${served.url}/openid/v1/jwks`);
  const published = await ask(served, '/openid/v1/jwks');
  t.is(published.headers['content-type'], 'application/jwk-set+json');
  const { keys } = published.json as { readonly keys: readonly [Readonly<Record<string, string>>] };
  t.deepEqual(decoded(header), { alg: 'ES256', kid: keys[0]['kid'] });
  const key = { key: createPublicKey({ key: keys[0], format: 'jwk' }), dsaEncoding: 'ieee-p1363' as const };
  const isSigned = (text: string): boolean =>
    verify('sha256', Buffer.from(text), key, Buffer.from(signature, 'base64url'));
  t.true(isSigned(`${header}.${claims}`));
  t.false(isSigned(`${header}.${claims.slice(0, -2)}AA`));
  t.is((await ask(served, '/openid/v1/jwks', { method: 'POST' })).status, 405);
  t.like(await ask(served, '/openid/v1/jwks', { headers: { accept: 'application/json' } }), { status: 406 });
});

function decoded(part: string): unknown {
  return JSON.parse(Buffer.from(part, 'base64url').toString());
}

test('cluster.listen › keys of prototypes are keys like others', async (t) => {
  const served = await serve(t);
  const body = '{"metadata":{"name":"p"},"data":{"constructor":"a","toString":"b"},"__proto__":{"polluted":1}}';
  const made = await ask(served, CONFIG_MAPS, { method: 'POST', body });
  t.is(made.status, 201);
  t.deepEqual((made.json as { readonly data: object }).data, { constructor: 'a', toString: 'b' });
  t.is(({} as { readonly polluted?: unknown }).polluted, undefined);
});

test('cluster.listen › a watch over a websocket has a message for each change', async (t) => {
  const served = await serve(t);
  const url = `${served.url.replace('https', 'wss')}${CONFIG_MAPS}?watch=true&resourceVersion=${served.cluster.version}`;
  const socket = new WebSocket(url, {
    ca: served.authority?.certificate,
    headers: { authorization: `Bearer ${served.token}` },
  });
  t.teardown(() => socket.terminate());
  await new Promise<void>((resolve, reject) => {
    socket.on('open', () => resolve());
    socket.on('error', reject);
  });
  const frame = new Promise<string>((resolve) => socket.on('message', (data) => resolve((data as Buffer).toString())));
  served.cluster.create('ConfigMap', { metadata: { name: 'w' } });
  t.like(JSON.parse(await frame), { type: 'ADDED', object: { metadata: { name: 'w' } } });
});
