import { readFileSync } from 'node:fs';
import { createCluster } from 'kubeloom';
import { expect, test } from 'vitest';

const manifest = readFileSync(new URL('../manifests/web.yaml', import.meta.url), 'utf8');

test('a deployment is whole again after a node was lost', async () => {
  const cluster = createCluster({ nodes: 5, seed: 7, invariants: true });
  try {
    cluster.apply(manifest);
    const start = await cluster.run({ until: { readyPods: 20 }, limit: '5m' });
    expect(start.end).toBe('done');

    cluster.faults.powerOff('node-1');
    await cluster.run({ limit: '10m' }); // simulated time: it takes milliseconds
    expect(cluster.readyPods).toBe(20);
    expect(cluster.invariants.violations).toEqual([]);
  } finally {
    await cluster.dispose();
  }
});
