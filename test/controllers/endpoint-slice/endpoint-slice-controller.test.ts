import test from 'ava';
import type { Draft, EndpointSlice, Pod } from '../../../src/api/objects/objects.js';
import { createHarness, setReady, type Harness } from '../harness.js';

const CONTROLLERS = ['endpointslice-controller', 'garbage-collector-controller'];

function scene(): Harness {
  const harness = createHarness({ controllers: CONTROLLERS, watch: ['EndpointSlice'], runs: () => false });
  for (const zone of ['a', 'b']) {
    harness.server.create('Node', {
      metadata: { name: `node-${zone}`, labels: { 'topology.kubernetes.io/zone': zone } },
      spec: {},
    });
  }
  return harness;
}

function createService(harness: Harness, spec: object = {}, more: object = {}): void {
  harness.server.create('Service', {
    metadata: { name: 'web', namespace: 'default', labels: { team: 'x' }, ...more },
    spec: { selector: { app: 'web' }, ports: [{ name: 'http', port: 80, targetPort: 'http' }], ...spec },
  });
}

interface PodTraits {
  readonly node?: string;
  readonly port?: number;
  readonly ip?: string;
  readonly spec?: object;
}

function ended(pod: Pod): Pod {
  return { ...pod, status: { ...pod.status, phase: 'Succeeded' } };
}

/** A running and ready pod. */
function createPod(harness: Harness, name: string, traits: PodTraits = {}): void {
  const { node = 'node-a', port = 8080, ip = `10.0.0.${name.length}`, spec = {} } = traits;
  const metadata = { name, namespace: 'default' };
  const draft: Draft = {
    metadata: { ...metadata, labels: { app: 'web' } },
    spec: {
      nodeName: node,
      containers: [{ name: 'c', image: 'web', ports: [{ name: 'http', containerPort: port }] }],
      ...spec,
    },
  };
  harness.server.create('Pod', draft);
  setReady(harness.kernel, harness.server, metadata, true);
  harness.server.change(
    'Pod',
    metadata,
    (pod) => ({ ...pod, status: { ...pod.status, podIP: ip, podIPs: [{ ip }] } }),
    { subresource: 'status' },
  );
}

function slices(harness: Harness): readonly EndpointSlice[] {
  return harness.list('EndpointSlice');
}

/** Addresses with the letters of their true conditions: ready, serving, terminating. */
function shown(harness: Harness): string[] {
  return slices(harness)
    .flatMap(({ endpoints }) => endpoints)
    .map(({ addresses, conditions = {} }) => {
      const { ready, serving, terminating } = conditions;
      const letters = [ready && 'R', serving && 'S', terminating && 'T'].filter(Boolean).join('');
      return `${addresses.join()} ${letters}`;
    })
    .toSorted();
}

test('7.6.2 › an endpoint has address, conditions, node, zone and target of its pod; ports are resolved by name', async (t) => {
  const harness = scene();
  createService(harness, { publishNotReadyAddresses: false });
  createPod(harness, 'p', { ip: '10.0.0.1', spec: { hostname: 'h', subdomain: 'web' } });
  await harness.run(1000);
  const [slice] = slices(harness);
  t.is(slices(harness).length, 1);
  t.is(slice?.addressType, 'IPv4');
  t.deepEqual(slice?.ports, [{ name: 'http', port: 8080, protocol: 'TCP' }]);
  const uid = harness.list('Pod')[0]?.metadata.uid ?? '';
  t.deepEqual(slice?.endpoints, [
    {
      addresses: ['10.0.0.1'],
      conditions: { ready: true, serving: true, terminating: false },
      hostname: 'h',
      nodeName: 'node-a',
      targetRef: { kind: 'Pod', namespace: 'default', name: 'p', uid },
      zone: 'a',
    },
  ]);
  harness.dispose();
});

