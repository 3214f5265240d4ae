import test from 'ava';
import type { Draft, Endpoints } from '../../../src/api/objects/objects.js';
import { createHarness, setReady, type Harness } from '../harness.js';

function scene(): Harness {
  const harness = createHarness({ controllers: ['endpoints-controller'], runs: () => false });
  harness.server.create('Node', { metadata: { name: 'n' }, spec: {} });
  return harness;
}

function createService(harness: Harness, spec: object = {}, more: object = {}): void {
  harness.server.create('Service', {
    metadata: { name: 'web', namespace: 'default', labels: { team: 'x' }, ...more },
    spec: { selector: { app: 'web' }, ports: [{ name: 'http', port: 80, targetPort: 'http' }], ...spec },
  });
}

/** A running pod, ready unless said otherwise. */
function createPod(harness: Harness, name: string, ip: string, isReady = true, spec: object = {}): string {
  const metadata = { name, namespace: 'default' };
  const draft: Draft = {
    metadata: { ...metadata, labels: { app: 'web' } },
    spec: {
      nodeName: 'n',
      containers: [{ name: 'c', image: 'web', ports: [{ name: 'http', containerPort: 8080 }] }],
      ...spec,
    },
  };
  const { uid } = harness.server.create('Pod', draft).metadata;
  setReady(harness.kernel, harness.server, metadata, isReady);
  harness.server.change(
    'Pod',
    metadata,
    (pod) => ({ ...pod, status: { ...pod.status, podIP: ip, podIPs: [{ ip }] } }),
    {
      subresource: 'status',
    },
  );
  return uid;
}

function endpoints({ server }: Harness): Endpoints | undefined {
  return server.find('Endpoints', { namespace: 'default', name: 'web' });
}

/** Ready addresses, and those that are not, of each subset. */
function addresses(harness: Harness): unknown[] {
  return (endpoints(harness)?.subsets ?? []).map((subset) => [
    subset.addresses?.map(({ ip }) => ip).join() ?? '',
    subset.notReadyAddresses?.map(({ ip }) => ip).join() ?? '',
    subset.ports?.map(({ name, port }) => `${name ?? ''}:${port}`).join() ?? '',
  ]);
}

/** An address as the object has it. */
function address(ip: string, name: string, uid: string): object {
  return { ip, nodeName: 'n', targetRef: { kind: 'Pod', namespace: 'default', name, uid } };
}

test('endpoints › an object of the service’s name has the addresses of its pods, ready and not', async (t) => {
  const harness = scene();
  createService(harness);
  const first = createPod(harness, 'p', '10.0.0.2', true, { hostname: 'h', subdomain: 'web' });
  const second = createPod(harness, 'q', '10.0.0.1', false);
  await harness.run(1000);
  const found = endpoints(harness);
  t.deepEqual(found?.subsets, [
    {
      addresses: [{ ...address('10.0.0.2', 'p', first), hostname: 'h' }],
      notReadyAddresses: [address('10.0.0.1', 'q', second)],
      ports: [{ name: 'http', port: 8080, protocol: 'TCP' }],
    },
  ]);
  t.deepEqual(found?.metadata.labels, { team: 'x', 'endpoints.kubernetes.io/managed-by': 'endpoint-controller' });
  t.deepEqual(found?.metadata.annotations, {
    'endpoints.kubernetes.io/last-change-trigger-time': '2030-01-01T00:00:00Z',
  });
  t.is(found?.metadata.ownerReferences, undefined);
  harness.dispose();
});

test('endpoints › follow readiness, deletion and labels, and go with their service', async (t) => {
  const harness = scene();
  createService(harness);
  for (const [index, name] of ['p', 'q', 'r'].entries()) createPod(harness, name, `10.0.0.${index + 1}`);
  await harness.run(1000);
  t.deepEqual(addresses(harness), [['10.0.0.1,10.0.0.2,10.0.0.3', '', 'http:8080']]);
  setReady(harness.kernel, harness.server, { namespace: 'default', name: 'p' }, false);
  harness.server.patch(
    'Pod',
    { namespace: 'default', name: 'q' },
    { type: 'merge', body: { metadata: { labels: { app: 'no' } } } },
  );
  await harness.run(1000);
  t.deepEqual(addresses(harness), [['10.0.0.3', '10.0.0.1', 'http:8080']]);
  harness.server.delete('Pod', { namespace: 'default', name: 'r' });
  await harness.run(2);
  t.deepEqual(addresses(harness), [['', '10.0.0.1', 'http:8080']]);
  const { resourceVersion } = endpoints(harness)?.metadata ?? {};
  await harness.run(5000);
  t.is(endpoints(harness)?.metadata.resourceVersion, resourceVersion);
  harness.server.delete('Service', { namespace: 'default', name: 'web' });
  await harness.run(1000);
  t.is(endpoints(harness), undefined);
  harness.dispose();
});

