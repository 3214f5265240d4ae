/** The worked examples of priority and preemption, through the public door with everything running. */
import test from 'ava';
import { createCluster, type Cluster, type Draft, type NodeRecord, type Pod } from '../../src/index.js';

const CLASSES = [
  { name: 'low', value: 1 },
  { name: 'middle', value: 100 },
  { name: 'high', value: 1_000_000 },
  { name: 'higher', value: 2_000_000 },
  { name: 'middle-nonpreempting', value: 100, preemptionPolicy: 'Never' },
  { name: 'high-nonpreempting', value: 1_000_000, preemptionPolicy: 'Never' },
].map(({ name, ...fields }) => ({
  apiVersion: 'scheduling.k8s.io/v1',
  kind: 'PriorityClass',
  metadata: { name },
  ...fields,
}));

function node(name: string, zone = 'z1'): NodeRecord {
  const capacity = { cpu: '4', memory: '8Gi', pods: '20' };
  return {
    name,
    labels: { 'topology.kubernetes.io/zone': zone, 'kubernetes.io/hostname': name },
    annotations: {},
    taints: [],
    capacity,
    allocatable: capacity,
    images: [],
  };
}

interface Parts {
  /** @defaultValue 3 of a node's 4 cores */
  readonly cpu?: string;
  /** How long its container takes to stop. @defaultValue the runtime's own */
  readonly shutdown?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly spec?: Readonly<Record<string, unknown>>;
}

function pod(name: string, priorityClassName: string, { cpu = '3', shutdown, labels = {}, spec }: Parts = {}): Draft {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      labels,
      annotations: shutdown === undefined ? {} : { 'kubeloom.dev/shutdown-delay': shutdown },
    },
    spec: {
      priorityClassName,
      containers: [{ name: 'c', image: 'nginx', resources: { requests: { cpu } } }],
      ...spec,
    },
  };
}

const on = (nodeName: string): Parts => ({ spec: { nodeSelector: { 'kubernetes.io/hostname': nodeName } } });

/** A cluster in which the pods run already. */
async function clusterOf(nodes: readonly NodeRecord[], pods: readonly Draft[], seed = 7): Promise<Cluster> {
  const cluster = createCluster({ nodes, seed });
  await cluster.ready();
  cluster.apply([...CLASSES, ...pods]);
  await cluster.run({ until: () => cluster.readyPods === pods.length, limit: '5m' });
  return cluster;
}

function find(cluster: Cluster, name: string): Pod | undefined {
  return cluster.list('Pod').find(({ metadata }) => metadata.name === name);
}

function nodeOf(cluster: Cluster, name: string): string | undefined {
  return find(cluster, name)?.spec.nodeName;
}

function nominationOf(cluster: Cluster, name: string): string | undefined {
  return find(cluster, name)?.status.nominatedNodeName;
}

function isTerminating(cluster: Cluster, name: string): boolean {
  return find(cluster, name)?.metadata.deletionTimestamp !== undefined;
}

async function bound(cluster: Cluster, name: string): Promise<void> {
  await cluster.run({ until: () => nodeOf(cluster, name) !== undefined, limit: '5m' });
}

async function nominated(cluster: Cluster, name: string): Promise<void> {
  await cluster.run({ until: () => nominationOf(cluster, name) !== undefined, limit: '5m' });
}

/** Names of the pods that preemption announced it would take. */
function victims(cluster: Cluster): readonly string[] {
  return cluster
    .list('Event')
    .filter(({ reason }) => reason === 'Preempted')
    .map(({ involvedObject }) => involvedObject.name ?? '');
}

test('preemption › the preemptor is nominated, its victim stops gracefully, and the place is its own once that is gone', async (t) => {
  const cluster = await clusterOf([node('n1')], [pod('victim', 'low', { shutdown: '20s' })]);
  const log: [fact: string, atMs: number][] = [];
  const note = (fact: string, atMs: number): void => {
    if (!log.some(([known]) => known === fact)) log.push([fact, atMs]);
  };
  cluster.watch('Pod').subscribe((event) => {
    const { metadata, spec, status } = event.object;
    const { name } = metadata;
    if (name === 'preemptor' && status.nominatedNodeName !== undefined) note('nominated', event.atMs);
    if (name === 'preemptor' && spec.nodeName !== undefined) note('preemptor bound', event.atMs);
    for (const { type, reason } of status.conditions ?? []) {
      if (type === 'DisruptionTarget') note(`${name} is a DisruptionTarget: ${reason}`, event.atMs);
    }
    if (metadata.deletionTimestamp !== undefined) note(`${name} terminates`, event.atMs);
    if (status.phase === 'Failed' || status.phase === 'Succeeded') note(`${name} has ended`, event.atMs);
  });
  cluster.apply([pod('preemptor', 'high')]);
  await cluster.run({ until: () => cluster.readyPods === 1 && nodeOf(cluster, 'preemptor') === 'n1', limit: '5m' });
  t.deepEqual(
    log.map(([fact]) => fact),
    [
      'nominated',
      'victim is a DisruptionTarget: PreemptionByScheduler',
      'victim terminates',
      'victim has ended',
      'preemptor bound',
    ],
  );
  const stoppingMs = (log[3]?.[1] ?? 0) - (log[2]?.[1] ?? 0);
  t.true(stoppingMs >= 20_000 && stoppingMs < 30_000, `the victim took ${stoppingMs} ms`);
  t.deepEqual(victims(cluster), ['victim']);
  await cluster.dispose();
});

