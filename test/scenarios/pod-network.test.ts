/** Partitions between the pods of machines, as containers with scripts that need peers notice them. */
import { readFileSync } from 'node:fs';
import test, { type ExecutionContext } from 'ava';
import {
  createCluster,
  FaultError,
  hostCluster,
  parseScenario,
  runScenario,
  type Cluster,
  type Fault,
} from '../../src/index.js';

/** A pod of three members, fixed on a node. */
const member = (name: string, node: string, needs: string, probe = 'readinessProbe'): string => `
apiVersion: v1
kind: Pod
metadata:
  name: ${name}
  labels: { app: etcd }
  annotations: { kubeloom.dev/needs: ${needs} }
spec:
  nodeName: ${node}
  containers:
    - name: c
      image: etcd
      ${probe}: { httpGet: { path: /, port: 1 }, periodSeconds: 5, failureThreshold: 1 }
`;

/** Three members on three nodes of three zones, and a node without one. */
async function createScene(t: ExecutionContext, needs = '2 of app=etcd', probe?: string): Promise<Cluster> {
  const nodes = ['a', 'b', 'c', 'd'].map((zone) => ({ count: 1, namePrefix: `${zone}-`, zones: [zone] }));
  const cluster = createCluster({ nodes, seed: 4 });
  t.teardown(() => cluster.dispose());
  await cluster.ready();
  for (const [name, node] of ['a-0', 'b-0', 'c-0'].entries()) cluster.apply(member(`m${name}`, node, needs, probe));
  await cluster.run({ limit: '30s' });
  return cluster;
}

