import test from 'ava';
import { autoscaled, autoscaler, conditionsOf, percentOfCpu, statusOf, toldBy, wanted } from './autoscaled.js';

test('HorizontalPodAutoscaler › follows the use of CPU up at once, and down five minutes after the last high', async (t) => {
  const cluster = autoscaled('0s=200m, 10m=200m, 601s=20m');
  await cluster.run({ limit: '1m' });
  cluster.create('HorizontalPodAutoscaler', autoscaler({ metrics: [percentOfCpu(50)] }));
  await cluster.run({ limit: '14s' });
  t.deepEqual(statusOf(cluster).conditions, undefined);
  await cluster.run({ limit: '5s' });
  t.is(wanted(cluster), 4);
  t.deepEqual(conditionsOf(cluster), [
    'AbleToScale=True SucceededRescale',
    'ScalingActive=True ValidMetricFound',
    'ScalingLimited=True ScaleUpLimit',
  ]);
  t.deepEqual(statusOf(cluster).currentMetrics, [
    { type: 'Resource', resource: { name: 'cpu', current: { averageUtilization: 200, averageValue: '200m' } } },
  ]);
  t.deepEqual(toldBy(cluster), [
    'Normal SuccessfulRescale: New size: 4; reason: cpu resource utilization (percentage of request) above target',
  ]);
  await cluster.run({ limit: '2m' });
  t.is(wanted(cluster), 10);
  t.true(conditionsOf(cluster).includes('ScalingLimited=True TooManyReplicas'));
  await cluster.run({ limit: '10m' });
  t.is(wanted(cluster), 10);
  t.true(conditionsOf(cluster).includes('AbleToScale=True ScaleDownStabilized'));
  await cluster.run({ limit: '8m' });
  t.true(wanted(cluster) < 10);
  t.true(toldBy(cluster).at(-1)?.endsWith('reason: All metrics below target'));
  await cluster.dispose();
});

test('HorizontalPodAutoscaler › says nothing new within a tenth of its target, and keeps its bounds', async (t) => {
  const cluster = autoscaled('0s=54m', { replicas: 3 });
  await cluster.run({ limit: '1m' });
  cluster.create('HorizontalPodAutoscaler', autoscaler({ metrics: [percentOfCpu(50)] }));
  await cluster.run({ limit: '2m' });
  t.is(wanted(cluster), 3);
  t.deepEqual(conditionsOf(cluster), [
    'AbleToScale=True ReadyForNewScale',
    'ScalingActive=True ValidMetricFound',
    'ScalingLimited=False DesiredWithinRange',
  ]);
  t.deepEqual(toldBy(cluster), []);
  cluster.patch('HorizontalPodAutoscaler', 'web', { spec: { minReplicas: 5 } });
  await cluster.run({ limit: '30s' });
  t.is(wanted(cluster), 5);
  t.deepEqual(toldBy(cluster), [
    'Normal SuccessfulRescale: New size: 5; reason: Current number of replicas below Spec.MinReplicas',
  ]);
  cluster.patch('HorizontalPodAutoscaler', 'web', { spec: { minReplicas: 1, maxReplicas: 2 } });
  await cluster.run({ limit: '20s' });
  t.is(wanted(cluster), 2);
  cluster.scale('Deployment', 'web', 0);
  await cluster.run({ limit: '20s' });
  t.is(wanted(cluster), 0);
  t.true(conditionsOf(cluster).includes('ScalingActive=False ScalingDisabled'));
  await cluster.dispose();
});

test('HorizontalPodAutoscaler › a stated behaviour limits how fast, in each direction', async (t) => {
  const cluster = autoscaled('0s=100m', { replicas: 2 });
  await cluster.ready();
  const behavior = {
    scaleUp: { policies: [{ type: 'Pods', value: 1, periodSeconds: 60 }] },
    scaleDown: { stabilizationWindowSeconds: 0, selectPolicy: 'Disabled' },
  };
  cluster.create('HorizontalPodAutoscaler', autoscaler({ metrics: [percentOfCpu(20)], behavior }));
  await cluster.run({ limit: '50s' });
  t.is(wanted(cluster), 3);
  t.true(conditionsOf(cluster).includes('ScalingLimited=True ScaleUpLimit'));
  await cluster.run({ limit: '60s' });
  t.is(wanted(cluster), 4);
  cluster.patch('HorizontalPodAutoscaler', 'web', { spec: { metrics: [percentOfCpu(1000)] } });
  await cluster.run({ limit: '10m' });
  t.is(wanted(cluster), 4);
  t.true(conditionsOf(cluster).includes('ScalingLimited=True ScaleDownLimit'));
  await cluster.dispose();
});