test('7.6.4 › a slice is named after its service, labelled, owned and dated', async (t) => {
  const harness = scene();
  createService(harness, { clusterIP: 'None' });
  createPod(harness, 'p');
  await harness.run(1000);
  const { metadata } = slices(harness)[0] ?? {};
  const service = harness.list('Service')[0];
  t.regex(metadata?.name ?? '', /^web-[a-z0-9]{5}$/);
  t.is(metadata?.generateName, 'web-');
  t.deepEqual(metadata?.labels, {
    team: 'x',
    'kubernetes.io/service-name': 'web',
    'endpointslice.kubernetes.io/managed-by': 'endpointslice-controller.k8s.io',
    'service.kubernetes.io/headless': '',
  });
  t.deepEqual(metadata?.ownerReferences, [
    {
      apiVersion: 'v1',
      kind: 'Service',
      name: 'web',
      uid: service?.metadata.uid,
      controller: true,
      blockOwnerDeletion: true,
    },
  ]);
  t.deepEqual(metadata?.annotations, { 'endpoints.kubernetes.io/last-change-trigger-time': '2030-01-01T00:00:00Z' });
  harness.dispose();
});

const TRIGGER = 'endpoints.kubernetes.io/last-change-trigger-time';

test('7.6.4 › a slice is dated by the change that led to it, and another selector is none', async (t) => {
  const harness = scene();
  createPod(harness, 'p');
  createPod(harness, 'q', { ip: '10.0.0.9' });
  await harness.run(5000);
  createService(harness);
  await harness.run(1000);
  const dates = (): unknown[] => slices(harness).map(({ metadata }) => metadata.annotations?.[TRIGGER]);
  // The pods are older than the service.
  t.deepEqual(dates(), ['2030-01-01T00:00:05Z']);
  const select = async (selector: object | null): Promise<void> => {
    const name = { namespace: 'default', name: 'web' };
    harness.server.patch('Service', name, {
      type: 'json',
      body: [{ op: 'replace', path: '/spec/selector', value: selector }],
    });
    await harness.run(5000);
  };
  await select({ app: 'nobody' });
  t.deepEqual([slices(harness).flatMap(({ endpoints }) => endpoints).length, dates()], [0, [undefined]]);
  await select({ app: 'web' });
  // To the service its pods are new again.
  t.deepEqual(dates(), ['2030-01-01T00:00:00Z']);
  harness.dispose();
});

test('5.20 7.6.1 › terminated pods and pods without an address are left out, unready and terminating ones are not', async (t) => {
  const harness = scene();
  createService(harness);
  for (const [index, name] of ['ready', 'unready', 'ending', 'done'].entries()) {
    createPod(harness, name, { ip: `10.0.0.${index + 1}` });
  }
  harness.server.create('Pod', {
    metadata: { name: 'none', namespace: 'default', labels: { app: 'web' } },
    spec: { nodeName: 'node-a', containers: [{ name: 'c', image: 'web' }] },
  });
  setReady(harness.kernel, harness.server, { namespace: 'default', name: 'unready' }, false);
  harness.server.delete('Pod', { namespace: 'default', name: 'ending' });
  harness.server.change(
    'Pod',
    { namespace: 'default', name: 'done' },
    (pod) => ({ ...pod, status: { ...pod.status, phase: 'Succeeded' } }),
    { subresource: 'status' },
  );
  await harness.run(2);
  t.deepEqual(shown(harness), []);
  await harness.run(4);
  t.deepEqual(shown(harness), ['10.0.0.1 RS', '10.0.0.2 ', '10.0.0.3 ST']);
  harness.dispose();
});

test('5.21 › publishNotReadyAddresses makes every endpoint ready, whatever its pod says', async (t) => {
  const harness = scene();
  createService(harness, { publishNotReadyAddresses: true });
  createPod(harness, 'p', { ip: '10.0.0.1' });
  setReady(harness.kernel, harness.server, { namespace: 'default', name: 'p' }, false);
  await harness.run(100);
  t.deepEqual(shown(harness), ['10.0.0.1 R']);
  harness.dispose();
});

test('5.22 › with the deletion mark the endpoint turns unready, serving and terminating; it goes with the terminal phase', async (t) => {
  const harness = createHarness({ controllers: CONTROLLERS, runs: () => false, stopMs: 5000 });
  harness.server.create('Node', { metadata: { name: 'node-a' }, spec: {} });
  createService(harness);
  createPod(harness, 'p', { ip: '10.0.0.1' });
  await harness.run(100);
  t.deepEqual(shown(harness), ['10.0.0.1 RS']);
  harness.server.delete('Pod', { namespace: 'default', name: 'p' });
  await harness.run(100);
  t.deepEqual(shown(harness), ['10.0.0.1 ST']);
  harness.server.change(
    'Pod',
    { namespace: 'default', name: 'p' },
    (pod) => ({ ...pod, status: { ...pod.status, phase: 'Failed' } }),
    { subresource: 'status' },
  );
  await harness.run(100);
  t.deepEqual(shown(harness), []);
  harness.dispose();
});

