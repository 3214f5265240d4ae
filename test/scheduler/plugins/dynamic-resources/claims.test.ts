/** Pods with claims of devices, in a cluster: which devices they get, what they are told when there are none, and how all of it ends. */
import test, { type ExecutionContext } from 'ava';
import { createCluster, type Cluster, type NodeDescription } from '../../../../src/index.js';

const DRIVER = 'gpu.example.com';
const MODEL = `device.attributes['${DRIVER}'].model == 'A100'`;
const LARGE = `device.capacity['${DRIVER}'].memory.compareTo(quantity('40Gi')) >= 0`;
const NODES: NodeDescription[] = [
  {
    count: 2,
    namePrefix: 'gpu-',
    devices: [
      {
        driver: DRIVER,
        count: 4,
        attributes: { model: 'A100', numa: [0, 1], driverVersion: { version: '1.2.3' } },
        capacity: { memory: ['80Gi', '80Gi', '80Gi', '20Gi'] },
      },
    ],
  },
  { count: 1, namePrefix: 'cpu-' },
];

async function withDevices(): Promise<Cluster> {
  const cluster = createCluster({ nodes: NODES, seed: 7 });
  await cluster.ready();
  await cluster.run({ limit: '2s' });
  return cluster;
}

function claim(name: string, devices: object): object {
  return { apiVersion: 'resource.k8s.io/v1', kind: 'ResourceClaim', metadata: { name }, spec: { devices } };
}

function exactly(name: string, request: object = {}): object {
  return { name, exactly: { deviceClassName: DRIVER, ...request } };
}

function pod(name: string, claimName: string, spec: object = {}): object {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name },
    spec: {
      resourceClaims: [{ name: 'gpus', resourceClaimName: claimName }],
      containers: [{ name: 'c', image: 'pause', resources: { claims: [{ name: 'gpus' }] } }],
      ...spec,
    },
  };
}

function onNode(name: string): object {
  return { nodeSelector: { 'kubernetes.io/hostname': name } };
}

/** `pool/device` of each result, by request. */
function devicesOf(cluster: Cluster, name: string): string[] {
  const found = cluster.get('ResourceClaim', { namespace: 'default', name });
  const results = found.status.allocation?.devices?.results ?? [];
  return results.map(({ request, pool, device }) => `${request}: ${pool}/${device}`);
}

function verdict(cluster: Cluster, name: string): string {
  const { status, spec } = cluster.get('Pod', { namespace: 'default', name });
  const scheduled = status.conditions?.find(({ type }) => type === 'PodScheduled');
  return scheduled?.status === 'True'
    ? `on ${spec.nodeName ?? ''}`
    : `${scheduled?.reason ?? ''}: ${scheduled?.message ?? ''}`;
}

async function outcome(t: ExecutionContext, cluster: Cluster, ...objects: readonly object[]): Promise<void> {
  for (const object of objects) cluster.apply(object as never);
  await cluster.run({ limit: '10s' });
  t.pass();
}

test('devices are taken in their order, as far as selectors and constraints allow', async (t) => {
  const cluster = await withDevices();
  const selectors = [{ cel: { expression: MODEL } }, { cel: { expression: LARGE } }];
  const alike = [{ matchAttribute: `${DRIVER}/numa` }];
  await outcome(
    t,
    cluster,
    claim('pair', { requests: [exactly('g', { count: 2, selectors })], constraints: alike }),
    pod('p', 'pair', onNode('gpu-0')),
  );
  t.is(verdict(cluster, 'p'), 'on gpu-0');
  t.deepEqual(devicesOf(cluster, 'pair'), ['g: gpu-0/gpu-0', 'g: gpu-0/gpu-2']);
  // Of the others one is too small.
  await outcome(
    t,
    cluster,
    claim('more', { requests: [exactly('g', { count: 2, selectors })] }),
    pod('q', 'more', onNode('gpu-0')),
  );
  t.is(
    verdict(cluster, 'q'),
    "Unschedulable: 0/3 nodes are available: 1 cannot allocate all claims, 2 node(s) didn't match Pod's node affinity/selector. still not schedulable, preemption: 0/3 nodes are available: 3 Preemption is not helpful for scheduling.",
  );
  await cluster.dispose();
});

test('the first alternative that can be had is taken, and all devices where all are asked for', async (t) => {
  const cluster = await withDevices();
  const ways = [
    { name: 'many', deviceClassName: DRIVER, count: 5 },
    { name: 'small', deviceClassName: DRIVER, selectors: [{ cel: { expression: `!(${LARGE})` } }] },
  ];
  await outcome(
    t,
    cluster,
    claim('way', { requests: [{ name: 'g', firstAvailable: ways }] }),
    claim('all', { requests: [exactly('g', { allocationMode: 'All' })] }),
    pod('p', 'way', onNode('gpu-0')),
    pod('q', 'all', onNode('gpu-1')),
  );
  t.deepEqual(devicesOf(cluster, 'way'), ['g/small: gpu-0/gpu-3']);
  t.deepEqual(
    devicesOf(cluster, 'all'),
    [0, 1, 2, 3].map((at) => `g: gpu-1/gpu-${at}`),
  );
  await cluster.dispose();
});

