import test from 'ava';
import type { OwnerReference } from '../../src/api/objects/kube-object.js';
import { createCluster, runScene, type Draft, type SceneStage } from '../../src/index.js';

const TEMPLATE = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'nginx' }] } };

function pod(name: string, owner?: OwnerReference): Draft {
  const metadata = { name, ...(owner === undefined ? {} : { ownerReferences: [owner] }) };
  return { apiVersion: 'v1', kind: 'Pod', metadata, spec: TEMPLATE.spec };
}

test('progress of a scene › counts pods of whatever owner, and never more than there are to be', async (t) => {
  const cluster = createCluster({ nodes: 3 });
  t.teardown(() => cluster.dispose());
  const set: Draft = {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: { name: 'alone' },
    spec: { replicas: 4, selector: { matchLabels: { a: 'b' } }, template: TEMPLATE },
  };
  const owner = { apiVersion: 'example.com/v1', kind: 'Database', name: 'd', uid: 'u', controller: true };
  const stages: SceneStage[] = [];
  const plan = { objects: [set, pod('bare'), pod('owned', owner)] };
  const result = await runScene(cluster, plan, { limit: '5m', onStage: (stage) => stages.push(stage) });
  t.true(result.isReached);
  const stage = stages.find(({ title }) => title === 'pods ready');
  t.deepEqual([stage?.total, stage?.done()], [6, 6]);
  cluster.apply([pod('later')]);
  await cluster.run({ until: () => cluster.readyPods === 7, limit: '1m' });
  t.is(stage?.done(), 6);
});
