/** A volume in use that is taken away from a node. */
import test, { type ExecutionContext } from 'ava';
import { createCluster, FaultError, parseScenario, runScenario, type Cluster, type Fault } from '../../src/index.js';
import { DATA_VOLUME, dataPodOn } from '../kubelet/volumes/data-volume.js';

/** A pod on node-1 has the volume, and one on node-2 waits for it. */
async function createScene(t: ExecutionContext, attachRecords = false): Promise<Cluster> {
  const cluster = createCluster({ nodes: 3, seed: 9, attachRecords });
  t.teardown(() => cluster.dispose());
  await cluster.ready();
  cluster.apply(DATA_VOLUME);
  cluster.apply(dataPodOn('node-1'));
  await cluster.run({ limit: '30s' });
  cluster.apply(dataPodOn('node-2'));
  await cluster.run({ limit: '30s' });
  t.deepEqual(holders(cluster), { attached: ['node-1'], mounted: ['node-1'] });
  return cluster;
}

const holders = (cluster: Cluster): Readonly<Record<'attached' | 'mounted', readonly string[]>> => ({
  attached: cluster.list('VolumeAttachment').map(({ spec }) => spec.nodeName),
  mounted: cluster.truth.mounts('pv-data').map(({ node }) => node),
});

const phaseOf = (cluster: Cluster, name: string): string | undefined =>
  cluster.list('Pod').find(({ metadata }) => metadata.name === name)?.status.phase;

for (const attachRecords of [false, true]) {
  const how = attachRecords ? 'with attach records' : 'without attach records';
  test(`breakAttachment › ${how} › the process runs on without its volume, which goes to the pod that waits for it`, async (t) => {
    const cluster = await createScene(t, attachRecords);
    cluster.faults.breakAttachment({ node: 'node-1', claim: 'data' });
    t.deepEqual(holders(cluster).mounted, []);
    await cluster.run({ limit: '2m' });
    t.deepEqual(holders(cluster), { attached: ['node-2'], mounted: ['node-2'] });
    t.is(phaseOf(cluster, 'on-node-1'), 'Running');
    t.is(cluster.truth.processes('on-node-1').length, 1);
    t.is(phaseOf(cluster, 'on-node-2'), 'Running');
  });

  test(`breakAttachment › ${how} › of a node that is lost frees the volume of a pod that was deleted by force`, async (t) => {
    const cluster = await createScene(t, attachRecords);
    cluster.faults.cut({ node: 'node-1' });
    cluster.delete('Pod', { namespace: 'default', name: 'on-node-1' }, { gracePeriodSeconds: 0 });
    cluster.faults.breakAttachment({ node: 'node-1', volume: 'pv-data' });
    // By time alone it would be six minutes, and never where records are kept.
    await cluster.run({ limit: '2m' });
    t.deepEqual(holders(cluster), { attached: ['node-2'], mounted: ['node-2'] });
    t.is(phaseOf(cluster, 'on-node-2'), 'Running');
  });
}

test('breakAttachment › until it is healed the node is not given the volume again, and its pods are told', async (t) => {
  const cluster = await createScene(t);
  cluster.delete('Pod', { namespace: 'default', name: 'on-node-2' });
  const fault = cluster.faults.breakAttachment({ node: 'node-1', claim: 'default/data' });
  const again = cluster.faults.breakAttachment({ node: 'node-1', volume: 'pv-data' });
  await cluster.run({ limit: '2m' });
  const messages = cluster.list('Event').map(({ message = '' }) => message);
  t.true(
    messages.includes(
      'AttachVolume.Attach failed for volume "pv-data" : rpc error: code = Unavailable desc = the storage keeps volume pv-data from node node-1',
    ),
  );
  fault.heal();
  await cluster.run({ limit: '5m' });
  t.deepEqual(cluster.list('VolumeAttachment')[0]?.status?.attached, false);
  again.heal();
  await cluster.run({ limit: '10m' });
  t.deepEqual(cluster.list('VolumeAttachment')[0]?.status, { attached: true });
  t.deepEqual(holders(cluster).mounted, [], 'a process does not have it back by itself');
  cluster.delete('Pod', { namespace: 'default', name: 'on-node-1' });
  await cluster.run({ limit: '1m' });
  cluster.apply(dataPodOn('node-1'));
  await cluster.run({ limit: '1m' });
  t.deepEqual(holders(cluster), { attached: ['node-1'], mounted: ['node-1'] });
});

test('breakAttachment › that cannot be is refused with the path of the field', async (t) => {
  const cluster = await createScene(t);
  const refusals: readonly (readonly [unknown, string])[] = [
    [{ breakAttachment: { node: 'node-1' } }, 'fault.breakAttachment must name either a volume or a claim'],
    [
      { breakAttachment: { node: 'node-1', volume: 'pv-dat' } },
      'fault.breakAttachment.volume must be a PersistentVolume of the cluster (pv-data), got "pv-dat"; did you mean pv-data?',
    ],
    [
      { breakAttachment: { node: 'node-1', claim: 'logs' } },
      'fault.breakAttachment.claim must be a bound claim of the cluster (default/data), got "default/logs"',
    ],
    [
      { breakAttachment: { claim: 'data' } },
      'fault.breakAttachment.node must be a node of the cluster (node-0, node-1, node-2), got nothing',
    ],
  ];
  for (const [fault, message] of refusals) {
    t.throws(() => cluster.faults.inject(fault as Fault), { instanceOf: FaultError, message });
  }
});

test('breakAttachment › a scenario names claims that its workloads bring; one that is not there refuses the action', async (t) => {
  const text = JSON.stringify({
    cluster: { nodes: 3 },
    workloads: [],
    actions: [
      { at: '1s', apply: 'storage.yaml' },
      { at: '1s', apply: 'pod.yaml' },
      { at: '1m', name: 'break', breakAttachment: { node: { ofPod: 'on-node-1' }, claim: 'data' }, for: '1m' },
      { at: '2m', breakAttachment: { node: 'node-1', claim: 'logs' } },
    ],
    expectations: [
      { at: '59s', mounts: { volume: 'pv-data', node: 'node-1' } },
      { always: { mounts: {}, count: 0 }, from: '1m', until: '2m' },
      { at: '2m', processes: { pod: 'on-node-1' } },
    ],
  });
  const scenario = parseScenario(text, 'x.yaml', (path) => (path === 'pod.yaml' ? dataPodOn('node-1') : DATA_VOLUME));
  const { expectations, refusals } = await runScenario(scenario);
  t.deepEqual(
    expectations.filter(({ isMet }) => !isMet),
    [],
  );
  t.is(refusals.length, 1);
  t.regex(refusals[0] ?? '', /claim must be a bound claim of the cluster \(default\/data\), got "default\/logs"/);
});
