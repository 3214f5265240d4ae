/** What becomes of claims and volumes that are deleted, and what keeps them. */
import test from 'ava';
import type { PersistentVolume, PersistentVolumeClaim } from '../../../src/api/objects/storage-objects.js';
import { notes } from '../harness.js';
import { Storage } from './storage.js';

const CLASS = { provisioner: 'csi.example.com' };
const PV_PROTECTION = 'kubernetes.io/pv-protection';
const PROVISIONER = 'external-provisioner.volume.kubernetes.io/finalizer';

/** A volume that was made for the claim `c`, bound. */
async function provisioned(parts: object = {}): Promise<{ readonly storage: Storage; readonly name: string }> {
  const storage = new Storage();
  storage.storageClass('fast', { ...CLASS, ...parts });
  storage.claim('c', { storageClassName: 'fast' });
  await storage.run(1000);
  const { metadata, status } = storage.getClaim('c') as PersistentVolumeClaim;
  if (status.phase !== 'Bound') throw new Error('the claim must be bound');
  return { storage, name: `pvc-${metadata.uid}` };
}

test('7.10.1 › both finalizers are there from the start, and are put back until a deletion begins', async (t) => {
  const storage = new Storage();
  storage.volume('pv');
  storage.claim('c');
  await storage.run(1000);
  t.deepEqual(storage.getVolume('pv')?.metadata.finalizers, [PV_PROTECTION]);
  t.deepEqual(storage.getClaim('c')?.metadata.finalizers, ['kubernetes.io/pvc-protection']);
  const none = { type: 'merge', body: { metadata: { finalizers: null } } } as const;
  storage.harness.server.patch('PersistentVolume', { name: 'pv' }, none);
  storage.harness.server.patch('PersistentVolumeClaim', { namespace: 'default', name: 'c' }, none);
  await storage.run(1000);
  t.deepEqual(storage.getVolume('pv')?.metadata.finalizers, [PV_PROTECTION]);
  t.deepEqual(storage.getClaim('c')?.metadata.finalizers, ['kubernetes.io/pvc-protection']);
  storage.harness.dispose();
});

test('7.10.1 › a claim outlives its deletion while a finished pod on a node refers to it', async (t) => {
  const storage = new Storage();
  storage.volume('pv');
  storage.claim('c');
  storage.pod('p', 'c', true);
  await storage.run(1000);
  storage.harness.server.change(
    'Pod',
    { namespace: 'default', name: 'p' },
    (pod) => ({ ...pod, status: { ...pod.status, phase: 'Succeeded' } }),
    { subresource: 'status' },
  );
  storage.delete('PersistentVolumeClaim', 'c');
  await storage.run(60_000);
  t.not(storage.getClaim('c')?.metadata.deletionTimestamp, undefined);
  storage.delete('Pod', 'p');
  await storage.run(1000);
  t.is(storage.getClaim('c'), undefined);
  t.is(storage.getVolume('pv')?.status.phase, 'Released');
  storage.harness.dispose();
});

test('7.10.1 › a volume outlives its deletion while it is bound', async (t) => {
  const { storage, name } = await provisioned({ reclaimPolicy: 'Retain' });
  storage.delete('PersistentVolume', name);
  await storage.run(60_000);
  t.is(storage.getVolume(name)?.status.phase, 'Bound');
  t.deepEqual(storage.getVolume(name)?.metadata.finalizers, [PV_PROTECTION]);
  storage.delete('PersistentVolumeClaim', 'c');
  await storage.run(1000);
  t.is(storage.getVolume(name), undefined);
  storage.harness.dispose();
});

test('7.10.7 › a volume that was made for a claim goes with it: released, removed, gone', async (t) => {
  const { storage, name } = await provisioned();
  t.deepEqual(storage.getVolume(name)?.metadata.finalizers, [PROVISIONER, PV_PROTECTION]);
  storage.story.length = 0;
  storage.delete('PersistentVolumeClaim', 'c');
  await storage.run(1000);
  t.deepEqual(
    storage.story.filter((line, at) => line !== storage.story[at - 1]).map((line) => line.replace(name, 'pv')),
    [
      'c: Bound pv bind-completed bound-by-controller storage-provisioner storage-provisioner',
      'c: gone',
      'pv: Released c provisioned-by',
      'pv: gone',
    ],
  );
  storage.harness.dispose();
});

test('7.10.7 › a kept volume keeps its claim, and no other claim gets it until that is cleared', async (t) => {
  const { storage, name } = await provisioned({ reclaimPolicy: 'Retain' });
  storage.delete('PersistentVolumeClaim', 'c');
  await storage.run(1000);
  storage.claim('c', { storageClassName: 'fast', volumeName: name });
  await storage.run(60_000);
  t.is(storage.getVolume(name)?.status.phase, 'Released');
  t.is(storage.getVolume(name)?.spec.claimRef?.name, 'c');
  t.is(storage.getClaim('c')?.status.phase, 'Pending');
  t.deepEqual(
    notes(storage.harness, 'c').at(-1),
    `Warning FailedBinding volume "${name}" already bound to a different claim.`,
  );
  storage.harness.server.patch('PersistentVolume', { name }, { type: 'merge', body: { spec: { claimRef: null } } });
  await storage.run(20_000);
  t.is(storage.getVolume(name)?.status.phase, 'Bound');
  t.is(storage.getClaim('c')?.status.phase, 'Bound');
  storage.harness.dispose();
});

