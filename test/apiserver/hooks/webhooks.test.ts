import test from 'ava';
import type { ExecutionContext } from 'ava';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { createAuthority } from '../../../src/server/certificates.js';
import { ask, serve, type Reply, type ServedCluster } from '../../server/wire-client.js';

/** A server of webhooks, and what it was asked. */
interface HookServer {
  readonly url: string;
  readonly caBundle: string;
  readonly asked: Review[];
}

interface Review {
  readonly path: string;
  readonly request: Readonly<Record<string, unknown>>;
}

const PATCH = [{ op: 'add', path: '/data/patched', value: 'yes' }];

/** What the path asks for, in the words of the tests below. */
function responseOf(path: string): object | undefined {
  switch (path) {
    case '/deny':
      return { allowed: false, status: { message: 'not here', code: 403, reason: 'Forbidden' } };
    case '/deny-plain':
      return { allowed: false, status: { code: 200 } };
    case '/patch':
      return {
        allowed: true,
        patchType: 'JSONPatch',
        patch: Buffer.from(JSON.stringify(PATCH)).toString('base64'),
      };
    case '/bad-patch':
      return {
        allowed: true,
        patchType: 'JSONPatch',
        patch: Buffer.from(JSON.stringify([{ op: 'remove', path: '/nope/x' }])).toString('base64'),
      };
    case '/uid':
      return { allowed: true, uid: 'x' };
    case '/silent':
      return undefined;
    default:
      return { allowed: true, warnings: ['from the hook'] };
  }
}

