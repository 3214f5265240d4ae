import test from 'ava';
import { parse } from 'yaml';
import { createCluster } from '../../src/index.js';
import { ask, askHttp2, serve, watch } from './wire-client.js';

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';

function configMap(name: string, data: Readonly<Record<string, string>> = {}): string {
  return JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data });
}

interface Kubeconfig {
  readonly clusters: readonly [{ readonly cluster: { readonly server: string } }];
  readonly users: readonly [
    { readonly user: { readonly 'client-certificate-data': string; readonly 'client-key-data': string } },
  ];
}

function pem(data: string): string {
  return Buffer.from(data, 'base64').toString();
}

/** The administrator's certificate in a kubeconfig. */
function clientOf(kubeconfig: string): { certificate: string; key: string } {
  const { user } = (parse(kubeconfig) as Kubeconfig).users[0];
  return { certificate: pem(user['client-certificate-data']), key: pem(user['client-key-data']) };
}

test('cluster.listen › HTTP/1.1 and HTTP/2 are answered at one port, also while the cluster does not run', async (t) => {
  const served = await serve(t);
  t.like(await ask(served, CONFIG_MAPS, { method: 'POST', body: configMap('a') }), { status: 201 });
  for (const got of [await ask(served, `${CONFIG_MAPS}/a`), await askHttp2(served, `${CONFIG_MAPS}/a`)]) {
    t.is(got.status, 200);
    t.like(got.json, { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'a', namespace: 'default' } });
    t.true(got.text.endsWith('}\n'));
    t.is(got.headers['cache-control'], 'no-cache, private');
    t.regex(String(got.headers['audit-id']), /^[\da-f-]{36}$/);
  }
  t.is(served.cluster.get('ConfigMap', 'a').metadata.name, 'a');
});

test('cluster.listen › what the API server refuses comes as a Status', async (t) => {
  const served = await serve(t);
  const got = await ask(served, `${CONFIG_MAPS}/none`);
  t.is(got.status, 404);
  t.deepEqual(got.json, {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: 'configmaps "none" not found',
    reason: 'NotFound',
    details: { name: 'none', kind: 'configmaps' },
    code: 404,
  });
});

test('cluster.listen › the kubeconfig has a certificate and a token, and either is enough', async (t) => {
  const served = await serve(t);
  t.is((parse(served.kubeconfig) as Kubeconfig).clusters[0].cluster.server, served.url);
  const certificate = clientOf(served.kubeconfig);
  for (const asked of [ask, askHttp2]) {
    t.is((await asked(served, CONFIG_MAPS, { certificate })).status, 200);
    t.is((await asked(served, CONFIG_MAPS)).status, 200);
  }
});

test('cluster.listen › whoever brings no credentials, or wrong ones, is told so and nothing else', async (t) => {
  const served = await serve(t);
  const stranger = clientOf((await serve(t)).kubeconfig);
  for (const who of [{ token: undefined }, { token: 'guess' }, { certificate: stranger }]) {
    for (const asked of [ask, askHttp2]) {
      const got = await asked(served, CONFIG_MAPS, { ...who, method: 'POST', body: configMap('a') });
      t.is(got.status, 401);
      t.like(got.json, { kind: 'Status', message: 'Unauthorized', reason: 'Unauthorized', code: 401 });
    }
  }
  t.deepEqual(served.cluster.list('ConfigMap', { fieldSelector: 'metadata.name=a' }), []);
});

test('cluster.listen › a body beyond 3 MiB is refused, and the connection goes on over HTTP/2', async (t) => {
  const served = await serve(t);
  const body = configMap('big', { text: 'x'.repeat(3 * 1024 * 1024) });
  for (const asked of [ask, askHttp2]) {
    const got = await asked(served, CONFIG_MAPS, { method: 'POST', body });
    t.is(got.status, 413);
    t.like(got.json, { message: 'Request entity too large: limit is 3145728', reason: 'RequestEntityTooLarge' });
  }
});

test('cluster.listen › a watch tells what there is, then every change in order, and ends when the port is closed', async (t) => {
  const served = await serve(t);
  const { cluster } = served;
  cluster.create('ConfigMap', { metadata: { name: 'a' } });
  const told: string[] = [];
  const events = watch(served, `${CONFIG_MAPS}?watch=1&fieldSelector=metadata.name%3Da`);
  for await (const { type, object } of events) {
    told.push(`${type} ${object.metadata.name}`);
    if (told.length === 1) cluster.patch('ConfigMap', 'a', { data: { x: '1' } });
    if (told.length === 2) cluster.patch('ConfigMap', 'a', { data: { x: '2' } });
    if (told.length === 3) cluster.delete('ConfigMap', 'a');
    if (told.length === 4) void served.close();
  }
  t.deepEqual(told, ['ADDED a', 'MODIFIED a', 'MODIFIED a', 'DELETED a']);
});

