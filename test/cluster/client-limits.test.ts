/** How long things take because components may only send so many requests in a second. */
import test from 'ava';
import { createCluster, keyOf, type Cluster, type ClusterOptions, type Draft, type KindMap } from '../../src/index.js';

type PersistentVolumeClaim = KindMap['PersistentVolumeClaim'];

const POD = { containers: [{ name: 'c', image: 'i' }] };
const NODE = { count: 1, namePrefix: 'n', capacity: { cpu: '64', memory: '256Gi', pods: '1000' } };

function replicaSet(name: string, replicas: number): Draft {
  const labels = { app: name };
  const template = { metadata: { labels }, spec: POD };
  return {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: { name },
    spec: { replicas, selector: { matchLabels: labels }, template },
  };
}

function job(name: string, parallelism: number): Draft {
  const template = { spec: { ...POD, restartPolicy: 'Never' } };
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name },
    spec: { parallelism, completions: parallelism, template },
  };
}

function barePods(count: number, name = 'bare'): Draft[] {
  return Array.from({ length: count }, (_, index) => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: `${name}-${index}` },
    spec: POD,
  }));
}

async function clusterOf(options: ClusterOptions): Promise<Cluster> {
  const cluster = createCluster({ nodes: [NODE], latency: 0, seed: 14, ...options });
  await cluster.ready();
  // Whatever starting up has taken is there again.
  await cluster.run({ limit: '1m' });
  return cluster;
}

type Told = 'created' | 'bound' | 'deleting' | 'gone' | 'event' | 'scheduled event';

/** When what comes to pass from now on was told, ms from now, by the prefix of its object's name. */
function listen(cluster: Cluster, prefix = ''): (told: Told) => number[] {
  const sinceMs = cluster.nowMs;
  const times = new Map<Told, Map<string, number>>();
  const note = (told: Told, key: string): void => {
    const seen = times.get(told) ?? new Map<string, number>();
    times.set(told, seen);
    if (!seen.has(key)) seen.set(key, cluster.nowMs - sinceMs);
  };
  const before = new Set(cluster.list('Pod').map(keyOf));
  cluster.watch('Pod').subscribe((event) => {
    const { type, object } = event;
    if (!object.metadata.name.startsWith(prefix)) return;
    const key = keyOf(object);
    if (type === 'DELETED') return note('gone', key);
    if (!before.has(key)) note('created', key);
    if ((object.spec.nodeName ?? '') !== '') note('bound', key);
    if (object.metadata.deletionTimestamp !== undefined) note('deleting', key);
  });
  const known = new Set(cluster.list('Event').map(keyOf));
  cluster.watch('Event').subscribe((event) => {
    const { type, object } = event;
    const isNew = type === 'ADDED' && !known.has(keyOf(object));
    if (!isNew || object.involvedObject.name?.startsWith(prefix) !== true) return;
    note('event', keyOf(object));
    if (object.reason === 'Scheduled') note('scheduled event', keyOf(object));
  });
  return (told) => [...(times.get(told)?.values() ?? [])];
}

/** What is created after an apply, and in what time. */
async function creation(options: ClusterOptions, ...drafts: Draft[]): Promise<{ count: number; ms: number }> {
  const cluster = await clusterOf({ nodes: 0, ...options });
  const times = listen(cluster);
  cluster.apply(drafts);
  await cluster.run({ limit: '5m' });
  const created = times('created');
  await cluster.dispose();
  return { count: created.length, ms: Math.max(...created) };
}

test('client limits › a replica set of 300 pods is created in no less than 13.5 s, and not much more', async (t) => {
  const { count, ms } = await creation({}, replicaSet('web', 300));
  t.is(count, 300);
  t.true(ms >= 13_500 && ms < 15_000, String(ms));
});

test('client limits › without limits it takes no time at all', async (t) => {
  t.deepEqual(await creation({ clientLimits: 'unlimited' }, replicaSet('web', 300)), { count: 300, ms: 0 });
});

test('client limits › the manager is as fast as it is told to be, also where the others have no limits', async (t) => {
  const { ms: faster } = await creation({ controllerManager: { kubeAPIQPS: 100 } }, replicaSet('web', 300));
  t.true(faster >= 2700 && faster < 3500, String(faster));
  const burst = { kubeAPIQPS: 100, kubeAPIBurst: 1000 };
  t.is((await creation({ controllerManager: burst }, replicaSet('web', 300))).ms, 0);
  const alone = { clientLimits: 'unlimited', controllerManager: { kubeAPIQPS: 10 } } as const;
  const { ms: slower } = await creation(alone, replicaSet('web', 100));
  t.true(slower >= 7000 && slower < 10_000, String(slower));
});