test('HorizontalPodAutoscaler › custom and external metrics come from the program', async (t) => {
  const cluster = autoscaled('0s=1m', { replicas: 1 });
  await cluster.ready();
  const metric = { name: 'queue_length', selector: { matchLabels: { queue: 'a' } } };
  const external = { type: 'External', external: { metric, target: { type: 'AverageValue', averageValue: '10' } } };
  cluster.create('HorizontalPodAutoscaler', autoscaler({ metrics: [external] }));
  await cluster.run({ limit: '20s' });
  const selector =
    '&LabelSelector{MatchLabels:map[string]string{queue: a,},MatchExpressions:[]LabelSelectorRequirement{},}';
  const reading =
    `unable to get external metric default/queue_length/${selector}: unable to fetch metrics from external metrics ` +
    'API: the server could not find the requested resource (get queue_length.external.metrics.k8s.io)';
  t.deepEqual(toldBy(cluster), [
    `Warning FailedGetExternalMetric: ${reading}`,
    'Warning FailedComputeMetricsReplicas: invalid metrics (1 invalid out of 1), first error is: failed to get ' +
      `queue_length external metric value: failed to get queue_length external metric: ${reading}`,
  ]);
  t.deepEqual(statusOf(cluster).currentMetrics, [{ type: '' }]);
  const take = cluster.externalMetric({ metric: 'queue_length', labels: { queue: 'a' }, value: () => 35 });
  cluster.externalMetric({ metric: 'queue_length', labels: { queue: 'b' }, value: 900 });
  await cluster.run({ limit: '20s' });
  t.is(wanted(cluster), 4);
  take();
  await cluster.run({ limit: '20s' });
  t.true(toldBy(cluster).some((each) => each.endsWith('no metrics returned from external metrics API')));
  const hits = {
    type: 'Object',
    object: {
      describedObject: { apiVersion: 'networking.k8s.io/v1', kind: 'Ingress', name: 'front' },
      metric: { name: 'hits' },
      target: { type: 'Value', value: '100' },
    },
  };
  cluster.patch('HorizontalPodAutoscaler', 'web', { spec: { metrics: [hits] } });
  await cluster.run({ limit: '20s' });
  const missing = 'no custom metrics API (custom.metrics.k8s.io) registered';
  t.true(
    toldBy(cluster).includes(
      `Warning FailedGetObjectMetric: unable to get metric hits: Ingress on default front/unable to fetch metrics from custom metrics API: ${missing}`,
    ),
  );
  cluster.customMetric({ metric: 'hits', object: { kind: 'Ingress', name: 'front' }, value: '200' });
  await cluster.run({ limit: '20s' });
  t.is(wanted(cluster), 8);
  t.deepEqual(statusOf(cluster).currentMetrics, [
    {
      type: 'Object',
      object: { metric: { name: 'hits' }, describedObject: hits.object.describedObject, current: { value: '200' } },
    },
  ]);
  const toldOf = async (describedObject: object): Promise<unknown> => {
    const metrics = [{ ...hits, object: { ...hits.object, metric: { name: 'visits' }, describedObject } }];
    cluster.patch('HorizontalPodAutoscaler', 'web', { spec: { metrics } });
    await cluster.run({ limit: '20s' });
    return statusOf(cluster)
      .conditions?.find(({ type }) => type === 'ScalingActive')
      ?.message.split('API: ')[1];
  };
  const ingress = { kind: 'Ingress', name: 'front' };
  t.is(
    await toldOf({ ...ingress, apiVersion: 'networking.k8s.io/v1' }),
    'the server could not find the metric visits for ingresses.networking.k8s.io front',
  );
  t.is(
    await toldOf({ ...ingress, apiVersion: 'example.com/v1' }),
    'unable to map kind Ingress.example.com to resource: no matches for kind "Ingress" in group "example.com"',
  );
  await cluster.dispose();
});

function target(apiVersion: string, kind: string, name = 'web'): object {
  return { scaleTargetRef: { apiVersion, kind, name } };
}

test('HorizontalPodAutoscaler › tells why it cannot scale', async (t) => {
  const cluster = autoscaled('0s=1m');
  await cluster.ready();
  cluster.create('HorizontalPodAutoscaler', autoscaler(target('apps/v1', 'Deployment', 'none'), 'missing'));
  cluster.create('HorizontalPodAutoscaler', autoscaler(target('apps/v1', 'DaemonSet'), 'unscalable'));
  cluster.create('HorizontalPodAutoscaler', autoscaler(target('example.com/v1', 'Toaster'), 'unknown'));
  cluster.create('HorizontalPodAutoscaler', autoscaler({}, 'one'));
  cluster.create('HorizontalPodAutoscaler', autoscaler({}, 'two'));
  await cluster.run({ limit: '50s' });
  t.deepEqual(toldBy(cluster, 'missing'), ['Warning FailedGetScale: deployments.apps "none" not found']);
  t.deepEqual(toldBy(cluster, 'unscalable'), [
    'Warning FailedGetScale: the server could not find the requested resource',
  ]);
  t.deepEqual(toldBy(cluster, 'unknown'), [
    'Warning FailedGetScale: no matches for kind "Toaster" in group "example.com"',
  ]);
  t.deepEqual(conditionsOf(cluster, 'unknown'), ['AbleToScale=False FailedGetScale']);
  t.true(
    toldBy(cluster, 'two').includes(
      'Warning AmbiguousSelector: pods by selector app=web are controlled by multiple HPAs: [default/one default/two]',
    ),
  );
  await cluster.dispose();
});
