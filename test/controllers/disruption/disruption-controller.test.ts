import type { Pod } from '../../../src/api/objects/objects.js';
import { disruptionController } from '../../../src/controllers/disruption/disruption-controller.js';
import { createHarness, deploymentDraft, notes, replicaSetDraft, setReady, type Harness } from '../harness.js';
import test from 'ava';
import { BUDGET, budgetDraft, setBudgetStatus, storedBudget } from './budgets.js';

function harness(options: Parameters<typeof createHarness>[0] = {}): Harness {
  return createHarness({
    controllers: ['deployment-controller', 'replicaset-controller'],
    definitions: [disruptionController],
    ...options,
  });
}

function numbers(each: Harness, name = 'b'): readonly (number | undefined)[] {
  const { expectedPods, desiredHealthy, currentHealthy, disruptionsAllowed } = storedBudget(each, name).status;
  return [expectedPods, desiredHealthy, currentHealthy, disruptionsAllowed];
}

function firstPod(each: Harness): Pod {
  const [pod] = each.list('Pod');
  if (pod === undefined) throw new RangeError('there must be a pod');
  return pod;
}

test('disruption controller › a budget follows the pods of its Deployment', async (t) => {
  const each = harness();
  each.server.create('Deployment', deploymentDraft('d', { replicas: 5 }));
  each.server.create(BUDGET, budgetDraft('b', { maxUnavailable: '30%' }));
  await each.run(2000);
  t.deepEqual(numbers(each), [5, 3, 5, 2]);
  setReady(each.kernel, each.server, firstPod(each).metadata, false);
  await each.run(100);
  t.deepEqual(numbers(each), [5, 3, 4, 1]);
  each.dispose();
});

test('disruption controller › a status that says everything is not written again', async (t) => {
  const each = harness();
  each.server.create('ReplicaSet', replicaSetDraft('rs', { replicas: 2 }));
  each.server.create(BUDGET, budgetDraft('b', { minAvailable: 1 }));
  await each.run(1000);
  const { resourceVersion } = storedBudget(each, 'b').metadata;
  each.server.patch('Pod', firstPod(each).metadata, { type: 'merge', body: { metadata: { labels: { more: 'x' } } } });
  await each.run(1000);
  t.is(storedBudget(each, 'b').metadata.resourceVersion, resourceVersion);
  t.deepEqual(numbers(each), [2, 1, 2, 1]);
  each.dispose();
});

test('disruption controller › a new generation is observed', async (t) => {
  const each = harness();
  each.server.create('ReplicaSet', replicaSetDraft('rs', { replicas: 3 }));
  each.server.create(BUDGET, budgetDraft('b', { minAvailable: 1 }));
  await each.run(1000);
  each.server.patch(
    BUDGET,
    { namespace: 'default', name: 'b' },
    { type: 'merge', body: { spec: { minAvailable: 3 } } },
  );
  await each.run(100);
  t.like(storedBudget(each, 'b').status, { observedGeneration: 2, desiredHealthy: 3, disruptionsAllowed: 0 });
  t.like(storedBudget(each, 'b').status.conditions?.[0], {
    status: 'False',
    reason: 'InsufficientPods',
    observedGeneration: 2,
  });
  each.dispose();
});

test('disruption controller › a budget without pods allows nothing and says so', async (t) => {
  const each = harness();
  each.server.create(BUDGET, budgetDraft('b', { minAvailable: 0 }));
  await each.run(100);
  t.deepEqual(numbers(each), [0, 0, 0, 0]);
  t.true(notes(each, 'b').includes('Normal NoPods No matching pods found'));
  each.dispose();
});

test('disruption controller › an empty selector takes all pods of the namespace, none takes none', async (t) => {
  const each = harness();
  each.server.create('ReplicaSet', replicaSetDraft('rs', { replicas: 2 }));
  each.server.create(BUDGET, { metadata: { name: 'all' }, spec: { minAvailable: 1, selector: {} } });
  await each.run(1000);
  t.deepEqual(numbers(each, 'all'), [2, 1, 2, 1]);
  each.server.delete(BUDGET, { namespace: 'default', name: 'all' });
  each.server.create(BUDGET, { metadata: { name: 'none' }, spec: { minAvailable: 1 } });
  await each.run(1000);
  t.deepEqual(numbers(each, 'none'), [0, 1, 0, 0]);
  each.dispose();
});

