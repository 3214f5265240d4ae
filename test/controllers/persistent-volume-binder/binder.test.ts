import test from 'ava';
import type { Pod } from '../../../src/api/objects/objects.js';
import type { PersistentVolume, PersistentVolumeClaim } from '../../../src/api/objects/storage-objects.js';
import { notes } from '../harness.js';
import { Storage } from './storage.js';

test('binds in four writes: volume, volume status, claim, claim status', async (t) => {
  const storage = new Storage();
  storage.volume('pv');
  await storage.run(1000);
  storage.claim('c');
  await storage.run(1000);
  t.deepEqual(storage.story, [
    'pv: Pending -',
    'pv: Available -',
    'c: Pending -',
    'pv: Available c bound-by-controller',
    'pv: Bound c bound-by-controller',
    'c: Pending pv bind-completed bound-by-controller',
    'c: Bound pv bind-completed bound-by-controller',
  ]);
  const { status, metadata } = storage.getClaim('c') as PersistentVolumeClaim;
  t.deepEqual(status, { phase: 'Bound', accessModes: ['ReadWriteOnce'], capacity: { storage: '10Gi' } });
  t.is(storage.getVolume('pv')?.spec.claimRef?.uid, metadata.uid);
  storage.harness.dispose();
});

test('takes the smallest volume of the class that is large enough and offers the modes', async (t) => {
  const storage = new Storage();
  storage.volume('large', { capacity: { storage: '20Gi' } });
  storage.volume('small', { capacity: { storage: '4Gi' } });
  storage.volume('fit', { capacity: { storage: '5Gi' } });
  storage.volume('block', { capacity: { storage: '5Gi' }, volumeMode: 'Block' });
  storage.volume('other', { capacity: { storage: '5Gi' }, storageClassName: 'x' });
  storage.volume('reader', { capacity: { storage: '5Gi' }, accessModes: ['ReadOnlyMany'] });
  await storage.run(1000);
  storage.claim('c');
  await storage.run(1000);
  t.is(storage.getClaim('c')?.spec.volumeName, 'fit');
  storage.harness.dispose();
});

test('prefers few access modes to small size, and a volume set aside for the claim to both', async (t) => {
  const storage = new Storage();
  storage.volume('many', { capacity: { storage: '5Gi' }, accessModes: ['ReadWriteOnce', 'ReadOnlyMany'] });
  storage.volume('few', { capacity: { storage: '9Gi' } });
  await storage.run(1000);
  storage.claim('a');
  await storage.run(1000);
  t.is(storage.getClaim('a')?.spec.volumeName, 'few');
  storage.volume('set-aside', { capacity: { storage: '50Gi' }, claimRef: { namespace: 'default', name: 'b' } });
  await storage.run(1000);
  t.is(storage.getVolume('set-aside')?.status.phase, 'Available');
  storage.claim('b');
  await storage.run(1000);
  t.is(storage.getClaim('b')?.spec.volumeName, 'set-aside');
  t.is(storage.getVolume('set-aside')?.metadata.annotations?.['pv.kubernetes.io/bound-by-controller'], undefined);
  storage.harness.dispose();
});

test('two claims never get one volume', async (t) => {
  const storage = new Storage();
  storage.volume('pv');
  await storage.run(1000);
  for (const name of ['a', 'b', 'c']) storage.claim(name);
  await storage.run(60_000);
  const bound = ['a', 'b', 'c'].filter((name) => storage.getClaim(name)?.status.phase === 'Bound');
  t.is(bound.length, 1);
  t.is(storage.getVolume('pv')?.spec.claimRef?.name, bound[0]);
  storage.harness.dispose();
});

test('a claim without a class and a volume says so, and is looked at again after 15 s', async (t) => {
  const storage = new Storage();
  storage.claim('c');
  await storage.run(1000);
  t.deepEqual(notes(storage.harness, 'c'), [
    'Normal FailedBinding no persistent volumes available for this claim and no storage class is set',
  ]);
  storage.volume('pv');
  await storage.run(13_000);
  t.is(storage.getClaim('c')?.status.phase, 'Pending');
  await storage.run(2000);
  t.is(storage.getClaim('c')?.status.phase, 'Bound');
  storage.harness.dispose();
});