test('preemption › the preemptor goes elsewhere when another node is free before its victim is gone', async (t) => {
  const pods = [pod('slow', 'low', { ...on('n1'), shutdown: '25s' }), pod('equal', 'high', on('n2'))];
  const cluster = await clusterOf([node('n1'), node('n2')], pods);
  cluster.apply([pod('preemptor', 'high')]);
  await nominated(cluster, 'preemptor');
  t.is(nominationOf(cluster, 'preemptor'), 'n1');
  cluster.delete('Pod', 'equal');
  await bound(cluster, 'preemptor');
  t.is(nodeOf(cluster, 'preemptor'), 'n2');
  t.true(isTerminating(cluster, 'slow'));
  await cluster.dispose();
});

test('preemption › a more important pod takes the nominated node, the nomination is taken away, and the victim is told once more', async (t) => {
  const cluster = await clusterOf([node('n1')], [pod('victim', 'low', { shutdown: '20s' })]);
  cluster.apply([pod('preemptor', 'high')]);
  await nominated(cluster, 'preemptor');
  await cluster.run({ limit: '1s' });
  cluster.apply([pod('vip', 'higher')]);
  await bound(cluster, 'vip');
  t.is(nodeOf(cluster, 'vip'), 'n1');
  await cluster.run({ limit: '5m' });
  t.is(nodeOf(cluster, 'preemptor'), undefined);
  t.is(nominationOf(cluster, 'preemptor'), undefined);
  t.deepEqual(victims(cluster), ['victim', 'victim']);
  await cluster.dispose();
});

test('preemption › a node takes the preemptor as soon as its victim has ended, though that object is still there', async (t) => {
  // Seeds differ in their links: the binding may overtake the deletion of the victim's object.
  for (const seed of [1, 2, 3, 4, 5, 6, 7, 8]) {
    const cluster = await clusterOf([node('n1')], [pod('victim', 'low')], seed);
    cluster.apply([pod('preemptor', 'high')]);
    await cluster.run({ limit: '2m' });
    const { phase, reason } = cluster.get('Pod', 'preemptor').status;
    t.deepEqual([seed, phase, reason], [seed, 'Running', undefined]);
    await cluster.dispose();
  }
});

test('preemption › pods of equal priority are not taken', async (t) => {
  const cluster = await clusterOf([node('n1')], [pod('first', 'high')]);
  cluster.apply([pod('second', 'high')]);
  await cluster.run({ limit: '10m' });
  t.is(nodeOf(cluster, 'second'), undefined);
  t.is(nominationOf(cluster, 'second'), undefined);
  t.false(isTerminating(cluster, 'first'));
  await cluster.dispose();
});

test('preemptionPolicy Never › the pod waits for room, and gets it before less important pods', async (t) => {
  const cluster = await clusterOf([node('n1')], [pod('running', 'low')]);
  cluster.apply([pod('earlier', 'middle-nonpreempting')]);
  await cluster.run({ limit: '1m' });
  cluster.apply([pod('patient', 'high-nonpreempting')]);
  await cluster.run({ limit: '10m' });
  t.is(find(cluster, 'patient')?.spec.preemptionPolicy, 'Never');
  t.is(nodeOf(cluster, 'patient'), undefined);
  t.is(nominationOf(cluster, 'patient'), undefined);
  t.deepEqual(victims(cluster), []);
  cluster.delete('Pod', 'running');
  await bound(cluster, 'patient');
  await cluster.run({ limit: '1m' });
  t.deepEqual([nodeOf(cluster, 'patient'), nodeOf(cluster, 'earlier')], ['n1', undefined]);
  await cluster.dispose();
});

test('preemptionPolicy Never › the pod can be taken itself by a more important one', async (t) => {
  const cluster = await clusterOf([node('n1')], [pod('patient', 'high-nonpreempting')]);
  cluster.apply([pod('vip', 'higher')]);
  await bound(cluster, 'vip');
  t.deepEqual(victims(cluster), ['patient']);
  await cluster.dispose();
});

const BUDGET: Draft = {
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata: { name: 'budget' },
  spec: { minAvailable: 1, selector: { matchLabels: { app: 'guarded' } } },
};

async function budgetKnown(cluster: Cluster): Promise<void> {
  const isKnown = (): boolean => cluster.get('PodDisruptionBudget', 'budget').status?.currentHealthy === 1;
  await cluster.run({ until: isKnown, limit: '1m' });
}