test('client limits › a QPS below 0 is no limit, and 0 is that of a client that was told nothing: 5, and 10 at once', async (t) => {
  t.is((await creation({ controllerManager: { kubeAPIQPS: -1 } }, replicaSet('web', 300))).ms, 0);
  const silent = { kubeAPIQPS: 0, kubeAPIBurst: 0 };
  const { ms } = await creation({ controllerManager: silent }, replicaSet('web', 60));
  t.true(ms >= 10_000 && ms < 13_000, String(ms));
});

test('client limits › every controller has a client of its own: a job does not wait for a replica set', async (t) => {
  const cluster = await clusterOf({ nodes: 0 });
  const times = { web: listen(cluster, 'web'), work: listen(cluster, 'work') };
  cluster.apply([replicaSet('web', 200), job('work', 90)]);
  await cluster.run({ limit: '5m' });
  t.is(times.web('created').length, 200);
  t.is(times.work('created').length, 90);
  const [web, work] = [Math.max(...times.web('created')), Math.max(...times.work('created'))];
  t.true(web >= 8500 && web < 10_000, String(web));
  t.true(work >= 3000 && work < 4500, String(work));
  await cluster.dispose();
});

test('client limits › two replica sets share the client of their controller', async (t) => {
  const { count, ms } = await creation({}, replicaSet('a', 100), replicaSet('b', 100));
  t.is(count, 200);
  t.true(ms >= 8500 && ms < 10_500, String(ms));
});

test('client limits › the scheduler binds 100 pods at once, and 50 in each second from then on', async (t) => {
  const cluster = await clusterOf({});
  const times = listen(cluster);
  cluster.apply(barePods(300));
  await cluster.run({ limit: '1m' });
  const bound = times('bound');
  t.is(bound.length, 300);
  t.is(bound.filter((ms) => ms === 0).length, 100);
  t.is(bound.filter((ms) => ms <= 1000).length, 150);
  t.is(Math.max(...bound), 4000);
  await cluster.dispose();
});

for (const [what, options] of [
  ['its settings', { scheduler: { clientConnection: { qps: 10, burst: 20 } } }],
  [
    'a KubeSchedulerConfiguration',
    {
      schedulerConfig:
        'apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nclientConnection: {qps: 10, burst: 20}',
    },
  ],
] as const) {
  test(`client limits › the scheduler takes its limit from ${what}; its events have one of their own`, async (t) => {
    const cluster = await clusterOf(options);
    const times = listen(cluster);
    cluster.apply(barePods(70));
    await cluster.run({ limit: '1m' });
    t.is(Math.max(...times('bound')), 5000);
    t.is(times('scheduled event').length, 70);
    t.is(Math.max(...times('scheduled event')), 5000);
    await cluster.dispose();
  });
}

test('client limits › an eviction by a taint takes three requests of the taint manager', async (t) => {
  const cluster = await clusterOf({ clientLimits: 'unlimited', controllerManager: { kubeAPIQPS: 20 } });
  cluster.apply(barePods(100));
  await cluster.run({ until: () => cluster.readyPods === 100, limit: '5m' });
  const times = listen(cluster);
  const [node] = cluster.list('Node');
  cluster.patch('Node', { name: node?.metadata.name ?? '' }, { spec: { taints: [{ key: 'k', effect: 'NoExecute' }] } });
  await cluster.run({ limit: '2m' });
  const deleting = times('deleting');
  t.is(deleting.length, 100);
  t.true(Math.max(...deleting) >= 13_500 && Math.max(...deleting) < 20_000, String(Math.max(...deleting)));
  await cluster.dispose();
});

const ONLY_MANAGER = { nodes: 0, clientLimits: 'unlimited', controllerManager: { kubeAPIQPS: 20 } } as const;

test('client limits › the garbage collector may send twice as many requests as other controllers', async (t) => {
  const cluster = await clusterOf(ONLY_MANAGER);
  cluster.apply(replicaSet('web', 200));
  await cluster.run({ limit: '1m' });
  const times = listen(cluster);
  cluster.delete('ReplicaSet', 'web', { propagationPolicy: 'Background' });
  await cluster.run({ limit: '1m' });
  t.is(times('gone').length, 200);
  const ms = Math.max(...times('gone'));
  // Each pod is read, then deleted.
  t.true(ms >= (400 - 30) * 25 && ms < 12_000, String(ms));
  await cluster.dispose();
});

