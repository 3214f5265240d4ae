/** Pods that fit nowhere cost nothing until something happens that may help them; everything is running. */
import test from 'ava';
import { createCluster, type Cluster, type Draft, type SchedulerSettings } from '../../src/index.js';

/** A node without a kubelet, so that nothing happens to it but what a test does. */
function node(name: string, cpu: string, maxPods = '110'): Draft {
  const allocatable = { cpu, memory: '64Gi', pods: maxPods };
  return { apiVersion: 'v1', kind: 'Node', metadata: { name }, status: { allocatable, capacity: allocatable } };
}

function pod(name: string, cpu: string, spec: Readonly<Record<string, unknown>> = {}): Draft {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name },
    spec: { containers: [{ name: 'c', image: 'nginx', resources: { requests: { cpu } } }], ...spec },
  };
}

function pods(count: number, prefix: string, cpu: string, spec?: Readonly<Record<string, unknown>>): Draft[] {
  return Array.from({ length: count }, (_, index) => pod(`${prefix}-${index}`, cpu, spec));
}

/** A cluster with nodes that take pods; the pods have been tried once. */
async function clusterOf(
  nodes: readonly Draft[],
  waiting: readonly Draft[],
  scheduler: SchedulerSettings = {},
): Promise<Cluster> {
  const cluster = createCluster({ nodes: 0, seed: 5, controllers: [], scheduler, clientLimits: 'unlimited' });
  for (const each of nodes) {
    cluster.create('Node', each);
    cluster.patch('Node', { name: each.metadata?.name ?? '' }, { spec: { taints: null } });
  }
  await cluster.run({ limit: '1s' });
  cluster.apply(waiting);
  await cluster.run({ limit: '5s' });
  return cluster;
}

const attempts = (cluster: Cluster): number => cluster.stats().scheduling.attempts;

/** Attempts at the pods of a series. */
function attemptsAt(cluster: Cluster, prefix: string, count: number): number {
  let sum = 0;
  for (let index = 0; index < count; index += 1) {
    sum += cluster.explain({ name: `${prefix}-${index}` })?.attempts.length ?? 0;
  }
  return sum;
}

function heartbeat(cluster: Cluster, name: string): void {
  const { status, ...rest } = cluster.get('Node', { name });
  const lastHeartbeatTime = '2030-01-01T00:05:00Z';
  const conditions = (status.conditions ?? []).map((each) => ({ ...each, lastHeartbeatTime }));
  cluster.updateStatus('Node', { ...rest, status: { ...status, conditions } });
}