test('disruption controller › warns of pods without a controller', async (t) => {
  const each = harness();
  each.server.create('Pod', {
    metadata: { name: 'p', labels: { a: 'b' } },
    spec: { containers: [{ name: 'c', image: 'i' }] },
  });
  each.server.create(BUDGET, budgetDraft('b', { maxUnavailable: 1 }));
  await each.run(1000);
  t.deepEqual(numbers(each), [0, 0, 1, 0]);
  t.true(
    notes(each, 'b').includes(
      'Warning UnmanagedPods Pods selected by this PodDisruptionBudget (selector: &LabelSelector{MatchLabels:map[string]string{a: b,},MatchExpressions:[]LabelSelectorRequirement{},}) were found to be unmanaged. As a result, the status of the PDB cannot be calculated correctly, which may result in undefined behavior. To account for these pods please set ".spec.minAvailable" field of the PDB to an integer value.',
    ),
  );
  each.dispose();
});

test('disruption controller › an unknown controller closes the budget', async (t) => {
  const each = harness();
  each.server.create('Pod', {
    metadata: {
      name: 'p',
      labels: { a: 'b' },
      ownerReferences: [{ apiVersion: 'batch/v1', kind: 'Job', name: 'j', uid: 'u', controller: true }],
    },
    spec: { containers: [{ name: 'c', image: 'i' }] },
  });
  each.server.create(BUDGET, budgetDraft('b', { maxUnavailable: 1 }));
  await each.run(1000);
  t.like(storedBudget(each, 'b').status.conditions?.[0], {
    status: 'False',
    reason: 'SyncFailed',
    message: 'jobs.batch does not implement the scale subresource',
  });
  t.true(
    notes(each, 'b').includes(
      'Warning CalculateExpectedPodCountFailed Failed to calculate the number of expected pods: jobs.batch does not implement the scale subresource',
    ),
  );
  each.dispose();
});

test('disruption controller › a pod under two budgets counts for the first, with a warning', async (t) => {
  const each = harness();
  each.server.create(BUDGET, budgetDraft('b1', { minAvailable: 1 }));
  each.server.create(BUDGET, budgetDraft('b2', { minAvailable: 1 }));
  await each.run(100);
  each.server.create('ReplicaSet', replicaSetDraft('rs', { replicas: 1 }));
  await each.run(1000);
  const { name } = firstPod(each).metadata;
  t.true(
    notes(each, name).some((note) =>
      note.endsWith(`Pod "default"/"${name}" matches multiple PodDisruptionBudgets.  Chose "b1" arbitrarily.`),
    ),
  );
  t.deepEqual(numbers(each, 'b1'), [1, 1, 1, 0]);
  each.dispose();
});

test('disruption controller › a granted eviction counts as gone until it is overdue', async (t) => {
  const each = harness();
  each.server.create('ReplicaSet', replicaSetDraft('rs', { replicas: 3 }));
  each.server.create(BUDGET, budgetDraft('b', { minAvailable: 1 }));
  await each.run(1000);
  const { name } = firstPod(each).metadata;
  const evicted = each.kernel.timestamps.toTime(each.kernel.clock.now());
  setBudgetStatus(each, 'b', { disruptedPods: { [name]: evicted }, disruptionsAllowed: 1 });
  await each.run(119_000);
  t.deepEqual(numbers(each), [3, 1, 2, 1]);
  t.deepEqual(storedBudget(each, 'b').status.disruptedPods, { [name]: evicted });
  await each.run(1100);
  t.deepEqual(numbers(each), [3, 1, 3, 2]);
  t.is(storedBudget(each, 'b').status.disruptedPods, undefined);
  t.true(
    notes(each, name).some((note) =>
      note.includes("Warning NotDeleted Pod was expected by PDB default/default to be deleted but it wasn't"),
    ),
  );
  each.dispose();
});

