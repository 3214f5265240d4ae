import test from 'ava';
import { createCluster, type Cluster, type Draft } from '../../src/index.js';
import { ask, serve } from '../server/wire-client.js';

const FAULTS = '/apis/kubeloom.dev/v1alpha1/faults';

function fault(name: string, spec: object): Draft {
  return { apiVersion: 'kubeloom.dev/v1alpha1', kind: 'Fault', metadata: { name }, spec };
}

function statusOf(cluster: Cluster, name: string): object | undefined {
  return cluster.get('Fault', name).status;
}

test('Fault › one that is created begins, ends by its time, and its status says so', async (t) => {
  const cluster = createCluster({ nodes: 2 });
  t.teardown(() => cluster.dispose());
  await cluster.ready();
  const wasMs = cluster.nowMs;
  cluster.apply([fault('cut', { cut: { node: 'node-0' }, for: '30s' })]);
  await cluster.run({ limit: '10s' });
  t.is(cluster.faults.active.length, 1);
  t.like(statusOf(cluster, 'cut'), { observedGeneration: 1, phase: 'Active', effects: 1 });
  await cluster.run({ limit: '25s' });
  t.is(cluster.faults.active.length, 0);
  const { startTime, endTime } = statusOf(cluster, 'cut') as { readonly startTime: string; readonly endTime: string };
  t.like(statusOf(cluster, 'cut'), { phase: 'Healed' });
  t.is(Date.parse(endTime) - Date.parse(startTime), 30_000);
  t.true(cluster.nowMs >= wasMs + 30_000);
});

test('Fault › one that is deleted is healed, one whose spec changes begins anew', async (t) => {
  const cluster = createCluster({ nodes: 2 });
  t.teardown(() => cluster.dispose());
  await cluster.ready();
  cluster.apply([fault('f', { stopKubelet: { node: 'node-0' } })]);
  await cluster.run({ limit: '1s' });
  cluster.patch('Fault', 'f', { spec: { stopKubelet: null, powerOff: { node: 'node-1' } } }, 'merge');
  await cluster.run({ limit: '1s' });
  t.deepEqual(
    cluster.faults.active.map((each) => each.fault),
    [{ powerOff: { node: 'node-1' } }],
  );
  t.like(statusOf(cluster, 'f'), { observedGeneration: 2, phase: 'Active' });
  // A change of metadata alone is no other fault.
  const [{ id } = { id: 0 }] = cluster.faults.active;
  cluster.patch('Fault', 'f', { metadata: { labels: { a: 'b' } } }, 'merge');
  await cluster.run({ limit: '1s' });
  t.is(cluster.faults.active[0]?.id, id);
  cluster.delete('Fault', 'f');
  await cluster.run({ limit: '1s' });
  t.deepEqual(cluster.faults.active, []);
});

test('Fault › what is wrong with one is told with its field in the form of Kubernetes', async (t) => {
  const served = await serve(t, { nodes: 1 });
  await served.cluster.ready();
  const create = async (spec: object): Promise<object> =>
    (await ask(served, FAULTS, { method: 'POST', body: JSON.stringify(fault('f', spec)) })).json as object;
  t.like(await create({ cut: { node: 'node-7' } }), {
    kind: 'Status',
    code: 422,
    reason: 'Invalid',
    details: { name: 'f', group: 'kubeloom.dev', kind: 'Fault' },
  });
  const causes = async (spec: object): Promise<unknown> =>
    (
      (await create(spec)) as { readonly details: { readonly causes: readonly { readonly field: string }[] } }
    ).details.causes.map(({ field }) => field);
  t.deepEqual(await causes({ cut: { node: 'node-7' } }), ['spec.cut.node']);
  t.deepEqual(await causes({ lossy: { node: 'node-0', requests: 2 } }), ['spec.lossy.requests']);
  t.deepEqual(await causes({}), ['spec']);
  t.deepEqual(await causes({ cut: { node: 'node-0' }, for: 'ever' }), ['spec.for']);
  t.deepEqual(served.cluster.list('Fault'), []);
});

test('Fault › its table and its fields are served like those of any kind', async (t) => {
  const served = await serve(t, { nodes: 1 });
  await served.cluster.ready();
  served.cluster.apply([fault('f', { cut: { node: 'node-0' } })]);
  await served.cluster.run({ limit: '1s' });
  const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io';
  const { rows } = (await ask(served, FAULTS, { headers: { accept } })).json as {
    readonly rows: readonly { readonly cells: readonly unknown[] }[];
  };
  t.deepEqual(rows[0]?.cells.slice(0, 5), ['f', 'cut', 'node-0', 'Active', 1]);
  const { json } = await ask(served, '/openapi/v3/apis/kubeloom.dev/v1alpha1');
  const { schemas } = (json as { readonly components: { readonly schemas: Readonly<Record<string, object>> } })
    .components;
  const [[, spec] = ['', {}]] = Object.entries(schemas).filter(([name]) => name.endsWith('.FaultSpec'));
  t.true('cut' in (spec as { readonly properties: object }).properties);
});