test('10,000 pods that fit nowhere are tried once, whatever happens that cannot help them', async (t) => {
  const COUNT = 10_000;
  const cluster = await clusterOf([node('n0', '4'), node('n1', '4')], [pod('web', '1'), ...pods(COUNT, 'large', '8')]);
  t.is(attempts(cluster), COUNT + 1);
  const annotated = { metadata: { annotations: { owner: 'me' } } };
  const acts: readonly (readonly [string, () => unknown])[] = [
    ['labels of a node', () => cluster.patch('Node', { name: 'n0' }, { metadata: { labels: { disk: 'ssd' } } })],
    ['annotations of a node', () => cluster.patch('Node', { name: 'n0' }, annotated)],
    ['heartbeats of a node', () => heartbeat(cluster, 'n1')],
    ['a node that is too small', () => cluster.create('Node', node('n2', '7'))],
    ['labels of a pod', () => cluster.patch('Pod', { name: 'web' }, { metadata: { labels: { app: 'web' } } })],
    ['annotations of a pod', () => cluster.patch('Pod', { name: 'web' }, annotated)],
    ['annotations of a pod that waits', () => cluster.patch('Pod', { name: 'large-7' }, annotated)],
    ['a pod that waits goes', () => cluster.delete('Pod', { name: 'large-8' })],
    ['a namespace', () => cluster.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team' } })],
  ];
  for (const [what, act] of acts) {
    act();
    await cluster.run({ limit: '5s' });
    t.is(attempts(cluster), COUNT + 1, what);
  }
  cluster.apply(pods(20, 'small', '100m'));
  await cluster.run({ limit: '10s' });
  t.is(attempts(cluster), COUNT + 21, 'pods that fit are tried alone');
  t.is(cluster.boundPods, 21);
  await cluster.dispose();
});

test('an event moves the pods whose rejecting plugins see help in it, and no others', async (t) => {
  const cluster = await clusterOf(
    [node('n0', '2')],
    [
      pod('web', '1'),
      ...pods(30, 'medium', '4'),
      ...pods(40, 'large', '12'),
      ...pods(20, 'elsewhere', '10m', { nodeSelector: { disk: 'ssd' } }),
    ],
  );
  const tried = (): readonly number[] => [
    attemptsAt(cluster, 'medium', 30),
    attemptsAt(cluster, 'large', 40),
    attemptsAt(cluster, 'elsewhere', 20),
  ];
  const after = async (act: unknown): Promise<readonly number[]> => {
    void act;
    await cluster.run({ limit: '20s' });
    return tried();
  };
  t.deepEqual(tried(), [30, 40, 20]);
  t.deepEqual(await after(cluster.create('Node', node('n1', '4'))), [60, 40, 20], 'a node for the medium ones');
  const status = { allocatable: { cpu: '12', memory: '64Gi', pods: '110' } };
  const larger = { ...cluster.get('Node', { name: 'n1' }), status } as unknown as Draft;
  t.deepEqual(await after(cluster.updateStatus('Node', larger)), [90, 80, 20], 'the node grows');
  const labelled = { metadata: { labels: { disk: 'ssd' } } };
  t.deepEqual(
    await after(cluster.patch('Node', { name: 'n1' }, labelled)),
    [90, 80, 40],
    'a label that was waited for',
  );
  t.deepEqual(await after(cluster.patch('Node', { name: 'n0' }, labelled)), [90, 80, 60], 'and where there is room');
  t.is(cluster.boundPods, 21);
  t.deepEqual(
    await after(cluster.delete('Pod', { name: 'web' }, { gracePeriodSeconds: 0 })),
    [120, 120, 60],
    'a pod that leaves its node',
  );
  const taints = [{ key: 'a', effect: 'NoSchedule' }];
  t.deepEqual(
    await after(cluster.patch('Node', { name: 'n0' }, { spec: { taints } })),
    [150, 160, 60],
    'any taint, as upstream, for plugins that wait for nodes',
  );
  await cluster.dispose();
});

test('a pod that no event moves is tried again at the first half minute after five minutes', async (t) => {
  const cluster = await clusterOf([node('n0', '2')], pods(50, 'large', '4'));
  const attemptsUntil = async (seconds: number): Promise<number> => {
    await cluster.run({ limit: seconds * 1000 - cluster.nowMs });
    return attempts(cluster);
  };
  t.is(await attemptsUntil(329), 50);
  t.is(await attemptsUntil(331), 100);
  t.is(await attemptsUntil(659), 100);
  t.is(await attemptsUntil(661), 150);
  await cluster.dispose();
});

test('while there is other work, events bring a pod back no sooner than its back-off ends', async (t) => {
  // An attempt takes 50 ms, so that these last for the whole time.
  const first = { apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass', metadata: { name: 'first' }, value: 9 };
  const cluster = await clusterOf([node('n0', '2', '2000')], [], { cycleMs: 50 });
  const startMs = cluster.nowMs;
  cluster.apply([first, pod('large', '4', { priorityClassName: 'first' }), ...pods(800, 'small', '1m')]);
  for (let index = 0; index < 70; index += 1) {
    await cluster.run({ limit: '500ms' });
    cluster.delete('Pod', { name: `small-${index}` }, { gracePeriodSeconds: 0 });
  }
  const times = (cluster.explain({ name: 'large' })?.attempts ?? []).map(({ atMs }) =>
    Math.round((atMs - startMs) / 1000),
  );
  t.deepEqual(times, [0, 2, 5, 10, 19, 30]);
  await cluster.dispose();
});