test('7.6.1 › a pod whose node was deleted leaves when the service is synced next, be it for a pod without an address', async (t) => {
  const harness = scene();
  createService(harness);
  createPod(harness, 'here', { ip: '10.0.0.1' });
  createPod(harness, 'lost', { ip: '10.0.0.2', node: 'node-b' });
  await harness.run(500);
  harness.server.delete('Node', { name: 'node-b' });
  await harness.run(500);
  t.deepEqual(shown(harness), ['10.0.0.1 RS', '10.0.0.2 RS']);
  harness.server.create('Pod', {
    metadata: { name: 'pending', namespace: 'default', labels: { app: 'web' } },
    spec: { containers: [{ name: 'c', image: 'web' }] },
  });
  await harness.run(500);
  t.deepEqual(shown(harness), ['10.0.0.1 RS']);
  t.deepEqual(
    harness.list('Event').map(({ reason }) => reason),
    ['FailedToUpdateEndpointSlices'],
  );
  harness.dispose();
});

test('7.6.1 › a pod on a node that is not there is left out, with a warning and a retry, until the node is there', async (t) => {
  const harness = scene();
  createService(harness);
  createPod(harness, 'here', { ip: '10.0.0.1' });
  createPod(harness, 'lost', { ip: '10.0.0.2', node: 'node-x' });
  await harness.run(500);
  t.deepEqual(shown(harness), ['10.0.0.1 RS']);
  const events = harness.list('Event').map(({ type, reason, message }) => [type, reason, message]);
  t.deepEqual(events, [
    [
      'Warning',
      'FailedToUpdateEndpointSlices',
      'Error updating Endpoint Slices for Service default/web: ' +
        'skipping Pod lost for Service default/web: Node node-x Not Found',
    ],
  ]);
  harness.server.create('Node', { metadata: { name: 'node-x' }, spec: {} });
  await harness.run(1000);
  t.deepEqual(shown(harness), ['10.0.0.1 RS', '10.0.0.2 RS']);
  harness.dispose();
});

test('7.6.1 › pods that are on missing nodes are told of together', async (t) => {
  const harness = scene();
  createService(harness);
  createPod(harness, 'lost', { ip: '10.0.0.2', node: 'node-x' });
  createPod(harness, 'gone', { ip: '10.0.0.3', node: 'node-y' });
  await harness.run(500);
  const [event] = harness.list('Event');
  t.is(
    event?.message,
    'Error updating Endpoint Slices for Service default/web: ' +
      '[skipping Pod gone for Service default/web: Node node-y Not Found, ' +
      'skipping Pod lost for Service default/web: Node node-x Not Found]',
  );
  harness.dispose();
});

test('7.6.2 › pods whose ports differ are in slices of their own; a port that a pod lacks is left out', async (t) => {
  const harness = scene();
  createService(harness);
  createPod(harness, 'a', { ip: '10.0.0.1', port: 8080 });
  createPod(harness, 'b', { ip: '10.0.0.2', port: 9090 });
  createPod(harness, 'c', { ip: '10.0.0.3', spec: { containers: [{ name: 'c', image: 'web' }] } });
  await harness.run(100);
  const ports = slices(harness).map(({ ports: list = [], endpoints }) => [list[0]?.port, endpoints[0]?.addresses[0]]);
  t.deepEqual(ports.map(String).toSorted(), [',10.0.0.3', '8080,10.0.0.1', '9090,10.0.0.2']);
  harness.dispose();
});

