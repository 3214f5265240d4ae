import test from 'ava';
import { createCluster, type Draft } from '../../src/index.js';
import { ask, serve } from '../server/wire-client.js';

function pool(spec: object): Draft {
  return { apiVersion: 'kubeloom.dev/v1alpha1', kind: 'NodePool', metadata: { name: 'a' }, spec };
}

test('NodePool › nodes come and go as its scale says, the highest numbers first', async (t) => {
  const cluster = createCluster({ nodes: 1 });
  t.teardown(() => cluster.dispose());
  await cluster.ready();
  cluster.apply([pool({ count: 3, zones: ['x', 'y'], capacity: { cpu: '4', memory: '8Gi', pods: '10' } })]);
  await cluster.run({ limit: '10s' });
  const names = (): readonly string[] =>
    cluster.list('Node', { labelSelector: 'kubeloom.dev/pool=a' }).map((node) => node.metadata.name);
  t.deepEqual(names(), ['a-0', 'a-1', 'a-2']);
  const { metadata, status } = cluster.get('Node', 'a-2');
  t.is(metadata.labels?.['topology.kubernetes.io/zone'], 'x');
  t.is(status?.capacity?.['cpu'], '4');
  t.like(cluster.get('NodePool', 'a').status, { count: 3, ready: 3, selector: 'kubeloom.dev/pool=a' });
  cluster.scale('NodePool', 'a', 1);
  await cluster.run({ limit: '10s' });
  t.deepEqual(names(), ['a-0']);
  cluster.scale('NodePool', 'a', 4);
  await cluster.run({ limit: '10s' });
  t.deepEqual(names(), ['a-0', 'a-1', 'a-2', 'a-3']);
  t.like(cluster.get('NodePool', 'a').status, { count: 4, ready: 4, observedGeneration: 3 });
  cluster.delete('NodePool', 'a');
  await cluster.run({ limit: '10s' });
  t.deepEqual(names(), []);
  t.is(cluster.list('Node').length, 1);
});

test('NodePool › what ran on a machine that is taken away is gone, and made anew elsewhere', async (t) => {
  const cluster = createCluster({ nodes: 0, invariants: true });
  t.teardown(() => cluster.dispose());
  cluster.apply([pool({ count: 2 })]);
  await cluster.run({ limit: '10s' });
  const labels = { app: 'web' };
  const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'x' }] } };
  cluster.create('Deployment', {
    metadata: { name: 'web' },
    spec: { replicas: 4, selector: { matchLabels: labels }, template },
  });
  t.is((await cluster.run({ until: () => cluster.readyPods === 4, limit: '1m' })).end, 'done');
  cluster.scale('NodePool', 'a', 1);
  await cluster.run({ limit: '5m' });
  const pods = cluster.list('Pod');
  t.is(pods.length, 4);
  t.true(pods.every(({ spec }) => spec.nodeName === 'a-0'));
  t.is(cluster.readyPods, 4);
  t.deepEqual(
    cluster.invariants.faults.map(({ text }) => text),
    [],
  );
});

test('NodePool › a name that is taken stands in its status, and a shape that cannot be is refused', async (t) => {
  const served = await serve(t, { nodes: 1 });
  await served.cluster.ready();
  served.cluster.apply([pool({ count: 2, namePrefix: 'node-' })]);
  await served.cluster.run({ limit: '5s' });
  t.regex(
    (served.cluster.get('NodePool', 'a').status as { readonly message: string }).message,
    /namePrefix must give distinct names, got node-0 twice/,
  );
  const path = '/apis/kubeloom.dev/v1alpha1/nodepools';
  const fields = async (spec: object): Promise<unknown> => {
    const body = JSON.stringify({ ...pool(spec), metadata: { name: 'b' } });
    const { status, json } = await ask(served, path, { method: 'POST', body });
    const { causes } = (json as { readonly details: { readonly causes: readonly { readonly field: string }[] } })
      .details;
    return [status, ...causes.map(({ field }) => field)];
  };
  t.deepEqual(await fields({}), [422, 'spec.count']);
  t.deepEqual(await fields({ count: -1 }), [422, 'spec.count']);
  t.deepEqual(await fields({ count: 1, namePrefix: 'B_' }), [422, 'spec.namePrefix']);
  t.deepEqual(await fields({ count: 1, taints: [{ key: 'a', effect: 'Never' }] }), [422, 'spec.taints[].effect']);
});

test('NodePool › its scale is served, for kubectl scale', async (t) => {
  const served = await serve(t, { nodes: 0 });
  served.cluster.apply([pool({ count: 1 })]);
  const path = '/apis/kubeloom.dev/v1alpha1/nodepools/a/scale';
  const headers = { 'content-type': 'application/merge-patch+json' };
  t.like((await ask(served, path)).json, { kind: 'Scale', apiVersion: 'autoscaling/v1', spec: { replicas: 1 } });
  const scaled = await ask(served, path, { method: 'PATCH', headers, body: '{"spec":{"replicas":5}}' });
  t.like(scaled.json, { spec: { replicas: 5 } });
  t.like(served.cluster.get('NodePool', 'a').spec, { count: 5 });
});

test('NodePool › its table says between which sizes it may be, or that it has one size', async (t) => {
  const served = await serve(t, { nodes: 0 });
  const bounded = pool({ count: 1, autoscaling: { max: 3 } });
  served.cluster.apply([pool({ count: 1 }), { ...bounded, metadata: { name: 'b' } }]);
  const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io';
  const { json } = await ask(served, '/apis/kubeloom.dev/v1alpha1/nodepools', { headers: { accept } });
  const { rows } = json as { readonly rows: readonly { readonly cells: readonly unknown[] }[] };
  t.deepEqual(
    rows.map(({ cells }) => cells.slice(4, 6)),
    [
      ['<none>', '<none>'],
      ['0', '3'],
    ],
  );
});
