import test from 'ava';

import { ask, serve, type Reply } from './wire-client.js';

const NAMESPACE = '/api/v1/namespaces/default';

test('the proxy reaches servers in containers by pod and by service, and says why it does not', async (t) => {
  const served = await serve(t, { nodes: 1 });
  const { cluster } = served;
  await cluster.ready();
  const env = [
    { name: 'SERVE_PORT_80', value: '<a href="/next">on</a>' },
    { name: 'SERVE_PORT_160', value: 'foo' },
    { name: 'SERVE_TLS_PORT_443', value: 'sealed' },
  ];
  const ports = [{ containerPort: 80 }, { name: 'dest', containerPort: 160 }];
  cluster.create('Pod', {
    metadata: { name: 'a', labels: { app: 'a' } },
    spec: { containers: [{ name: 'c', image: 'agnhost', args: ['porter'], env, ports }] },
  });
  cluster.create('Pod', { metadata: { name: 'web' }, spec: { containers: [{ name: 'c', image: 'nginx' }] } });
  const servicePorts = [
    { name: 'one', port: 81, targetPort: 'dest' },
    { name: 'two', port: 443, targetPort: 443 },
  ];
  cluster.create('Service', {
    metadata: { name: 's' },
    spec: { selector: { app: 'a' }, ports: servicePorts },
  });
  cluster.create('Service', {
    metadata: { name: 'no' },
    spec: { selector: { app: 'b' }, ports: [{ port: 80 }] },
  });
  await cluster.run({ until: () => cluster.readyPods === 2, limit: '1m' });
  await cluster.run({ limit: '5s' });

  const got = async (path: string, method = 'GET'): Promise<readonly [number, string]> => {
    const { status, text }: Reply = await ask(served, `${NAMESPACE}/${path}`, { method });
    return [status, status < 300 ? text : ((JSON.parse(text || '{}') as { message?: string }).message ?? '')];
  };
  t.deepEqual(await got('pods/a/proxy/'), [200, `<a href="${NAMESPACE}/pods/a/proxy/next">on</a>`]);
  t.deepEqual(await got('pods/a:160/proxy/x?y=z', 'PUT'), [200, 'foo']);
  t.deepEqual(await got('pods/https:a:443/proxy/'), [200, 'sealed']);
  t.deepEqual(await got('services/s:one/proxy/', 'OPTIONS'), [200, 'foo']);
  t.deepEqual(await got('services/http:s:81/proxy/'), [200, 'foo']);
  t.deepEqual(await got('services/https:s:two/proxy/'), [200, 'sealed']);
  t.is((await got('pods/web/proxy/'))[0], 200);

  const moved = await ask(served, `${NAMESPACE}/pods/a/proxy?x=1`);
  t.deepEqual([moved.status, moved.headers.location], [301, `${NAMESPACE}/pods/a/proxy/?x=1`]);
  const { podIP = '' } = cluster.get('Pod', 'a')?.status ?? {};
  const reach = 'error trying to reach service:';
  t.deepEqual(await got('pods/a:7/proxy/'), [503, `${reach} dial tcp ${podIP}:7: connect: connection refused`]);
  t.deepEqual(await got('pods/https:a:160/proxy/'), [503, `${reach} http: server gave HTTP response to HTTPS client`]);
  t.deepEqual(await got('services/no/proxy/'), [503, 'no endpoints available for service "no"']);
  t.deepEqual(await got('services/s:82/proxy/'), [503, 'no service port 82 found for service "s"']);
  t.deepEqual(await got('services/gone/proxy/'), [404, 'services "gone" not found']);
});
