import test from 'ava';
import type { Draft } from '../../src/index.js';
import { ask, serve, watch, type ServedCluster } from '../server/wire-client.js';

const OWN = '/apis/kubeloom.dev/v1alpha1';
const METRICS = '/apis/metrics.k8s.io/v1beta1';

interface Listed {
  readonly kind: string;
  readonly items: readonly (Readonly<Record<string, unknown>> & { readonly metadata: { readonly name: string } })[];
}

async function list(served: ServedCluster, path: string): Promise<Listed> {
  return (await ask(served, path)).json as Listed;
}

function pod(name: string, requests: Readonly<Record<string, string>>, annotations = {}): Draft {
  return {
    metadata: { name, labels: { name }, annotations },
    spec: { containers: [{ name: 'c', image: 'x', resources: { requests } }] },
  };
}

test('Explanation › says of each pod where it went, or why it waits, and is watched', async (t) => {
  const served = await serve(t, { nodes: 2 });
  const { cluster } = served;
  await cluster.ready();
  cluster.create('Pod', pod('small', { cpu: '1' }));
  cluster.create('Pod', pod('huge', { cpu: '1000' }));
  await cluster.run({ limit: '5s' });
  const { kind, items } = await list(served, `${OWN}/namespaces/default/explanations`);
  t.is(kind, 'ExplanationList');
  t.deepEqual(
    items.map(({ metadata, outcome }) => [metadata.name, outcome]),
    [
      ['huge', 'unschedulable'],
      ['small', 'placed'],
    ],
  );
  t.regex(String(items[0]?.['message']), /^0\/2 nodes are available: 2 Insufficient cpu/);
  t.is(items[1]?.['node'], cluster.get('Pod', 'small').spec.nodeName ?? '');
  const [one] = (await list(served, `${OWN}/explanations?labelSelector=name%3Dsmall`)).items;
  t.is(one?.metadata.name, 'small');
  t.is((await ask(served, `${OWN}/namespaces/default/explanations/none`)).status, 404);
  t.is((await ask(served, `${OWN}/namespaces/default/explanations/small`, { method: 'DELETE' })).status, 405);
  const told: string[] = [];
  for await (const { type, object } of watch(served, `${OWN}/explanations?watch=1`)) {
    told.push(`${type} ${object.metadata.name}`);
    if (told.length === 2) {
      cluster.create('Pod', pod('late', {}));
      await cluster.run({ limit: '5s' });
    }
    if (type === 'ADDED' && object.metadata.name === 'late') cluster.delete('Pod', 'huge');
    if (type === 'DELETED') break;
  }
  t.deepEqual(told.slice(0, 3), ['ADDED huge', 'ADDED small', 'ADDED late']);
  t.is(told.at(-1), 'DELETED huge');
});

test('Invariant › one for each promise that is watched for, none where nothing is', async (t) => {
  t.deepEqual((await list(await serve(t), `${OWN}/invariants`)).items, []);
  const served = await serve(t, { nodes: 1, invariants: true });
  await served.cluster.ready();
  const { items } = await list(served, `${OWN}/invariants`);
  t.true(items.length > 10);
  t.true(items.some(({ evaluations }) => Number(evaluations) > 0));
  t.true(items.every(({ violations, promise }) => violations === 0 && typeof promise === 'string'));
  t.is((await ask(served, `${OWN}/invariants/${items[0]?.metadata.name}`)).status, 200);
});

test('metrics.k8s.io › pods and nodes use what their scripts say, or what they request', async (t) => {
  const served = await serve(t, { nodes: 1 });
  const { cluster } = served;
  await cluster.ready();
  cluster.create('Pod', pod('asks', { cpu: '250m', memory: '64Mi' }));
  cluster.create(
    'Pod',
    pod('says', { cpu: '1' }, { 'kubeloom.dev/cpu': '0s=500m', 'kubeloom.dev/memory': '0s=100Mi' }),
  );
  await cluster.run({ until: () => cluster.readyPods === 2, limit: '1m' });
  await cluster.run({ limit: '1m' });
  const { items } = await list(served, `${METRICS}/namespaces/default/pods`);
  t.deepEqual(
    items.map(({ metadata, containers }) => [metadata.name, containers]),
    [
      ['asks', [{ name: 'c', usage: { cpu: '250000000n', memory: '65536Ki' } }]],
      ['says', [{ name: 'c', usage: { cpu: '500000000n', memory: '102400Ki' } }]],
    ],
  );
  const node = (await ask(served, `${METRICS}/nodes/node-0`)).json;
  t.like(node, { kind: 'NodeMetrics', window: '15s', usage: { cpu: '750000000n', memory: '167936Ki' } });
  t.is((await ask(served, `${METRICS}/nodes/none`)).status, 404);
});