const ready = (cluster: Cluster): readonly string[] =>
  cluster
    .list('Pod')
    .filter(({ status }) => status.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True'))
    .map(({ metadata }) => metadata.name);

const restarts = (cluster: Cluster): readonly number[] =>
  cluster.list('Pod').map(({ status }) => status.containerStatuses?.[0]?.restartCount ?? 0);

test('partition › of one node makes its member unready, and the two others serve; healed, it is ready again', async (t) => {
  const cluster = await createScene(t);
  t.deepEqual(ready(cluster), ['m0', 'm1', 'm2']);
  const fault = cluster.faults.partition({ node: 'b-0' });
  await cluster.run({ limit: '6s' });
  t.deepEqual(ready(cluster), ['m0', 'm2']);
  t.is(cluster.list('Node').filter(({ spec }) => spec.taints !== undefined).length, 0);
  fault.heal();
  await cluster.run({ limit: '6s' });
  t.deepEqual(ready(cluster), ['m0', 'm1', 'm2']);
  t.deepEqual([...cluster.faults.tally.counts], [['partition', { injected: 1, tookEffect: 1, effects: 3 }]]);
});

const PARTITIONS: readonly (readonly [Fault, readonly string[]])[] = [
  [{ partition: { nodes: ['a-0', 'b-0'] } }, ['m0', 'm1']],
  [{ partition: { nodes: ['a-0', 'd-0'] } }, ['m1', 'm2']],
  [{ partition: { zone: 'c' } }, ['m0', 'm1']],
  [{ partition: { groups: [['a-0'], ['b-0'], ['c-0']] } }, []],
  [{ partition: { groups: [['a-0', 'c-0'], ['b-0']] } }, ['m0', 'm2']],
  // The one in the middle reaches both, and so has each of them two.
  [{ partition: { node: 'a-0', from: ['b-0'] } }, ['m0', 'm1', 'm2']],
  [{ partition: { zone: 'a', from: ['b-0', 'c-0'] } }, ['m1', 'm2']],
  [{ partition: { node: 'd-0' } }, ['m0', 'm1', 'm2']],
];

for (const [fault, left] of PARTITIONS) {
  test(`partition › ${JSON.stringify(fault)} leaves ready: ${left.join(', ')}`, async (t) => {
    const cluster = await createScene(t);
    cluster.faults.inject({ ...fault, for: '1m' });
    await cluster.run({ limit: '59s' });
    t.deepEqual(ready(cluster), left);
    await cluster.run({ limit: '7s' });
    t.deepEqual(ready(cluster), ['m0', 'm1', 'm2']);
  });
}

test('partition › faults that overlap count until the last of them is healed', async (t) => {
  const cluster = await createScene(t);
  const first = cluster.faults.partition({ node: 'a-0' });
  const second = cluster.faults.partition({ zone: 'a' });
  await cluster.run({ limit: '10s' });
  first.heal();
  await cluster.run({ limit: '10s' });
  t.deepEqual(ready(cluster), ['m1', 'm2']);
  second.heal();
  await cluster.run({ limit: '10s' });
  t.deepEqual(ready(cluster), ['m0', 'm1', 'm2']);
});

test('needs › members that end are missed, on machines that go dark as well, and are there again when they are', async (t) => {
  const cluster = await createScene(t);
  const outage = cluster.faults.powerOff('a-0');
  cluster.delete('Pod', { namespace: 'default', name: 'm1' });
  await cluster.run({ limit: '40s' });
  t.deepEqual(ready(cluster), ['m0'], 'whose node nobody has heard of');
  cluster.apply(member('m1', 'b-0', '2 of app=etcd'));
  await cluster.run({ limit: '20s' });
  t.deepEqual(ready(cluster), ['m1', 'm2'], 'now the node has been found out');
  outage.heal();
  await cluster.run({ limit: '1m' });
  t.deepEqual(ready(cluster), ['m0', 'm1', 'm2']);
});

test('needs › a cut between a kubelet and the API server is no partition between pods', async (t) => {
  const cluster = await createScene(t, '3 of app=etcd');
  cluster.faults.cut({ node: 'a-0' });
  await cluster.run({ limit: '20s' });
  t.deepEqual(ready(cluster), ['m0', 'm1', 'm2']);
});

test('needs › a container that exits without its peers does so after that time, as often as it misses them', async (t) => {
  const cluster = await createScene(t, '2 of app=etcd or exit 7 after 8s');
  const fault = cluster.faults.partition({ node: 'c-0' });
  await cluster.run({ limit: '7s' });
  t.deepEqual(restarts(cluster), [0, 0, 0]);
  await cluster.run({ limit: '5s' });
  t.deepEqual(restarts(cluster), [0, 0, 1]);
  t.is(cluster.list('Pod')[2]?.status.containerStatuses?.[0]?.lastState?.terminated?.exitCode, 7);
  await cluster.run({ limit: '60s' });
  t.deepEqual(restarts(cluster).slice(0, 2), [0, 0]);
  fault.heal();
  await cluster.run({ limit: '90s' });
  t.deepEqual(ready(cluster), ['m0', 'm1', 'm2']);
  const now = restarts(cluster);
  t.true((now[2] ?? 0) > 1);
  await cluster.run({ limit: '2m' });
  t.deepEqual(restarts(cluster), now);
});

test('needs › a container that has its peers again in time does not exit', async (t) => {
  const cluster = await createScene(t, '2 of app=etcd or exit 7 after 8s');
  for (let time = 0; time < 3; time += 1) {
    cluster.faults.inject({ partition: { node: 'c-0' }, for: '7s' });
    await cluster.run({ limit: '10s' });
  }
  t.deepEqual(restarts(cluster), [0, 0, 0]);
});

test('needs › a liveness probe fails where the script says so', async (t) => {
  const cluster = await createScene(t, '2 of app=etcd or fail liveness', 'livenessProbe');
  t.deepEqual(restarts(cluster), [0, 0, 0]);
  cluster.faults.inject({ partition: { node: 'c-0' }, for: '6s' });
  await cluster.run({ limit: '1m' });
  t.deepEqual(restarts(cluster).slice(0, 2), [0, 0]);
  t.true((restarts(cluster)[2] ?? 0) > 0);
});

test('needs › a kubelet that was away finds what its containers answer now', async (t) => {
  const cluster = await createScene(t);
  const away = cluster.faults.stopKubelet('c-0');
  const fault = cluster.faults.partition({ node: 'c-0' });
  await cluster.run({ limit: '20s' });
  t.deepEqual(ready(cluster), ['m0', 'm1', 'm2']);
  away.heal();
  await cluster.run({ limit: '10s' });
  t.deepEqual(ready(cluster), ['m0', 'm1']);
  fault.heal();
  await cluster.run({ limit: '10s' });
  t.deepEqual(ready(cluster), ['m0', 'm1', 'm2']);
});

test('needs › peers of other namespaces do not count, and a start delay must be over', async (t) => {
  const cluster = await createScene(t, '4 of app=etcd');
  t.deepEqual(ready(cluster), []);
  cluster.create('Namespace', { metadata: { name: 'other' } });
  cluster.apply(
    member('stranger', 'd-0', '1 of app=etcd').replace('name: stranger', 'name: stranger\n  namespace: other'),
  );
  await cluster.run({ limit: '20s' });
  t.deepEqual(ready(cluster), ['stranger']);
  const late = member('late', 'd-0', '1 of app=etcd').replace('{ kube', '{ kubeloom.dev/start-delay: 30s, kube');
  cluster.apply(late);
  await cluster.run({ limit: '25s' });
  t.deepEqual(ready(cluster), ['stranger']);
  await cluster.run({ limit: '20s' });
  t.deepEqual([...ready(cluster)].sort(), ['late', 'm0', 'm1', 'm2', 'stranger']);
});

const REFUSALS: readonly (readonly [unknown, string])[] = [
  [{ partition: {} }, 'fault.partition must name one of node, nodes, zone, groups'],
  [{ partition: { node: 'a-0', zone: 'a' } }, 'fault.partition must name one of node, nodes, zone, groups'],
  [{ partition: { zone: 'e' } }, 'fault.partition.zone must be a zone of the cluster (a, b, c, d), got "e"'],
  [{ partition: { nodes: [] } }, 'fault.partition.nodes must be a list of nodes, got []'],
  [
    { partition: { nodes: ['a-1'] } },
    'fault.partition.nodes must be a list of which each must be a node of the cluster (a-0, b-0, c-0, d-0), got "a-1"; did you mean a-0?',
  ],
  [
    { partition: { groups: [['a-0'], ['b-0', 'a-0']] } },
    'fault.partition.groups must have each node once, got "a-0" twice',
  ],
  [
    { partition: { groups: ['a-0'] } },
    'fault.partition.groups must be a list of groups of which each must be a list of nodes, got "a-0"',
  ],
  [{ partition: { groups: [['a-0']], from: ['b-0'] } }, 'fault.partition.from cannot stand beside groups'],
  [
    { partition: { node: 'a-0', from: ['a-0'] } },
    'fault.partition.from must name other nodes than the first side, got "a-0"',
  ],
];

test('partition › that cannot be is refused with the path of the field', async (t) => {
  const cluster = await createScene(t);
  for (const [fault, message] of REFUSALS) {
    t.throws(() => cluster.faults.inject(fault as Fault), { instanceOf: FaultError, message });
  }
});

test('partition › of a cluster on another thread is the same', async (t) => {
  const cluster = await hostCluster({ nodes: 2, seed: 4 });
  await cluster.ready();
  await cluster.apply(['0', '1'].map((index) => member(`m${index}`, `node-${index}`, '2 of app=etcd')).join('---'));
  const readyPods = async (): Promise<number> =>
    (await cluster.list('Pod')).filter(({ status }) =>
      status.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True'),
    ).length;
  await cluster.run({ limit: '30s' });
  t.is(await readyPods(), 2);
  const fault = await cluster.faults.partition({ node: 'node-0' });
  await cluster.run({ limit: '10s' });
  t.is(await readyPods(), 0);
  await fault.heal();
  await cluster.run({ limit: '10s' });
  t.is(await readyPods(), 2);
  await cluster.dispose();
});

for (const seed of ['1', '2', '3', '4']) {
  test(`seed ${seed} › examples/scenarios/etcd-quorum.yaml › the majority serves, the minority does not`, async (t) => {
    const file = 'examples/scenarios/etcd-quorum.yaml';
    const scenario = parseScenario(readFileSync(file, 'utf8'), file, (path) => readFileSync(path, 'utf8'));
    const { expectations, refusals } = await runScenario(scenario, { seed });
    t.deepEqual({ refusals, unmet: expectations.filter(({ isMet }) => !isMet) }, { refusals: [], unmet: [] });
  });
}
