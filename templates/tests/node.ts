import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { createCluster } from 'kubeloom';

const manifest = readFileSync(new URL('../manifests/web.yaml', import.meta.url), 'utf8');

test('a deployment is whole again after a node was lost', async () => {
  const cluster = createCluster({ nodes: 5, seed: 7, invariants: true });
  try {
    cluster.apply(manifest);
    const start = await cluster.run({ until: { readyPods: 20 }, limit: '5m' });
    assert.equal(start.end, 'done');

    cluster.faults.powerOff('node-1');
    await cluster.run({ limit: '10m' }); // simulated time: it takes milliseconds
    assert.equal(cluster.readyPods, 20);
    assert.deepEqual(cluster.invariants.violations, []);
  } finally {
    await cluster.dispose();
  }
});
