import test from 'ava';
import { createCluster } from '../../../src/index.js';
import type { EndpointSlice } from '../../../src/api/objects/objects.js';
import { createHarness, type Harness } from '../harness.js';

const CONTROLLERS = ['endpointslice-mirroring-controller', 'garbage-collector-controller'];
const WEB = { name: 'web', namespace: 'default' };

function scene(): Harness {
  const harness = createHarness({ controllers: CONTROLLERS, watch: ['EndpointSlice'], runs: () => false });
  harness.server.create('Service', { metadata: WEB, spec: { ports: [{ name: 'http', port: 80 }] } });
  return harness;
}

function createEndpoints(harness: Harness, subsets: readonly object[], metadata: object = {}): void {
  harness.server.create('Endpoints', { metadata: { ...WEB, ...metadata }, subsets });
}

async function slicesOf(harness: Harness): Promise<readonly EndpointSlice[]> {
  await harness.run(5000);
  return harness.list('EndpointSlice');
}

const compareTexts = (a: string, b: string): number => (a < b ? -1 : 1);
const HTTP = { name: 'http', port: 8080, protocol: 'TCP' };
const shown = ({ addressType, ports, endpoints }: EndpointSlice): unknown => [
  addressType,
  (ports ?? []).map(({ port }) => port),
  endpoints.map(({ addresses, conditions }) => `${addresses.join()} ${String(conditions?.ready)}`),
];

test('mirroring › Endpoints of a service without a selector are a slice that they own, with their labels', async (t) => {
  const harness = scene();
  const annotations = {
    note: 'kept',
    'kubectl.kubernetes.io/last-applied-configuration': '{}',
    'endpoints.kubernetes.io/last-change-trigger-time': '2024-01-01T00:00:00Z',
  };
  const addresses = [{ ip: '10.1.2.3', hostname: 'a', nodeName: 'node-1' }, { ip: '10.1.2.4' }];
  const subset = { addresses, notReadyAddresses: [{ ip: '10.1.2.5' }], ports: [HTTP] };
  createEndpoints(harness, [subset], { labels: { team: 'x' }, annotations });
  const [slice, ...others] = await slicesOf(harness);
  t.deepEqual(others, []);
  const { uid } = harness.server.get('Endpoints', WEB).metadata;
  t.like(slice, {
    metadata: {
      generateName: 'web-',
      annotations: { note: 'kept' },
      ownerReferences: [
        { apiVersion: 'v1', kind: 'Endpoints', name: 'web', uid, controller: true, blockOwnerDeletion: true },
      ],
    },
    addressType: 'IPv4',
    ports: [HTTP],
  });
  t.deepEqual(slice?.metadata.labels, {
    team: 'x',
    'kubernetes.io/service-name': 'web',
    'endpointslice.kubernetes.io/managed-by': 'endpointslicemirroring-controller.k8s.io',
  });
  t.deepEqual(slice?.metadata.annotations, { note: 'kept' });
  t.deepEqual(slice?.endpoints, [
    { addresses: ['10.1.2.3'], conditions: { ready: true }, hostname: 'a', nodeName: 'node-1' },
    { addresses: ['10.1.2.4'], conditions: { ready: true } },
    { addresses: ['10.1.2.5'], conditions: { ready: false } },
  ]);
  harness.dispose();
});

test('mirroring › each set of ports and each family of addresses has a slice, which follows every change', async (t) => {
  const harness = scene();
  const other = { ...HTTP, name: 'other', port: 9090 };
  createEndpoints(harness, [
    { addresses: [{ ip: '10.0.0.1' }, { ip: 'fd00::1' }], ports: [HTTP] },
    { addresses: [{ ip: '10.0.0.2' }], ports: [other] },
  ]);
  const texts = (await slicesOf(harness)).map((slice) => JSON.stringify(shown(slice)));
  t.deepEqual(texts.toSorted(compareTexts), [
    '["IPv4",[8080],["10.0.0.1 true"]]',
    '["IPv4",[9090],["10.0.0.2 true"]]',
    '["IPv6",[8080],["fd00::1 true"]]',
  ]);
  const before = harness.list('EndpointSlice').map(({ metadata }) => metadata.name);
  const subsets = [{ notReadyAddresses: [{ ip: '10.0.0.1' }], ports: [HTTP] }];
  harness.server.change('Endpoints', WEB, (endpoints) => ({ ...endpoints, subsets }));
  const after = await slicesOf(harness);
  t.deepEqual(after.map(shown), [['IPv4', [8080], ['10.0.0.1 false']]]);
  t.true(after.every(({ metadata }) => before.includes(metadata.name)));
  const moved = [{ addresses: [{ ip: 'fd00::2' }], ports: [other] }];
  harness.server.change('Endpoints', WEB, (endpoints) => ({ ...endpoints, subsets: moved }));
  t.deepEqual((await slicesOf(harness)).map(shown), [['IPv6', [9090], ['fd00::2 true']]]);
  harness.dispose();
});

