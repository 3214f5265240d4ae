import test from 'ava';
import type { Draft } from '../../src/index.js';
import { ask, askHttp2, serve, type ServedCluster } from './wire-client.js';

const PATH = '/apis/b.example.com/v1';

const DEFINITION: Draft = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.b.example.com' },
  spec: {
    group: 'b.example.com',
    scope: 'Cluster',
    names: { plural: 'widgets', kind: 'Widget', shortNames: ['wd'] },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
  },
};

/** Lets the front proxy of another cluster see and make widgets, and watch them. */
const ACCESS: readonly Draft[] = [
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name: 'widgets' },
    rules: [{ apiGroups: ['b.example.com'], resources: ['widgets'], verbs: ['*'] }],
  },
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name: 'widgets' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'widgets' },
    subjects: [
      { apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'front-proxy-client' },
      { apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: 'system:authenticated' },
    ],
  },
];

function apiService(spec: object): Draft {
  return {
    apiVersion: 'apiregistration.k8s.io/v1',
    kind: 'APIService',
    metadata: { name: 'v1.b.example.com' },
    spec: {
      group: 'b.example.com',
      version: 'v1',
      groupPriorityMinimum: 2000,
      versionPriority: 10,
      service: { namespace: 'default', name: 'kubernetes', port: 443 },
      ...spec,
    },
  };
}

interface Discovered {
  readonly items: readonly { readonly metadata: { readonly name: string }; readonly versions: readonly object[] }[];
}

async function discovered(served: ServedCluster): Promise<Discovered['items'][number] | undefined> {
  const accept = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
  const { json } = await ask(served, '/apis', { headers: { accept } });
  return (json as Discovered).items.find(({ metadata }) => metadata.name === 'b.example.com');
}

/** A cluster whose group `b.example.com` another one serves, which trusts its authority. */
async function pair(t: Parameters<typeof serve>[0]): Promise<[front: ServedCluster, behind: ServedCluster]> {
  const { authority } = await serve(t);
  const behind = await serve(t, {}, authority === undefined ? {} : { authority });
  behind.cluster.apply([DEFINITION, ...ACCESS]);
  await behind.cluster.run({ limit: '1s' });
  const services = { 'default/kubernetes': behind.url };
  const front = await serve(t, { webhooks: { services } }, authority === undefined ? {} : { authority });
  const caBundle = Buffer.from(authority?.certificate ?? '').toString('base64');
  front.cluster.apply([apiService({ caBundle })]);
  await front.cluster.run({ limit: '1s' });
  return [front, behind];
}

test('servers behind APIServices › requests, watches and discovery go there as the front proxy', async (t) => {
  const [front, behind] = await pair(t);
  const body = JSON.stringify({ apiVersion: 'b.example.com/v1', kind: 'Widget', metadata: { name: 'a' } });
  const headers = { 'content-type': 'application/json' };
  t.is((await askHttp2(front, `${PATH}/widgets`, { method: 'POST', body, headers })).status, 201);
  t.is((await ask(front, `${PATH}/widgets?fieldManager=x`, { method: 'POST', body, headers })).status, 409);
  const listed = await ask(front, `${PATH}/widgets`);
  t.like(listed.json, { kind: 'WidgetList', items: [{ metadata: { name: 'a' } }] });
  t.is((await ask(behind, `${PATH}/widgets/a`)).status, 200);
  const watched = await ask(front, `${PATH}/widgets?watch=true&timeoutSeconds=1`);
  t.regex(watched.text, /^\{"type":"ADDED","object":.*"name":"a"/);
  t.is((await ask(front, `${PATH}/gadgets`)).status, 403, 'the other server says what is there, and for whom');
  const verbs = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'];
  t.deepEqual(await discovered(front), {
    metadata: { name: 'b.example.com' },
    versions: [
      {
        version: 'v1',
        resources: [
          {
            resource: 'widgets',
            responseKind: { group: 'b.example.com', version: 'v1', kind: 'Widget' },
            scope: 'Cluster',
            singularResource: 'widget',
            verbs,
            shortNames: ['wd'],
          },
        ],
        freshness: 'Current',
      },
    ],
  });
  const map = await ask(front, '/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication');
  const { data } = map.json as { data: Record<string, string> };
  t.is(data['requestheader-client-ca-file'], front.authority?.certificate);
  t.is(data['requestheader-allowed-names'], '["front-proxy-client"]');
});

test('servers behind APIServices › whom the front does not let in, and what cannot be reached or trusted, gets no further', async (t) => {
  const [front, behind] = await pair(t);
  t.is((await ask(front, `${PATH}/widgets`, { token: 'wrong' })).status, 401);
  const headers = { 'impersonate-user': 'eve' };
  const refused = await ask(front, `${PATH}/widgets`, { headers });
  t.is(refused.status, 403);
  t.regex(refused.text, /User \\"eve\\" cannot list resource/);
  front.cluster.apply([apiService({})]);
  const untrusted = await ask(front, `${PATH}/widgets`);
  t.is(untrusted.status, 503);
  t.regex(untrusted.text, /error trying to reach service: /);
  front.cluster.apply([apiService({ insecureSkipTLSVerify: true })]);
  t.is((await ask(front, `${PATH}/widgets`)).status, 200);
  await behind.close();
  const gone = await ask(front, `${PATH}/widgets`);
  t.is(gone.status, 503);
  t.regex(gone.text, /connect: connection refused/);
  t.is((await discovered(front))?.metadata.name, 'b.example.com');
});

test('servers behind APIServices › what is served here is asked for here, whatever its APIService names', async (t) => {
  const [front] = await pair(t);
  const metadata = { name: 'v1.apps' };
  const spec = { ...(apiService({ insecureSkipTLSVerify: true })['spec'] as object), group: 'apps' };
  front.cluster.apply([{ ...apiService({}), metadata, spec }]);
  await front.cluster.run({ limit: '1s' });
  const body = JSON.stringify({
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    metadata: { name: 'a' },
    data: {},
    revision: 1,
  });
  const headers = { 'content-type': 'application/json' };
  const path = '/apis/apps/v1/namespaces/default/controllerrevisions';
  t.is((await ask(front, path, { method: 'POST', body, headers })).status, 201);
  t.is(front.cluster.list('ControllerRevision').length, 1);
});
