import test from 'ava';
import { createCluster } from '../../../src/index.js';

const template = {
  metadata: { labels: { app: 'web' } },
  spec: { containers: [{ name: 'app', image: 'web' }] },
};

test('endpoint slice › a service hears nothing of a cache that does not show its slices yet, and its slices are right in the end', async (t) => {
  const cluster = createCluster({ nodes: 3, seed: 5, invariants: true });
  t.teardown(() => cluster.dispose());
  await cluster.ready();
  cluster.faults.inject({
    delayWatch: { controller: 'endpointslice-controller', kind: 'EndpointSlice', by: '20s' },
    for: '2m',
  });
  cluster.create('Service', {
    metadata: { name: 'web' },
    spec: { selector: { app: 'web' }, ports: [{ port: 80, targetPort: 80 }] },
  });
  cluster.create('Deployment', {
    metadata: { name: 'web' },
    spec: { replicas: 3, selector: { matchLabels: { app: 'web' } }, template },
  });
  await cluster.run({ limit: '1m' });
  cluster.patch('Deployment', 'web', { spec: { replicas: 1 } });
  await cluster.run({ limit: '5m' });
  const told = cluster.list('Event').filter(({ involvedObject }) => involvedObject?.kind === 'Service');
  t.deepEqual(
    told.map(({ reason, message }) => `${reason}: ${message}`),
    [],
  );
  const endpoints = cluster
    .list('EndpointSlice')
    .filter(({ metadata }) => metadata.labels?.['kubernetes.io/service-name'] === 'web')
    .flatMap((slice) => slice.endpoints);
  t.deepEqual(
    endpoints.map(({ targetRef }) => targetRef?.name),
    cluster.list('Pod').map(({ metadata }) => metadata.name),
  );
  t.deepEqual(cluster.invariants.violations, []);
});
