import test from 'ava';
import type { OwnerReference, Pod } from '../../../src/api/objects/objects.js';
import { expectationOf, type Workloads } from '../../../src/controllers/disruption/expected-pods.js';
import { RetryError } from '../../../src/controllers/runtime/retry-error.js';
import { deployment, meta, pod, replicaSet } from '../objects.js';
import { budget } from './budgets.js';

function owner(kind: string, name: string, apiVersion = 'apps/v1'): OwnerReference {
  return { apiVersion, kind, name, uid: `uid-${name}`, controller: true };
}

function ownedPod(name: string, reference?: OwnerReference): Pod {
  const { metadata, ...rest } = pod(name);
  return { ...rest, metadata: reference === undefined ? metadata : { ...metadata, ownerReferences: [reference] } };
}

function byKey<T extends { readonly metadata: { readonly name: string } }>(
  ...objects: T[]
): Map<string, T> & { getByKey(key: string): T | undefined } {
  const map = new Map(objects.map((object) => [`default/${object.metadata.name}`, object]));
  return Object.assign(map, { getByKey: (key: string) => map.get(key) });
}

const WORKLOADS: Workloads = {
  replicaSets: byKey(
    replicaSet('alone', { replicas: 4 }),
    replicaSet('old', { replicas: 3 }, {}, { ownerReferences: [owner('Deployment', 'd')] }),
    replicaSet('new', { replicas: 2 }, {}, { ownerReferences: [owner('Deployment', 'd')] }),
    replicaSet('left', { replicas: 5 }, {}, { ownerReferences: [owner('Deployment', 'gone')] }),
  ),
  deployments: byKey(deployment({ replicas: 4 })),
  statefulSets: byKey({
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: meta('set'),
    spec: { replicas: 7, serviceName: '', selector: {}, template: { spec: { containers: [] } } },
    status: { replicas: 0 },
  }),
  replicationControllers: byKey({
    apiVersion: 'v1',
    kind: 'ReplicationController',
    metadata: meta('rc'),
    spec: { replicas: 6 },
    status: { replicas: 0 },
  }),
};

test('expected pods › a number of pods that must stay counts the pods that are there', (t) => {
  const pods = [ownedPod('p1'), ownedPod('p2', owner('Job', 'j', 'batch/v1'))];
  t.deepEqual(expectationOf(budget({ minAvailable: 5 }), pods, WORKLOADS), {
    expected: 2,
    desiredHealthy: 5,
    unmanaged: [],
  });
});

test('expected pods › percentages are of what the controllers want, rounded up', (t) => {
  const pods = [ownedPod('p1', owner('StatefulSet', 'set'))];
  t.like(expectationOf(budget({ minAvailable: '50%' }), pods, WORKLOADS), { expected: 7, desiredHealthy: 4 });
  t.like(expectationOf(budget({ maxUnavailable: '50%' }), pods, WORKLOADS), { expected: 7, desiredHealthy: 3 });
  t.like(expectationOf(budget({ maxUnavailable: 2 }), pods, WORKLOADS), { expected: 7, desiredHealthy: 5 });
  t.like(expectationOf(budget({ maxUnavailable: 9 }), pods, WORKLOADS), { expected: 7, desiredHealthy: 0 });
});

test('expected pods › each controller counts once, replica sets of a Deployment as the Deployment', (t) => {
  const pods = [
    ownedPod('p1', owner('ReplicaSet', 'old')),
    ownedPod('p2', owner('ReplicaSet', 'old')),
    ownedPod('p3', owner('ReplicaSet', 'new')),
    ownedPod('p4', owner('ReplicaSet', 'alone')),
    ownedPod('p5', owner('ReplicationController', 'rc', 'v1')),
  ];
  t.is(expectationOf(budget({ maxUnavailable: 0 }), pods, WORKLOADS).expected, 4 + 4 + 6);
});

test('expected pods › a replica set whose Deployment is gone counts by itself', (t) => {
  const pods = [ownedPod('p1', owner('ReplicaSet', 'left'))];
  t.is(expectationOf(budget({ maxUnavailable: 0 }), pods, WORKLOADS).expected, 5);
});

test('expected pods › pods without a controller are passed over and named', (t) => {
  const pods = [ownedPod('p1'), ownedPod('p2', owner('ReplicaSet', 'alone')), ownedPod('p3')];
  t.deepEqual(expectationOf(budget({ maxUnavailable: 1 }), pods, WORKLOADS), {
    expected: 4,
    desiredHealthy: 3,
    unmanaged: ['p1', 'p3'],
  });
});

test('expected pods › a controller that is not there, or another of its name, is an error', (t) => {
  const message = 'found no controllers for pod "p1"';
  const missing = [ownedPod('p1', owner('ReplicaSet', 'nobody'))];
  t.throws(() => expectationOf(budget({ maxUnavailable: 1 }), missing, WORKLOADS), { instanceOf: RetryError, message });
  const other = [ownedPod('p1', { ...owner('ReplicaSet', 'alone'), uid: 'another' })];
  t.throws(() => expectationOf(budget({ maxUnavailable: 1 }), other, WORKLOADS), { instanceOf: RetryError, message });
});

test('expected pods › a controller that cannot be scaled is an error', (t) => {
  const textOf = (reference: OwnerReference): string | undefined =>
    t.throws(() => expectationOf(budget({ minAvailable: '1%' }), [ownedPod('p1', reference)], WORKLOADS))?.message;
  t.is(textOf(owner('Job', 'j', 'batch/v1')), 'jobs.batch does not implement the scale subresource');
  t.is(textOf(owner('DaemonSet', 'd')), 'daemonsets.apps does not implement the scale subresource');
  t.is(textOf(owner('Node', 'n', 'v1')), 'nodes does not implement the scale subresource');
  t.is(textOf(owner('Rocket', 'r', 'nasa.gov/v1')), 'no matches for kind "Rocket" in version "nasa.gov/v1"');
});

test('expected pods › a budget that demands nothing expects nothing', (t) => {
  t.deepEqual(expectationOf(budget({}), [ownedPod('p1')], WORKLOADS), {
    expected: 0,
    desiredHealthy: 0,
    unmanaged: [],
  });
});
