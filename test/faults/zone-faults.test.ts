import { readFileSync } from 'node:fs';
import test, { type ExecutionContext } from 'ava';
import { createCluster, FaultError, parseScenario, runScenario, type Cluster, type Fault } from '../../src/index.js';

const ZONES = ['zone-a', 'zone-b', 'zone-c'];
const CONTAINERS = [{ name: 'c', image: 'busybox' }];

/** Six nodes, two in each zone by turns: node-1 and node-4 are in zone-b. */
async function createScene(t: ExecutionContext): Promise<Cluster> {
  const capacity = { cpu: '8', memory: '32Gi', pods: '110' };
  const cluster = createCluster({ nodes: [{ count: 6, zones: ZONES, capacity }], seed: 7, latency: 2 });
  t.teardown(() => cluster.dispose());
  await cluster.ready();
  return cluster;
}

function nodesThatAre(cluster: Cluster, status: string): readonly string[] {
  return cluster
    .list('Node')
    .filter((node) => node.status?.conditions?.some((one) => one.type === 'Ready' && one.status === status))
    .map(({ metadata }) => metadata.name)
    .toSorted();
}

test('powerOff › of a zone takes all of its machines, and healed they are back', async (t) => {
  const cluster = await createScene(t);
  const fault = cluster.faults.inject({ powerOff: { zone: 'zone-b' } });
  await cluster.run({ limit: '2m' });
  t.deepEqual(nodesThatAre(cluster, 'Unknown'), ['node-1', 'node-4']);
  t.is(cluster.faults.active.length, 1);
  fault.heal();
  await cluster.run({ limit: '2m' });
  t.is(nodesThatAre(cluster, 'True').length, 6);
  t.deepEqual(cluster.faults.tally.counts.get('powerOff'), { injected: 1, tookEffect: 1, effects: 2 });
});

test('cut › of a zone, and stopKubelet of one of its nodes besides: each holds by itself', async (t) => {
  const cluster = await createScene(t);
  cluster.faults.inject({ cut: { zone: 'zone-a', direction: 'out' }, for: '3m' });
  const stopped = cluster.faults.stopKubelet('node-3');
  await cluster.run({ limit: '2m' });
  t.deepEqual(nodesThatAre(cluster, 'Unknown'), ['node-0', 'node-3']);
  await cluster.run({ limit: '2m' });
  t.deepEqual(nodesThatAre(cluster, 'Unknown'), ['node-3']);
  stopped.heal();
  await cluster.run({ limit: '1m' });
  t.deepEqual(nodesThatAre(cluster, 'Unknown'), []);
});

test('lossy, slow, failRuntime and skewClock › of a zone befall each of its nodes and no other', async (t) => {
  const cluster = await createScene(t);
  cluster.faults.inject({ lossy: { zone: 'zone-c', requests: 0.5 } });
  cluster.faults.inject({ slow: { zone: 'zone-c', latency: 'uniform(10ms, 50ms)' } });
  cluster.faults.inject({ failRuntime: { zone: 'zone-a', operation: 'pullImage', error: 'no such host' } });
  cluster.faults.inject({ skewClock: { zone: 'zone-b', by: '1h' } });
  for (const [index] of ['0', '1', '2', '3', '4', '5'].entries()) {
    cluster.create('Pod', {
      metadata: { name: `p-${index}` },
      spec: { nodeName: `node-${index}`, containers: CONTAINERS },
    });
  }
  await cluster.run({ limit: '3m' });
  const ready = cluster.list('Pod').filter(({ status }) => status?.phase === 'Running');
  t.deepEqual(ready.map(({ metadata }) => metadata.name).toSorted(), ['p-1', 'p-2', 'p-4', 'p-5']);
  const started = (name: string): number => Date.parse(cluster.get('Pod', name).status?.startTime ?? '');
  t.true(started('p-4') - started('p-5') > 3_000_000);
});

test('zone faults › are the same run for the same seed, and refused where the zone is not there', async (t) => {
  const [one, two] = [await createScene(t), await createScene(t)];
  for (const cluster of [one, two]) {
    cluster.faults.inject({ lossy: { zone: 'zone-b', requests: 0.5 }, for: '5m' });
    await cluster.run({ limit: '10m' });
  }
  t.is(one.traceHash, two.traceHash);
  const refusals: readonly (readonly [fault: unknown, message: RegExp])[] = [
    [
      { powerOff: { zone: 'zone-d' } },
      /^fault\.powerOff\.zone must be a zone of the cluster \(zone-a, zone-b, zone-c\), got "zone-d"; did you mean zone-a\?$/,
    ],
    [{ powerOff: { zone: 'zone-a', node: 'node-1' } }, /^fault\.powerOff must name either a node or a zone$/],
    [{ shutDown: {} }, /^fault\.shutDown must name either a node or a zone$/],
    [{ breakAttachment: { zone: 'zone-a', volume: 'v' } }, /^fault\.breakAttachment\.zone is not known here/],
  ];
  for (const [fault, message] of refusals) {
    t.throws(() => one.faults.inject(fault as Fault), { instanceOf: FaultError, message });
  }
});

test('examples/scenarios/lost-zone.yaml › the zone is given up node by node, and everything is back before it is', async (t) => {
  const file = 'examples/scenarios/lost-zone.yaml';
  const scenario = parseScenario(readFileSync(file, 'utf8'), file, (name) => readFileSync(name, 'utf8'));
  const { refusals, expectations } = await runScenario(scenario);
  t.deepEqual([refusals, expectations.filter(({ isMet }) => !isMet)], [[], []]);
});
