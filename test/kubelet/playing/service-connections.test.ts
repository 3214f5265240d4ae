/** Connections of containers to services: by address, by the port of a node, and always to the same pod. */
import test, { type ExecutionContext } from 'ava';
import { createCluster, type Cluster } from '../../../src/index.js';

const QUICK = { imagePull: 0, sandbox: 0, containerStart: 0, shutdown: 0 };

async function withService(t: ExecutionContext, spec: object = {}): Promise<Cluster> {
  const cluster = createCluster({ nodes: 2, runtime: QUICK });
  t.teardown(() => cluster.dispose());
  await cluster.ready();
  for (const name of ['a', 'b', 'c']) {
    cluster.create('Pod', {
      metadata: { name, labels: { app: 'web' } },
      spec: { containers: [{ name: 'c', image: 'agnhost', args: ['serve-hostname'] }] },
    });
  }
  cluster.create('Service', {
    metadata: { name: 'web' },
    spec: { selector: { app: 'web' }, ports: [{ port: 80, targetPort: 9376 }], ...spec },
  });
  cluster.create('Pod', {
    metadata: { name: 'client' },
    spec: { containers: [{ name: 'c', image: 'agnhost', args: ['pause'] }] },
  });
  await cluster.run({ until: () => cluster.readyPods === 4, limit: '1m' });
  await cluster.run({ limit: '5s' });
  return cluster;
}

/** Time goes on while a command runs. */
async function run(cluster: Cluster, pod: string, command: string): ReturnType<Cluster['exec']> {
  const result = cluster.exec(pod, ['sh', '-c', command]);
  await cluster.run({ limit: '3s' });
  return result;
}

async function said(cluster: Cluster, command: string): Promise<readonly [number, string]> {
  const { exitCode, stdout } = await run(cluster, 'client', command);
  return [exitCode, stdout];
}

const TEN_TIMES = (url: string): string => `for i in $(seq 1 10); do curl -q -s --connect-timeout 2 ${url}; echo; done`;
const names = ([, text]: readonly [number, string]): readonly string[] =>
  [...new Set(text.split('\n').filter((line) => line !== ''))].toSorted();

test('nc reaches a server by HTTP, which says that it was sent no request', async (t) => {
  const cluster = await withService(t);
  const [code, text] = await said(cluster, 'echo hostName | nc -v -t -w 2 web 80');
  t.is(code, 0);
  t.regex(text, /^HTTP\/1\.1 400 Bad Request\r\n/);
  const [, answer] = await said(cluster, String.raw`printf 'GET / HTTP/1.0\r\n\r\n' | nc web 80`);
  t.regex(answer, /^HTTP\/1\.1 200 OK\r\n.*\r\n\r\n[abc]\s*$|^HTTP\/1\.1 200 OK\r\n\r\n[abc]\s*$/s);
  t.is((await said(cluster, 'echo x | nc -w 1 web 81'))[0], 1);
});

test('every node takes connections for a node port, and for no other', async (t) => {
  const cluster = await withService(t, { type: 'NodePort' });
  const port = cluster.get('Service', 'web')?.spec.ports?.[0]?.nodePort ?? 0;
  for (const node of cluster.list('Node')) {
    const address = node.status.addresses?.[0]?.address ?? '';
    t.deepEqual(names(await said(cluster, TEN_TIMES(`http://${address}:${port}`))), ['a', 'b', 'c']);
    t.is((await said(cluster, `curl -s http://${address}:${port + 1}`))[0], 7);
  }
});

test('a service with affinity leads a client to one pod, until that is turned off', async (t) => {
  const cluster = await withService(t, { sessionAffinity: 'ClientIP' });
  t.is(names(await said(cluster, TEN_TIMES('http://web'))).length, 1);
  cluster.patch('Service', 'web', { spec: { sessionAffinity: 'None' } });
  await cluster.run({ limit: '1s' });
  t.deepEqual(names(await said(cluster, TEN_TIMES('http://web'))), ['a', 'b', 'c']);
});

test('names are found by getent and dig: addresses, ports, names of addresses, and where another name leads', async (t) => {
  const cluster = await withService(t, { ports: [{ name: 'http', port: 80, targetPort: 9376 }] });
  cluster.create('Service', {
    metadata: { name: 'alias' },
    spec: { type: 'ExternalName', externalName: 'web.default.svc.cluster.local' },
  });
  cluster.create('Service', {
    metadata: { name: 'out' },
    spec: { type: 'ExternalName', externalName: 'foo.example.com' },
  });
  const { clusterIP = '' } = cluster.get('Service', 'web').spec;
  const full = 'web.default.svc.cluster.local.';
  const reverse = clusterIP.split('.').toReversed().join('.');
  const answers = [
    ['getent hosts web', 0, `${clusterIP.padEnd(15)} web\n`],
    ['getent hosts none', 2, ''],
    ['dig +notcp +noall +answer +search web.default A', 0, `web.default.\t30\tIN\tA\t${clusterIP}\n`],
    ['dig +short _http._tcp.web.default.svc SRV', 0, `0 100 80 ${full}\n`],
    ['dig +short _other._tcp.web.default.svc SRV', 0, ''],
    [`dig +short ${reverse}.in-addr.arpa. PTR`, 0, `${full}\n`],
    ['dig +short out.default.svc.cluster.local CNAME', 0, 'foo.example.com.\n'],
    ['getent hosts out', 2, ''],
    ['getent hosts alias', 0, `${clusterIP.padEnd(15)} alias\n`],
  ] as const;
  for (const [command, code, text] of answers) t.deepEqual(await said(cluster, command), [code, text], command);
});

test('a probe of an image’s server is asked of it once something has started the server', async (t) => {
  const cluster = createCluster({ nodes: 1, runtime: QUICK });
  t.teardown(() => cluster.dispose());
  await cluster.ready();
  const httpGet = { path: '/index.html', port: 80 };
  const pod = (name: string, path: string): void => {
    const readinessProbe = { httpGet: { ...httpGet, path }, periodSeconds: 1, failureThreshold: 1 };
    cluster.create('Pod', {
      metadata: { name },
      spec: { containers: [{ name: 'c', image: 'httpd', readinessProbe }] },
    });
  };
  pod('known', '/index.html');
  pod('other', '/of-a-program-of-its-own');
  await cluster.run({ until: () => cluster.readyPods === 2, limit: '1m' });
  const isReady = (name: string): boolean | undefined => cluster.get('Pod', name)?.status.containerStatuses?.[0]?.ready;
  const move = 'mv /usr/local/apache2/htdocs/index.html /tmp/';
  for (const name of ['known', 'other']) await run(cluster, name, move);
  await cluster.run({ limit: '5s' });
  t.deepEqual([isReady('known'), isReady('other')], [false, true]);
  await run(cluster, 'known', 'mv /tmp/index.html /usr/local/apache2/htdocs/');
  await cluster.run({ limit: '5s' });
  t.true(isReady('known'));
});
