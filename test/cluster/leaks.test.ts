import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import test from 'ava';
import { createCluster } from '../../src/index.js';

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