test('PodDisruptionBudget › a more important pod is taken rather than one whose budget is used up', async (t) => {
  const guarded = pod('guarded', 'low', { ...on('n1'), labels: { app: 'guarded' } });
  const cluster = await clusterOf([node('n1'), node('n2')], [guarded, pod('unguarded', 'middle', on('n2'))]);
  cluster.apply([BUDGET]);
  await budgetKnown(cluster);
  t.is(cluster.get('PodDisruptionBudget', 'budget').status?.disruptionsAllowed, 0);
  cluster.apply([pod('preemptor', 'high')]);
  await bound(cluster, 'preemptor');
  t.is(nodeOf(cluster, 'preemptor'), 'n2');
  t.deepEqual(victims(cluster), ['unguarded']);
  t.false(isTerminating(cluster, 'guarded'));
  await cluster.dispose();
});

test('PodDisruptionBudget › it is violated when nothing else makes room', async (t) => {
  const guarded = pod('guarded', 'low', { ...on('n1'), labels: { app: 'guarded' } });
  const cluster = await clusterOf([node('n1'), node('n2')], [guarded, pod('equal', 'high', on('n2'))]);
  cluster.apply([BUDGET]);
  await budgetKnown(cluster);
  cluster.apply([pod('preemptor', 'high')]);
  await bound(cluster, 'preemptor');
  t.is(nodeOf(cluster, 'preemptor'), 'n1');
  t.deepEqual(victims(cluster), ['guarded']);
  await cluster.dispose();
});

/** Required (anti-)affinity to the pods of an app. */
function toApp(kind: 'podAffinity' | 'podAntiAffinity', app: string, topologyKey: string): object {
  const term = { topologyKey, labelSelector: { matchLabels: { app } } };
  return { affinity: { [kind]: { requiredDuringSchedulingIgnoredDuringExecution: [term] } } };
}

test('preemption › a pod is not taken from a node that the preemptor wants only because of it', async (t) => {
  const friend = pod('friend', 'low', { labels: { app: 'friend' } });
  const cluster = await clusterOf([node('n1')], [friend]);
  const spec = { ...toApp('podAffinity', 'friend', 'kubernetes.io/hostname') };
  cluster.apply([pod('preemptor', 'high', { spec })]);
  await cluster.run({ limit: '10m' });
  t.is(nodeOf(cluster, 'preemptor'), undefined);
  t.is(nominationOf(cluster, 'preemptor'), undefined);
  t.false(isTerminating(cluster, 'friend'));
  await cluster.dispose();
});

test('preemption › with affinity to a pod of equal priority the less important ones beside it are taken', async (t) => {
  const friend = pod('friend', 'high', { cpu: '1', labels: { app: 'friend' } });
  const cluster = await clusterOf([node('n1')], [friend, pod('other', 'low', { cpu: '2' })]);
  const spec = { ...toApp('podAffinity', 'friend', 'kubernetes.io/hostname') };
  cluster.apply([pod('preemptor', 'high', { spec })]);
  await bound(cluster, 'preemptor');
  t.deepEqual(victims(cluster), ['other']);
  t.is(nodeOf(cluster, 'friend'), 'n1');
  await cluster.dispose();
});

const APART = toApp('podAntiAffinity', 'q', 'topology.kubernetes.io/zone');

test('preemption › zone-wide anti-affinity to a pod on another node of the zone is not helped', async (t) => {
  const q = pod('q', 'low', { ...on('n2'), cpu: '1', labels: { app: 'q' } });
  const cluster = await clusterOf([node('n1'), node('n2')], [q]);
  cluster.apply([pod('p', 'high', { cpu: '1', spec: { ...on('n1').spec, ...APART } })]);
  await cluster.run({ limit: '10m' });
  t.deepEqual([nodeOf(cluster, 'p'), nominationOf(cluster, 'p')], [undefined, undefined]);
  t.deepEqual(victims(cluster), []);
  t.is(
    find(cluster, 'p')?.status.conditions?.find(({ type }) => type === 'PodScheduled')?.message,
    "0/2 nodes are available: 1 node(s) didn't match Pod's node affinity/selector, " +
      "1 node(s) didn't match pod anti-affinity rules. no new claims to deallocate, " +
      'preemption: 0/2 nodes are available: 1 No preemption victims found for incoming pod, ' +
      '1 Preemption is not helpful for scheduling.',
  );
  cluster.delete('Pod', 'q');
  await bound(cluster, 'p');
  t.is(nodeOf(cluster, 'p'), 'n1');
  await cluster.dispose();
});

test('preemption › zone-wide anti-affinity to a less important pod of the same node is helped', async (t) => {
  const q = pod('q', 'low', { ...on('n1'), cpu: '1', labels: { app: 'q' } });
  const cluster = await clusterOf([node('n1'), node('n2')], [q]);
  cluster.apply([pod('p', 'high', { cpu: '1', spec: { ...on('n1').spec, ...APART } })]);
  await bound(cluster, 'p');
  t.is(nodeOf(cluster, 'p'), 'n1');
  t.deepEqual(victims(cluster), ['q']);
  await cluster.dispose();
});
