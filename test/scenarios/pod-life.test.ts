/** Traces of pods in which scheduler and controllers take part, through the public door. */
import test from 'ava';
import { createCluster, type Cluster, type Draft, type Pod } from '../../src/index.js';

const CAPACITY = { cpu: '4', memory: '8Gi', pods: '20' };

/** A cluster of one node; every line is a write to a pod. */
async function oneNode(): Promise<{ readonly cluster: Cluster; readonly lines: string[] }> {
  const node = {
    name: 'n1',
    labels: {},
    annotations: {},
    taints: [],
    capacity: CAPACITY,
    allocatable: CAPACITY,
    images: [],
  };
  const cluster = createCluster({ nodes: [node], seed: 5 });
  const lines: string[] = [];
  cluster.watch('Pod').subscribe((event) => {
    lines.push(`${event.object.metadata.name} ${event.type} ${shown(event.object)}`);
  });
  await cluster.ready();
  return { cluster, lines };
}

function shown({ metadata, spec, status }: Pod): string {
  const { phase, conditions = [], containerStatuses = [], nominatedNodeName } = status;
  const containers = containerStatuses.map(
    ({ name, state }) => `${name}=${state?.waiting?.reason ?? state?.terminated?.reason ?? 'Running'}`,
  );
  const told = conditions
    .filter(({ type }) => ['PodScheduled', 'Ready', 'DisruptionTarget'].includes(type))
    .map(({ type, status: value, reason }) => `${type}:${value}${reason === undefined ? '' : `(${reason})`}`);
  const grace = metadata.deletionGracePeriodSeconds;
  return [
    phase,
    ...containers,
    ...told,
    ...(spec.nodeName === undefined ? [] : [`on=${spec.nodeName}`]),
    ...(nominatedNodeName === undefined ? [] : [`nominated=${nominatedNodeName}`]),
    ...(grace === undefined ? [] : [`grace=${grace}`]),
  ].join(' ');
}

function pod(name: string, spec: Draft = {}, annotations: Readonly<Record<string, string>> = {}): Draft {
  const containers = [{ name: 'c', image: 'app:1', resources: { requests: { cpu: '3' } } }];
  return { metadata: { name, annotations }, spec: { containers, ...spec } };
}

test('1.4 › a pod that fits nowhere says so; once it fits, node and PodScheduled come in one write', async (t) => {
  const { cluster, lines } = await oneNode();
  cluster.create('Pod', pod('p', { nodeSelector: { disk: 'ssd' } }));
  await cluster.run({ limit: '10s' });
  cluster.patch('Node', { name: 'n1' }, { metadata: { labels: { disk: 'ssd' } } });
  await cluster.run({ until: () => cluster.readyPods === 1, limit: '1m' });
  await cluster.run({ limit: '1s' });
  t.deepEqual(lines, [
    'p ADDED Pending',
    'p MODIFIED Pending PodScheduled:False(Unschedulable)',
    'p MODIFIED Pending PodScheduled:True on=n1',
    'p MODIFIED Pending c=ContainerCreating Ready:False(ContainersNotReady) PodScheduled:True on=n1',
    'p MODIFIED Running c=Running Ready:True PodScheduled:True on=n1',
  ]);
  await cluster.dispose();
});

test('T11 and 1.30 › preemption: nomination, DisruptionTarget, graceful deletion, end, then the preemptor is bound', async (t) => {
  const { cluster, lines } = await oneNode();
  for (const [name, value] of [
    ['low', 1],
    ['high', 1000],
  ] as const) {
    cluster.create('PriorityClass', { metadata: { name }, value });
  }
  cluster.create('Pod', pod('victim', { priorityClassName: 'low' }, { 'kubeloom.dev/shutdown-delay': '5s' }));
  await cluster.run({ until: () => cluster.readyPods === 1, limit: '1m' });
  await cluster.run({ limit: '1s' });
  lines.length = 0;
  cluster.create('Pod', pod('preemptor', { priorityClassName: 'high' }));
  await cluster.run({ until: () => cluster.list('Pod').length === 1 && cluster.readyPods === 1, limit: '1m' });
  await cluster.run({ limit: '1s' });
  const running = 'victim MODIFIED Running c=Running';
  const scheduled = 'Ready:True PodScheduled:True';
  const target = 'DisruptionTarget:True(PreemptionByScheduler)';
  const ended = `Succeeded c=Completed ${target} Ready:False(PodCompleted) PodScheduled:True on=n1`;
  t.deepEqual(lines, [
    'preemptor ADDED Pending',
    'preemptor MODIFIED Pending PodScheduled:False(Unschedulable) nominated=n1',
    `${running} ${scheduled} ${target} on=n1`,
    `${running} ${scheduled} ${target} on=n1 grace=30`,
    `${running} ${target} ${scheduled} on=n1 grace=30`,
    `victim MODIFIED ${ended} grace=30`,
    'preemptor MODIFIED Pending PodScheduled:True on=n1 nominated=n1',
    `victim MODIFIED ${ended} grace=0`,
    `victim DELETED ${ended} grace=0`,
    'preemptor MODIFIED Pending c=ContainerCreating Ready:False(ContainersNotReady) PodScheduled:True on=n1 nominated=n1',
    'preemptor MODIFIED Running c=Running Ready:True PodScheduled:True on=n1 nominated=n1',
  ]);
  await cluster.dispose();
});

test('1.29 › a pod is available once it has been Ready for minReadySeconds', async (t) => {
  const { cluster } = await oneNode();
  const labels = { app: 'web' };
  cluster.create('ReplicaSet', {
    metadata: { name: 'web' },
    spec: {
      replicas: 1,
      minReadySeconds: 30,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'app:1' }] } },
    },
  });
  await cluster.run({ until: () => cluster.readyPods === 1, limit: '1m' });
  const available = (): number =>
    cluster.get('ReplicaSet', { namespace: 'default', name: 'web' }).status.availableReplicas ?? 0;
  await cluster.run({ limit: '25s' });
  t.is(available(), 0);
  await cluster.run({ limit: '10s' });
  t.is(available(), 1);
  await cluster.dispose();
});
