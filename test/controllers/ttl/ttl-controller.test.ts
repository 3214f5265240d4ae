import test from 'ava';
import { createHarness, type Harness } from '../harness.js';

const ANNOTATION = 'node.alpha.kubernetes.io/ttl';

function createTtlHarness(): Harness {
  return createHarness({ controllers: ['ttl-controller'], watch: ['Node'] });
}

function addNodes(harness: Harness, from: number, to: number): void {
  for (let index = from; index < to; index += 1) harness.server.create('Node', { metadata: { name: `node-${index}` } });
}

/** How many nodes have which value. */
function values(harness: Harness): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { metadata } of harness.server.list('Node').items) {
    const value = metadata.annotations?.[ANNOTATION] ?? 'none';
    counts[value] = (counts[value] ?? 0) + 1;
  }
  return counts;
}

test('ttl › kubelets of a small cluster read anew at once, those of a larger one later', async (t) => {
  for (const [nodes, value] of [
    [100, '0'],
    [101, '15'],
    [501, '30'],
    [1001, '60'],
    [2001, '300'],
  ] as const) {
    const harness = createTtlHarness();
    addNodes(harness, 0, nodes);
    await harness.run(10_000);
    t.deepEqual(values(harness), { [value]: nodes });
    harness.dispose();
  }
});

test('ttl › nodes that are there learn of the size at their next update, or when they would have reported', async (t) => {
  const harness = createTtlHarness();
  addNodes(harness, 0, 100);
  await harness.run(10_000);
  addNodes(harness, 100, 101);
  harness.server.patch(
    'Node',
    { name: 'node-7' },
    { type: 'merge', body: { metadata: { annotations: { [ANNOTATION]: 'soon' } } } },
  );
  await harness.run(10_000);
  t.deepEqual(values(harness), { '0': 99, '15': 2 });
  await harness.run(300_000);
  t.deepEqual(values(harness), { '15': 101 });
  harness.dispose();
});

test('ttl › some nodes fewer change nothing, many do', async (t) => {
  const harness = createTtlHarness();
  addNodes(harness, 0, 101);
  await harness.run(10_000);
  for (let index = 0; index < 11; index += 1) harness.server.delete('Node', { name: `node-${index}` });
  await harness.run(310_000);
  t.deepEqual(values(harness), { '15': 90 });
  harness.server.delete('Node', { name: 'node-11' });
  await harness.run(310_000);
  t.deepEqual(values(harness), { '0': 89 });
  harness.dispose();
});

test('ttl › a node that is right is not written again, nor is one that is gone', async (t) => {
  const harness = createTtlHarness();
  addNodes(harness, 0, 2);
  await harness.run(10_000);
  const written = harness.log.length;
  t.is(written, 4);
  harness.manager.stop();
  harness.server.create('Node', { metadata: { name: 'short-lived' } });
  harness.manager.start();
  await harness.run(2);
  harness.server.delete('Node', { name: 'short-lived' });
  await harness.run(10_000);
  t.deepEqual(
    harness.log.slice(written).map(({ type }) => type),
    ['ADDED', 'DELETED'],
  );
  harness.dispose();
});
