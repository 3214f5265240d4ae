/** What a node's status shows as attached is not enough: the kubelet asks for the VolumeAttachment before it mounts. */
import test from 'ava';
import { attachmentName } from '../../../src/api/volumes/attachable-volume.js';
import { createCluster, type Cluster } from '../../../src/index.js';
import { DATA_POD, DATA_VOLUME } from './data-volume.js';

const ATTACHMENT = attachmentName({ driver: 'disk.example.com', handle: 'data' }, 'node-0');
const MANIFEST = `${DATA_VOLUME}---${DATA_POD}`;

/** Says that the volume is attached to the node, as a controller does that knows no better. */
function show(cluster: Cluster): void {
  const node = cluster.get('Node', 'node-0');
  const volumesAttached = [{ name: 'kubernetes.io/csi/disk.example.com^data', devicePath: '' }];
  cluster.updateStatus('Node', { ...node, status: { ...node.status, volumesAttached } });
}

function setStatus(cluster: Cluster, status: object): void {
  cluster.updateStatus('VolumeAttachment', { ...cluster.get('VolumeAttachment', ATTACHMENT), status });
}

const failures = (cluster: Cluster): string[] =>
  cluster.list('Event').flatMap(({ reason, message = '' }) => (reason === 'FailedMount' ? [message] : []));

test('a kubelet › mounts what its node is said to have attached once the VolumeAttachment says so as well', async (t) => {
  const cluster = createCluster({ nodes: 1, seed: 5, invariants: true });
  t.teardown(() => cluster.dispose());
  await cluster.ready();
  cluster.faults.stopController('persistentvolume-attach-detach-controller');
  cluster.faults.stopController('external-attacher');
  cluster.apply(MANIFEST);
  await cluster.run({ limit: '15s' });
  show(cluster);
  await cluster.run({ limit: '15s' });
  const failed = 'MountVolume.WaitForAttach failed for volume "pv-data" : ';
  const missing = `volumeattachments.storage.k8s.io "${ATTACHMENT}" not found`;
  const told = [`${failed}volume data has GET error for volume attachment ${ATTACHMENT}: ${missing}`];
  t.deepEqual(failures(cluster), told);

  cluster.create('VolumeAttachment', {
    metadata: { name: ATTACHMENT, finalizers: ['external-attacher/disk-example-com'] },
    spec: { attacher: 'disk.example.com', nodeName: 'node-0', source: { persistentVolumeName: 'pv-data' } },
  });
  await cluster.run({ limit: '1m' });
  told.push(`${failed}volume data is not attached for volume attachment ${ATTACHMENT}`);
  t.deepEqual(failures(cluster), told);

  setStatus(cluster, { attached: false, attachError: { message: 'no more slots', time: '2030-01-01T00:01:00Z' } });
  await cluster.run({ limit: '2m' });
  told.push(`${failed}no more slots`);
  t.deepEqual(failures(cluster), told);
  t.is(cluster.get('Pod', 'db').status.phase, 'Pending');

  setStatus(cluster, { attached: true });
  await cluster.run({ limit: '3m' });
  t.is(cluster.get('Pod', 'db').status.phase, 'Running');
});

test('a kubelet › mounts nothing by a VolumeAttachment that is being deleted', async (t) => {
  const cluster = createCluster({ nodes: 1, seed: 5, invariants: true });
  t.teardown(() => cluster.dispose());
  await cluster.ready();
  cluster.faults.stopController('persistentvolume-attach-detach-controller');
  cluster.faults.stopController('external-attacher');
  cluster.create('VolumeAttachment', {
    metadata: { name: ATTACHMENT, finalizers: ['external-attacher/disk-example-com'] },
    spec: { attacher: 'disk.example.com', nodeName: 'node-0', source: { persistentVolumeName: 'pv-data' } },
  });
  setStatus(cluster, { attached: true });
  cluster.delete('VolumeAttachment', ATTACHMENT);
  cluster.apply(MANIFEST);
  await cluster.run({ limit: '15s' });
  show(cluster);
  await cluster.run({ limit: '1m' });
  t.deepEqual(failures(cluster), [
    'MountVolume.WaitForAttach failed for volume "pv-data" : volume attachment is being deleted',
  ]);
  t.is(cluster.get('Pod', 'db').status.phase, 'Pending');
});
