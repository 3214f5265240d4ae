import test from 'ava';
import { createCluster } from '../../../src/index.js';

test('protection › a class of attributes that is deleted stays as long as a claim names it', async (t) => {
  const cluster = createCluster({ nodes: 1 });
  t.teardown(() => cluster.dispose());
  await cluster.ready();
  const claim = { namespace: 'default', name: 'data' };
  const spec = {
    accessModes: ['ReadWriteOnce'],
    storageClassName: 'none',
    volumeAttributesClassName: 'gold',
    resources: { requests: { storage: '1Gi' } },
  };
  cluster.apply([
    {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'VolumeAttributesClass',
      metadata: { name: 'gold' },
      driverName: 'csi.example.com',
      parameters: { iops: '1000' },
    },
    { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name: 'data' }, spec },
  ]);
  await cluster.run({ limit: '5s' });
  t.deepEqual(cluster.get('VolumeAttributesClass', 'gold').metadata.finalizers, ['kubernetes.io/vac-protection']);
  cluster.delete('VolumeAttributesClass', 'gold');
  await cluster.run({ limit: '1m' });
  t.truthy(cluster.get('VolumeAttributesClass', 'gold').metadata.deletionTimestamp);
  cluster.delete('PersistentVolumeClaim', claim);
  await cluster.run({ limit: '1m' });
  t.is(cluster.list('VolumeAttributesClass').length, 0);
});
