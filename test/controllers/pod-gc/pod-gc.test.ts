import test from 'ava';
import type { Pod } from '../../../src/api/objects/objects.js';
import type { ControllerSettings } from '../../../src/controllers/runtime/controller-settings.js';
import { createHarness, type Harness } from '../harness.js';

const NAME = 'pod-garbage-collector-controller';

function scene(settings: Partial<ControllerSettings> = {}): Harness {
  return createHarness({ controllers: [NAME], runs: () => false, stopMs: 10_000_000, watch: ['Pod'], settings });
}

interface PodTraits {
  readonly node?: string;
  readonly phase?: Pod['status']['phase'];
  readonly reason?: string;
  readonly finalizers?: readonly string[];
}

function createPod({ server }: Harness, name: string, { node, phase, reason, finalizers }: PodTraits = {}): void {
  const metadata = { name, namespace: 'default' };
  server.create('Pod', {
    metadata: { ...metadata, ...(finalizers === undefined ? {} : { finalizers }) },
    spec: { containers: [{ name: 'c', image: 'x' }], ...(node === undefined ? {} : { nodeName: node }) },
  });
  if (phase === undefined) return;
  const told = reason === undefined ? {} : { reason };
  server.change('Pod', metadata, (pod) => ({ ...pod, status: { ...pod.status, phase, ...told } }), {
    subresource: 'status',
  });
}

function createNode({ server }: Harness, name: string, taints: readonly object[] = [], ready = 'True'): void {
  server.create('Node', {
    metadata: { name },
    spec: { taints },
    status: { conditions: [{ type: 'Ready', status: ready }] },
  });
}

function names(harness: Harness): string[] {
  return harness.list('Pod').map(({ metadata }) => metadata.name);
}

/** Type, name, phase and grace of each change since the pods were made. */
function writes({ log }: Harness, name: string): unknown[] {
  return log
    .filter(({ type }) => type !== 'BOOKMARK')
    .map((event) => event as { readonly type: string; readonly object: Pod; readonly atMs: number })
    .filter(({ object }) => object.metadata.name === name)
    .map(({ type, object, atMs }) => [
      type,
      object.status.phase,
      (object.status.conditions ?? []).map(({ type: condition, reason }) => `${condition}=${reason}`).join(),
      object.metadata.deletionGracePeriodSeconds,
      Math.floor(atMs / 1000),
    ]);
}

test('8.1 8.4 8.5 › of three terminated pods and a threshold of one, the evicted one and the oldest go', async (t) => {
  const harness = scene({ terminatedPodGCThreshold: 1 });
  createNode(harness, 'n');
  createPod(harness, 'a', { node: 'n', phase: 'Failed' });
  await harness.run(2000);
  createPod(harness, 'b', { node: 'n', phase: 'Succeeded' });
  await harness.run(2000);
  createPod(harness, 'c', { node: 'n', phase: 'Failed', reason: 'Evicted' });
  t.deepEqual(names(harness), ['a', 'b', 'c']);
  await harness.run(17_000);
  t.deepEqual(names(harness), ['b']);
  harness.dispose();
});

test('8.4 8.5 › living pods do not count; a threshold of 0 lets everything be', async (t) => {
  for (const [threshold, left] of [
    [1, ['a', 'c']],
    [0, ['a', 'b', 'c']],
  ] as const) {
    const harness = scene({ terminatedPodGCThreshold: threshold });
    createNode(harness, 'n');
    createPod(harness, 'a', { node: 'n', phase: 'Running' });
    createPod(harness, 'b', { node: 'n', phase: 'Succeeded' });
    await harness.run(2000);
    createPod(harness, 'c', { node: 'n', phase: 'Failed' });
    await harness.run(20_000);
    t.deepEqual(names(harness), left);
    harness.dispose();
  }
});

test('8.3 › a pod that has ended goes in one DELETE of grace 0, without a patch', async (t) => {
  const harness = scene({ terminatedPodGCThreshold: 1 });
  createNode(harness, 'n');
  await harness.run(1000);
  for (const name of ['a', 'b']) createPod(harness, name, { node: 'n', phase: 'Failed' });
  await harness.run(21_000);
  t.deepEqual(writes(harness, 'a').slice(2), [
    ['MODIFIED', 'Failed', '', 0, 20],
    ['DELETED', 'Failed', '', 0, 20],
  ]);
  harness.dispose();
});

test('8.6 › terminating pods of an out-of-service node that is not ready are marked Failed and deleted', async (t) => {
  const taints = [{ key: 'node.kubernetes.io/out-of-service', value: 'nodeshutdown', effect: 'NoExecute' }];
  const harness = scene();
  createNode(harness, 'down', taints, 'Unknown');
  createNode(harness, 'up', taints, 'True');
  createNode(harness, 'other', [], 'Unknown');
  for (const node of ['down', 'up', 'other']) {
    createPod(harness, `going-${node}`, { node, phase: 'Running' });
    createPod(harness, `staying-${node}`, { node, phase: 'Running' });
  }
  await harness.run(1000);
  for (const node of ['down', 'up', 'other']) {
    harness.server.delete('Pod', { namespace: 'default', name: `going-${node}` }, { gracePeriodSeconds: 3600 });
  }
  await harness.run(25_000);
  t.deepEqual(names(harness), ['going-other', 'going-up', 'staying-down', 'staying-other', 'staying-up']);
  t.deepEqual(writes(harness, 'going-down').slice(3), [
    ['MODIFIED', 'Failed', '', 3600, 20],
    ['MODIFIED', 'Failed', '', 0, 20],
    ['DELETED', 'Failed', '', 0, 20],
  ]);
  harness.dispose();
});

