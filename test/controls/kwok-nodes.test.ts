import test from 'ava';
import { createCluster, type Cluster, type Draft } from '../../src/index.js';

const FAKE = { 'kwok.x-k8s.io/node': 'fake' };

function node(name: string, rest: { annotations?: Record<string, string>; labels?: Record<string, string> }): Draft {
  return { apiVersion: 'v1', kind: 'Node', metadata: { name, ...rest } };
}

function readyOf(cluster: Cluster, name: string): string | undefined {
  return cluster.get('Node', name).status?.conditions?.find(({ type }) => type === 'Ready')?.status;
}

const POD: Draft = {
  metadata: { name: 'web' },
  spec: { nodeName: 'a', containers: [{ name: 'c', image: 'x' }] },
};

test('nodes of kwok › a Node with the annotation has a machine, which runs its pods and goes with it', async (t) => {
  const cluster = createCluster({ nodes: 0 });
  t.teardown(() => cluster.dispose());
  cluster.create('Node', node('a', { annotations: FAKE, labels: { 'kubernetes.io/arch': 'arm64' } }));
  cluster.create('Node', node('bare', {}));
  await cluster.run({ limit: '5s' });
  t.is(readyOf(cluster, 'a'), 'True');
  t.is(readyOf(cluster, 'bare'), undefined);
  const { metadata, status } = cluster.get('Node', 'a');
  t.like(status?.allocatable, { cpu: '1k', memory: '1Ti', pods: '1M' });
  t.is(metadata.labels?.['kubernetes.io/arch'], 'arm64');
  t.is(status?.nodeInfo?.architecture, 'arm64');
  cluster.create('Pod', POD);
  t.is((await cluster.run({ until: () => cluster.readyPods === 1, limit: '1m' })).end, 'done');
  cluster.delete('Node', 'a');
  await cluster.run({ limit: '5m' });
  t.deepEqual(cluster.list('Pod'), []);
  cluster.create('Node', node('a', { annotations: FAKE }));
  cluster.create('Pod', POD);
  t.is((await cluster.run({ until: () => cluster.readyPods === 1, limit: '1m' })).end, 'done');
});

test('nodes of kwok › what a Node says of itself stands, and a fork goes on alike', async (t) => {
  const cluster = createCluster({ nodes: 1 });
  t.teardown(() => cluster.dispose());
  const resources = { cpu: '4', memory: '8Gi', pods: '2' };
  const info = { kubeletVersion: 'fake' };
  cluster.create('Node', { ...node('a', {}), status: { allocatable: resources, nodeInfo: info } });
  await cluster.run({ limit: '2m' });
  t.is(readyOf(cluster, 'a'), 'Unknown', 'no machine yet');
  const { metadata, ...rest } = cluster.get('Node', 'a');
  cluster.update('Node', { ...rest, metadata: { ...metadata, annotations: { ...metadata.annotations, ...FAKE } } });
  await cluster.run({ limit: '30s' });
  t.is(readyOf(cluster, 'a'), 'True');
  t.like(cluster.get('Node', 'a').status, {
    allocatable: resources,
    nodeInfo: { kubeletVersion: 'fake', operatingSystem: 'linux' },
  });
  const fork = cluster.fork({ seed: 2 });
  t.teardown(() => fork.dispose());
  fork.delete('Node', 'a');
  await fork.run({ limit: '2m' });
  t.deepEqual(
    fork.list('Node').map((each) => each.metadata.name),
    ['node-0'],
    'its kubelet does not bring it back',
  );
  t.is(cluster.list('Node').length, 2);
});