async function hookServer(t: ExecutionContext): Promise<HookServer> {
  const authority = await createAuthority();
  const { certificate: cert, key } = await authority.issueServer(['127.0.0.1', 'hook.default.svc']);
  const asked: Review[] = [];
  const server: Server = createServer({ cert, key }, (request, response) => {
    let text = '';
    request.on('data', (part: Buffer) => (text += part.toString()));
    request.on('end', () => {
      const path = (request.url ?? '').split('?', 1)[0] ?? '';
      const review = JSON.parse(text) as { readonly request: { readonly uid: string } };
      asked.push({ path: request.url ?? '', request: review.request });
      if (path === '/late') return;
      if (path === '/500') response.statusCode = 500;
      const own = responseOf(path);
      const answer = own === undefined ? {} : { response: { uid: review.request.uid, ...own } };
      const whole = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', ...answer };
      response.end(path === '/500' ? 'boom' : JSON.stringify(whole));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const caBundle = Buffer.from(authority.certificate).toString('base64');
  return { url: `https://127.0.0.1:${port}`, caBundle, asked };
}

const GROUP = '/apis/admissionregistration.k8s.io/v1';
const MAPS = '/api/v1/namespaces/default/configmaps';

async function configure(
  served: ServedCluster,
  kind: 'Mutating' | 'Validating',
  clientConfig: object,
  more: object = {},
): Promise<void> {
  const name = `${kind.toLowerCase()}.hook.example.com`;
  const rules = [{ operations: ['*'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }];
  const webhook = { name, clientConfig, rules, sideEffects: 'None', admissionReviewVersions: ['v1'], ...more };
  const body = { metadata: { name: 'config' }, webhooks: [{ timeoutSeconds: 1, ...webhook }] };
  const path = `${GROUP}/${kind.toLowerCase()}webhookconfigurations`;
  await ask(served, `${path}/config`, { method: 'DELETE' });
  const reply = await ask(served, path, { method: 'POST', body: JSON.stringify(body) });
  if (reply.status !== 201) throw new Error(reply.text);
}

function post(served: ServedCluster, name: string): Promise<Reply> {
  const body = JSON.stringify({ metadata: { name }, data: { a: 'b' } });
  return ask(served, MAPS, { method: 'POST', body });
}

function messageOf({ json }: Reply): string {
  return (json as { readonly message: string }).message;
}

test('a webhook over HTTPS is asked in reviews, and refuses, warns and fails as on a real server', async (t) => {
  const hooks = await hookServer(t);
  const served = await serve(t);
  const failed = 'Internal error occurred: failed calling webhook "validating.hook.example.com": ';
  const told = async (path: string, more: object = {}): Promise<readonly [number, string]> => {
    const { url, caBundle } = hooks;
    await configure(served, 'Validating', { url: `${url}${path}`, caBundle }, more);
    const reply = await post(served, path.slice(1));
    return [reply.status, reply.status === 201 ? String(reply.headers['warning']) : messageOf(reply)];
  };
  t.deepEqual(await told('/allow'), [201, '299 - "from the hook"']);
  const denied = 'admission webhook "validating.hook.example.com" denied the request';
  t.deepEqual(await told('/deny'), [403, `${denied}: not here`]);
  t.deepEqual(await told('/deny-plain'), [400, `${denied} without explanation`]);
  const broken = `${failed}received invalid webhook response: `;
  t.deepEqual(await told('/patch'), [500, `${broken}validating webhook may not return response.patch`]);
  t.deepEqual(await told('/silent'), [500, `${broken}webhook response was absent`]);
  const server = 'failed to call webhook: an error on the server ("boom") has prevented the request from succeeding';
  t.deepEqual(await told('/500'), [500, failed + server]);
  const { url } = hooks;
  const late = `failed to call webhook: Post "${url}/late?timeout=1s": context deadline exceeded`;
  t.deepEqual(await told('/late'), [500, failed + late]);
  t.is((await told('/500', { failurePolicy: 'Ignore' }))[0], 201);
  await configure(served, 'Validating', { url: `${url}/allow` });
  t.true(messageOf(await post(served, 'untrusted')).endsWith('x509: certificate signed by unknown authority'));
  t.like(hooks.asked[0], {
    path: '/allow?timeout=1s',
    request: {
      kind: { group: '', version: 'v1', kind: 'ConfigMap' },
      resource: { group: '', version: 'v1', resource: 'configmaps' },
      name: 'allow',
      namespace: 'default',
      operation: 'CREATE',
      dryRun: false,
      oldObject: null,
      options: { kind: 'CreateOptions', apiVersion: 'meta.k8s.io/v1' },
    },
  });
});

test('a webhook over HTTPS changes objects, also by the address that its service is given', async (t) => {
  const hooks = await hookServer(t);
  const served = await serve(t, { webhooks: { services: { 'default/hook': hooks.url } } });
  const { caBundle } = hooks;
  const service = { namespace: 'default', name: 'hook', path: '/patch' };
  await configure(served, 'Mutating', { service, caBundle });
  t.like((await post(served, 'one')).json, { data: { a: 'b', patched: 'yes' } });
  const dry = JSON.stringify({ metadata: { name: 'two' }, data: { a: 'b' } });
  t.is((await ask(served, `${MAPS}?dryRun=All`, { method: 'POST', body: dry })).status, 201);
  t.is(hooks.asked.at(-1)?.request['dryRun'], true);
  t.is(
    served.cluster.list('ConfigMap', { namespace: 'default' }).filter(({ metadata }) => metadata.name === 'two').length,
    0,
  );
  await configure(served, 'Mutating', { service: { ...service, path: '/bad-patch' }, caBundle });
  const why = 'remove operation does not apply: doc is missing path: "/nope/x": missing value';
  t.is(messageOf(await post(served, 'three')), `Internal error occurred: ${why}`);
  await configure(served, 'Mutating', { service: { ...service, name: 'other' }, caBundle });
  const post4 =
    'failed to call webhook: Post "https://other.default.svc:443/patch?timeout=1s": service "other" not found';
  t.true(messageOf(await post(served, 'four')).endsWith(post4));
});

test('the parts of a cluster wait for a webhook, and a call of the program says that it cannot', async (t) => {
  const hooks = await hookServer(t);
  const served = await serve(t);
  const { cluster } = served;
  await configure(served, 'Mutating', { url: `${hooks.url}/patch`, caBundle: hooks.caBundle });
  t.throws(() => cluster.create('ConfigMap', { metadata: { name: 'x' }, data: {} }), {
    message: /waits for an answer: this call cannot/,
  });
  cluster.create('Namespace', { metadata: { name: 'made' } });
  await cluster.run({ limit: '5s' });
  // The controller manager publishes its authority there.
  t.is(cluster.get('ConfigMap', 'made/kube-root-ca.crt').data?.['patched'], 'yes');
});
