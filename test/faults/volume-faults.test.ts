/** Storage that fails or is slow: what pods are told, how often it is tried, and what comes of it in the end. */
import test, { type ExecutionContext } from 'ava';
import { createCluster, FaultError, type Cluster, type ClusterOptions, type Fault } from '../../src/index.js';
import { DATA_VOLUME, dataPodOn } from '../kubelet/volumes/data-volume.js';

const ERROR = 'rpc error: code = Internal desc = no more slots';
const SILENCE = 'rpc error: code = DeadlineExceeded desc = context deadline exceeded';
const VOLUME = 'pv-data';

/** What pods were told of their volumes, with the milliseconds since the scene began. */
interface Scene {
  readonly cluster: Cluster;
  readonly told: { readonly atMs: number; readonly text: string }[];
}

async function createScene(t: ExecutionContext, options: ClusterOptions = {}): Promise<Scene> {
  const runtime = { volumeMount: 0, volumeUnmount: 0 };
  const cluster = createCluster({ nodes: 3, seed: 9, latency: 1, runtime, ...options });
  t.teardown(() => cluster.dispose());
  await cluster.ready();
  cluster.apply(DATA_VOLUME);
  await cluster.run({ limit: '10s' });
  const told: { readonly atMs: number; readonly text: string }[] = [];
  const fromMs = cluster.nowMs;
  cluster.events$.subscribe(({ atMs, event: { reason = '', type = '', message = '' } }) => {
    if (/Attach|Mount/.test(reason)) told.push({ atMs: atMs - fromMs, text: `${type} ${reason} ${message}` });
  });
  return { cluster, told };
}

const textsOf = ({ told }: Scene): string[] => [...new Set(told.map(({ text }) => text))];

/** Milliseconds between the times at which something was told. */
function gapsOf({ told }: Scene, text: string): number[] {
  const times = told.filter((each) => each.text === text).map(({ atMs }) => atMs);
  return times.slice(1).map((time, index) => time - (times[index] ?? 0));
}

const phaseOf = (cluster: Cluster, name: string): string | undefined =>
  cluster.list('Pod').find(({ metadata }) => metadata.name === name)?.status.phase;

const attachedTo = (cluster: Cluster): string[] => cluster.list('VolumeAttachment').map(({ spec }) => spec.nodeName);

test('failVolume › of attaching is told to the pod at each attempt, which come after ever longer times', async (t) => {
  const scene = await createScene(t);
  const { cluster } = scene;
  const fault = cluster.faults.inject({ failVolume: { node: 'node-1', operation: 'attach', error: ERROR } });
  cluster.apply(dataPodOn('node-1'));
  await cluster.run({ limit: '40s' });
  const failure = `Warning FailedAttachVolume AttachVolume.Attach failed for volume "${VOLUME}" : ${ERROR}`;
  t.deepEqual(textsOf(scene), [failure]);
  // Each attempt looks for the driver's answer after half a second for the first time.
  t.deepEqual(
    gapsOf(scene, failure).map((gap) => Math.floor((gap - 500) / 1000)),
    [0, 1, 2, 4, 8, 16],
  );
  const [attachment] = cluster.list('VolumeAttachment');
  t.is(attachment?.status?.attached, false);
  t.is(attachment?.status?.attachError?.message, ERROR);
  fault.heal();
  await cluster.run({ until: { readyPods: 1 }, limit: '3m' });
  t.is(phaseOf(cluster, 'on-node-1'), 'Running');
  t.deepEqual(cluster.list('VolumeAttachment')[0]?.status, { attached: true });
  t.true((cluster.faults.tally.counts.get('failVolume')?.effects ?? 0) > 1);
});

test('failVolume › of attaching by a time that is too long is an attempt in vain, and the volume is there in the end', async (t) => {
  const scene = await createScene(t);
  const { cluster } = scene;
  cluster.faults.inject({ failVolume: { node: 'node-1', operation: 'attach', by: '150s' } });
  cluster.apply(dataPodOn('node-1'));
  await cluster.run({ limit: '140s' });
  t.deepEqual(textsOf(scene), [
    `Warning FailedAttachVolume AttachVolume.Attach failed for volume "${VOLUME}" : timed out waiting for external-attacher of disk.example.com CSI driver to attach volume data`,
  ]);
  await cluster.run({ until: { readyPods: 1 }, limit: '3m' });
  t.is(phaseOf(cluster, 'on-node-1'), 'Running');
});

test('failVolume › of mounting is told at each attempt, after half a second, one, two and so on up to 2 minutes and 2 seconds', async (t) => {
  const scene = await createScene(t);
  const { cluster } = scene;
  const fault = cluster.faults.inject({ failVolume: { node: 'node-1', operation: 'mount' } });
  cluster.apply(dataPodOn('node-1'));
  await cluster.run({ limit: '15m' });
  const failure = `Warning FailedMount MountVolume.SetUp failed for volume "${VOLUME}" : ${SILENCE}`;
  t.deepEqual(textsOf(scene), [
    `Normal SuccessfulAttachVolume AttachVolume.Attach succeeded for volume "${VOLUME}" `,
    failure,
  ]);
  t.deepEqual(
    // Each attempt asks for the VolumeAttachment first.
    gapsOf(scene, failure).map((gap) => Math.round(gap / 100) / 10),
    [0.5, 1, 2, 4, 8, 16, 32, 64, 122, 122, 122, 122, 122, 122],
  );
  t.is(phaseOf(cluster, 'on-node-1'), 'Pending');
  t.is(cluster.list('Pod')[0]?.status.containerStatuses?.[0]?.state?.waiting?.reason, 'ContainerCreating');
  fault.heal();
  await cluster.run({ until: { readyPods: 1 }, limit: '5m' });
  t.is(phaseOf(cluster, 'on-node-1'), 'Running');
});

