/** A node is lost, in the whole cluster: what the API shows, in order and to the second. */
import test, { type ExecutionContext } from 'ava';
import { createCluster, type Cluster, type Node, type Pod } from '../../src/index.js';

/** Four nodes and a Deployment with a pod on each, of which one is to be lost. */
async function createScene(t: ExecutionContext): Promise<{ readonly cluster: Cluster; readonly lines: string[] }> {
  const cluster = createCluster({ nodes: 4, seed: 11, latency: 1, runtime: { imagePull: 0 } });
  t.teardown(() => cluster.dispose());
  await cluster.ready();
  cluster.apply({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web' },
    spec: {
      replicas: 4,
      selector: { matchLabels: { app: 'web' } },
      template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'c', image: 'web:1' }] } },
    },
  });
  await cluster.run({ limit: '29s' });
  const [pod] = podsOn(cluster, 'node-0');
  const lines: string[] = [];
  cluster.watch('Node', { fieldSelector: 'metadata.name=node-0' }).subscribe((event) => {
    if (event.type === 'MODIFIED') lines.push(`${second(event.atMs)} node ${shownNode(event.object)}`);
    if (event.type === 'DELETED') lines.push(`${second(event.atMs)} node DELETED`);
  });
  cluster.watch('Pod', { fieldSelector: `metadata.name=${pod?.metadata.name}` }).subscribe((event) => {
    lines.push(`${second(event.atMs)} pod ${event.type} ${shownPod(event.object)}`);
  });
  cluster.events$.subscribe(({ atMs, event }) => {
    const isOurs = event.involvedObject.name === 'node-0' || event.involvedObject.name === pod?.metadata.name;
    if (isOurs) lines.push(`${second(atMs)} event ${event.type} ${event.reason}`);
  });
  await cluster.run({ limit: '10ms' });
  lines.length = 0;
  return { cluster, lines };
}

function second(atMs: number): number {
  return Math.floor(atMs / 1000);
}

function podsOn(cluster: Cluster, node: string): readonly Pod[] {
  return cluster.list('Pod', { fieldSelector: `spec.nodeName=${node}` });
}

function shownNode({ spec, status }: Node): string {
  const ready = status.conditions?.find(({ type }) => type === 'Ready')?.status;
  return [`Ready=${ready}`, ...(spec.taints ?? []).map(({ key, effect }) => `${key.split('/')[1]}:${effect}`)].join(
    ' ',
  );
}

function shownPod({ metadata, status }: Pod): string {
  const conditions = (status.conditions ?? [])
    .filter(({ type }) => ['Ready', 'ContainersReady', 'DisruptionTarget'].includes(type))
    .map(({ type, status: value, reason }) => `${type}=${value}${reason === undefined ? '' : `(${reason})`}`);
  const { state } = status.containerStatuses?.[0] ?? {};
  const container = state?.terminated?.reason ?? (state?.running === undefined ? 'waiting' : 'running');
  const grace = metadata.deletionGracePeriodSeconds;
  return [status.phase, container, ...conditions.sort(), ...(grace === undefined ? [] : [`grace=${grace}`])].join(' ');
}

/** From the loss, at 29 s, to the healing, 500 s later; the last renewal was seen by the pass at 20 s. */
const LOST = [
  '70 node Ready=Unknown',
  '70 event Normal NodeNotReady',
  '70 pod MODIFIED Running running ContainersReady=True Ready=False',
  '70 node Ready=Unknown unreachable:NoSchedule',
  '70 event Warning NodeNotReady',
  '70 node Ready=Unknown unreachable:NoSchedule unreachable:NoExecute',
  '370 event Normal TaintManagerEviction',
  '370 pod MODIFIED Running running ContainersReady=True DisruptionTarget=True(DeletionByTaintManager) Ready=False',
  '370 pod MODIFIED Running running ContainersReady=True DisruptionTarget=True(DeletionByTaintManager) Ready=False grace=30',
];
const COMPLETED =
  'ContainersReady=False(PodCompleted) DisruptionTarget=True(DeletionByTaintManager) Ready=False(PodCompleted)';
