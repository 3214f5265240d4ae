/** The worked examples of topology spread constraints, through the public door with everything running. */
import test, { type ExecutionContext } from 'ava';
import { createCluster, type Cluster, type Draft, type NodeRecord, type RejectionGroup } from '../../src/index.js';

const SPREAD_REASON = "node(s) didn't match pod topology spread constraints";

interface Constraint {
  readonly topologyKey: string;
  readonly maxSkew?: number;
  readonly whenUnsatisfiable?: string;
  readonly nodeAffinityPolicy?: string;
}

function node(name: string, zone: string): NodeRecord {
  const capacity = { cpu: '4', memory: '8Gi', pods: '20' };
  return {
    name,
    labels: { zone, node: name },
    annotations: {},
    taints: [],
    capacity,
    allocatable: capacity,
    images: [],
  };
}

function pod(name: string, constraints: readonly Constraint[], spec: Readonly<Record<string, unknown>> = {}): Draft {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, labels: { foo: 'bar' } },
    spec: {
      containers: [{ name: 'pause', image: 'registry.k8s.io/pause:3.1' }],
      topologySpreadConstraints: constraints.map((constraint) => ({
        maxSkew: 1,
        whenUnsatisfiable: 'DoNotSchedule',
        labelSelector: { matchLabels: { foo: 'bar' } },
        ...constraint,
      })),
      ...spec,
    },
  };
}

/** Nodes by zone, with matching pods that run on them already. */
async function clusterOf(
  zones: Readonly<Record<string, Readonly<Record<string, number>>>>,
  seed: number,
): Promise<Cluster> {
  const nodes = Object.entries(zones).flatMap(([zone, names]) => Object.keys(names).map((name) => node(name, zone)));
  const cluster = createCluster({ nodes, seed });
  await cluster.ready();
  let running = 0;
  for (const [name, count] of Object.values(zones).flatMap((names) => Object.entries(names))) {
    for (let index = 0; index < count; index += 1) {
      cluster.apply([pod(`${name}-${index}`, [], { nodeName: name })]);
      running += 1;
    }
  }
  await cluster.run({ until: () => cluster.readyPods === running, limit: '5m' });
  return cluster;
}

const FOUR_NODES = { zoneA: { node1: 1, node2: 1 }, zoneB: { node3: 1, node4: 0 } };
const CONFLICT = { zoneA: { node1: 2, node2: 1 }, zoneB: { node3: 2 } };
const ZONE: Constraint = { topologyKey: 'zone' };
const NODE: Constraint = { topologyKey: 'node' };

async function decided(cluster: Cluster, name = 'mypod'): Promise<void> {
  await cluster.run({
    until: () => (cluster.get('Pod', name).status.conditions ?? []).some(({ type }) => type === 'PodScheduled'),
    limit: '5m',
  });
}

function nodeOf(cluster: Cluster, name = 'mypod'): string | undefined {
  return cluster.get('Pod', name).spec.nodeName;
}

function messageOf(cluster: Cluster, name = 'mypod'): string | undefined {
  const { conditions = [] } = cluster.get('Pod', name).status;
  return conditions.find(({ type }) => type === 'PodScheduled')?.message;
}

function rejectionsOf(cluster: Cluster, name = 'mypod'): unknown {
  const groups = cluster.explain(name)?.attempts.at(-1)?.rejections ?? [];
  return groups.map(({ plugin, reasons, nodes }: RejectionGroup) => [plugin, ...reasons, [...nodes].sort()]);
}

/** Places `mypod` with each of a few seeds, so that no lucky draw hides a wrong choice. */
async function eachSeed(
  t: ExecutionContext,
  zones: Parameters<typeof clusterOf>[0],
  constraints: readonly Constraint[],
  expected: { readonly nodes: readonly string[]; readonly rejected: readonly string[] },
): Promise<void> {
  for (const seed of [1, 2, 3]) {
    const cluster = await clusterOf(zones, seed);
    cluster.apply([pod('mypod', constraints)]);
    await decided(cluster);
    const chosen = nodeOf(cluster) ?? 'none';
    t.true(expected.nodes.includes(chosen), `seed ${seed} chose ${chosen}`);
    t.deepEqual(
      rejectionsOf(cluster),
      expected.rejected.length === 0 ? [] : [['PodTopologySpread', SPREAD_REASON, expected.rejected]],
    );
    await cluster.dispose();
  }
}

test('topology spread › with 2 and 1 pods in two zones, a constraint on zones sends the next pod to the second', async (t) => {
  await eachSeed(t, FOUR_NODES, [ZONE], { nodes: ['node3', 'node4'], rejected: ['node1', 'node2'] });
});

test('topology spread › maxSkew 2 lets the pod into both zones', async (t) => {
  await eachSeed(t, FOUR_NODES, [{ ...ZONE, maxSkew: 2 }], {
    nodes: ['node1', 'node2', 'node3', 'node4'],
    rejected: [],
  });
});

