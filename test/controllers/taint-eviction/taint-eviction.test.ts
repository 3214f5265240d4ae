import test from 'ava';
import type { Pod, Taint, Toleration } from '../../../src/api/objects/objects.js';
import { createHarness, type Harness } from '../harness.js';

const DEDICATED: Taint = { key: 'dedicated', value: 'x', effect: 'NoExecute' };
const UNREACHABLE: Taint = { key: 'node.kubernetes.io/unreachable', effect: 'NoExecute' };
const NOT_READY: Taint = { key: 'node.kubernetes.io/not-ready', effect: 'NoExecute' };

function scene(): Harness {
  const harness = createHarness({ controllers: ['taint-eviction-controller'], runs: () => false, watch: ['Pod'] });
  harness.server.create('Node', { metadata: { name: 'n' }, spec: {} });
  return harness;
}

function createPod({ server }: Harness, name: string, tolerations: readonly Toleration[] = []): void {
  server.create('Pod', {
    metadata: { name, namespace: 'default' },
    spec: { nodeName: 'n', containers: [{ name: 'c', image: 'x' }], tolerations },
  });
}

function taint({ server }: Harness, ...taints: readonly Taint[]): void {
  server.change('Node', { name: 'n' }, (node) => ({ ...node, spec: { ...node.spec, taints: [...taints] } }));
}

function bears(seconds?: number): Toleration {
  return {
    key: 'dedicated',
    operator: 'Exists',
    effect: 'NoExecute',
    ...(seconds === undefined ? {} : { tolerationSeconds: seconds }),
  };
}

/** Seconds at which each pod was asked to go. */
function deletions({ log }: Harness): Record<string, number> {
  const at: Record<string, number> = {};
  for (const { type, ...event } of log) {
    if (type === 'BOOKMARK') continue;
    const { object, atMs } = event as unknown as { readonly object: Pod; readonly atMs: number };
    if (object.metadata.deletionTimestamp !== undefined) at[object.metadata.name] ??= Math.floor(atMs / 1000);
  }
  return at;
}

function events(harness: Harness): unknown[] {
  return harness.list('Event').map(({ type, reason, message }) => [type, reason, message]);
}

test('7.14 › an untolerated taint sends a pod away at once, a finite toleration after its time, others never', async (t) => {
  const harness = scene();
  createPod(harness, 'none');
  createPod(harness, 'thirty', [bears(30)]);
  createPod(harness, 'shortest', [bears(30), { ...bears(10), key: 'other' }]);
  createPod(harness, 'zero', [bears(0)]);
  createPod(harness, 'negative', [bears(-5)]);
  createPod(harness, 'forever', [bears()]);
  await harness.run(1000);
  taint(harness, DEDICATED, { key: 'other', effect: 'NoSchedule' });
  await harness.run(100_000);
  t.deepEqual(deletions(harness), { none: 1, zero: 1, negative: 1, thirty: 31, shortest: 31 });
  harness.dispose();
});

test('7.14 › of several taints the least time counts, and one that is not tolerated is enough', async (t) => {
  const harness = scene();
  const other: Taint = { key: 'other', effect: 'NoExecute' };
  createPod(harness, 'both', [bears(30), { ...bears(10), key: 'other' }]);
  createPod(harness, 'one', [bears(30)]);
  await harness.run(1000);
  taint(harness, DEDICATED, other);
  await harness.run(100_000);
  t.deepEqual(deletions(harness), { both: 11, one: 1 });
  harness.dispose();
});

test('7.14 › a controller that comes back finds the taints that are there', async (t) => {
  const harness = scene();
  createPod(harness, 'thirty', [bears(30)]);
  taint(harness, DEDICATED);
  await harness.run(1000);
  const controller = harness.manager.controller('taint-eviction-controller');
  controller.stop();
  await harness.run(1000);
  controller.start();
  await harness.run(60_000);
  t.deepEqual(deletions(harness), { thirty: 32 });
  harness.dispose();
});

test('7.15 › a timer keeps its first deadline while the pod is still finitely tolerant', async (t) => {
  const harness = scene();
  createPod(harness, 'p', [bears(60), { ...bears(5), key: 'other' }]);
  await harness.run(1000);
  taint(harness, DEDICATED);
  await harness.run(20_000);
  taint(harness, DEDICATED, { key: 'other', effect: 'NoExecute' });
  await harness.run(100_000);
  t.deepEqual(deletions(harness), { p: 61 });
  harness.dispose();
});

test('7.15 › a timer is cancelled when the taints are gone or the pod is, and an event says so', async (t) => {
  const harness = scene();
  createPod(harness, 'p', [bears(60)]);
  createPod(harness, 'q', [bears(60)]);
  await harness.run(1000);
  taint(harness, DEDICATED);
  await harness.run(1000);
  harness.server.delete('Pod', { namespace: 'default', name: 'q' }, { gracePeriodSeconds: 0 });
  await harness.run(1000);
  taint(harness);
  await harness.run(100_000);
  t.deepEqual(
    harness.list('Pod').map(({ metadata }) => metadata.name),
    ['p'],
  );
  t.deepEqual(events(harness), [
    ['Normal', 'TaintManagerEviction', 'Cancelling deletion of Pod default/p'],
    ['Normal', 'TaintManagerEviction', 'Cancelling deletion of Pod default/q'],
  ]);
  harness.dispose();
});