test('pods that share a claim go where it is, and its devices come free with the last of them', async (t) => {
  const cluster = await withDevices();
  const shared = claim('shared', { requests: [exactly('g', { count: 4 })] });
  await outcome(
    t,
    cluster,
    shared,
    pod('a', 'shared', onNode('gpu-0')),
    pod('b', 'shared'),
    pod('c', 'shared', onNode('gpu-1')),
  );
  t.deepEqual([verdict(cluster, 'a'), verdict(cluster, 'b')], ['on gpu-0', 'on gpu-0']);
  t.regex(verdict(cluster, 'c'), /^Unschedulable: .*1 resourceclaim not available on the node/);
  const reserved = (): readonly string[] | undefined =>
    cluster.get('ResourceClaim', { namespace: 'default', name: 'shared' }).status.reservedFor?.map(({ name }) => name);
  t.deepEqual(reserved(), ['a', 'b']);
  cluster.delete('Pod', { namespace: 'default', name: 'a' });
  await cluster.run({ limit: '40s' });
  t.deepEqual(reserved(), ['b']);
  cluster.delete('Pod', { namespace: 'default', name: 'b' });
  await cluster.run({ limit: '1m' });
  t.is(verdict(cluster, 'c'), 'on gpu-1');
  t.deepEqual(reserved(), ['c']);
  await cluster.dispose();
});

test('each pod of a deployment gets a claim of its template, which goes with it', async (t) => {
  const cluster = await withDevices();
  const spec = { devices: { requests: [exactly('g', { count: 2 })] } };
  const template = {
    metadata: { labels: { app: 'train' } },
    spec: {
      resourceClaims: [{ name: 'gpus', resourceClaimTemplateName: 'two' }],
      containers: [{ name: 'c', image: 'pause' }],
    },
  };
  await outcome(
    t,
    cluster,
    {
      apiVersion: 'resource.k8s.io/v1',
      kind: 'ResourceClaimTemplate',
      metadata: { name: 'two' },
      spec: { metadata: { labels: { made: 'yes' } }, spec },
    },
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'train' },
      spec: { replicas: 5, selector: { matchLabels: { app: 'train' } }, template },
    },
  );
  const running = cluster.list('Pod').filter(({ status }) => status.phase === 'Running');
  t.is(running.length, 4);
  const [first] = running;
  const names = first?.status.resourceClaimStatuses?.map(({ resourceClaimName }) => resourceClaimName ?? '') ?? [];
  const [own] = names;
  t.regex(own ?? '', /^train-[a-z0-9]+-[a-z0-9]{5}-gpus-[a-z0-9]{5}$/);
  const made = cluster.get('ResourceClaim', { namespace: 'default', name: own ?? '' });
  t.like(made.metadata, {
    labels: { made: 'yes' },
    annotations: { 'resource.kubernetes.io/pod-claim-name': 'gpus' },
    finalizers: ['resource.kubernetes.io/delete-protection'],
  });
  cluster.patch('Deployment', { namespace: 'default', name: 'train' }, { spec: { replicas: 0 } });
  await cluster.run({ limit: '90s' });
  t.deepEqual([cluster.list('Pod').length, cluster.list('ResourceClaim').length], [0, 0]);
  await cluster.dispose();
});

test('what is wrong with a selector ends the attempt in upstream words', async (t) => {
  const cluster = await withDevices();
  const selectors = [{ cel: { expression: `device.attributes['${DRIVER}'].nothing == 1` } }];
  await outcome(
    t,
    cluster,
    claim('odd', { requests: [exactly('g', { selectors })] }),
    pod('p', 'odd', onNode('gpu-0')),
  );
  t.is(
    verdict(cluster, 'p'),
    'SchedulerError: running "DynamicResources" filter plugin: claim default/odd: selector #0: CEL runtime error: no such key: nothing',
  );
  await outcome(
    t,
    cluster,
    claim('none', { requests: [{ name: 'g', exactly: { deviceClassName: 'absent' } }] }),
    pod('q', 'none'),
  );
  t.is(
    verdict(cluster, 'q'),
    'Unschedulable: 0/3 nodes are available: request g: device class absent does not exist. no new claims to deallocate, preemption: 0/3 nodes are available: 3 Preemption is not helpful for scheduling.',
  );
  await cluster.dispose();
});

test('devices are published once a node is registered, and go with it', async (t) => {
  const cluster = await withDevices();
  const slices = (): string[] =>
    cluster.list('ResourceSlice').map(({ spec }) => `${spec.nodeName ?? ''}: ${spec.devices?.length ?? 0}`);
  t.deepEqual(slices(), ['gpu-0: 4', 'gpu-1: 4']);
  t.deepEqual(
    cluster.list('DeviceClass').map(({ metadata }) => metadata.name),
    [DRIVER],
  );
  cluster.faults.stopKubelet('gpu-1');
  cluster.delete('Node', { name: 'gpu-1' });
  await cluster.run({ limit: '5s' });
  t.deepEqual(slices(), ['gpu-0: 4']);
  await cluster.dispose();
});

test('admin access is for namespaces that say so', async (t) => {
  const cluster = await withDevices();
  const wanted = claim('admin', { requests: [exactly('g', { allocationMode: 'All', adminAccess: true })] });
  t.throws(() => cluster.create('ResourceClaim', wanted as never), {
    message:
      'ResourceClaim.resource.k8s.io "admin" is invalid: spec.devices.requests[0].adminAccess: Forbidden: admin access to devices requires the `resource.kubernetes.io/admin-access: true` label on the containing namespace',
  });
  cluster.patch(
    'Namespace',
    { name: 'default' },
    { metadata: { labels: { 'resource.kubernetes.io/admin-access': 'true' } } },
  );
  const all = claim('own', { requests: [exactly('g', { allocationMode: 'All' })] });
  await outcome(t, cluster, all, wanted, pod('p', 'own', onNode('gpu-0')), pod('q', 'admin', onNode('gpu-0')));
  t.deepEqual([verdict(cluster, 'p'), verdict(cluster, 'q')], ['on gpu-0', 'on gpu-0']);
  t.is(devicesOf(cluster, 'admin').length, 4);
  await cluster.dispose();
});