test('client limits › the namespace controller may send twenty times as many', async (t) => {
  const cluster = await clusterOf({ ...ONLY_MANAGER, controllers: ['namespace-controller'] });
  cluster.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team' } });
  for (const { metadata, spec } of barePods(200))
    cluster.create('Pod', { metadata: { ...metadata, namespace: 'team' }, spec });
  cluster.delete('Namespace', 'team');
  const fromMs = cluster.nowMs;
  const isGone = (): boolean => cluster.list('Pod', { namespace: 'team' }).length === 0;
  await cluster.run({ until: isGone, limit: '5m' });
  t.true(cluster.nowMs - fromMs < 10_000, String(cluster.nowMs - fromMs));
  await cluster.dispose();
});

/** When a pod is ready, and when the last of its events is told. */
async function timesOf(kubelet: ClusterOptions['kubelet'] = {}): Promise<{ readyMs: number; toldMs: number }> {
  const cluster = await clusterOf({ kubelet });
  const times = listen(cluster, 'bare');
  const fromMs = cluster.nowMs;
  cluster.apply(barePods(1));
  await cluster.run({ until: () => cluster.readyPods === 1, limit: '1m' });
  const readyMs = cluster.nowMs - fromMs;
  await cluster.run({ limit: '1m' });
  await cluster.dispose();
  return { readyMs, toldMs: Math.max(...times('event')) };
}

test('client limits › a kubelet writes its events apart from everything else', async (t) => {
  const usual = await timesOf();
  const slow = await timesOf({ eventRecordQPS: 1, eventBurst: 1 });
  t.is(slow.readyMs, usual.readyMs);
  // Pulled, Created and Started come at once, and are told a second apart.
  t.true(slow.toldMs >= usual.toldMs + 1900, `${slow.toldMs} and ${usual.toldMs}`);
});

test('client limits › a kubelet reports its pods as fast as it may, and its node whatever it has to report', async (t) => {
  const cluster = await clusterOf({ kubelet: { kubeAPIQPS: 1, kubeAPIBurst: 1 } });
  cluster.apply(barePods(30));
  const { end } = await cluster.run({ until: () => cluster.readyPods === 30, limit: '20s' });
  t.not(end, 'done');
  await cluster.run({ until: () => cluster.readyPods === 30, limit: '5m' });
  t.is(cluster.readyPods, 30);
  const [node] = cluster.list('Node');
  t.is(node?.status.conditions?.find(({ type }) => type === 'Ready')?.status, 'True');
  await cluster.dispose();
});

test('client limits › each status that a kubelet writes takes two of its requests, a GET and a PATCH', async (t) => {
  const cluster = await clusterOf({ kubelet: { kubeAPIQPS: 1, kubeAPIBurst: 10 }, runtime: { imagePull: 0 } });
  const sinceMs = cluster.nowMs;
  const written: number[] = [];
  cluster.watch('Pod').subscribe((event) => {
    if (event.type === 'MODIFIED' && event.object.status.startTime !== undefined) written.push(cluster.nowMs - sinceMs);
  });
  cluster.apply(barePods(10));
  await cluster.run({ until: () => cluster.readyPods === 10, limit: '5m' });
  // Ten tokens are five statuses; the others follow every two seconds.
  t.true(written.length >= 10, written.join(' '));
  const late = written.filter((ms) => ms > 1000);
  late.slice(1).forEach((ms, index) => t.true(ms - (late[index] ?? 0) >= 2000, late.join(' ')));
  await cluster.dispose();
});

test('client limits › a volume grows at the pace of its resizer, 5 requests a second', async (t) => {
  const ends: number[] = [];
  for (const options of [{}, { clientLimits: 'unlimited' }] as const) {
    const cluster = await clusterOf(options);
    cluster.create('StorageClass', {
      metadata: { name: 'fast' },
      provisioner: 'csi.example',
      allowVolumeExpansion: true,
      volumeBindingMode: 'Immediate',
    });
    const claims = Array.from({ length: 30 }, (_, index) => `c${index}`);
    for (const name of claims) {
      cluster.create('PersistentVolumeClaim', {
        metadata: { name },
        spec: {
          storageClassName: 'fast',
          volumeMode: 'Block',
          accessModes: ['ReadWriteOnce'],
          resources: { requests: { storage: '1Gi' } },
        },
      });
    }
    const all = (holds: (claim: PersistentVolumeClaim) => boolean) => () =>
      claims.every((name) => holds(cluster.get('PersistentVolumeClaim', name)));
    await cluster.run({ until: all(({ status }) => status.phase === 'Bound'), limit: '5m' });
    await cluster.run({ limit: '1m' });
    const sinceMs = cluster.nowMs;
    for (const name of claims) {
      cluster.patch('PersistentVolumeClaim', name, { spec: { resources: { requests: { storage: '2Gi' } } } });
    }
    await cluster.run({ until: all(({ status }) => status.capacity?.['storage'] === '2Gi'), limit: '5m' });
    ends.push(cluster.nowMs - sinceMs);
    await cluster.dispose();
  }
  // Three requests a claim: it has begun, the volume has its size, the claim has it.
  t.true((ends[0] ?? 0) >= (3 * 30 - 10) * 200, ends.join(' '));
  t.true((ends[1] ?? 0) < 3000, ends.join(' '));
});