test('7.6.3 › 250 endpoints need three slices; a freed place is filled again without a new one', async (t) => {
  const harness = scene();
  createService(harness);
  for (let index = 0; index < 250; index += 1) {
    createPod(harness, `p${index}`, { ip: `10.0.${index >> 8}.${index & 255}` });
  }
  await harness.run(1000);
  const sizes = (): number[] =>
    slices(harness)
      .map(({ endpoints }) => endpoints.length)
      .toSorted((a, b) => b - a);
  t.deepEqual(sizes(), [100, 100, 50]);
  for (const name of ['p0', 'p1']) {
    harness.server.delete('Pod', { namespace: 'default', name }, { gracePeriodSeconds: 0 });
  }
  await harness.run(1000);
  t.is(
    sizes().reduce((a, b) => a + b),
    248,
  );
  for (const [index, name] of ['q0', 'q1'].entries()) createPod(harness, name, { ip: `10.1.0.${index}` });
  await harness.run(1000);
  t.deepEqual(
    sizes().reduce((a, b) => a + b),
    250,
  );
  t.is(sizes().length, 3);
  harness.dispose();
});

test('7.6.3 › a service without endpoints keeps one empty slice, which the first endpoint turns into its own', async (t) => {
  const harness = scene();
  createService(harness);
  await harness.run(100);
  t.deepEqual(
    slices(harness).map(({ endpoints, ports }) => [endpoints, ports]),
    [[[], []]],
  );
  const { uid } = slices(harness)[0]?.metadata ?? {};
  createPod(harness, 'p', { ip: '10.0.0.1' });
  await harness.run(100);
  t.deepEqual(
    slices(harness).map(({ metadata }) => metadata.uid),
    [uid],
  );
  t.deepEqual(shown(harness), ['10.0.0.1 RS']);
  harness.server.delete('Pod', { namespace: 'default', name: 'p' }, { gracePeriodSeconds: 0 });
  await harness.run(100);
  t.deepEqual(
    slices(harness).map(({ endpoints, ports }) => [endpoints, ports]),
    [[[], []]],
  );
  harness.dispose();
});

test('7.6.4 › what others change of a slice is set right a second later; a deleted one comes again', async (t) => {
  const harness = scene();
  createService(harness);
  createPod(harness, 'p', { ip: '10.0.0.1' });
  await harness.run(100);
  const name = slices(harness)[0]?.metadata.name ?? '';
  harness.server.change('EndpointSlice', { namespace: 'default', name }, (slice) => ({ ...slice, endpoints: [] }));
  await harness.run(900);
  t.deepEqual(shown(harness), []);
  await harness.run(200);
  t.deepEqual(shown(harness), ['10.0.0.1 RS']);
  for (const { metadata } of slices(harness)) harness.server.delete('EndpointSlice', metadata);
  await harness.run(1100);
  t.deepEqual(shown(harness), ['10.0.0.1 RS']);
  harness.dispose();
});

test('7.6.1 › services without a selector and ExternalName services get no slices; others lose theirs with them', async (t) => {
  const harness = scene();
  createPod(harness, 'p', { ip: '10.0.0.1' });
  createService(harness, { type: 'ExternalName', externalName: 'x.y', ports: [] }, { name: 'far' });
  harness.server.create('Service', {
    metadata: { name: 'bare', namespace: 'default' },
    spec: { ports: [{ port: 80 }] },
  });
  await harness.run(1000);
  t.is(slices(harness).length, 0);
  createService(harness);
  await harness.run(1000);
  t.is(slices(harness).length, 1);
  harness.server.delete('Service', { namespace: 'default', name: 'web' });
  await harness.run(1000);
  t.is(slices(harness).length, 0);
  harness.dispose();
});

test('a changed selector, changed labels of a pod and a restart of the controller leave the right endpoints', async (t) => {
  const harness = scene();
  createService(harness);
  createPod(harness, 'a', { ip: '10.0.0.1' });
  createPod(harness, 'b', { ip: '10.0.0.2' });
  await harness.run(100);
  const relabel = (name: string, app: string): void => {
    harness.server.change('Pod', { namespace: 'default', name }, (pod) => ({
      ...pod,
      metadata: { ...pod.metadata, labels: { app } },
    }));
  };
  relabel('a', 'other');
  await harness.run(100);
  t.deepEqual(shown(harness), ['10.0.0.2 RS']);
  harness.server.change('Service', { namespace: 'default', name: 'web' }, (service) => ({
    ...service,
    spec: { ...service.spec, selector: { app: 'other' } },
  }));
  await harness.run(100);
  t.deepEqual(shown(harness), ['10.0.0.1 RS']);
  const controller = harness.manager.controller('endpointslice-controller');
  controller.stop();
  relabel('b', 'other');
  await harness.run(100);
  controller.start();
  await harness.run(2000);
  t.deepEqual(shown(harness), ['10.0.0.1 RS', '10.0.0.2 RS']);
  t.is(slices(harness).length, 1);
  harness.dispose();
});

