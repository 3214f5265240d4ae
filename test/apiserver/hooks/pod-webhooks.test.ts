import test from 'ava';
import type { ExecutionContext } from 'ava';
import { createAuthority, type Authority } from '../../../src/server/certificates.js';
import { createCluster, type Cluster, type Draft } from '../../../src/index.js';
import { errorOf } from '../../error-of.js';
import { ask, serve } from '../../server/wire-client.js';

const CONFIG_MAPS = { operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] };

/** A pod with the webhooks of agnhost, behind a service. */
async function hookPod(t: ExecutionContext, names: readonly string[] = ['hook.default.svc']): Promise<HookPod> {
  const cluster = createCluster({ nodes: 1 });
  t.teardown(() => cluster.dispose());
  await cluster.ready();
  const authority = await createAuthority();
  const { certificate } = await authority.issueServer(names);
  cluster.create('Secret', { metadata: { name: 'tls' }, data: { cert: Buffer.from(certificate).toString('base64') } });
  const args = ['webhook', '--port=8443', '--tls-cert-file=/tls/cert'];
  cluster.create('Pod', {
    metadata: { name: 'hook', labels: { app: 'hook' } },
    spec: {
      volumes: [{ name: 'tls', secret: { secretName: 'tls' } }],
      containers: [{ name: 'c', image: 'agnhost', args, volumeMounts: [{ name: 'tls', mountPath: '/tls' }] }],
    },
  });
  const ports = [{ port: 443, targetPort: 8443 }];
  cluster.create('Service', { metadata: { name: 'hook' }, spec: { selector: { app: 'hook' }, ports } });
  await cluster.run({ limit: '30s' });
  return { cluster, authority };
}

interface HookPod {
  readonly cluster: Cluster;
  readonly authority: Authority;
}

function configure({ cluster, authority }: HookPod, kind: 'Mutating' | 'Validating', path: string, more: object = {}) {
  const caBundle = Buffer.from(authority.certificate).toString('base64');
  const clientConfig = { service: { namespace: 'default', name: 'hook', path }, caBundle };
  const name = `${kind.toLowerCase()}.hook.example.com`;
  const webhook = { name, clientConfig, rules: [CONFIG_MAPS], sideEffects: 'None', admissionReviewVersions: ['v1'] };
  const metadata = { name: path.slice(1) };
  cluster.create(`${kind}WebhookConfiguration`, { metadata, webhooks: [{ ...webhook, ...more }] });
}

const PODS = '/api/v1/namespaces/default/pods';

function map(name: string, data: Readonly<Record<string, string>>): Draft {
  return { metadata: { name }, data };
}

test('a webhook in a pod is reached through its service, also by calls of the program', async (t) => {
  const hook = await hookPod(t);
  configure(hook, 'Mutating', '/mutating-configmaps');
  configure(hook, 'Validating', '/configmaps');
  const { cluster } = hook;
  const stored = cluster.create('ConfigMap', map('a', { 'mutation-start': 'yes' }));
  t.deepEqual(stored.data, { 'mutation-start': 'yes', 'mutation-stage-1': 'yes' });
  const message = errorOf(() => cluster.create('ConfigMap', map('b', { 'webhook-e2e-test': 'webhook-disallow' })));
  const denied = 'admission webhook "validating.hook.example.com" denied the request';
  t.is(message, `ApiError: ${denied}: the configmap contains unwanted key and value`);
});

function failed({ cluster }: { readonly cluster: Cluster }): string {
  return errorOf(() => cluster.create('ConfigMap', map('a', {})));
}

test('a webhook in a pod fails as one over the network does', async (t) => {
  const misnamed = await hookPod(t, ['other.default.svc']);
  configure(misnamed, 'Validating', '/configmaps');
  const called =
    'ApiError: Internal error occurred: failed calling webhook "validating.hook.example.com": failed to call webhook';
  const post = `${called}: Post "https://hook.default.svc:443/configmaps?timeout=10s"`;
  const untrusted = 'tls: failed to verify certificate: x509: certificate';
  t.is(failed(misnamed), `${post}: ${untrusted} is valid for other.default.svc, not hook.default.svc`);
  const { cluster } = await hookPod(t);
  configure({ cluster, authority: await createAuthority() }, 'Validating', '/configmaps');
  t.is(failed({ cluster }), `${post}: ${untrusted} signed by unknown authority`);
});

test('a webhook in a pod that takes long has the writer wait, and one that takes too long has failed', async (t) => {
  const hook = await hookPod(t);
  const { cluster } = hook;
  const waited = async (timeoutSeconds: number): Promise<number> => {
    const name = `for-${timeoutSeconds}`;
    const rules = [{ ...CONFIG_MAPS, resources: ['pods'] }];
    configure(hook, 'Validating', '/always-allow-delay-5s', { timeoutSeconds, failurePolicy: 'Ignore', rules });
    const labels = { app: name };
    const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'x' }] } };
    const began = cluster.nowMs;
    cluster.create('ReplicaSet', {
      metadata: { name },
      spec: { selector: { matchLabels: labels }, template },
    });
    await cluster.run({ until: () => cluster.list('Pod', { labelSelector: `app=${name}` }).length === 1, limit: '1m' });
    cluster.delete('ValidatingWebhookConfiguration', 'always-allow-delay-5s');
    return Math.floor((cluster.nowMs - began) / 1000);
  };
  t.deepEqual([await waited(10), await waited(3)], [5, 3]);
});

test('webhooks see bindings, evictions and connections, with the kinds that these have', async (t) => {
  const served = await serve(t, { nodes: 1 });
  const { cluster } = served;
  await cluster.ready();
  const seen: unknown[] = [];
  const rules = [{ operations: ['CREATE', 'CONNECT'], resources: ['pods/binding', 'pods/proxy', 'pods/eviction'] }];
  cluster.admission.validating('below', { rules }, ({ operation, subResource, name, kind, object, options }) => {
    const { kind: shown } = object as { readonly kind?: string };
    seen.push([operation, subResource, name, kind, shown, options === null]);
    const isAllowed = operation !== 'CONNECT';
    return { allowed: isAllowed, status: { message: 'no way in' } };
  });
  cluster.create('Pod', { metadata: { name: 'a' }, spec: { containers: [{ name: 'c', image: 'x' }] } });
  await cluster.run({ until: () => cluster.readyPods === 1, limit: '1m' });
  const refused = await ask(served, `${PODS}/a/proxy/`);
  t.is(refused.status, 400);
  const { message } = refused.json as { readonly message: string };
  t.is(message, 'admission webhook "below" denied the request: no way in');
  const body = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'a' } };
  t.is((await ask(served, `${PODS}/a/eviction`, { method: 'POST', body: JSON.stringify(body) })).status, 201);
  t.deepEqual(seen, [
    ['CREATE', 'binding', 'a', { group: '', version: 'v1', kind: 'Binding' }, 'Binding', false],
    ['CONNECT', 'proxy', 'a', { group: '', version: 'v1', kind: 'PodProxyOptions' }, 'PodProxyOptions', true],
    ['CREATE', 'eviction', 'a', { group: 'policy', version: 'v1', kind: 'Eviction' }, 'Eviction', false],
  ]);
});