test('7.16 › the timer runs on when not-ready becomes unreachable', async (t) => {
  const harness = scene();
  createPod(harness, 'p');
  await harness.run(1000);
  taint(harness, NOT_READY);
  await harness.run(100_000);
  taint(harness, UNREACHABLE);
  await harness.run(400_000);
  t.deepEqual(deletions(harness), { p: 301 });
  harness.dispose();
});

test('7.17 T8 › firing tells an event, writes DisruptionTarget, then asks for a graceful deletion', async (t) => {
  const harness = scene();
  createPod(harness, 'p');
  await harness.run(1000);
  harness.log.length = 0;
  taint(harness, DEDICATED);
  await harness.run(100);
  const writes = harness.log.map((event) => {
    const { type, object } = event as unknown as { readonly type: string; readonly object: Pod };
    const { conditions = [] } = object.status;
    const told = conditions.map(({ type: name, status, reason, message }) => [name, status, reason, message]);
    return [type, told, object.metadata.deletionGracePeriodSeconds];
  });
  const target = [
    'DisruptionTarget',
    'True',
    'DeletionByTaintManager',
    'Taint manager: deleting due to NoExecute taint',
  ];
  t.deepEqual(writes.slice(0, 2), [
    ['MODIFIED', [target], undefined],
    ['MODIFIED', [target], 30],
  ]);
  t.deepEqual(events(harness), [['Normal', 'TaintManagerEviction', 'Marking for deletion Pod default/p']]);
  harness.dispose();
});

test('7.17 › a lost request is tried again', async (t) => {
  const harness = scene();
  createPod(harness, 'p');
  await harness.run(1000);
  taint(harness, DEDICATED);
  await harness.run(2);
  const link = harness.bus.link('kube-controller-manager');
  link?.cut();
  await harness.run(9000);
  link?.restore();
  await harness.run(20_000);
  t.deepEqual(Object.keys(deletions(harness)), ['p']);
  harness.dispose();
});

test('7.18 › a pod that bears every NoExecute taint, as mirror pods do, is never sent away', async (t) => {
  const harness = scene();
  createPod(harness, 'mirror', [{ operator: 'Exists', effect: 'NoExecute' }]);
  taint(harness, DEDICATED, UNREACHABLE);
  await harness.run(1_000_000);
  t.deepEqual(deletions(harness), {});
  harness.dispose();
});

test('7.19 › deletions are counted, with the time that they came late', async (t) => {
  const harness = scene();
  createPod(harness, 'p');
  createPod(harness, 'q', [bears(30)]);
  await harness.run(1000);
  taint(harness, DEDICATED);
  await harness.run(60_000);
  const samples = await harness.metrics.samples();
  const valueOf = (name: string): number | undefined => samples.find((sample) => sample.name === name)?.value;
  t.is(valueOf('taint_eviction_controller_pod_deletions_total'), 2);
  t.is(valueOf('taint_eviction_controller_pod_deletion_duration_seconds_count'), 2);
  harness.dispose();
});

test('7.22 › the out-of-service taint is a NoExecute taint like any other', async (t) => {
  const harness = scene();
  createPod(harness, 'p');
  await harness.run(1000);
  taint(harness, { key: 'node.kubernetes.io/out-of-service', value: 'nodeshutdown', effect: 'NoExecute' });
  await harness.run(5000);
  t.deepEqual(deletions(harness), { p: 1 });
  harness.dispose();
});

test('7.14 › of a daemon the taint manager says why it goes before its controller deletes it, and writes that once', async (t) => {
  const controllers = ['taint-eviction-controller', 'daemonset-controller'];
  const harness = createHarness({ controllers, watch: ['Pod'] });
  const { server } = harness;
  server.create('Node', { metadata: { name: 'n' } });
  server.change('Node', { name: 'n' }, (node) => ({ ...node, spec: { ...node.spec, taints: [] } }));
  const template = { metadata: { labels: { app: 'd' } }, spec: { containers: [{ name: 'c', image: 'x' }] } };
  server.create('DaemonSet', {
    metadata: { name: 'd', namespace: 'default' },
    spec: { selector: { matchLabels: { app: 'd' } }, template },
  });
  await harness.run(1000);
  harness.log.length = 0;
  taint(harness, DEDICATED);
  await harness.run(1000);
  const told = harness.log.flatMap((event): unknown[] => {
    if (event.type === 'BOOKMARK' || event.kind !== 'Pod') return [];
    const { metadata, status } = event.object as unknown as Pod;
    const mark = status.conditions?.find(({ type }) => type === 'DisruptionTarget');
    return [[metadata.deletionTimestamp !== undefined, mark?.reason, mark?.observedGeneration]];
  });
  t.deepEqual(told.slice(0, 2), [
    [false, 'DeletionByTaintManager', 1],
    [true, 'DeletionByTaintManager', 1],
  ]);
  harness.dispose();
});
