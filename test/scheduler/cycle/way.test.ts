import test from 'ava';
import { createCluster, type Cluster, type Pod } from '../../../src/index.js';
import { testPod, type PodParts } from '../support/objects.js';

const SPREAD: PodParts = {
  labels: { app: 'spread' },
  spec: {
    topologySpreadConstraints: [
      {
        maxSkew: 1,
        topologyKey: 'topology.kubernetes.io/zone',
        whenUnsatisfiable: 'DoNotSchedule',
        labelSelector: { matchLabels: { app: 'spread' } },
      },
    ],
  },
};

/** Places pods one after the other; returns in which way each was decided, and why so. */
async function waysOf(cluster: Cluster, pods: readonly Pod[]): Promise<readonly string[]> {
  const ways: string[] = [];
  for (const { metadata, spec } of pods) {
    const { name, labels = {} } = metadata;
    cluster.create('Pod', { metadata: { name, namespace: 'default', labels }, spec });
    await cluster.run({ limit: '1s' });
    const attempt = cluster.explain({ name, namespace: 'default' })?.attempts.at(-1);
    ways.push(`${attempt?.way.way}: ${attempt?.way.reason}`);
  }
  return ways;
}

function podsOf(count: number, parts: (index: number) => PodParts): Pod[] {
  return Array.from({ length: count }, (_, index) => testPod(`p${index}`, parts(index)));
}

async function clusterOf(nodes: number): Promise<Cluster> {
  const cluster = createCluster({ nodes, seed: 'ways' });
  await cluster.ready();
  return cluster;
}

test('way › pods that are all alike are decided by what is known of them from the second or third on', async (t) => {
  const cluster = await clusterOf(50);
  const ways = await waysOf(
    cluster,
    podsOf(5, () => ({ requests: { cpu: '10m' } })),
  );
  t.deepEqual(ways.slice(3), ['table: totals are kept', 'table: totals are kept']);
  await cluster.dispose();
});

test('way › pods that differ in what they request are decided by walks', async (t) => {
  const cluster = await clusterOf(50);
  const ways = await waysOf(
    cluster,
    podsOf(6, (index) => ({ requests: { cpu: `${10 + index}m` } })),
  );
  t.deepEqual(
    ways.slice(3),
    Array.from({ length: 3 }, () => 'walk: few nodes are enough'),
  );
  await cluster.dispose();
});

test('way › pods that spread are decided by groups of nodes, and one that all nodes refuse by what is known of the last', async (t) => {
  const cluster = await clusterOf(50);
  const spread = await waysOf(
    cluster,
    podsOf(6, () => SPREAD),
  );
  t.is(spread.at(-1), 'table: nodes are kept by group');
  const large = Array.from({ length: 4 }, (_, index) => testPod(`large${index}`, { requests: { cpu: '1000' } }));
  t.is((await waysOf(cluster, large)).at(-1), 'table: all nodes refused before');
  await cluster.dispose();
});

test('way › the metrics count what explain tells', async (t) => {
  const cluster = await clusterOf(50);
  const told = await waysOf(
    cluster,
    podsOf(8, (index) => ({ requests: { cpu: index < 4 ? '10m' : `${20 + index}m` } })),
  );
  const counts: Record<string, number> = {};
  for (const each of told) counts[each] = (counts[each] ?? 0) + 1;
  const samples = await cluster.metrics.samples();
  const counted = samples.filter(({ name }) => name === 'kubeloom_scheduler_decisions_total');
  t.deepEqual(
    Object.fromEntries(counted.map(({ labels, value }) => [`${labels['way']}: ${labels['reason']}`, value])),
    counts,
  );
  await cluster.dispose();
});
