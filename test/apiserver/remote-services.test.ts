import test from 'ava';
import { createCluster, type Cluster, type Draft } from '../../src/index.js';

const NAME = 'v1beta1.a.example.com';
const GROUP = {
  name: 'a.example.com',
  versions: [{ groupVersion: 'a.example.com/v1beta1', version: 'v1beta1' }],
  preferredVersion: { groupVersion: 'a.example.com/v1beta1', version: 'v1beta1' },
};

const SERVICE: Draft = {
  apiVersion: 'apiregistration.k8s.io/v1',
  kind: 'APIService',
  metadata: { name: NAME },
  spec: {
    group: 'a.example.com',
    version: 'v1beta1',
    groupPriorityMinimum: 100,
    versionPriority: 100,
    insecureSkipTLSVerify: true,
    service: { namespace: 'default', name: 'srv', port: 443 },
  },
};

function availability(cluster: Cluster): object | undefined {
  const { status } = cluster.get('APIService', NAME) as { status?: { conditions?: readonly object[] } };
  return status?.conditions?.[0];
}

function timeOf(condition: object | undefined): unknown {
  return (condition as { lastTransitionTime?: string }).lastTransitionTime;
}

function unavailable(reason: string, message: string): object {
  return { type: 'Available', status: 'False', reason, message };
}

async function ask(
  cluster: Cluster,
  path: string,
  accept = 'application/json',
): Promise<{ status: number; body: unknown }> {
  const { status, body } = await cluster.ask({ method: 'GET', path, headers: { accept } });
  return { status, body };
}

test('APIServices behind services › conditions, discovery and answers are those of kube-apiserver 1.34.2', async (t) => {
  const cluster = createCluster({ nodes: 1 });
  t.teardown(() => cluster.dispose());
  await cluster.ready();
  cluster.apply([SERVICE]);
  await cluster.run({ limit: '1s' });
  const since = timeOf(availability(cluster));
  t.like(availability(cluster), unavailable('ServiceNotFound', 'service/srv in "default" is not present'));
  t.deepEqual(await ask(cluster, '/apis/a.example.com/v1beta1/foos'), { status: 503, body: 'service unavailable\n' });
  t.deepEqual(await ask(cluster, '/apis/a.example.com/v1beta1'), { status: 503, body: 'service unavailable\n' });
  t.deepEqual(await ask(cluster, '/apis/a.example.com/v2'), { status: 404, body: '404 page not found\n' });
  t.like((await ask(cluster, '/apis/a.example.com')).body, GROUP);
  const groups = (await ask(cluster, '/apis')).body as { groups: readonly object[] };
  t.deepEqual(groups.groups.at(-1), GROUP);
  const form = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
  const { items } = (await ask(cluster, '/apis', form)).body as { items: readonly { metadata: { name: string } }[] };
  t.deepEqual(
    items.find(({ metadata }) => metadata.name === 'a.example.com'),
    { metadata: { name: 'a.example.com' }, versions: [{ version: 'v1beta1', freshness: 'Stale' }] } as object,
  );

  cluster.create('Namespace', { metadata: { name: 'n' } });
  cluster.delete('Namespace', 'n');
  await cluster.run({ limit: '10s' });
  const conditions = cluster.get('Namespace', 'n').status?.conditions ?? [];
  t.is(
    conditions.find(({ type }) => type === 'NamespaceDeletionDiscoveryFailure')?.message,
    'Discovery failed for some groups, 1 failing: unable to retrieve the complete list of server APIs: a.example.com/v1beta1: stale GroupVersion discovery: a.example.com/v1beta1',
  );

  const ports = [{ name: 'tls', port: 80, targetPort: 8443 }];
  cluster.create('Service', { metadata: { name: 'srv' }, spec: { selector: { app: 'srv' }, ports } });
  await cluster.run({ limit: '1s' });
  t.like(
    availability(cluster),
    unavailable('ServicePortError', 'service/srv in "default" is not listening on port 443'),
  );
  cluster.patch('Service', 'srv', { spec: { ports: [{ ...ports[0], port: 443 }] } }, 'merge');
  await cluster.run({ limit: '2s' });
  const none = 'endpointslices for service/srv in "default" have no addresses with port name "tls"';
  t.like(availability(cluster), unavailable('MissingEndpoints', none));
  t.is(timeOf(availability(cluster)), since, 'it is as unavailable as it was');

  cluster.create('Pod', {
    metadata: { name: 'p', labels: { app: 'srv' } },
    spec: { containers: [{ name: 'c', image: 'x' }] },
  });
  await cluster.run({ limit: '1m' });
  t.like(availability(cluster), { status: 'True', reason: 'Passed', message: 'all checks passed' });
  t.not(timeOf(availability(cluster)), since);
  t.is(
    cluster.list('Namespace').some(({ metadata }) => metadata.name === 'n'),
    false,
    'the namespace goes',
  );
  const fresh = (await ask(cluster, '/apis', form)).body as {
    items: readonly { metadata: { name: string }; versions: readonly object[] }[];
  };
  t.like(
    fresh.items.find(({ metadata }) => metadata.name === 'a.example.com'),
    { versions: [{ version: 'v1beta1', freshness: 'Current' }] },
  );
});

test('APIServices behind services › a metrics server that is installed takes nothing away', async (t) => {
  const cluster = createCluster({ nodes: 1 });
  t.teardown(() => cluster.dispose());
  await cluster.ready();
  const metadata = { name: 'v1beta1.metrics.k8s.io' };
  const spec = { ...(SERVICE['spec'] as object), group: 'metrics.k8s.io' };
  cluster.apply([{ ...SERVICE, metadata, spec }]);
  await cluster.run({ limit: '1s' });
  t.is((await ask(cluster, '/apis/metrics.k8s.io/v1beta1/nodes')).status, 200);
  cluster.create('Namespace', { metadata: { name: 'n' } });
  cluster.delete('Namespace', 'n');
  await cluster.run({ limit: '10s' });
  t.is(
    cluster.list('Namespace').some((each) => each.metadata.name === 'n'),
    false,
  );
});
