/** What programs need that take the place of our components: the real controller manager, the real scheduler. */
import test from 'ava';
import { serve, watch } from './wire-client.js';

const WITHOUT = { without: ['kube-scheduler', 'kube-controller-manager'] } as const;

test('a cluster without a controller manager › is up when its kubelets say that they are ready', async (t) => {
  const { cluster } = await serve(t, { ...WITHOUT, nodes: 3 });
  const { end } = await cluster.ready();
  t.is(end, 'done');
  t.true(cluster.nowMs < 60_000);
  t.is(cluster.stats().nodes.schedulable, 0);
});

test('a watch of leases › tells the renewals, which nothing writes', async (t) => {
  const served = await serve(t, { nodes: 1 });
  const { cluster } = served;
  await cluster.ready();
  const path = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases?watch=1';
  const times: string[] = [];
  let version = 0;
  for await (const { type, object } of watch(served, path)) {
    const { spec } = object as unknown as { readonly spec: { readonly renewTime: string } };
    times.push(`${type} ${spec.renewTime}`);
    if (times.length === 1) {
      await cluster.run({ limit: '1m' });
      ({ version } = cluster);
    }
    if (times.length === 2) break;
  }
  const [[first, began = ''] = [], [second, renewed = ''] = []] = times.map((each) => each.split(' '));
  t.deepEqual([first, second], ['ADDED', 'MODIFIED']);
  t.true(Date.parse(renewed) - Date.parse(began) > 40_000);
  t.is(cluster.version, version);
});

test('a cluster without a controller manager › keeps the sidecars of CSI drivers, which make volumes', async (t) => {
  const { cluster } = await serve(t, { ...WITHOUT, nodes: 1 });
  await cluster.ready();
  cluster.create('PersistentVolumeClaim', {
    metadata: {
      name: 'data',
      // As upstream's persistent volume controller asks the provisioner.
      annotations: {
        'volume.kubernetes.io/storage-provisioner': 'csi.kubeloom.dev',
        'volume.kubernetes.io/selected-node': 'node-0',
      },
    },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, storageClassName: 'standard' },
  });
  await cluster.run({ until: () => cluster.list('PersistentVolume').length > 0, limit: '1m' });
  t.is(cluster.list('PersistentVolume')[0]?.spec.claimRef?.name, 'data');
  t.deepEqual(cluster.list('Lease', { namespace: 'kube-system' }), []);
});