function announce(each: Harness, pod: Pod, reason: string): void {
  const lastTransitionTime = each.kernel.timestamps.toTime(each.kernel.clock.now());
  each.server.change(
    'Pod',
    pod.metadata,
    (current) => ({
      ...current,
      status: {
        ...current.status,
        conditions: [
          ...(current.status.conditions ?? []),
          { type: 'DisruptionTarget', status: 'True', reason, message: 'm', lastTransitionTime },
        ],
      },
    }),
    { subresource: 'status' },
  );
}

function announcement(each: Harness, name: string): unknown {
  const pod = each.server.get('Pod', { namespace: 'default', name });
  return pod.status.conditions?.find(({ type }) => type === 'DisruptionTarget');
}

test('disruption controller › a disruption that does not come is taken back after two minutes', async (t) => {
  const each = harness();
  for (const name of ['by-scheduler', 'by-kubelet']) {
    each.server.create('Pod', { metadata: { name }, spec: { containers: [{ name: 'c', image: 'i' }] } });
  }
  await each.run(1000);
  announce(each, each.server.get('Pod', { namespace: 'default', name: 'by-scheduler' }), 'PreemptionByScheduler');
  announce(each, each.server.get('Pod', { namespace: 'default', name: 'by-kubelet' }), 'TerminationByKubelet');
  await each.run(119_990);
  t.like(announcement(each, 'by-scheduler'), { status: 'True' });
  await each.run(20);
  t.deepEqual(announcement(each, 'by-scheduler'), {
    type: 'DisruptionTarget',
    observedGeneration: 1,
    status: 'False',
    lastProbeTime: null,
    lastTransitionTime: '2030-01-01T00:02:01Z',
  });
  await each.run(300_000);
  t.like(announcement(each, 'by-kubelet'), { status: 'True' });
  each.dispose();
});

test('disruption controller › a disruption that has begun, or a pod that has finished, is left alone', async (t) => {
  const each = harness({ stopMs: 400_000 });
  for (const name of ['leaving', 'finished']) {
    each.server.create('Pod', { metadata: { name }, spec: { containers: [{ name: 'c', image: 'i' }] } });
  }
  await each.run(1000);
  const [leaving, finished] = [
    { namespace: 'default', name: 'leaving' },
    { namespace: 'default', name: 'finished' },
  ];
  announce(each, each.server.get('Pod', leaving), 'EvictionByEvictionAPI');
  announce(each, each.server.get('Pod', finished), 'EvictionByEvictionAPI');
  each.server.delete('Pod', leaving);
  each.server.change('Pod', finished, (pod) => ({ ...pod, status: { ...pod.status, phase: 'Failed' } }), {
    subresource: 'status',
  });
  await each.run(200_000);
  t.like(announcement(each, 'leaving'), { status: 'True' });
  t.like(announcement(each, 'finished'), { status: 'True' });
  each.dispose();
});

test('disruption controller › a lost race with another writer is tried again', async (t) => {
  const each = harness({ latencyMs: 50 });
  each.server.create('ReplicaSet', replicaSetDraft('rs', { replicas: 2 }));
  each.server.create(BUDGET, budgetDraft('b', { minAvailable: 1 }));
  await each.run(2000);
  // The controller's write of the new count and this one meet at the server.
  setReady(each.kernel, each.server, firstPod(each).metadata, false);
  await each.run(60);
  each.server.patch(
    BUDGET,
    { namespace: 'default', name: 'b' },
    { type: 'merge', body: { metadata: { labels: { x: 'y' } } } },
  );
  await each.run(2000);
  t.deepEqual(numbers(each), [2, 1, 1, 0]);
  t.is(storedBudget(each, 'b').status.conditions?.[0]?.reason, 'InsufficientPods');
  each.dispose();
});

test('disruption controller › forgets a budget that is gone', async (t) => {
  const each = harness();
  each.server.create(BUDGET, budgetDraft('b', { minAvailable: 1 }));
  await each.run(100);
  each.server.delete(BUDGET, { namespace: 'default', name: 'b' });
  each.server.create('ReplicaSet', replicaSetDraft('rs', { replicas: 1 }));
  await each.run(1000);
  t.is(each.server.list(BUDGET).items.length, 0);
  each.dispose();
});