test('a claim that names no class gets the default one, and its volume', async (t) => {
  const storage = new Storage();
  storage.storageClass('standard', {}, { 'storageclass.kubernetes.io/is-default-class': 'true' });
  storage.claim('c');
  await storage.run(1000);
  const claim = storage.getClaim('c') as PersistentVolumeClaim;
  t.is(claim.spec.storageClassName, 'standard');
  t.is(claim.status.phase, 'Bound');
  const volume = storage.getVolume(`pvc-${claim.metadata.uid}`) as PersistentVolume;
  t.deepEqual(volume.spec, {
    accessModes: ['ReadWriteOnce'],
    capacity: { storage: '5Gi' },
    claimRef: volume.spec.claimRef,
    csi: { driver: 'csi.example.com', volumeHandle: volume.metadata.name },
    persistentVolumeReclaimPolicy: 'Delete',
    storageClassName: 'standard',
    volumeMode: 'Filesystem',
  } as PersistentVolume['spec']);
  t.is(volume.status.phase, 'Bound');
  t.is(claim.metadata.annotations?.['volume.kubernetes.io/storage-provisioner'], 'csi.example.com');
  storage.harness.dispose();
});

test('a class that waits gets nothing until the scheduler has selected a node', async (t) => {
  const storage = new Storage();
  storage.storageClass('wait', { volumeBindingMode: 'WaitForFirstConsumer' });
  storage.volume('pv', { storageClassName: 'wait' });
  storage.create('Node', { metadata: { name: 'n1', labels: { zone: 'a' } } });
  storage.create('CSINode', {
    metadata: { name: 'n1' },
    spec: { drivers: [{ name: 'csi.example.com', nodeID: 'n1', topologyKeys: ['zone'] }] },
  });
  storage.claim('c', { storageClassName: 'wait' });
  await storage.run(1000);
  t.deepEqual(notes(storage.harness, 'c'), [
    'Normal WaitForFirstConsumer waiting for first consumer to be created before binding',
  ]);
  storage.pod('p', 'c', false);
  storage.pod('q', 'c', false);
  await storage.run(15_000);
  t.is(notes(storage.harness, 'c').at(-1), 'Normal WaitForPodScheduled waiting for pods p,q to be scheduled');
  t.is(storage.getClaim('c')?.status.phase, 'Pending');
  storage.annotate('PersistentVolumeClaim', 'c', { 'volume.kubernetes.io/selected-node': 'n1' });
  await storage.run(1000);
  const claim = storage.getClaim('c') as PersistentVolumeClaim;
  t.is(claim.status.phase, 'Bound');
  t.is(claim.spec.volumeName, `pvc-${claim.metadata.uid}`);
  t.deepEqual(storage.getVolume(claim.spec.volumeName ?? '')?.spec.nodeAffinity, {
    required: { nodeSelectorTerms: [{ matchExpressions: [{ key: 'zone', operator: 'In', values: ['a'] }] }] },
  });
  storage.harness.dispose();
});

test('claims that wait are looked at anew every 15 s from the start, all at once', async (t) => {
  const storage = new Storage();
  storage.storageClass('wait', { volumeBindingMode: 'WaitForFirstConsumer' });
  await storage.run(10_000);
  storage.claim('a', { storageClassName: 'wait' });
  await storage.run(3000);
  storage.claim('b', { storageClassName: 'wait' });
  storage.pod('p', 'a', false);
  storage.pod('q', 'b', false);
  await storage.run(1500);
  t.deepEqual([notes(storage.harness, 'a').length, notes(storage.harness, 'b').length], [1, 1]);
  await storage.run(1000);
  t.is(notes(storage.harness, 'a').at(-1), 'Normal WaitForPodScheduled waiting for pod p to be scheduled');
  t.is(notes(storage.harness, 'b').at(-1), 'Normal WaitForPodScheduled waiting for pod q to be scheduled');
  storage.harness.dispose();
});

test('a selected node that is gone is given back', async (t) => {
  const storage = new Storage();
  storage.storageClass('wait', { volumeBindingMode: 'WaitForFirstConsumer' });
  storage.claim('c', { storageClassName: 'wait' }, { 'volume.kubernetes.io/selected-node': 'gone' });
  await storage.run(1000);
  t.is(storage.getClaim('c')?.metadata.annotations?.['volume.kubernetes.io/selected-node'], undefined);
  t.is(storage.getClaim('c')?.status.phase, 'Pending');
  storage.harness.dispose();
});

test('volumes without a provisioner are requested in vain', async (t) => {
  const storage = new Storage();
  storage.storageClass('local', { provisioner: 'kubernetes.io/no-provisioner' });
  storage.claim('a', { storageClassName: 'local' });
  storage.claim('b', { storageClassName: 'none' });
  await storage.run(1000);
  t.deepEqual(notes(storage.harness, 'a'), [
    'Warning ProvisioningFailed no volume plugin matched name: kubernetes.io/no-provisioner',
  ]);
  t.deepEqual(notes(storage.harness, 'b'), ['Warning ProvisioningFailed storageclass.storage.k8s.io "none" not found']);
  storage.harness.dispose();
});