test('endpoints › pods that come and go by their labels, and a service that selects others', async (t) => {
  const harness = scene();
  createService(harness);
  for (const [index, name] of ['p', 'q', 'r'].entries()) createPod(harness, name, `10.0.0.${index + 1}`);
  const label = (name: string, app: string): void => {
    const body = { metadata: { labels: { app } } };
    harness.server.patch('Pod', { namespace: 'default', name }, { type: 'merge', body });
  };
  const select = (app: string): void => {
    const body = { spec: { selector: { app } } };
    harness.server.patch('Service', { namespace: 'default', name: 'web' }, { type: 'merge', body });
  };
  await harness.run(1000);
  label('p', 'other');
  await harness.run(1000);
  t.deepEqual(addresses(harness), [['10.0.0.2,10.0.0.3', '', 'http:8080']]);
  label('p', 'web');
  label('q', 'other');
  await harness.run(1000);
  t.deepEqual(addresses(harness), [['10.0.0.1,10.0.0.3', '', 'http:8080']]);
  select('other');
  await harness.run(1000);
  t.deepEqual(addresses(harness), [['10.0.0.2', '', 'http:8080']]);
  // Pods that the service selected before are not its own any more, whatever becomes of them.
  setReady(harness.kernel, harness.server, { namespace: 'default', name: 'p' }, false);
  label('r', 'other');
  await harness.run(1000);
  t.deepEqual(addresses(harness), [['10.0.0.2,10.0.0.3', '', 'http:8080']]);
  select('web');
  await harness.run(1000);
  t.deepEqual(addresses(harness), [['', '10.0.0.1', 'http:8080']]);
  harness.dispose();
});

test('endpoints › ports that the same pods have are in one subset, others in subsets of their own', async (t) => {
  const harness = scene();
  createService(harness, {
    ports: [
      { name: 'http', port: 80, targetPort: 8080 },
      { name: 'admin', port: 81, targetPort: 'admin' },
      { name: 'more', port: 82, targetPort: 9000 },
    ],
  });
  createPod(harness, 'p', '10.0.0.1');
  await harness.run(1000);
  const [subset] = endpoints(harness)?.subsets ?? [];
  t.is(endpoints(harness)?.subsets?.length, 1);
  t.deepEqual(subset?.ports?.map(({ name }) => name).sort(), ['http', 'more']);
  createPod(harness, 'q', '10.0.0.2', true, {
    containers: [{ name: 'c', image: 'web', ports: [{ name: 'admin', containerPort: 8081 }] }],
  });
  await harness.run(1000);
  t.deepEqual(
    addresses(harness)
      .map((each) => String((each as string[])[0]))
      .toSorted((left, right) => left.length - right.length)
      .toReversed(),
    ['10.0.0.1,10.0.0.2', '10.0.0.2'],
  );
  harness.dispose();
});

test('endpoints › a headless service is labelled and may have no ports; without a selector they are its user’s', async (t) => {
  const harness = scene();
  createService(harness, { clusterIP: 'None', ports: [] });
  createPod(harness, 'p', '10.0.0.1');
  await harness.run(1000);
  t.deepEqual(addresses(harness), [['10.0.0.1', '', '']]);
  t.is(endpoints(harness)?.metadata.labels?.['service.kubernetes.io/headless'], '');
  harness.server.create('Service', { metadata: { name: 'own' }, spec: { ports: [{ port: 80 }] } });
  harness.server.create('Endpoints', {
    metadata: { name: 'own' },
    subsets: [{ addresses: [{ ip: '1.2.3.4' }], ports: [{ port: 80 }] }],
  });
  await harness.run(1000);
  t.deepEqual(harness.server.get('Endpoints', { namespace: 'default', name: 'own' }).subsets, [
    { addresses: [{ ip: '1.2.3.4' }], ports: [{ port: 80, protocol: 'TCP' }] },
  ]);
  harness.dispose();
});

test('endpoints › beyond a thousand addresses they are cut, ready ones last, and say so', async (t) => {
  const harness = scene();
  createService(harness);
  for (let index = 0; index < 1005; index += 1) {
    createPod(harness, `p${index}`, `10.0.${index >> 8}.${index & 255}`, index % 10 !== 0);
  }
  await harness.run(3000);
  const [subset] = endpoints(harness)?.subsets ?? [];
  t.is(subset?.addresses?.length, 904);
  t.is(subset?.notReadyAddresses?.length, 96);
  t.is(endpoints(harness)?.metadata.annotations?.['endpoints.kubernetes.io/over-capacity'], 'truncated');
  harness.server.delete('Pod', { namespace: 'default', name: 'p0' });
  for (let index = 1; index < 6; index += 1) harness.server.delete('Pod', { namespace: 'default', name: `p${index}` });
  await harness.run(3000);
  t.is(endpoints(harness)?.subsets?.[0]?.addresses?.length, 899);
  t.is(endpoints(harness)?.metadata.annotations?.['endpoints.kubernetes.io/over-capacity'], undefined);
  harness.dispose();
});

test('endpoints › those of a service that went while the controller was down go when it is back; deleted ones come again', async (t) => {
  const harness = scene();
  createService(harness);
  createPod(harness, 'p', '10.0.0.1');
  await harness.run(1000);
  harness.server.delete('Endpoints', { namespace: 'default', name: 'web' });
  await harness.run(1000);
  t.deepEqual(addresses(harness), [['10.0.0.1', '', 'http:8080']]);
  harness.manager.stop();
  harness.server.delete('Service', { namespace: 'default', name: 'web' });
  harness.manager.start();
  await harness.run(1000);
  t.is(endpoints(harness), undefined);
  harness.dispose();
});