/** The kubelet is there again: it says how the pod is, ends it, and the node is as before. */
const FOUND = [
  '529 pod MODIFIED Running running ContainersReady=True DisruptionTarget=True(DeletionByTaintManager) Ready=True grace=30',
  '529 event Normal Killing',
  '529 event Normal NodeReady',
  '529 node Ready=True unreachable:NoSchedule unreachable:NoExecute',
  '529 node Ready=True unreachable:NoExecute',
  `529 pod MODIFIED Succeeded Completed ${COMPLETED} grace=30`,
  `529 pod MODIFIED Succeeded Completed ${COMPLETED} grace=0`,
  `529 pod DELETED Succeeded Completed ${COMPLETED} grace=0`,
  '530 node Ready=True',
];

/** Without what a line repeats of the one before it, and without what a kubelet says when it starts. */
function essence(lines: readonly string[]): string[] {
  const told = lines.filter((line) => !/event Normal (?:Starting|NodeAllocatable|NodeHas)/.test(line));
  return told.filter((line, index) => line !== told[index - 1]);
}

for (const [title, lose] of [
  ['its link is cut', (cluster: Cluster) => cluster.faults.cut({ node: 'node-0' })],
  ['its kubelet is stopped', (cluster: Cluster) => cluster.faults.stopKubelet('node-0')],
] as const) {
  test(`T8 7.20 9.27 › ${title}: Unknown, taints, eviction, and a pod that ends when the kubelet is back`, async (t) => {
    const { cluster, lines } = await createScene(t);
    const fault = lose(cluster);
    await cluster.run({ limit: '500s' });
    t.deepEqual(essence(lines), LOST);
    // The pod is Terminating for as long as its node is silent; its replacement runs elsewhere.
    t.deepEqual(
      podsOn(cluster, 'node-0').map(({ metadata }) => metadata.deletionTimestamp),
      ['2030-01-01T00:06:40Z'],
    );
    t.deepEqual([cluster.pods.total, cluster.readyPods], [5, 4]);
    fault.heal();
    await cluster.run({ limit: '60s' });
    t.deepEqual(essence(lines), [...LOST, ...FOUND]);
    t.deepEqual([cluster.pods.total, cluster.readyPods], [4, 4]);
  });
}

test('7.2 › periods are options of the cluster, as durations', async (t) => {
  const cluster = createCluster({ nodes: 3, latency: 1, controllerManager: { nodeMonitorGracePeriod: '5m' } });
  t.teardown(() => cluster.dispose());
  await cluster.ready();
  cluster.faults.stopKubelet('node-0');
  const isUnknown = (): boolean => shownNode(cluster.get('Node', 'node-0')).startsWith('Ready=Unknown');
  await cluster.run({ limit: '299s' });
  t.false(isUnknown());
  await cluster.run({ limit: '16s' });
  t.true(isUnknown());
});

test('T9 › the node object is deleted: its pods go 40 to 80 s later, marked, and the owner replaces them', async (t) => {
  const { cluster, lines } = await createScene(t);
  cluster.faults.cut({ node: 'node-0' });
  cluster.delete('Node', 'node-0');
  await cluster.run({ limit: '120s' });
  const failed = 'Failed running ContainersReady=True DisruptionTarget=True(DeletionByPodGC) Ready=True';
  t.deepEqual(lines, [
    '29 node DELETED',
    '30 event Normal RemovingNode',
    `80 pod MODIFIED ${failed}`,
    `80 pod MODIFIED ${failed} grace=0`,
    `80 pod DELETED ${failed} grace=0`,
  ]);
  t.deepEqual([cluster.pods.total, cluster.readyPods], [4, 4]);
});

test('7.21 7.23 › the out-of-service taint sends pods away for good, and stays until it is taken off', async (t) => {
  const { cluster, lines } = await createScene(t);
  const fault = cluster.faults.powerOff('node-0');
  await cluster.run({ limit: '60s' });
  const taint = { key: 'node.kubernetes.io/out-of-service', value: 'nodeshutdown', effect: 'NoExecute' };
  const { taints = [] } = cluster.get('Node', 'node-0').spec;
  cluster.patch('Node', 'node-0', { spec: { taints: [...taints, taint] } }, 'merge');
  await cluster.run({ limit: '21s' });
  t.is(podsOn(cluster, 'node-0').length, 0);
  fault.heal();
  await cluster.run({ limit: '10m' });
  t.is(lines.at(-1)?.replace(/^\d+ /, ''), 'node Ready=True out-of-service:NoExecute');
  t.deepEqual([cluster.pods.total, cluster.readyPods], [4, 4]);
});
