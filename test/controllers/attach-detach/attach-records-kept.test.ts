/** No volume is lost: every record is given up in the end, whatever became of the attachment. */
import test from 'ava';
import { attachRecordOf, withAttachRecord } from '../../../src/api/volumes/attach-record.js';
import { createCluster, type Cluster } from '../../../src/index.js';
import { dataAttachment, withRunningPod } from './volume-scene.js';

const JOBS = ['one', 'two', 'three'];
const MINUTE = 60;

/** A volume for one node alone, and a job of several pods that need it. */
const sharingJob = (name: string): string => `
apiVersion: v1
kind: PersistentVolume
metadata: { name: ${name} }
spec:
  capacity: { storage: 1Gi }
  accessModes: [ReadWriteOnce]
  storageClassName: ''
  claimRef: { namespace: default, name: ${name} }
  csi: { driver: disk.example.com, volumeHandle: ${name} }
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: { name: ${name} }
spec:
  storageClassName: ''
  volumeName: ${name}
  accessModes: [ReadWriteOnce]
  resources: { requests: { storage: 1Gi } }
---
apiVersion: batch/v1
kind: Job
metadata: { name: ${name} }
spec:
  completions: 6
  parallelism: 3
  template:
    metadata: { annotations: { kubeloom.dev/run-for: 'uniform(1s, 90s)' } }
    spec:
      restartPolicy: OnFailure
      containers: [{ name: c, image: c, volumeMounts: [{ name: data, mountPath: /data }] }]
      volumes: [{ name: data, persistentVolumeClaim: { claimName: ${name} } }]
`;

const podOn = (node: string): string => `
apiVersion: v1
kind: Pod
metadata: { name: on-${node} }
spec:
  nodeName: ${node}
  containers: [{ name: c, image: c, volumeMounts: [{ name: data, mountPath: /data }] }]
  volumes: [{ name: data, persistentVolumeClaim: { claimName: one } }]
`;

const unfinished = (cluster: Cluster): readonly string[] =>
  cluster
    .list('Job')
    .filter(({ status }) => status.succeeded !== 6)
    .map(({ metadata, status }) => `${metadata.name}: ${status.succeeded ?? 0} of 6`);

for (const operation of ['attach', 'detach'] as const) {
  test(`9.28 › jobs whose volumes failed to ${operation} for a time come to their end, however long it was`, async (t) => {
    for (const minutes of [1, 2, 3, 5, 8, 13]) {
      const cluster = createCluster({ nodes: 4, seed: minutes, attachRecords: true });
      await cluster.ready();
      for (const name of JOBS) cluster.apply(sharingJob(name));
      await cluster.run({ limit: '30s' });
      for (const { metadata } of cluster.list('Node')) {
        cluster.faults.inject({ failVolume: { node: metadata.name, operation }, for: `${minutes}m` });
      }
      await cluster.run({ until: () => unfinished(cluster).length === 0, limit: '60m' });
      t.deepEqual(unfinished(cluster), [], `${minutes} minutes`);
      await cluster.run({ limit: '15m' });
      t.deepEqual(cluster.list('PersistentVolume').map(attachRecordOf), [undefined, undefined, undefined]);
      await cluster.dispose();
    }
  });
}

test('9.28 › a volume that was detached between two attempts is given up, and goes to the node that waits for it', async (t) => {
  for (const seconds of [60, 120, 180, 240, 300]) {
    const scene = await withRunningPod({ attachRecords: true });
    scene.bind('q', 'b');
    await scene.run(5);
    scene.manager.controller('external-attacher').stop();
    scene.deletePod('p');
    // Each attempt waits two minutes for an answer.
    await scene.run(seconds);
    scene.manager.controller('external-attacher').start();
    await scene.run(10 * MINUTE);
    t.deepEqual(scene.attachments(), ['b pv-data attached'], `${seconds} seconds`);
    t.is(scene.pod('q')?.status.phase, 'Running');
    await scene.dispose();
  }
});

test('9.28 › where an operator deletes the attachment of a volume, its record stays, and the volume is attached anew', async (t) => {
  const scene = await withRunningPod({ attachRecords: true });
  scene.server.delete('VolumeAttachment', { name: dataAttachment('a') });
  await scene.run(2 * MINUTE);
  t.deepEqual(scene.attachments(), ['a pv-data attached']);
  t.is(attachRecordOf(scene.server.get('PersistentVolume', { name: 'pv-data' }))?.nodeName, 'a');
  await scene.dispose();
});

test('9.28 › a volume whose attachment is gone, and then its pod, goes to the next one', async (t) => {
  const scene = await withRunningPod({ attachRecords: true });
  scene.bind('q', 'b');
  await scene.run(5);
  scene.server.delete('VolumeAttachment', { name: dataAttachment('a') });
  scene.deletePod('p');
  await scene.run(5 * MINUTE);
  t.deepEqual(scene.attachments(), ['b pv-data attached']);
  t.is(scene.pod('q')?.status.phase, 'Running');
  await scene.dispose();
});

test('9.28 › a record for a pod that there is not is given up', async (t) => {
  const scene = await withRunningPod({ attachRecords: true });
  scene.bind('q', 'a');
  scene.deletePod('p');
  scene.deletePod('q');
  await scene.run(MINUTE);
  const gone = { nodeName: 'b', pod: { namespace: 'default', name: 'gone', uid: 'gone' }, release: undefined };
  scene.server.change('PersistentVolume', { name: 'pv-data' }, (volume) => withAttachRecord(volume, gone));
  await scene.run(MINUTE);
  t.is(attachRecordOf(scene.server.get('PersistentVolume', { name: 'pv-data' })), undefined);
  await scene.dispose();
});

test('9.28 › a record that was taken by a request without an answer is given up with its pod', async (t) => {
  for (const lostMs of [400, 600, 900, 1200]) {
    const cluster = createCluster({ nodes: 2, seed: 3, attachRecords: true });
    await cluster.ready();
    cluster.apply(sharingJob('one').replace(/---\napiVersion: batch[\s\S]*/, ''));
    await cluster.run({ limit: '10s' });
    cluster.faults.inject({
      lossy: { controller: 'persistentvolume-attach-detach-controller', requests: 1, when: 'after' },
      for: lostMs,
    });
    cluster.apply(podOn('node-0'));
    await cluster.run({ limit: `${lostMs}ms` });
    cluster.delete('Pod', { namespace: 'default', name: 'on-node-0' }, { gracePeriodSeconds: 0 });
    cluster.apply(podOn('node-1'));
    await cluster.run({ until: { readyPods: 1 }, limit: '10m' });
    t.deepEqual(
      cluster.list('Pod').map(({ metadata, status }) => `${metadata.name} ${status.phase}`),
      ['on-node-1 Running'],
    );
    await cluster.dispose();
  }
});
