import test from 'ava';
import { defaultScene } from '../../src/workload/default-scene.js';
import { buildNodes } from '../../src/workload/node-groups.js';

const replicasOf = (objects: ReturnType<typeof defaultScene>['objects']): number[] =>
  objects
    .filter(({ kind }) => kind === 'Deployment')
    .map(({ spec }) => (spec as { readonly replicas: number }).replicas);

test('the pods of all Deployments add up to what was asked for', (t) => {
  for (const pods of [0, 1, 7, 99, 100, 1000, 20_000, 20_001]) {
    const replicas = replicasOf(defaultScene({ nodes: 10, pods }).objects);
    t.is(
      replicas.reduce((sum, each) => sum + each, 0),
      pods,
    );
    t.false(replicas.includes(0));
  }
});

test('the nodes of all groups add up to what was asked for', (t) => {
  for (const nodes of [0, 1, 19, 20, 5000]) {
    const records = buildNodes(defaultScene({ nodes, pods: 0 }).nodeGroups);
    t.is(records.length, nodes);
    t.is(records.filter(({ taints }) => taints.length > 0).length, Math.floor(nodes / 20));
  }
});

test('the default size: twelve Deployments, three of which are updated once all is Ready', (t) => {
  const { objects, updates } = defaultScene({ nodes: 5000, pods: 20_000 });
  t.deepEqual(
    objects.map(({ kind }) => kind).filter((kind, index, kinds) => kind !== kinds[index - 1]),
    ['Namespace', 'Service', 'Deployment'],
  );
  t.deepEqual(replicasOf(objects), [3600, 3000, 2000, 2000, 1600, 1200, 1200, 1200, 1200, 1400, 1000, 600]);
  t.deepEqual(updates, [
    {
      deployment: { namespace: 'shop', name: 'frontend' },
      container: 'frontend',
      image: 'registry.example/frontend:2.0',
    },
    { deployment: { namespace: 'shop', name: 'api' }, container: 'api', image: 'registry.example/api:2.0' },
    {
      deployment: { namespace: 'shop', name: 'checkout' },
      container: 'checkout',
      image: 'registry.example/checkout:2.0',
    },
  ]);
});

test('equal sizes give equal scenes', (t) => {
  t.deepEqual(defaultScene({ nodes: 50, pods: 500 }), defaultScene({ nodes: 50, pods: 500 }));
});