test('7.10.7 › what no plugin can delete or scrub fails, and says why', async (t) => {
  const storage = new Storage();
  const csi = { hostPath: undefined, csi: { driver: 'csi.example.com', volumeHandle: 'h' } };
  storage.volume('csi', { ...csi, persistentVolumeReclaimPolicy: 'Delete' });
  storage.volume('home', { hostPath: { path: '/home' }, persistentVolumeReclaimPolicy: 'Delete' });
  storage.volume('scrub', { ...csi, persistentVolumeReclaimPolicy: 'Recycle' });
  for (const name of ['csi', 'home', 'scrub']) storage.claim(name, { volumeName: name });
  await storage.run(20_000);
  for (const name of ['csi', 'home', 'scrub']) storage.delete('PersistentVolumeClaim', name);
  await storage.run(1000);
  const stateOf = (name: string): readonly unknown[] => {
    const { status } = storage.getVolume(name) as PersistentVolume;
    return [status.phase, status.message, ...notes(storage.harness, name).filter((note) => note.includes('Volume'))];
  };
  const csiText = 'error getting deleter volume plugin for volume "csi": no volume plugin matched';
  const homeText = 'host_path deleter only supports /tmp/.+ but received provided /home';
  const scrubText = 'No recycler plugin found for the volume!';
  t.deepEqual(stateOf('csi'), ['Failed', csiText, `Warning VolumeFailedDelete ${csiText}`]);
  t.deepEqual(stateOf('home'), ['Failed', homeText, `Warning VolumeFailedDelete ${homeText}`]);
  t.deepEqual(stateOf('scrub'), ['Failed', scrubText, `Warning VolumeFailedRecycle ${scrubText}`]);
  storage.harness.dispose();
});

test('7.10.7 › a volume that is still attached is not removed before it is detached', async (t) => {
  const { storage, name } = await provisioned();
  storage.create('VolumeAttachment', {
    metadata: { name: 'csi-x' },
    spec: { attacher: 'csi.example.com', nodeName: 'n1', source: { persistentVolumeName: name } },
  });
  await storage.run(1000);
  storage.delete('PersistentVolumeClaim', 'c');
  await storage.run(500);
  t.is(storage.getVolume(name)?.status.phase, 'Released');
  t.deepEqual(notes(storage.harness, name, ''), []);
  t.deepEqual(
    storage.harness.server
      .list('Event')
      .items.filter(({ reason }) => reason === 'VolumeFailedDelete')
      .map(({ type, message }) => `${type} ${message}`),
    [`Warning persistentvolume ${name} is still attached to node n1`],
  );
  storage.harness.server.delete('VolumeAttachment', { name: 'csi-x' });
  await storage.run(5000);
  t.is(storage.getVolume(name), undefined);
  storage.harness.dispose();
});

test('provisioner › makes a volume after the time that its driver takes, and tells so', async (t) => {
  const storage = new Storage({ volumeProvisionMs: 7000 });
  storage.storageClass('fast', CLASS);
  storage.claim('c', { storageClassName: 'fast' });
  await storage.run(6900);
  t.is(storage.getClaim('c')?.status.phase, 'Pending');
  await storage.run(200);
  t.is(storage.getClaim('c')?.status.phase, 'Bound');
  const name = storage.getClaim('c')?.spec.volumeName ?? '';
  t.deepEqual(
    notes(storage.harness, 'c').filter((note) => note.includes('rovision')),
    [
      'Normal Provisioning External provisioner is provisioning volume for claim "default/c"',
      "Normal ExternalProvisioning Waiting for a volume to be created either by the external provisioner 'csi.example.com' or manually by the system administrator. If volume creation is delayed, please verify that the provisioner is running and correctly registered.",
      `Normal ProvisioningSucceeded Successfully provisioned volume ${name}`,
    ],
  );
  storage.harness.dispose();
});

test('provisioner › without it claims wait, and get their volumes when it comes back', async (t) => {
  const storage = new Storage();
  const provisioner = storage.harness.manager.controller('external-provisioner');
  provisioner.stop();
  storage.storageClass('fast', CLASS);
  storage.claim('c', { storageClassName: 'fast' });
  await storage.run(60_000);
  t.is(storage.getClaim('c')?.status.phase, 'Pending');
  provisioner.start();
  await storage.run(1000);
  t.is(storage.getClaim('c')?.status.phase, 'Bound');
  storage.harness.dispose();
});