test('mirroring › a slice that others change or delete comes back; a thousand addresses of a subset are enough', async (t) => {
  const harness = scene();
  const addresses = Array.from({ length: 1003 }, (_, index) => ({ ip: `10.0.${index >> 8}.${index & 255}` }));
  createEndpoints(harness, [{ addresses, ports: [HTTP] }]);
  const [slice] = await slicesOf(harness);
  t.is(slice?.endpoints.length, 1000);
  const text =
    'A max of 1000 addresses can be mirrored to EndpointSlices per Endpoints subset. 3 addresses were skipped';
  t.deepEqual(
    harness.list('Event').map(({ reason, message }) => [reason, message]),
    [['TooManyAddressesToMirror', text]],
  );
  const { name = '' } = slice?.metadata ?? {};
  harness.server.change('EndpointSlice', { ...WEB, name }, (each) => ({ ...each, endpoints: [] }));
  t.is((await slicesOf(harness))[0]?.endpoints.length, 1000);
  harness.server.delete('EndpointSlice', { ...WEB, name });
  t.is((await slicesOf(harness))[0]?.endpoints.length, 1000);
  harness.dispose();
});

test('mirroring › nothing is mirrored that is labelled so, has a selector, or has no service; mirrors then go', async (t) => {
  const harness = scene();
  const subsets = [{ addresses: [{ ip: '10.0.0.1' }], ports: [HTTP] }];
  createEndpoints(harness, subsets);
  t.is((await slicesOf(harness)).length, 1);
  const skip = 'endpointslice.kubernetes.io/skip-mirror';
  const label = (value: string): void => {
    harness.server.change('Endpoints', WEB, (endpoints) => ({
      ...endpoints,
      metadata: { ...endpoints.metadata, labels: { [skip]: value } },
    }));
  };
  label('true');
  t.is((await slicesOf(harness)).length, 0);
  label('false');
  t.is((await slicesOf(harness)).length, 1);
  harness.server.change('Service', WEB, (service) => ({ ...service, spec: { ...service.spec, selector: { a: 'b' } } }));
  t.is((await slicesOf(harness)).length, 0);
  harness.server.delete('Service', WEB);
  harness.server.create('Service', { metadata: WEB, spec: { ports: [{ name: 'http', port: 80 }] } });
  t.is((await slicesOf(harness)).length, 1);
  harness.server.delete('Endpoints', WEB);
  t.is((await slicesOf(harness)).length, 0);
  harness.dispose();
});

test('mirroring › a controller that begins anew in a process that knows all objects already goes on', async (t) => {
  const cluster = createCluster({ nodes: 0 });
  cluster.apply(`
apiVersion: v1
kind: Service
metadata: { name: database }
spec: { ports: [{ port: 5432 }] }
---
apiVersion: v1
kind: Endpoints
metadata: { name: database }
subsets: [{ addresses: [{ ip: 192.0.2.1 }], ports: [{ port: 5432 }] }]
---
apiVersion: v1
kind: Service
metadata: { name: web }
spec: { selector: { app: web }, ports: [{ port: 80 }] }`);
  await cluster.run({ limit: '10s' });
  const stopped = cluster.faults.stopController('endpointslice-mirroring-controller');
  await cluster.run({ limit: '10s' });
  const endpoints = cluster.get('Endpoints', 'database');
  cluster.update('Endpoints', {
    ...endpoints,
    subsets: [{ addresses: [{ ip: '192.0.2.2' }], ports: [{ port: 5432 }] }],
  });
  stopped.heal();
  await cluster.run({ limit: '10s' });
  const mirrors = cluster.list('EndpointSlice').filter(({ metadata }) => metadata.name.startsWith('database-'));
  t.deepEqual(
    mirrors.flatMap((slice) => slice.endpoints.map(({ addresses }) => addresses)),
    [['192.0.2.2']],
  );
  await cluster.dispose();
});