test('8.7 8.8 T9 › pods of a node that is gone are spared for 40 s, then marked and deleted at the next look', async (t) => {
  const harness = scene();
  createNode(harness, 'n');
  createPod(harness, 'p', { node: 'n', phase: 'Running' });
  await harness.run(5000);
  harness.server.delete('Node', { name: 'n' });
  await harness.run(90_000);
  t.deepEqual(writes(harness, 'p').slice(2), [
    ['MODIFIED', 'Failed', 'DisruptionTarget=DeletionByPodGC', undefined, 60],
    ['MODIFIED', 'Failed', 'DisruptionTarget=DeletionByPodGC', 0, 60],
    ['DELETED', 'Failed', 'DisruptionTarget=DeletionByPodGC', 0, 60],
  ]);
  const { object } = harness.log.at(-1) as { readonly object: Pod };
  t.is(object.status.conditions?.[0]?.message, 'PodGC: node no longer exists');
  harness.dispose();
});

test('8.7 › a node that comes back within the quarantine keeps its pods; a deleted pod is collected like any other', async (t) => {
  const harness = scene();
  for (const node of ['n', 'm']) createNode(harness, node);
  createPod(harness, 'p', { node: 'n', phase: 'Running' });
  createPod(harness, 'q', { node: 'm', phase: 'Running' });
  await harness.run(5000);
  harness.server.delete('Pod', { namespace: 'default', name: 'q' }, { gracePeriodSeconds: 3600 });
  for (const name of ['n', 'm']) harness.server.delete('Node', { name });
  await harness.run(30_000);
  createNode(harness, 'n');
  await harness.run(90_000);
  t.deepEqual(names(harness), ['p']);
  harness.dispose();
});

test('8.7 › without an answer about the node its pods are spared until a later look', async (t) => {
  const harness = scene();
  createNode(harness, 'n');
  createPod(harness, 'p', { node: 'n', phase: 'Running' });
  await harness.run(5000);
  harness.server.delete('Node', { name: 'n' });
  await harness.run(50_000);
  const link = harness.bus.link('kube-controller-manager');
  link?.cut();
  await harness.run(10_000);
  t.deepEqual(names(harness), ['p']);
  link?.restore();
  await harness.run(240_000);
  t.deepEqual(names(harness), []);
  harness.dispose();
});

test('8.9 › a terminating pod that was never bound is marked Failed and deleted', async (t) => {
  const harness = scene();
  createPod(harness, 'p', { finalizers: ['x.y/hold'] });
  await harness.run(1000);
  harness.server.delete('Pod', { namespace: 'default', name: 'p' });
  await harness.run(25_000);
  t.deepEqual(writes(harness, 'p').slice(1), [
    ['MODIFIED', 'Pending', '', 0, 1],
    ['MODIFIED', 'Failed', '', 0, 20],
  ]);
  harness.dispose();
});

test('8.10 › a finalizer outlives the deletion', async (t) => {
  const harness = scene({ terminatedPodGCThreshold: 1 });
  createNode(harness, 'n');
  for (const name of ['a', 'b']) createPod(harness, name, { node: 'n', phase: 'Failed', finalizers: ['x.y/hold'] });
  await harness.run(25_000);
  t.deepEqual(
    harness.list('Pod').map(({ metadata }) => metadata.deletionGracePeriodSeconds),
    [0, undefined],
  );
  harness.dispose();
});

test('8.11 › deletions and failures are counted by namespace and reason', async (t) => {
  const harness = scene();
  createPod(harness, 'p', { node: 'gone', phase: 'Running' });
  await harness.run(70_000);
  t.deepEqual(await harness.metrics.samples(), [
    {
      name: 'pod_gc_collector_force_delete_pods_total',
      labels: { namespace: 'default', reason: 'orphaned' },
      value: 1,
    },
  ]);
  harness.dispose();
});

test('8.2 › the ways of a look share one list: a pod may be hit twice, which counts as an error', async (t) => {
  const harness = scene({ terminatedPodGCThreshold: 1 });
  for (const name of ['a', 'b']) createPod(harness, name, { node: 'gone', phase: 'Running' });
  await harness.run(39_000);
  for (const name of ['a', 'b']) {
    harness.server.change(
      'Pod',
      { name, namespace: 'default' },
      (pod) => ({ ...pod, status: { ...pod.status, phase: 'Failed' } }),
      { subresource: 'status' },
    );
  }
  await harness.run(30_000);
  t.deepEqual(names(harness), []);
  const counted = (await harness.metrics.samples()).map(({ name, labels, value }) => [name, labels['reason'], value]);
  t.deepEqual(counted, [
    ['pod_gc_collector_force_delete_pods_total', 'terminated', 1],
    ['pod_gc_collector_force_delete_pods_total', 'orphaned', 2],
    ['pod_gc_collector_force_delete_pod_errors_total', 'orphaned', 1],
  ]);
  harness.dispose();
});

test('where there is nothing to collect there are no looks', async (t) => {
  const harness = scene();
  createNode(harness, 'n');
  createPod(harness, 'p', { node: 'n', phase: 'Running' });
  await harness.run(60_000);
  t.is(harness.kernel.clock.pending, 0);
  harness.dispose();
});
