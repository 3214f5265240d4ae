import test from 'ava';
import { createCluster, type Cluster } from '../../../src/index.js';
import type { Kind } from '../../../src/api/objects/objects.js';
import { autoscaled, autoscaler, percentOfCpu, statusOf, toldBy, wanted } from './autoscaled.js';

const SHELF = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'shelves.shop.example.com' },
  spec: {
    group: 'shop.example.com',
    scope: 'Namespaced',
    names: { plural: 'shelves', singular: 'shelf', kind: 'Shelf' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
        subresources: {
          status: {},
          scale: {
            specReplicasPath: '.spec.boards',
            statusReplicasPath: '.status.boards',
            labelSelectorPath: '.status.selector',
          },
        },
      },
    ],
  },
};

function external(averageValue: string): object {
  return { type: 'External', external: { metric: { name: 'orders' }, target: { type: 'AverageValue', averageValue } } };
}

test('HorizontalPodAutoscaler › scales a custom kind where its definition says', async (t) => {
  const cluster = createCluster({ nodes: 1 });
  cluster.apply([SHELF]);
  await cluster.run({ limit: '5s' });
  cluster.apply([{ apiVersion: 'shop.example.com/v1', kind: 'Shelf', metadata: { name: 'a' }, spec: { boards: 2 } }]);
  const shelf = (): { spec: { boards: number } } => cluster.get('Shelf' as Kind, 'a') as never;
  cluster.updateStatus('Shelf' as Kind, { ...shelf(), status: { boards: 2, selector: 'shelf=a' } });
  cluster.externalMetric({ metric: 'orders', value: 50 });
  const scaleTargetRef = { apiVersion: 'shop.example.com/v1', kind: 'Shelf', name: 'a' };
  cluster.create('HorizontalPodAutoscaler', autoscaler({ scaleTargetRef, metrics: [external('10')] }));
  await cluster.run({ limit: '20s' });
  t.is(shelf().spec.boards, 4);
  t.is(toldBy(cluster).length, 1);
  await cluster.dispose();
});

test('HorizontalPodAutoscaler › cannot take a scale with a selector that is none', async (t) => {
  const cluster = createCluster({ nodes: 1 });
  cluster.apply([SHELF]);
  await cluster.run({ limit: '5s' });
  cluster.apply([{ apiVersion: 'shop.example.com/v1', kind: 'Shelf', metadata: { name: 'a' }, spec: { boards: 9 } }]);
  const shelf = cluster.get('Shelf' as Kind, 'a');
  cluster.updateStatus('Shelf' as Kind, { ...shelf, status: { boards: 9, selector: 'a in (' } });
  const scaleTargetRef = { apiVersion: 'shop.example.com/v1', kind: 'Shelf', name: 'a' };
  cluster.create('HorizontalPodAutoscaler', autoscaler({ scaleTargetRef, maxReplicas: 3 }));
  await cluster.run({ limit: '20s' });
  t.deepEqual(toldBy(cluster), [
    'Warning FailedGetScale: received an object from a /scale endpoint which was not convertible to autoscaling ' +
      'Scale: failed to parse target selector: couldn\'t parse the selector string "a in (": unable to parse ' +
      "requirement: found '', expected: ',', ')' or identifier",
  ]);
  await cluster.dispose();
});

test('HorizontalPodAutoscaler › scales a StatefulSet by the memory of one container, and is measured', async (t) => {
  const cluster = createCluster({ nodes: 2 });
  const measurement = cluster.measure();
  cluster.create('StatefulSet', {
    metadata: { name: 'db' },
    spec: {
      replicas: 2,
      serviceName: 'db',
      selector: { matchLabels: { app: 'db' } },
      template: {
        metadata: { labels: { app: 'db' }, annotations: { 'kubeloom.dev/memory.main': '0s=96Mi' } },
        spec: {
          containers: [
            { name: 'main', image: 'db:1', resources: { requests: { memory: '64Mi' } } },
            { name: 'side', image: 'side:1', resources: { requests: { memory: '1Gi' } } },
          ],
        },
      },
    },
  });
  await cluster.run({ limit: '1m' });
  const target = { type: 'Utilization', averageUtilization: 100 };
  const metrics = [{ type: 'ContainerResource', containerResource: { name: 'memory', container: 'main', target } }];
  const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'db' };
  cluster.create('HorizontalPodAutoscaler', autoscaler({ scaleTargetRef, metrics }));
  await cluster.run({ limit: '20s' });
  t.is((cluster.get('StatefulSet', 'db').spec as { replicas: number }).replicas, 3);
  t.deepEqual(statusOf(cluster).currentMetrics, [
    {
      type: 'ContainerResource',
      containerResource: {
        name: 'memory',
        container: 'main',
        current: { averageUtilization: 150, averageValue: '96Mi' },
      },
    },
  ]);
  measurement.stop();
  await cluster.dispose();
});

test('HorizontalPodAutoscaler › follows a metric of its pods, and of several metrics the one that asks for most', async (t) => {
  const cluster = autoscaled('0s=1m', { replicas: 2 });
  await cluster.run({ limit: '1m' });
  const pods = cluster.list('Pod').map(({ metadata }) => metadata.name);
  for (const name of pods) cluster.customMetric({ metric: 'requests', object: { kind: 'Pod', name }, value: '300m' });
  const requests = {
    type: 'Pods',
    pods: { metric: { name: 'requests' }, target: { type: 'AverageValue', averageValue: '200m' } },
  };
  cluster.create('HorizontalPodAutoscaler', autoscaler({ metrics: [percentOfCpu(50), requests] }));
  await cluster.run({ limit: '20s' });
  t.is(wanted(cluster), 3);
  t.deepEqual(toldBy(cluster), ['Normal SuccessfulRescale: New size: 3; reason: pods metric requests above target']);
  await cluster.dispose();
});

test('HorizontalPodAutoscaler › a metric that fails does not keep the others from scaling up, only from scaling down', async (t) => {
  const cluster = autoscaled('0s=1m', { replicas: 2 });
  await cluster.run({ limit: '1m' });
  const metrics = [{ type: 'Object', object: missingObject() }, external('10')];
  cluster.externalMetric({ metric: 'orders', value: 30 });
  cluster.create('HorizontalPodAutoscaler', autoscaler({ metrics }));
  await cluster.run({ limit: '20s' });
  t.is(wanted(cluster), 3);
  cluster.externalMetric({ metric: 'orders', value: 1 });
  await cluster.run({ limit: '10m' });
  t.is(wanted(cluster), 3);
  t.true(toldBy(cluster).some((each) => each.includes('invalid metrics (1 invalid out of 2)')));
  await cluster.dispose();
});

function missingObject(): object {
  const describedObject = { apiVersion: 'v1', kind: 'Service', name: 'none' };
  return { describedObject, metric: { name: 'hits' }, target: { type: 'Value', value: '1' } };
}

async function play(): Promise<Cluster> {
  const cluster = autoscaled('0s=150m', { options: { seed: 5, latency: 10 } });
  cluster.create('HorizontalPodAutoscaler', autoscaler({ metrics: [percentOfCpu(50)] }));
  await cluster.run({ limit: '5m' });
  return cluster;
}

test('HorizontalPodAutoscaler › a run with autoscalers is the same again', async (t) => {
  const [one, other] = [await play(), await play()];
  t.is(one.traceHash, other.traceHash);
  t.is(wanted(one), 10);
  await one.dispose();
  await other.dispose();
});
