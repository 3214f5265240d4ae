import test, { type ExecutionContext } from 'ava';
import { createCluster, type Cluster, type Draft } from '../../../src/index.js';

const CLAIM = { namespace: 'default', name: 'scratch-tmp' };

function pod(name = 'scratch'): Draft {
  const volumeClaimTemplate = {
    metadata: { labels: { of: 'pod' }, annotations: { note: 'kept' } },
    spec: { accessModes: ['ReadWriteOnce'], storageClassName: 'fast', resources: { requests: { storage: '1Gi' } } },
  };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name },
    spec: {
      containers: [{ name: 'main', image: 'main:1', volumeMounts: [{ name: 'tmp', mountPath: '/tmp' }] }],
      volumes: [{ name: 'tmp', ephemeral: { volumeClaimTemplate } }],
    },
  };
}

async function cluster(t: ExecutionContext): Promise<Cluster> {
  const made = createCluster({ nodes: 2 });
  t.teardown(() => made.dispose());
  await made.ready();
  made.apply([
    {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'StorageClass',
      metadata: { name: 'fast' },
      provisioner: 'csi.example.com',
      volumeBindingMode: 'WaitForFirstConsumer',
    },
  ]);
  return made;
}

test('ephemeral volumes › a pod brings its claim along, which is its own, and goes with it', async (t) => {
  const made = await cluster(t);
  made.apply([pod()]);
  await made.run({ until: () => made.readyPods === 1, limit: '1m' });
  t.is(made.readyPods, 1);
  const claim = made.get('PersistentVolumeClaim', CLAIM);
  t.like(claim.metadata, { labels: { of: 'pod' }, annotations: { note: 'kept' } });
  const { uid } = made.get('Pod', { namespace: 'default', name: 'scratch' }).metadata;
  t.deepEqual(claim.metadata.ownerReferences, [
    { apiVersion: 'v1', kind: 'Pod', name: 'scratch', uid, controller: true, blockOwnerDeletion: true },
  ]);
  t.is(claim.status.phase, 'Bound');
  made.delete('Pod', { namespace: 'default', name: 'scratch' });
  await made.run({ limit: '2m' });
  t.is(made.list('PersistentVolumeClaim').length, 0);
  t.is(made.list('PersistentVolume').length, 0);
});

test('ephemeral volumes › a claim that is deleted before its pod has a node is made anew', async (t) => {
  const made = await cluster(t);
  const { spec = {}, ...rest } = pod();
  made.apply([{ ...rest, spec: { ...(spec as object), nodeSelector: { is: 'nowhere' } } }]);
  await made.run({ limit: '5s' });
  const { uid } = made.get('PersistentVolumeClaim', CLAIM).metadata;
  made.delete('PersistentVolumeClaim', CLAIM);
  await made.run({ limit: '5s' });
  t.not(made.get('PersistentVolumeClaim', CLAIM).metadata.uid, uid);
});

test("ephemeral volumes › somebody else's claim of that name is not taken, and the pod's events say so", async (t) => {
  const made = await cluster(t);
  const spec = {
    accessModes: ['ReadWriteOnce'],
    storageClassName: 'fast',
    resources: { requests: { storage: '1Gi' } },
  };
  made.apply([{ apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name: CLAIM.name }, spec }, pod()]);
  await made.run({ limit: '1m' });
  t.is(made.readyPods, 0);
  const texts = made
    .list('Event')
    .filter(({ source }) => source?.component === 'ephemeral_volume')
    .map(({ message }) => message);
  t.true(texts.length > 0);
  t.is(
    texts[0],
    'ephemeral volume tmp: PVC default/scratch-tmp was not created for pod default/scratch (pod is not owner)',
  );
});