/** Addresses of endpoints with their hints. */
function hints(harness: Harness): string[] {
  return slices(harness)
    .flatMap(({ endpoints }) => endpoints)
    .map(({ addresses, hints: hint }) => `${addresses.join()} ${hint === undefined ? 'none' : JSON.stringify(hint)}`)
    .toSorted();
}

function distribute(harness: Harness, trafficDistribution: string | null): void {
  const body = { spec: { trafficDistribution } };
  harness.server.patch('Service', { namespace: 'default', name: 'web' }, { type: 'merge', body });
}

test('endpoint slice › trafficDistribution gives ready endpoints hints for their zone, and PreferSameNode for their node', async (t) => {
  const harness = scene();
  createService(harness, { trafficDistribution: 'PreferClose' });
  createPod(harness, 'p', { ip: '10.0.0.1' });
  createPod(harness, 'q', { ip: '10.0.0.2', node: 'node-b' });
  createPod(harness, 'r', { ip: '10.0.0.3', node: 'node-b' });
  setReady(harness.kernel, harness.server, { namespace: 'default', name: 'r' }, false);
  await harness.run(3000);
  const byZone = ['10.0.0.1 {"forZones":[{"name":"a"}]}', '10.0.0.2 {"forZones":[{"name":"b"}]}', '10.0.0.3 none'];
  t.deepEqual(hints(harness), byZone);
  distribute(harness, 'PreferSameNode');
  await harness.run(3000);
  t.deepEqual(hints(harness), [
    '10.0.0.1 {"forZones":[{"name":"a"}],"forNodes":[{"name":"node-a"}]}',
    '10.0.0.2 {"forZones":[{"name":"b"}],"forNodes":[{"name":"node-b"}]}',
    '10.0.0.3 none',
  ]);
  distribute(harness, 'PreferSameZone');
  await harness.run(3000);
  t.deepEqual(hints(harness), byZone);
  distribute(harness, null);
  await harness.run(3000);
  t.deepEqual(hints(harness), ['10.0.0.1 none', '10.0.0.2 none', '10.0.0.3 none']);
  harness.dispose();
});

test('endpoint slice › hints are put right when others change them, and a slice that has them is not written again', async (t) => {
  const harness = scene();
  createService(harness, { trafficDistribution: 'PreferClose' });
  createPod(harness, 'p', { ip: '10.0.0.1' });
  await harness.run(3000);
  const [slice] = slices(harness);
  createPod(harness, 'other', { ip: '10.0.0.9' });
  harness.server.patch(
    'Pod',
    { namespace: 'default', name: 'other' },
    { type: 'merge', body: { metadata: { labels: null } } },
  );
  await harness.run(3000);
  t.is(slices(harness)[0]?.metadata.generation, slice?.metadata.generation);
  harness.server.change('EndpointSlice', slice?.metadata ?? { name: '' }, (current) => ({
    ...current,
    endpoints: current.endpoints.map((endpoint) => ({ ...endpoint, hints: { forZones: [{ name: 'z' }] } })),
  }));
  await harness.run(3000);
  t.deepEqual(hints(harness), ['10.0.0.1 {"forZones":[{"name":"a"}]}']);
  harness.dispose();
});

/** Says that a node is ready and has so much CPU. */
function setNode({ server }: Harness, name: string, cpu: string, status: 'True' | 'False' = 'True'): void {
  server.change(
    'Node',
    { name },
    (node) => ({
      ...node,
      status: { ...node.status, allocatable: { cpu }, conditions: [{ type: 'Ready', status }] },
    }),
    { subresource: 'status' },
  );
}

