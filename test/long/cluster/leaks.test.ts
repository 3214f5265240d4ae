import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import test from 'ava';
import { createCluster, type Cluster } from '../../../src/index.js';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

async function twoClusters(): Promise<void> {
  const pods = Array.from({ length: 20 }, (_, index) => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: `p${index}` },
    spec: { containers: [{ name: 'c', image: `app-${index}` }] },
  }));
  const clusters = [createCluster({ nodes: 5, seed: 1 }), createCluster({ nodes: 5, seed: 2, workers: 1 })];
  for (const cluster of clusters) {
    cluster.watch('Pod').subscribe();
    cluster.stats$.subscribe();
    cluster.apply(pods);
  }
  await Promise.all(clusters.map((cluster) => cluster.run({ until: { readyPods: 20 }, limit: '2m' })));
  await Promise.all(clusters.map((cluster) => cluster.dispose()));
}

test('Cluster.dispose › leaves no handle, thread or growing heap after a hundred times two clusters', async (t) => {
  for (let round = 0; round < 20; round += 1) await twoClusters();
  collectGarbage();
  const handles = process.getActiveResourcesInfo().toSorted();
  const heapBytes = process.memoryUsage().heapUsed;
  for (let round = 0; round < 80; round += 1) await twoClusters();
  collectGarbage();
  t.deepEqual(process.getActiveResourcesInfo().toSorted(), handles);
  const grownBytes = process.memoryUsage().heapUsed - heapBytes;
  t.true(grownBytes < 8e6, `the heap grew by ${grownBytes} bytes over 160 clusters`);
});

const PODS_OF_A_ROUND = 250;

/** Pods that come, run and are gone, with the Event records about them. */
async function livesOfPods(cluster: Cluster, round: number): Promise<void> {
  const nodes = cluster.list('Node').map(({ metadata }) => metadata.name);
  const pods = Array.from({ length: PODS_OF_A_ROUND }, (_, index) => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: `p-${round}-${index}`, labels: { app: 'a' } },
    spec: { nodeName: nodes[index % nodes.length], containers: [{ name: 'c', image: 'app:1' }] },
  }));
  cluster.apply(pods);
  await cluster.run({ until: { readyPods: PODS_OF_A_ROUND }, limit: '10m' });
  for (const { metadata } of cluster.list('Pod')) cluster.delete('Pod', metadata);
  await cluster.run({ limit: '130m' });
}

test('A cluster › holds less than a kilobyte of a pod that is gone', async (t) => {
  const cluster = createCluster({ nodes: 10, seed: 1, watchHistory: 100 });
  await cluster.ready();
  const heapAfter = async (from: number, to: number): Promise<number> => {
    for (let round = from; round < to; round += 1) await livesOfPods(cluster, round);
    collectGarbage();
    return process.memoryUsage().heapUsed;
  };
  // By then everything that remembers a bounded number of things is full.
  const before = await heapAfter(0, 9);
  const grownBytes = (await heapAfter(9, 17)) - before;
  t.is(cluster.list('Pod').length + cluster.list('Event').length, 0);
  const gone = 8 * PODS_OF_A_ROUND;
  t.true(grownBytes < gone * 1000, `the heap grew by ${grownBytes} bytes over ${gone} pods`);
  await cluster.dispose();
});
