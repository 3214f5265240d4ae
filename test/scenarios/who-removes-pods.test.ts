/** Which components may remove a pod, and which may only delete it gracefully, in a whole cluster. */
import test, { type ExecutionContext } from 'ava';
import { createCluster, type Cluster, type Draft } from '../../src/index.js';

const CONTAINERS = [{ name: 'c', image: 'busybox' }];
const POD_SPEC = { terminationGracePeriodSeconds: 10, containers: CONTAINERS };

interface Scene {
  readonly cluster: Cluster;
  /** `pod: party`, for each pod that was removed. */
  readonly removals: string[];
}

async function createScene(t: ExecutionContext, objects: readonly Draft[], nodes = 2): Promise<Scene> {
  const cluster = createCluster({ nodes, seed: 12, latency: 1 });
  t.teardown(() => cluster.dispose());
  const removals: string[] = [];
  cluster.timeline().subscribe(({ source, pod, by, text }) => {
    if (source === 'api' && text.includes('removed')) removals.push(`${pod.replace(/^default\//, '')}: ${by}`);
  });
  await cluster.ready();
  cluster.apply(objects);
  await cluster.run({ limit: '1m' });
  return { cluster, removals };
}

/** A workload of one pod template with labels `app: NAME`. */
function workload(kind: string, name: string, spec: object, podSpec: object = {}): Draft {
  const [apiVersion, labels] = [kind === 'Job' ? 'batch/v1' : 'apps/v1', { app: name }];
  const selector = kind === 'Job' ? {} : { selector: { matchLabels: labels } };
  const annotations = { 'kubeloom.dev/run-for': '24h' };
  const template = { metadata: { labels, annotations }, spec: { ...POD_SPEC, ...podSpec } };
  return { apiVersion, kind, metadata: { name }, spec: { ...selector, ...spec, template } };
}

const pod = (name: string, spec: object = {}): Draft => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name },
  spec: { ...POD_SPEC, ...spec },
});

const podNames = (cluster: Cluster): string[] => cluster.list('Pod').map(({ metadata }) => metadata.name);

test('9.1 › the object of a pod is the lock on its name: while it is there, also Terminating, there is no other one', async (t) => {
  const { cluster } = await createScene(t, [pod('p', { nodeName: 'node-1' })]);
  cluster.faults.cut({ node: 'node-1' });
  cluster.delete('Pod', 'p');
  t.throws(() => cluster.create('Pod', pod('p')), {
    name: 'ApiError',
    message: 'object is being deleted: pods "p" already exists',
  });
  await cluster.run({ limit: '10m' });
  t.throws(() => cluster.create('Pod', pod('p')), {
    name: 'ApiError',
    message: 'object is being deleted: pods "p" already exists',
  });
  t.is(cluster.truth.processes('p').length, 1);
});

test('9.2 › a bound pod is removed by its kubelet, once its processes have ended', async (t) => {
  const { cluster } = await createScene(t, [pod('p', { nodeName: 'node-1' })]);
  const story: string[] = [];
  cluster.timeline({ namePrefix: 'p' }).subscribe(({ source, by, text }) => {
    if (source !== 'event')
      story.push(`${by}: ${text.find((line) => /ended|removed|phase/.test(line)) ?? text[0] ?? ''}`);
  });
  await cluster.run({ limit: 0 });
  story.length = 0;
  cluster.delete('Pod', 'p');
  await cluster.run({ limit: '30s' });
  const wanted = [
    'node-1: process of c ended: Completed, exit code 0',
    'kubelet/node-1: phase Running → Succeeded',
    'kubelet/node-1: removed',
  ];
  t.deepEqual(
    story.filter((line) => wanted.includes(line)),
    wanted,
  );
});

test('9.3 › controllers, evictions and preemption only ask: on a partitioned node every pod stays', async (t) => {
  const onNode = { nodeSelector: { 'kubernetes.io/hostname': 'node-1' } };
  const { cluster, removals } = await createScene(t, [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } },
    { apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass', metadata: { name: 'high' }, value: 1000 },
    workload('ReplicaSet', 'scaled', { replicas: 1 }, onNode),
    workload('ReplicaSet', 'owned', { replicas: 1 }, onNode),
    workload('StatefulSet', 'set', { replicas: 1, serviceName: 'set' }, onNode),
    workload('DaemonSet', 'daemon', {}),
    workload('Job', 'job', {}, { ...onNode, restartPolicy: 'Never' }),
    pod('evicted', onNode),
    pod('victim', { ...onNode, containers: [{ ...CONTAINERS[0], resources: { requests: { cpu: '30' } } }] }),
    { ...pod('content', onNode), metadata: { name: 'content', namespace: 'shop' } },
  ]);
  const bound = cluster.list('Pod', { fieldSelector: 'spec.nodeName=node-1' }).map(({ metadata }) => metadata.uid);
  t.is(bound.length, 8);
  cluster.faults.cut({ node: 'node-1' });
  cluster.scale('ReplicaSet', 'scaled', 0);
  cluster.scale('StatefulSet', 'set', 0);
  for (const [kind, name] of [
    ['ReplicaSet', 'owned'],
    ['DaemonSet', 'daemon'],
    ['Job', 'job'],
    ['Namespace', 'shop'],
  ] as const) {
    cluster.delete(kind, name, kind === 'Namespace' ? {} : { propagationPolicy: 'Background' });
  }
  cluster.evict('evicted');
  cluster.apply([
    pod('preemptor', {
      ...onNode,
      priorityClassName: 'high',
      containers: [{ ...CONTAINERS[0], resources: { requests: { cpu: '30' } } }],
    }),
  ]);
  await cluster.run({ limit: '1h' });
  const left = cluster.list('Pod', { fieldSelector: 'spec.nodeName=node-1' });
  t.deepEqual(
    left.map(({ metadata }) => metadata.uid),
    bound,
  );
  t.deepEqual(
    left.filter(({ metadata }) => metadata.deletionTimestamp === undefined),
    [],
  );
  // The daemon's other pod is on a node that answers.
  t.deepEqual(
    removals.map((line) => line.replace(/^daemon-\S+:/, 'daemon:')),
    ['daemon: kubelet/node-0'],
  );
  t.deepEqual(cluster.truth.counts, { unconfirmedDeletions: 0, splitBrains: 0 });
});