test('failVolume › of mounting by a time only takes that long, without an event', async (t) => {
  const scene = await createScene(t);
  const { cluster } = scene;
  cluster.faults.inject({ failVolume: { node: 'node-1', operation: 'mount', by: '5m' } });
  cluster.apply(dataPodOn('node-1'));
  await cluster.run({ limit: '5m' });
  t.is(phaseOf(cluster, 'on-node-1'), 'Pending');
  await cluster.run({ limit: '1m' });
  t.is(phaseOf(cluster, 'on-node-1'), 'Running');
  t.deepEqual(textsOf(scene), [`Normal SuccessfulAttachVolume AttachVolume.Attach succeeded for volume "${VOLUME}" `]);
});

test('failVolume › of unmounting keeps a pod from its end, and its volume on its node', async (t) => {
  const scene = await createScene(t);
  const { cluster } = scene;
  cluster.apply(dataPodOn('node-1'));
  await cluster.run({ limit: '30s' });
  const fault = cluster.faults.inject({ failVolume: { node: 'node-1', operation: 'unmount', error: ERROR } });
  cluster.delete('Pod', { namespace: 'default', name: 'on-node-1' });
  cluster.apply(dataPodOn('node-2'));
  await cluster.run({ limit: '10m' });
  t.is(phaseOf(cluster, 'on-node-1'), 'Succeeded');
  t.deepEqual(attachedTo(cluster), ['node-1']);
  t.deepEqual(
    cluster.truth.mounts().map(({ node }) => node),
    ['node-1'],
  );
  t.deepEqual(
    scene.told.filter(({ text }) => text.includes(ERROR)),
    [],
  );
  fault.heal();
  await cluster.run({ limit: '6m' });
  t.is(phaseOf(cluster, 'on-node-1'), undefined);
  t.deepEqual(attachedTo(cluster), ['node-2']);
  t.is(phaseOf(cluster, 'on-node-2'), 'Running');
});

test('failVolume › of detaching keeps the volume from other nodes, and is tried again until it succeeds', async (t) => {
  const scene = await createScene(t);
  const { cluster } = scene;
  cluster.apply(dataPodOn('node-1'));
  await cluster.run({ limit: '30s' });
  const fault = cluster.faults.inject({ failVolume: { node: 'node-1', operation: 'detach', error: ERROR } });
  cluster.delete('Pod', { namespace: 'default', name: 'on-node-1' });
  cluster.apply(dataPodOn('node-2'));
  await cluster.run({ limit: '5m' });
  t.is(phaseOf(cluster, 'on-node-1'), undefined);
  t.is(cluster.list('VolumeAttachment')[0]?.status?.detachError?.message, ERROR);
  t.deepEqual(attachedTo(cluster), ['node-1']);
  t.is(phaseOf(cluster, 'on-node-2'), 'Pending');
  fault.heal();
  await cluster.run({ limit: '10m' });
  t.deepEqual(attachedTo(cluster), ['node-2']);
  t.is(phaseOf(cluster, 'on-node-2'), 'Running');
});

test('failVolume › of detaching by a time delays the hand-over by it', async (t) => {
  const { cluster } = await createScene(t);
  cluster.apply(dataPodOn('node-1'));
  await cluster.run({ limit: '30s' });
  cluster.faults.inject({ failVolume: { node: 'node-1', operation: 'detach', by: '1m' } });
  cluster.delete('Pod', { namespace: 'default', name: 'on-node-1' });
  cluster.apply(dataPodOn('node-2'));
  await cluster.run({ limit: '1m' });
  t.deepEqual(attachedTo(cluster), ['node-1']);
  await cluster.run({ limit: '20s' });
  t.deepEqual(attachedTo(cluster), ['node-2']);
});

for (const [fault, message] of [
  [
    { failVolume: { node: 'node-1', operation: 'format' } },
    'fault.failVolume.operation must be attach, mount, unmount or detach, got "format"',
  ],
  [
    { failVolume: { node: 'node-1', operation: 'mount', by: '5s', error: 'no' } },
    'fault.failVolume.by cannot stand beside error: what is slow does not fail',
  ],
  [
    { failVolume: { node: 'node-1', operation: 'mount', by: 'long' } },
    'fault.failVolume.by must be milliseconds >= 0 or a duration such as 5s, got "long"',
  ],
] as const) {
  test(`failVolume › is refused: ${message}`, async (t) => {
    const { cluster } = await createScene(t);
    t.throws(() => cluster.faults.inject(fault as unknown as Fault), { instanceOf: FaultError, message });
  });
}