test('endpoint slice › topology-mode Auto shares endpoints out among zones as CPU is, until a zone would be overloaded', async (t) => {
  const harness = scene();
  setNode(harness, 'node-a', '4');
  setNode(harness, 'node-b', '4');
  const annotations = { 'service.kubernetes.io/topology-mode': 'Auto' };
  createService(harness, { trafficDistribution: 'PreferClose' }, { annotations });
  const zones = (): string[] =>
    slices(harness)
      .flatMap(({ endpoints }) => endpoints)
      .map(({ zone, hints: hint }) => `${zone}→${hint?.forZones?.map(({ name }) => name).join() ?? 'none'}`)
      .toSorted();
  for (const [index, name] of ['p', 'q', 'r'].entries()) createPod(harness, name, { ip: `10.0.0.${index + 1}` });
  await harness.run(3000);
  t.deepEqual(zones(), ['a→none', 'a→none', 'a→none']);
  createPod(harness, 's', { ip: '10.0.0.4' });
  await harness.run(3000);
  t.deepEqual(zones(), ['a→a', 'a→a', 'a→b', 'a→b']);
  createPod(harness, 'u', { ip: '10.0.0.5', node: 'node-b' });
  createPod(harness, 'v', { ip: '10.0.0.6', node: 'node-b' });
  await harness.run(3000);
  t.deepEqual(zones(), ['a→a', 'a→a', 'a→a', 'a→b', 'b→b', 'b→b'].toSorted());
  setNode(harness, 'node-b', '4', 'False');
  await harness.run(3000);
  t.deepEqual(zones(), ['a→none', 'a→none', 'a→none', 'a→none', 'b→none', 'b→none']);
  const told = harness.list('Event').filter(({ reason }) => reason?.startsWith('Topology') === true);
  t.deepEqual([...new Set(told.map(({ message }) => String(message)))].toSorted(), [
    'Insufficient Node information: allocatable CPU or zone not specified on one or more nodes, addressType: IPv4',
    'Topology Aware Hints has been enabled, addressType: IPv4',
    'Unable to allocate minimum required endpoints to each zone without exceeding overload threshold (3 endpoints, 2 zones), addressType: IPv4',
  ]);
  harness.server.patch(
    'Service',
    { namespace: 'default', name: 'web' },
    { type: 'merge', body: { metadata: { annotations: null } } },
  );
  await harness.run(3000);
  t.deepEqual(zones(), ['a→a', 'a→a', 'a→a', 'a→a', 'b→b', 'b→b']);
  harness.dispose();
});

test('endpoint slices › a phase alone is no reason for a sync: a pod that ends and stays Ready keeps its endpoint', async (t) => {
  const harness = scene();
  createService(harness);
  createPod(harness, 'p', { ip: '10.0.0.1' });
  await harness.run(5000);
  const { generation } = slices(harness)[0]?.metadata ?? {};
  harness.server.change('Pod', { name: 'p', namespace: 'default' }, ended, { subresource: 'status' });
  await harness.run(5000);
  t.deepEqual([slices(harness)[0]?.metadata.generation, shown(harness)], [generation, ['10.0.0.1 RS']]);
  createPod(harness, 'other', { ip: '10.0.0.2' });
  await harness.run(5000);
  t.deepEqual(shown(harness), ['10.0.0.2 RS'], 'the next sync sees it');
});

test('endpoint slices › what the controller writes itself is not synced again when its watch shows it', async (t) => {
  const harness = scene();
  createService(harness);
  createPod(harness, 'p', { ip: '10.0.0.1' });
  // Between the write and a second sync, of which upstream's would come a second later, for a foreign change.
  await harness.run(500);
  harness.server.change('Pod', { name: 'p', namespace: 'default' }, ended, { subresource: 'status' });
  await harness.run(5000);
  t.deepEqual(shown(harness), ['10.0.0.1 RS']);
});

test('7.6 › a pod that is given its address while it is not ready is an endpoint from then on', async (t) => {
  const harness = scene();
  createService(harness);
  const metadata = { name: 'p', namespace: 'default' };
  harness.server.create('Pod', {
    metadata: { ...metadata, labels: { app: 'web' } },
    spec: { nodeName: 'node-a', containers: [{ name: 'c', image: 'web' }] },
  });
  await harness.run(1000);
  t.deepEqual(
    slices(harness).flatMap(({ endpoints }) => endpoints ?? []),
    [],
  );
  harness.server.change(
    'Pod',
    metadata,
    (pod) => ({ ...pod, status: { ...pod.status, phase: 'Running', podIP: '10.0.0.9', podIPs: [{ ip: '10.0.0.9' }] } }),
    { subresource: 'status' },
  );
  await harness.run(1000);
  t.like(slices(harness)[0]?.endpoints?.[0], { addresses: ['10.0.0.9'], conditions: { ready: false } });
  harness.dispose();
});
