/** What the quota controller counts, and when. */
import test from 'ava';
import type { Draft } from '../../../src/api/objects/objects.js';
import { createCluster, type Cluster } from '../../../src/index.js';

function quotaOf(hard: Readonly<Record<string, string>>, spec: Draft = {}): Draft {
  return { apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'q' }, spec: { hard, ...spec } };
}

function pod(name: string, cpu = '100m'): Draft {
  const containers = [{ name: 'c', image: 'x', resources: { requests: { cpu } } }];
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec: { containers } };
}

function job(name: string): Draft {
  const annotations = { 'kubeloom.dev/script': 'runs: 2s exit 0' };
  const spec = { restartPolicy: 'Never', containers: [{ name: 'c', image: 'x' }] };
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name },
    spec: { template: { metadata: { annotations }, spec } },
  };
}

function statusOf(cluster: Cluster): unknown {
  return cluster.get('ResourceQuota', 'q')['status'];
}

async function clusterWith(...objects: Draft[]): Promise<Cluster> {
  const cluster = createCluster({ nodes: 2 });
  await cluster.ready();
  cluster.apply(objects);
  await cluster.run({ limit: '5s' });
  return cluster;
}

test('a new quota counts what is there already', async (t) => {
  const cluster = await clusterWith(
    pod('a'),
    pod('b'),
    quotaOf({ pods: '5', 'requests.cpu': '1', 'count/configmaps': '9' }),
  );
  t.deepEqual(statusOf(cluster), {
    hard: { pods: '5', 'requests.cpu': '1', 'count/configmaps': '9' },
    used: { pods: '2', 'requests.cpu': '200m', 'count/configmaps': '1' },
  });
  await cluster.dispose();
});

test('what goes is given back within a second', async (t) => {
  const cluster = await clusterWith(pod('a'), quotaOf({ pods: '1' }));
  cluster.delete('Pod', 'a', { gracePeriodSeconds: 0 });
  await cluster.run({ limit: '1s' });
  t.deepEqual(statusOf(cluster), { hard: { pods: '1' }, used: { pods: '0' } });
  await cluster.dispose();
});

test('a pod that has ended uses nothing, and is still one of all pods', async (t) => {
  const cluster = await clusterWith(quotaOf({ pods: '1', 'count/pods': '4' }));
  cluster.apply(job('j'));
  await cluster.run({ limit: '20s' });
  t.deepEqual(statusOf(cluster), { hard: { pods: '1', 'count/pods': '4' }, used: { pods: '0', 'count/pods': '1' } });
  await cluster.dispose();
});

test('new limits are taken over, and hold', async (t) => {
  const cluster = await clusterWith(pod('a'), quotaOf({ pods: '5' }));
  cluster.apply(quotaOf({ pods: '1', secrets: '3' }));
  await cluster.run({ limit: '2s' });
  t.deepEqual(statusOf(cluster), { hard: { pods: '1', secrets: '3' }, used: { pods: '1', secrets: '0' } });
  t.throws(() => cluster.apply(pod('b')), {
    message: 'pods "b" is forbidden: exceeded quota: q, requested: pods=1, used: pods=1, limited: pods=1',
  });
  await cluster.dispose();
});

test('objects of a custom kind are counted once there is that kind', async (t) => {
  const cluster = await clusterWith(quotaOf({ 'count/widgets.shop.example.com': '2' }));
  const versions = [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }];
  const definition = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'widgets.shop.example.com' },
    spec: { group: 'shop.example.com', scope: 'Namespaced', names: { kind: 'Widget', plural: 'widgets' }, versions },
  };
  cluster.apply(definition);
  await cluster.run({ limit: '5s' });
  const widget = { apiVersion: 'shop.example.com/v1', kind: 'Widget', metadata: { name: 'w' } };
  cluster.apply(widget);
  await cluster.run({ limit: '2s' });
  const hard = { 'count/widgets.shop.example.com': '2' };
  t.deepEqual(statusOf(cluster), { hard, used: { 'count/widgets.shop.example.com': '1' } });
  cluster.delete('Widget' as 'ConfigMap', 'w');
  await cluster.run({ limit: '2s' });
  t.deepEqual(statusOf(cluster), { hard, used: { 'count/widgets.shop.example.com': '0' } });
  await cluster.dispose();
});

test('what was charged for an object that was not made is found out by the count of every five minutes', async (t) => {
  const cluster = await clusterWith(quotaOf({ configmaps: '9' }));
  cluster.create('ConfigMap', { metadata: { name: 'm' } });
  t.throws(() => cluster.create('ConfigMap', { metadata: { name: 'm' } }), { message: /already exists/ });
  await cluster.run({ limit: '10s' });
  t.deepEqual(statusOf(cluster), { hard: { configmaps: '9' }, used: { configmaps: '3' } });
  await cluster.run({ limit: '5m' });
  t.deepEqual(statusOf(cluster), { hard: { configmaps: '9' }, used: { configmaps: '2' } });
  await cluster.dispose();
});

test('a replica set fills what a quota leaves it, says why it has no more, and goes on when there is room', async (t) => {
  const cluster = await clusterWith(quotaOf({ pods: '2' }));
  const labels = { app: 'web' };
  const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'x' }] } };
  const spec = { replicas: 3, selector: { matchLabels: labels }, template };
  const set = { apiVersion: 'apps/v1', kind: 'ReplicaSet', metadata: { name: 'web' }, spec };
  cluster.apply(set);
  await cluster.run({ limit: '30s' });
  t.is(cluster.list('Pod').length, 2);
  const failed = cluster.list('Event').find(({ reason }) => reason === 'FailedCreate');
  t.regex(
    failed?.message ?? '',
    /^Error creating: pods "web-\w{5}" is forbidden: exceeded quota: q, requested: pods=1, used: pods=2, limited: pods=2$/,
  );
  const { conditions } = cluster.get('ReplicaSet', 'web').status;
  t.deepEqual(
    conditions?.map(({ type, status, reason }) => [type, status, reason]),
    [['ReplicaFailure', 'True', 'FailedCreate']],
  );
  cluster.apply(quotaOf({ pods: '5' }));
  await cluster.run({ limit: '2m' });
  t.is(cluster.list('Pod').length, 3);
  t.deepEqual(statusOf(cluster), { hard: { pods: '5' }, used: { pods: '3' } });
  await cluster.dispose();
});
