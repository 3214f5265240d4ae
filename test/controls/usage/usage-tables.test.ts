import test from 'ava';
import { createCluster, type Cluster } from '../../../src/index.js';

const LABELS = { app: 'web' };
const RESOURCES = { requests: { cpu: '500m', memory: '100Mi' }, limits: { cpu: '1' } };
const HOT = 'kubeloom.dev/request-cost';
const CURVE = 'kubeloom.dev/cpu';

function objects(annotations: object): readonly object[] {
  const container = { name: 'c', image: 'x', resources: RESOURCES };
  const template = { metadata: { labels: LABELS, annotations }, spec: { containers: [container] } };
  const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' };
  const cpu = { name: 'cpu', target: { type: 'Utilization', averageUtilization: 90 } };
  const policies = [{ type: 'Pods', value: 1, periodSeconds: 600 }];
  const behavior = { scaleUp: { selectPolicy: 'Disabled' }, scaleDown: { selectPolicy: 'Disabled', policies } };
  return [
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'web' },
      spec: { replicas: 6, selector: { matchLabels: LABELS }, template },
    },
    { apiVersion: 'v1', kind: 'Service', metadata: { name: 'web' }, spec: { selector: LABELS, ports: [{ port: 80 }] } },
    {
      apiVersion: 'autoscaling/v2',
      kind: 'HorizontalPodAutoscaler',
      metadata: { name: 'web' },
      spec: { maxReplicas: 20, scaleTargetRef, metrics: [{ type: 'Resource', resource: cpu }], behavior },
    },
  ];
}

/** Its pods are replaced by ones that a request costs more. */
function hotter(cost: string): object {
  return { spec: { template: { metadata: { annotations: { [HOT]: cost } } } } };
}

/** What metrics.k8s.io says of each pod, one by one. */
function meanMillis(cluster: Cluster): number {
  const { body } = cluster.request({ method: 'GET', path: '/apis/metrics.k8s.io/v1beta1/namespaces/default/pods' });
  const { items } = body as { readonly items: readonly { containers: readonly { usage: { cpu: string } }[] }[] };
  const millis = items.map(({ containers }) => Math.ceil(Number(containers[0]?.usage.cpu.replace('n', '')) / 1e6));
  return Math.trunc(millis.reduce((sum, each) => sum + each, 0) / millis.length);
}

/** What the autoscaler has read last. */
function readMillis(cluster: Cluster): number {
  const status = cluster.get('HorizontalPodAutoscaler', { name: 'web', namespace: 'default' })?.status as {
    readonly currentMetrics?: readonly { resource?: { current: { averageValue: string } } }[];
  };
  const text = status.currentMetrics?.[0]?.resource?.current.averageValue ?? '-1';
  return text.endsWith('m') ? Number(text.slice(0, -1)) : Number(text) * 1000;
}

async function started(annotations: object): Promise<Cluster> {
  const cluster = createCluster({ nodes: 4, seed: 5 });
  await cluster.ready();
  cluster.apply(objects(annotations) as never);
  await cluster.run({ limit: '6m' });
  return cluster;
}

test('what autoscalers read › is what each pod uses, whatever happens to pods, processes, kubelets and loads', async (t) => {
  const cluster = await started({ [HOT]: '20ms' });
  t.teardown(() => cluster.dispose());
  const load = cluster.load('web');
  const [, second] = cluster.list('Pod');
  const happenings: readonly (() => void)[] = [
    () => load.set(60),
    () => load.set(97),
    () => cluster.delete('Pod', { name: second?.metadata.name ?? '', namespace: 'default' }),
    () => cluster.patch('Deployment', { name: 'web', namespace: 'default' }, { spec: { replicas: 9 } }),
    () => cluster.patch('Deployment', { name: 'web', namespace: 'default' }, hotter('30ms')),
    () => cluster.patch('Deployment', { name: 'web', namespace: 'default' }, { spec: { replicas: 3 } }),
    () => load.stop(),
  ];
  for (const [index, happens] of happenings.entries()) {
    happens();
    await cluster.run({ limit: '7m' });
    t.is(readMillis(cluster), meanMillis(cluster), `after ${index}`);
  }
});

test('what autoscalers read › of kubelets that do not run is nothing, and comes again with them', async (t) => {
  const cluster = await started({ [CURVE]: '0s=100m, 30s=300m' });
  t.teardown(() => cluster.dispose());
  t.is(readMillis(cluster), 300);
  const metric = (): string | undefined => {
    const { status } = cluster.get('HorizontalPodAutoscaler', { name: 'web', namespace: 'default' }) as unknown as {
      readonly status: { readonly conditions: readonly { type: string; reason: string }[] };
    };
    return status.conditions.find(({ type }) => type === 'ScalingActive')?.reason;
  };
  const nodes = cluster.list('Node').map(({ metadata }) => metadata.name);
  const faults = nodes.map((node) => cluster.faults.stopKubelet(node));
  await cluster.run({ limit: '30s' });
  t.is(metric(), 'FailedGetResourceMetric');
  for (const fault of faults) fault.heal();
  await cluster.run({ limit: '60s' });
  t.is(metric(), 'ValidMetricFound');
  t.is(readMillis(cluster), 300);
});
