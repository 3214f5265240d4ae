import test from 'ava';
import { createCluster, type Cluster } from '../../../src/index.js';

const RBAC = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole' };

function rulesIn(cluster: Cluster, name: string): readonly object[] {
  return (cluster.get('ClusterRole', name) as { readonly rules?: readonly object[] }).rules ?? [];
}

test('an aggregated role follows the roles that it selects', async (t) => {
  const cluster = createCluster({ nodes: 0 });
  const labels = { 'rbac.authorization.k8s.io/aggregate-to-view': 'true' };
  const rule = { apiGroups: ['shop.example.com'], resources: ['widgets'], verbs: ['get'] };
  const rulesOf = (name: string): number => rulesIn(cluster, name).length;
  const before = ['view', 'edit', 'admin'].map(rulesOf);
  cluster.apply({ ...RBAC, metadata: { name: 'widget-viewer', labels }, rules: [rule] });
  await cluster.run({ limit: '5s' });
  t.deepEqual(rulesIn(cluster, 'view'), [...rulesIn(cluster, 'system:aggregate-to-view'), rule]);
  t.deepEqual(
    ['view', 'edit', 'admin'].map(rulesOf),
    before.map((count) => count + 1),
  );
  cluster.delete('ClusterRole', 'widget-viewer');
  await cluster.run({ limit: '5s' });
  t.deepEqual(['view', 'edit', 'admin'].map(rulesOf), before);
  await cluster.dispose();
});

test('the roles of every cluster are whole from the start: nothing is written', async (t) => {
  const cluster = createCluster({ nodes: 0 });
  await cluster.run({ limit: '5s' });
  const versions = new Set(cluster.list('ClusterRole').map(({ metadata }) => metadata.resourceVersion));
  t.deepEqual([...versions], ['1']);
  await cluster.dispose();
});
