/** A dump has objects that came to be what they are by updates: what is refused of new ones alone does not refuse it. */
import test from 'ava';
import { createCluster } from '../../src/index.js';

const startedAt = '2026-01-01T00:00:00Z';
const NODE = {
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: 'n' },
  status: {
    capacity: { cpu: '4', memory: '8Gi', pods: '10' },
    conditions: [{ type: 'Ready', status: 'True', lastHeartbeatTime: startedAt, lastTransitionTime: startedAt }],
  },
};
const running = { ready: false, restartCount: 0, image: 'i', imageID: '', state: { running: { startedAt } } };

test('a pod that is debugged, a zone in a schedule and two classes of an ingress are taken over', async (t) => {
  const ephemeralContainers = [{ name: 'debugger', image: 'busybox', targetContainerName: 'c' }];
  const status = {
    phase: 'Running',
    startTime: startedAt,
    containerStatuses: [{ ...running, name: 'c', ready: true, started: true }],
    ephemeralContainerStatuses: [{ ...running, name: 'debugger' }],
  };
  const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } };
  const cluster = createCluster({
    from: [
      NODE,
      {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'debugged' },
        spec: { nodeName: 'n', containers: [{ name: 'c', image: 'i' }], ephemeralContainers },
        status,
      },
      {
        apiVersion: 'batch/v1',
        kind: 'CronJob',
        metadata: { name: 'zoned' },
        spec: { schedule: 'CRON_TZ=Asia/Tokyo 0 4 * * *', jobTemplate: { spec: { template } } },
      },
      {
        apiVersion: 'networking.k8s.io/v1',
        kind: 'Ingress',
        metadata: { name: 'two', annotations: { 'kubernetes.io/ingress.class': 'old' } },
        spec: { ingressClassName: 'new', defaultBackend: { service: { name: 's', port: { number: 80 } } } },
      },
    ],
  });
  await cluster.run({ limit: '5m' });
  const pod = cluster.get('Pod', 'debugged');
  t.is(pod.spec.ephemeralContainers?.[0]?.name, 'debugger');
  t.deepEqual(pod.status.ephemeralContainerStatuses?.[0]?.state, { running: { startedAt } });
  t.is(cluster.get('CronJob', 'zoned').spec.schedule, 'CRON_TZ=Asia/Tokyo 0 4 * * *');
  t.is(cluster.get('Ingress', 'two').metadata.annotations?.['kubernetes.io/ingress.class'], 'old');
  const future = cluster.fork({ seed: 2 });
  t.is(future.get('Pod', 'debugged').spec.ephemeralContainers?.length, 1);
  await future.dispose();
  await cluster.dispose();
});