test('a claim that names its volume waits for it, and tells what is wrong with it', async (t) => {
  const storage = new Storage();
  storage.claim('c', { volumeName: 'pv' });
  await storage.run(1000);
  t.is(storage.getClaim('c')?.status.phase, 'Pending');
  t.deepEqual(notes(storage.harness, 'c'), []);
  storage.volume('pv', { capacity: { storage: '4Gi' } });
  await storage.run(15_000);
  t.deepEqual(notes(storage.harness, 'c'), [
    'Warning VolumeMismatch Cannot bind to requested volume "pv": requested PV is too small',
  ]);
  storage.volume('taken', { claimRef: { namespace: 'default', name: 'other', uid: 'o' } });
  storage.claim('d', { volumeName: 'taken' });
  storage.volume('free');
  storage.claim('e', { volumeName: 'free' });
  await storage.run(1000);
  t.deepEqual(notes(storage.harness, 'd'), [
    'Warning FailedBinding volume "taken" already bound to a different claim.',
  ]);
  t.is(storage.getClaim('e')?.status.phase, 'Bound');
  t.is(storage.getClaim('e')?.metadata.annotations?.['pv.kubernetes.io/bound-by-controller'], undefined);
  storage.harness.dispose();
});

test('a claim whose volume is gone is lost', async (t) => {
  const storage = new Storage();
  storage.claim('c', { volumeName: 'gone' }, { 'pv.kubernetes.io/bind-completed': 'yes' });
  storage.claim('d', {}, { 'pv.kubernetes.io/bind-completed': 'yes' });
  storage.volume('pv', { claimRef: { namespace: 'default', name: 'x', uid: 'x' } });
  storage.claim('e', { volumeName: 'pv' }, { 'pv.kubernetes.io/bind-completed': 'yes' });
  await storage.run(1000);
  t.deepEqual(
    ['c', 'd', 'e'].map((name) => [storage.getClaim(name)?.status.phase, ...notes(storage.harness, name)]),
    [
      ['Lost', 'Warning ClaimLost Bound claim has lost its PersistentVolume. Data on the volume is lost!'],
      ['Lost', 'Warning ClaimLost Bound claim has lost reference to PersistentVolume. Data on the volume is lost!'],
      ['Lost', 'Warning ClaimMisbound Two claims are bound to the same volume, this one is bound incorrectly'],
    ],
  );
  storage.harness.dispose();
});

test('a deleted claim stays while a pod on a node uses it, then its volume is kept, deleted or recycled', async (t) => {
  const storage = new Storage();
  for (const [name, policy] of [
    ['kept', 'Retain'],
    ['deleted', 'Delete'],
    ['recycled', 'Recycle'],
  ] as const) {
    storage.volume(name, { persistentVolumeReclaimPolicy: policy });
    storage.claim(name, { volumeName: name });
  }
  await storage.run(20_000);
  storage.pod('p', 'kept', true);
  storage.pod('unplaced', 'deleted', false);
  await storage.run(1000);
  for (const name of ['kept', 'deleted', 'recycled']) storage.delete('PersistentVolumeClaim', name);
  await storage.run(1000);
  t.not(storage.getClaim('kept')?.metadata.deletionTimestamp, undefined);
  t.is(storage.getClaim('deleted'), undefined);
  t.is(storage.getVolume('deleted'), undefined);
  t.is(storage.getVolume('recycled')?.status.phase, 'Available');
  t.is(storage.getVolume('kept')?.status.phase, 'Bound');
  storage.delete('Pod', 'p');
  await storage.run(60_000);
  t.is(
    storage.harness.list('Pod').some((pod: Pod) => pod.metadata.name === 'p'),
    false,
  );
  t.is(storage.getClaim('kept'), undefined);
  t.is(storage.getVolume('kept')?.status.phase, 'Released');
  storage.harness.dispose();
});

test('a bound volume outlives its deletion until its claim lets go', async (t) => {
  const storage = new Storage();
  storage.volume('pv');
  storage.claim('c', { volumeName: 'pv' });
  await storage.run(20_000);
  storage.delete('PersistentVolume', 'pv');
  await storage.run(1000);
  t.not(storage.getVolume('pv')?.metadata.deletionTimestamp, undefined);
  storage.delete('PersistentVolumeClaim', 'c');
  await storage.run(1000);
  t.is(storage.getVolume('pv'), undefined);
  storage.harness.dispose();
});
