import { readFileSync } from 'node:fs';
import test from 'ava';
import { createCluster } from 'kubeloom';

const manifest = readFileSync(new URL('../manifests/web.yaml', import.meta.url), 'utf8');

test('a deployment is whole again after a node was lost', async (t) => {
  const cluster = createCluster({ nodes: 5, seed: 7, invariants: true });
  try {
    cluster.apply(manifest);
    const start = await cluster.run({ until: { readyPods: 20 }, limit: '5m' });
    t.is(start.end, 'done');

    cluster.faults.powerOff('node-1');
    await cluster.run({ limit: '10m' }); // simulated time: it takes milliseconds
    t.is(cluster.readyPods, 20);
    t.deepEqual(cluster.invariants.violations, []);
  } finally {
    await cluster.dispose();
  }
});