test('client limits › a run within limits is the same with any number of workers', async (t) => {
  const hashes: string[] = [];
  for (const workers of [0, 1, 2]) {
    const scheduler = { minPrefetchWork: 1 };
    const cluster = createCluster({ nodes: 30, seed: 5, workers, scheduler, clientLimits: 'upstream' });
    await cluster.ready();
    cluster.apply([replicaSet('web', 300), job('once', 60), ...barePods(150)]);
    await cluster.run({ limit: '10s' });
    t.true(cluster.pods.total < 510, 'the limits are crossed');
    await cluster.run({ until: () => cluster.readyPods >= 450, limit: '10m' });
    cluster.delete('ReplicaSet', 'web');
    await cluster.run({ limit: '2m' });
    hashes.push(cluster.traceHash);
    await cluster.dispose();
  }
  t.deepEqual(new Set(hashes).size, 1);
});

test('client limits › what a controller that crashes had to send is never sent', async (t) => {
  const cluster = await clusterOf({ nodes: 0 });
  cluster.apply(replicaSet('web', 300));
  await cluster.run({ limit: '5s' });
  const crash = cluster.faults.stopController('replicaset-controller');
  const { total } = cluster.pods;
  t.true(total >= 100 && total < 150, String(total));
  await cluster.run({ limit: '1m' });
  t.is(cluster.pods.total, total);
  crash.heal();
  await cluster.run({ limit: '1m' });
  t.is(cluster.pods.total, 300);
  await cluster.dispose();
});

/** How long a controller of the user's takes to create 60 pods. */
async function createdIn(limit?: { readonly qps: number; readonly burst: number }): Promise<number> {
  const cluster = await clusterOf({ nodes: 0 });
  const times = listen(cluster);
  cluster.addController({
    name: 'maker',
    ...(limit === undefined ? {} : { clientLimit: () => limit }),
    setup: ({ queue }) => queue.add('make'),
    reconcile: async ({ api }) => {
      for (const draft of barePods(60, 'made')) await api.create('Pod', draft);
    },
  });
  await cluster.run({ limit: '1m' });
  await cluster.dispose();
  return Math.max(...times('created'));
}

test("client limits › a user's own controller has none unless it says so", async (t) => {
  t.is(await createdIn(), 0);
  t.is(await createdIn({ qps: 10, burst: 10 }), 5000);
});

for (const [options, text] of [
  [{ clientLimits: 'fast' }, `clientLimits must be 'upstream' or 'unlimited', got "fast"`],
  [
    { controllerManager: { kubeAPIQPS: '20' } },
    'controllerManager.kubeAPIQPS must be a number in -1000000..1000000, less than 0 = no limit, got "20"',
  ],
  [
    { controllerManager: { kubeAPIBurst: 1.5 } },
    'controllerManager.kubeAPIBurst must be an integer in 0..2147483647, got 1.5',
  ],
  [
    { controllerManager: { kubeAPIBurst: 0 } },
    'controllerManager.kubeAPIBurst must be more than 0 beside a kubeAPIQPS of more than 0, got 0',
  ],
  [
    { scheduler: { clientConnection: { qps: Number.NaN } } },
    'scheduler.clientConnection.qps must be a number in -1000000..1000000, less than 0 = no limit, got NaN',
  ],
  [{ scheduler: { clientConnection: 50 } }, 'scheduler.clientConnection must be an object with qps and burst, got 50'],
  [
    { scheduler: { clientConnection: { QPS: 1 } } },
    'option scheduler.clientConnection.QPS must be one of qps, burst, got "QPS"',
  ],
] as const) {
  test(`client limits › createCluster refuses ${JSON.stringify(options)}`, (t) => {
    t.throws(() => createCluster(options as ClusterOptions), { message: text });
  });
}
