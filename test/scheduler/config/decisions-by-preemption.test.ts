/** Configuration of preemption and of volume binding, and a decision that each field changes. */
import test from 'ava';
import { createCluster, type Cluster, type ClusterOptions } from '../../../src/index.js';

const withArgs = (name: string, args: object): object => ({ profiles: [{ pluginConfig: [{ name, args }] }] });

const pod = (name: string, priorityClassName: string, nodeName?: string): object => ({
  metadata: { name },
  spec: {
    priorityClassName,
    ...(nodeName === undefined ? {} : { nodeSelector: { 'kubernetes.io/hostname': nodeName } }),
    containers: [{ name: 'c', image: 'app', resources: { requests: { cpu: '3' } } }],
  },
});

/** Three full nodes, the last of which runs the least important pod, and a pod that is more important than all. */
async function fullCluster(options: ClusterOptions): Promise<Cluster> {
  const capacity = { cpu: '4', memory: '8Gi', pods: '10' };
  const cluster = createCluster({ nodes: [{ count: 3, namePrefix: 'n', capacity }], ...options });
  await cluster.ready();
  for (const [name, value] of Object.entries({ least: 1, low: 10, high: 100 })) {
    cluster.create('PriorityClass', { metadata: { name }, value });
  }
  for (const [index, priority] of ['low', 'low', 'least'].entries()) {
    cluster.create('Pod', { ...pod(`victim-${index}`, priority, `n${index}`) });
  }
  await cluster.run({ until: { readyPods: 3 }, limit: '1m' });
  cluster.create('Pod', { ...pod('important', 'high') });
  await cluster.run({ limit: '2m' });
  return cluster;
}

test('DefaultPreemption makes room unless it is switched off', async (t) => {
  const on = await fullCluster({});
  t.is(on.get('Pod', 'important').spec.nodeName, 'n2');
  await on.dispose();
  const postFilter = { disabled: [{ name: 'DefaultPreemption' }] };
  const off = await fullCluster({ schedulerConfig: { profiles: [{ plugins: { postFilter } }] } });
  t.is(off.get('Pod', 'important').spec.nodeName, undefined);
  t.is(off.pods.ready, 3);
  await off.dispose();
});

async function tried(args: object): Promise<number | undefined> {
  const cluster = await fullCluster({ schedulerConfig: withArgs('DefaultPreemption', args) });
  const [first] = cluster.explain('important')?.attempts ?? [];
  await cluster.dispose();
  return first?.preemption?.candidates.length;
}

test('minCandidateNodesAbsolute and minCandidateNodesPercentage say how many nodes are tried before one is chosen', async (t) => {
  t.is(await tried({}), 3);
  t.is(await tried({ minCandidateNodesPercentage: 0, minCandidateNodesAbsolute: 1 }), 1);
  t.is(await tried({ minCandidateNodesPercentage: 67, minCandidateNodesAbsolute: 0 }), 2);
});

async function attempts(args: object): Promise<number | undefined> {
  const cluster = createCluster({
    nodes: 1,
    controllers: ['node-lifecycle-controller'],
    schedulerConfig: withArgs('VolumeBinding', args),
  });
  await cluster.ready();
  cluster.apply(`
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: { name: late }
provisioner: example.com/disk
volumeBindingMode: WaitForFirstConsumer
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: { name: data }
spec: { storageClassName: late, accessModes: [ReadWriteOnce], resources: { requests: { storage: 1Gi } } }
---
apiVersion: v1
kind: Pod
metadata: { name: web }
spec:
  containers: [{ name: c, image: app }]
  volumes: [{ name: data, persistentVolumeClaim: { claimName: data } }]
`);
  await cluster.run({ limit: '1m' });
  const count = cluster.explain('web')?.attempts.length;
  await cluster.dispose();
  return count;
}

test('bindTimeoutSeconds says when a pod gives up waiting for its volumes and is decided anew', async (t) => {
  t.is(await attempts({}), 1);
  t.true(((await attempts({ bindTimeoutSeconds: 5 })) ?? 0) > 3);
});
