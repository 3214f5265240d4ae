/** What programs need that take the place of our components: the real controller manager, the real scheduler. */
import test from 'ava';
import { ask, serve, watch } from './wire-client.js';

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

const USAGE = '/apis/metrics.k8s.io/v1beta1/pods';

test('a cluster without metrics-server › serves no metrics, and autoscalers tell that they have none', async (t) => {
  const served = await serve(t, { without: ['metrics-server'], nodes: 1 });
  const { cluster } = served;
  await cluster.ready();
  t.is((await ask(served, USAGE)).status, 404);
  t.notRegex((await ask(served, '/apis')).text, /metrics\.k8s\.io/);
  const labels = { app: 'web' };
  const container = { name: 'web', image: 'web', resources: { requests: { cpu: '100m' } } };
  cluster.create('Deployment', {
    metadata: { name: 'web' },
    spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers: [container] } } },
  });
  cluster.create('HorizontalPodAutoscaler', {
    metadata: { name: 'web' },
    spec: {
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
      maxReplicas: 3,
      metrics: [
        { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } } },
      ],
    },
  });
  await cluster.run({ limit: '1m' });
  const path = '/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers/web';
  const { status } = (await ask(served, path)).json as {
    readonly status: { readonly conditions: readonly { type: string; reason: string; message: string }[] };
  };
  const active = status.conditions.find(({ type }) => type === 'ScalingActive');
  t.is(active?.reason, 'FailedGetResourceMetric');
  t.regex(active?.message ?? '', /the server could not find the requested resource \(get pods\.metrics\.k8s\.io\)$/);
});

test('a cluster with metrics-server › serves what pods use', async (t) => {
  const served = await serve(t, { nodes: 1 });
  t.is((await ask(served, USAGE)).status, 200);
  t.regex((await ask(served, '/apis')).text, /metrics\.k8s\.io/);
});