test('9.4 › pods that never ran anywhere, and those that have ended, go at once', async (t) => {
  const ended: Draft = {
    ...pod('ended', { restartPolicy: 'Never' }),
    metadata: { name: 'ended', annotations: { 'kubeloom.dev/run-for': '1s' } },
  };
  const { cluster } = await createScene(t, [pod('unbound', { nodeSelector: { none: 'such' } }), ended]);
  t.is(cluster.get('Pod', 'ended').status.phase, 'Succeeded');
  cluster.delete('Pod', 'unbound');
  cluster.delete('Pod', 'ended');
  t.deepEqual(podNames(cluster), []);
  t.deepEqual(cluster.truth.counts, { unconfirmedDeletions: 0, splitBrains: 0 });
});

test('9.4 › pod garbage collection removes pods of nodes that are gone, and the terminating ones of those out of service', async (t) => {
  const { cluster, removals } = await createScene(
    t,
    [pod('orphan', { nodeName: 'node-1' }), pod('waiting', { nodeName: 'node-2' })],
    4,
  );
  cluster.faults.powerOff('node-1');
  cluster.faults.powerOff('node-2');
  cluster.delete('Node', 'node-1');
  cluster.delete('Pod', 'waiting');
  await cluster.run({ limit: '3m' });
  t.deepEqual(removals, ['orphan: kube-controller-manager']);
  cluster.patch('Node', 'node-2', {
    spec: { taints: [{ key: 'node.kubernetes.io/out-of-service', value: 'nodeshutdown', effect: 'NoExecute' }] },
  });
  await cluster.run({ limit: '21s' });
  t.deepEqual(removals, ['orphan: kube-controller-manager', 'waiting: kube-controller-manager']);
  t.deepEqual(cluster.truth.counts, { unconfirmedDeletions: 0, splitBrains: 0 });
});

test('9.6 › grace can only be shortened, and a kubelet that crashes grants it anew', async (t) => {
  const stubborn: Draft = {
    ...pod('p', { nodeName: 'node-1', terminationGracePeriodSeconds: 60 }),
    metadata: { name: 'p', annotations: { 'kubeloom.dev/shutdown': 'ignore' } },
  };
  const { cluster, removals } = await createScene(t, [stubborn]);
  const graceOf = (): number | undefined => cluster.get('Pod', 'p').metadata.deletionGracePeriodSeconds;
  cluster.delete('Pod', 'p');
  t.is(graceOf(), 60);
  cluster.delete('Pod', 'p', { gracePeriodSeconds: 300 });
  t.is(graceOf(), 60);
  cluster.delete('Pod', 'p', { gracePeriodSeconds: 40 });
  t.is(graceOf(), 40);
  await cluster.run({ limit: '30s' });
  const crash = cluster.faults.stopKubelet('node-1');
  await cluster.run({ limit: '1m' });
  t.is(cluster.truth.processes('p').length, 1);
  crash.heal();
  const restartedMs = cluster.nowMs;
  await cluster.run({ until: () => removals.length > 0, limit: '5m' });
  t.deepEqual(removals, ['p: kubelet/node-1']);
  const waitedSeconds = (cluster.nowMs - restartedMs) / 1000;
  t.true(waitedSeconds >= 40 && waitedSeconds < 45, `${waitedSeconds}`);
});

test('9.8 › a ReplicaSet replaces a pod as soon as it is marked, so that old and new run side by side', async (t) => {
  const { cluster } = await createScene(t, [workload('ReplicaSet', 'web', { replicas: 1 })]);
  const [old] = cluster.list('Pod');
  cluster.faults.cut({ node: old?.spec.nodeName ?? '' });
  cluster.patch('Node', old?.spec.nodeName ?? '', { spec: { unschedulable: true } });
  cluster.delete('Pod', old?.metadata.name ?? '');
  await cluster.run({ limit: '30s' });
  t.is(cluster.truth.processes().length, 2);
  t.is(cluster.get('ReplicaSet', 'web').status.readyReplicas, 1);
  // Two names, two identities: that is allowed, and no split brain.
  t.deepEqual(cluster.truth.counts, { unconfirmedDeletions: 0, splitBrains: 0 });
});