test('cluster.listen › a list longer than a chunk comes whole, and compressed where that is asked for', async (t) => {
  const served = await serve(t);
  const text = 'y'.repeat(1000);
  for (let index = 0; index < 300; index += 1) {
    served.cluster.create('ConfigMap', { metadata: { name: `c-${index}`, namespace: 'kube-public' }, data: { text } });
  }
  const path = '/api/v1/namespaces/kube-public/configmaps';
  const plain = await ask(served, path);
  const { items } = plain.json as { items: unknown[] };
  t.true(items.length >= 300);
  const packed = await ask(served, path, { headers: { 'accept-encoding': 'gzip' } });
  t.is(packed.headers['content-encoding'], 'gzip');
  t.is(packed.headers['vary'], 'Accept-Encoding');
});

test('cluster.listen › the version and the list of paths are indented for every client', async (t) => {
  const served = await serve(t);
  t.regex((await ask(served, '/version')).text, /^{\n  "major": "1",\n[\s\S]*[^\n]$/);
  t.regex((await ask(served, '/')).text, /^{\n  "paths": \[\n    "/);
  t.regex((await ask(served, '/api')).text, /^{"kind":"APIVersions"[\s\S]*}\n$/);
});

test('cluster.listen › curl and browsers get JSON that can be read', async (t) => {
  const served = await serve(t);
  const got = await ask(served, '/api/v1/namespaces/default', { headers: { 'user-agent': 'curl/8.5.0' } });
  t.true(got.text.startsWith('{\n  "kind": "Namespace",\n'));
});

test('cluster.listen › a simulated cluster goes on while it is asked', async (t) => {
  const served = await serve(t, { nodes: 3 });
  const { cluster } = served;
  await cluster.ready();
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'web' },
    spec: { containers: [{ name: 'c', image: 'nginx' }] },
  };
  const run = cluster.run({ until: () => cluster.readyPods === 1 });
  t.is(
    (await ask(served, '/api/v1/namespaces/default/pods', { method: 'POST', body: JSON.stringify(pod) })).status,
    201,
  );
  t.like(await run, { end: 'done' });
});

test('cluster.listen › /metrics has the counters under the names of Kubernetes', async (t) => {
  const served = await serve(t, { nodes: 1 });
  await served.cluster.ready();
  const got = await ask(served, '/metrics');
  t.is(got.headers['content-type'], 'text/plain; version=0.0.4; charset=utf-8; escaping=underscores');
  t.regex(
    got.text,
    /^# TYPE node_collector_zone_size gauge$|^node_collector_update_all_nodes_health_duration_seconds_count 1$/m,
  );
  t.is((await ask(served, '/metrics', { token: undefined })).status, 401);
  const refused = await ask(served, '/metrics', { headers: { 'impersonate-user': 'jane' } });
  t.is(refused.status, 403);
  t.regex(refused.text, /forbidden: User \\"jane\\" cannot get path \\"\/metrics\\"/);
});

/** The line of requests for config maps of which there was one. */
function oneRequest(verb: string, scope: string, code: number): string {
  return (
    `apiserver_request_total{verb="${verb}",dry_run="",group="",version="v1",resource="configmaps",subresource="",` +
    `scope="${scope}",component="apiserver",code="${code}"} 1`
  );
}

test('cluster.listen › /metrics counts requests and what is kept, as an API server does', async (t) => {
  const served = await serve(t);
  await ask(served, CONFIG_MAPS, { method: 'POST', body: configMap('a') });
  await ask(served, CONFIG_MAPS);
  await ask(served, `${CONFIG_MAPS}/none`);
  const { text } = await ask(served, '/metrics');
  const lines = text.split('\n');
  for (const line of [
    oneRequest('POST', 'namespace', 201),
    oneRequest('LIST', 'namespace', 200),
    oneRequest('GET', 'resource', 404),
  ]) {
    t.true(lines.includes(line), line);
  }
  t.true(lines.includes('apiserver_storage_objects{resource="configmaps"} 5'));
  t.true(lines.includes('apiserver_resource_objects{group="",resource="configmaps"} 5'));
});

test('cluster.listen › /metrics tells how long requests take, what is under way and what watches have told', async (t) => {
  const served = await serve(t);
  const watched = ask(served, `${CONFIG_MAPS}?watch=true&timeoutSeconds=5`);
  const seen = async (): Promise<readonly string[]> => (await ask(served, '/metrics')).text.split('\n');
  const ofWatch =
    'apiserver_longrunning_requests{verb="WATCH",group="",version="v1",resource="configmaps",subresource="",scope="namespace",component="apiserver"}';
  while (!(await seen()).includes(`${ofWatch} 1`));
  await ask(served, CONFIG_MAPS, { method: 'POST', body: configMap('a') });
  const labels =
    'verb="POST",dry_run="",group="",version="v1",resource="configmaps",subresource="",scope="namespace",component="apiserver"';
  const lines = await seen();
  for (const line of [
    `apiserver_request_duration_seconds_count{${labels}} 1`,
    `apiserver_request_sli_duration_seconds_count{${labels}} 1`,
    'apiserver_current_inflight_requests{request_kind="mutating"} 0',
    'apiserver_current_inflight_requests{request_kind="readOnly"} 1',
  ]) {
    t.true(lines.includes(line), line);
  }
  const events = 'apiserver_watch_events_total{group="",version="v1",resource="configmaps"}';
  const told = (all: readonly string[]): number =>
    Number(
      all
        .find((line) => line.startsWith(events))
        ?.split(' ')
        .at(-1) ?? 0,
    );
  // A watch is written to after the request is answered.
  while (told(await seen()) < 2);
  t.is((await watched).status, 200);
  while (!(await seen()).includes(`${ofWatch} 0`));
  t.pass();
});

test('cluster.listen › options that cannot be followed are named', async (t) => {
  const cluster = createCluster({ nodes: 0 });
  t.teardown(() => cluster.dispose());
  const message = async (options: object): Promise<string | undefined> =>
    (await t.throwsAsync(cluster.listen(options), { name: 'ListenError' }))?.message;
  t.is(await message({ port: 70_000 }), 'port must be an integer in 0..65535, got 70000');
  t.is(
    await message({ host: '0.0.0.0' }),
    'host must be an address of the loopback without allowRemote, got "0.0.0.0"',
  );
  t.is(
    await message({ host: '10.0.0.1', insecureHttp: true, allowRemote: true }),
    'host must be an address of the loopback with insecureHttp, got "10.0.0.1"',
  );
  t.is(await message({ host: 'example.com' }), 'host must be an IP address or localhost, got "example.com"');
  t.is(await message({ token: 'short' }), 'token must be at least 16 visible ASCII characters, got "<token>"');
  t.is(await message({ anonymous: 1 }), 'anonymous must be true or false, got 1');
  t.is(await message({ authorization: 'ABAC' }), 'authorization must be RBAC or AlwaysAllow, got "ABAC"');
});

test('cluster.listen › what roles do not allow is refused, unless all clients may do everything', async (t) => {
  const statusUnder = async (authorization: 'RBAC' | 'AlwaysAllow'): Promise<number> => {
    const cluster = createCluster({ nodes: 0 });
    t.teardown(() => cluster.dispose());
    const listening = await cluster.listen({ port: 0, insecureHttp: true, anonymous: true, authorization });
    t.teardown(() => listening.close());
    return (await fetch(`${listening.url}/api/v1/namespaces/default/configmaps`)).status;
  };
  t.deepEqual([await statusUnder('RBAC'), await statusUnder('AlwaysAllow')], [403, 200]);
});

test('cluster.listen › a cluster that is disposed of serves no more', async (t) => {
  const cluster = createCluster({ nodes: 0 });
  const listening = await cluster.listen({ port: 0 });
  t.is((await ask(listening, CONFIG_MAPS)).status, 200);
  await cluster.dispose();
  await t.throwsAsync(ask(listening, CONFIG_MAPS), { code: 'ECONNREFUSED' });
  await listening.close();
});

test('cluster.listen › an authority that was kept signs the next time, too', async (t) => {
  const first = await serve(t);
  const { authority } = first;
  if (authority === undefined) return t.fail();
  const second = await serve(t, {}, { authority, token: first.token });
  t.is((await ask({ ...first, url: second.url }, CONFIG_MAPS)).status, 200);
  return t.is((await ask(second, CONFIG_MAPS, { certificate: clientOf(first.kubeconfig) })).status, 200);
});