test('topology spread › a constraint on nodes leaves only the empty node', async (t) => {
  await eachSeed(t, FOUR_NODES, [NODE], { nodes: ['node4'], rejected: ['node1', 'node2', 'node3'] });
});

test('topology spread › constraints on zones and on nodes leave only the empty node', async (t) => {
  await eachSeed(t, FOUR_NODES, [ZONE, NODE], { nodes: ['node4'], rejected: ['node1', 'node2', 'node3'] });
});

test('topology spread › with the emptier zone cordoned the pod waits, unless it may go anyway', async (t) => {
  const cluster = await clusterOf(FOUR_NODES, 1);
  for (const name of ['node3', 'node4']) cluster.patch('Node', name, { spec: { unschedulable: true } });
  await cluster.run({ limit: '10s' });
  cluster.apply([pod('hard', [ZONE])]);
  await decided(cluster, 'hard');
  t.is(nodeOf(cluster, 'hard'), undefined);
  t.is(
    messageOf(cluster, 'hard'),
    `0/4 nodes are available: 2 ${SPREAD_REASON}, 2 node(s) were unschedulable. ` +
      'no new claims to deallocate, preemption: 0/4 nodes are available: 2 No preemption victims found for incoming pod, ' +
      '2 Preemption is not helpful for scheduling.',
  );
  cluster.apply([pod('soft', [{ ...ZONE, whenUnsatisfiable: 'ScheduleAnyway' }])]);
  await decided(cluster, 'soft');
  t.true(['node1', 'node2'].includes(nodeOf(cluster, 'soft') ?? 'none'));
  await cluster.dispose();
});

test('topology spread › a pod with two constraints that no node of three meets stays pending', async (t) => {
  const cluster = await clusterOf(CONFLICT, 1);
  cluster.apply([pod('mypod', [ZONE, NODE])]);
  await decided(cluster);
  await cluster.run({ limit: '10m' });
  const { phase } = cluster.get('Pod', 'mypod').status;
  t.deepEqual([phase, nodeOf(cluster)], ['Pending', undefined]);
  t.deepEqual(rejectionsOf(cluster), [['PodTopologySpread', SPREAD_REASON, ['node1', 'node2', 'node3']]]);
  await cluster.dispose();
});

test('topology spread › the conflict is over once either constraint is soft or allows more', async (t) => {
  const soft = { whenUnsatisfiable: 'ScheduleAnyway' };
  await eachSeed(t, CONFLICT, [ZONE, { ...NODE, ...soft }], { nodes: ['node3'], rejected: ['node1', 'node2'] });
  await eachSeed(t, CONFLICT, [{ ...ZONE, ...soft }, NODE], { nodes: ['node2'], rejected: ['node1', 'node3'] });
  await eachSeed(t, CONFLICT, [{ ...ZONE, maxSkew: 2 }, NODE], { nodes: ['node2'], rejected: ['node1', 'node3'] });
  await eachSeed(t, CONFLICT, [ZONE, { ...NODE, maxSkew: 2 }], { nodes: ['node3'], rejected: ['node1', 'node2'] });
});

test('topology spread › the conflict is over once a pod of the fuller zone is gone', async (t) => {
  const cluster = await clusterOf(CONFLICT, 1);
  cluster.apply([pod('mypod', [ZONE, NODE])]);
  await decided(cluster);
  cluster.delete('Pod', 'node1-0');
  await cluster.run({ until: () => nodeOf(cluster) !== undefined, limit: '2m' });
  t.true(['node1', 'node2'].includes(nodeOf(cluster) ?? 'none'));
  await cluster.dispose();
});

const NOT_ZONE_C = {
  affinity: {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [{ matchExpressions: [{ key: 'zone', operator: 'NotIn', values: ['zoneC'] }] }],
      },
    },
  },
};

test('topology spread › a zone that node affinity excludes does not count as the emptiest', async (t) => {
  const cluster = await clusterOf({ ...FOUR_NODES, zoneC: { node5: 0 } }, 1);
  cluster.apply([pod('free', [ZONE]), pod('mypod', [ZONE], NOT_ZONE_C)]);
  await decided(cluster);
  t.is(nodeOf(cluster, 'free'), 'node5');
  t.true(['node3', 'node4'].includes(nodeOf(cluster) ?? 'none'));
  await cluster.dispose();
});

test('topology spread › with nodeAffinityPolicy Ignore the excluded zone counts, and the pod waits', async (t) => {
  const cluster = await clusterOf({ ...FOUR_NODES, zoneC: { node5: 0 } }, 1);
  cluster.apply([pod('mypod', [{ ...ZONE, nodeAffinityPolicy: 'Ignore' }], NOT_ZONE_C)]);
  await decided(cluster);
  t.is(nodeOf(cluster), undefined);
  t.deepEqual(rejectionsOf(cluster), [
    ['PodTopologySpread', SPREAD_REASON, ['node1', 'node2', 'node3', 'node4']],
    ['NodeAffinity', "node(s) didn't match Pod's node affinity/selector", ['node5']],
  ]);
  await cluster.dispose();
});
