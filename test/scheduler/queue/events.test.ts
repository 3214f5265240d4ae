import test from 'ava';
import type { Pod } from '../../../src/api/objects/objects.js';
import { InvariantError } from '../../../src/kernel/assert.js';
import { ActionType, clusterEvent, Events, QueueingHint } from '../../../src/scheduler/framework/cluster-event.js';
import { always, FIT_HINTS, never, NODE_ADD, podOf, registered, setUp } from './fixtures.js';

const POD_DELETE = Events.assignedPodDelete;

test('an event moves the pods whose rejecting plugin registered for it, and asks about no other', (t) => {
  const asked: string[] = [];
  const hint = (plugin: string) => (pod: Pod) => {
    asked.push(`${plugin} ${pod.metadata.name}`);
    return QueueingHint.Queue;
  };
  const { queue, at, mustPop, reject, depths } = setUp({
    hints: [
      registered('Fit', 'Node', ActionType.Add, hint('Fit')),
      registered('Ports', 'Pod', ActionType.Delete, hint('Ports')),
    ],
  });
  for (const name of ['a', 'b', 'c']) queue.add(podOf(name));
  reject(mustPop(), 'Fit');
  reject(mustPop(), 'Ports');
  reject(mustPop(), 'Ports', 'Fit');
  queue.moveAllToActiveOrBackoffQueue(NODE_ADD, undefined, undefined);
  t.deepEqual(asked, ['Fit a', 'Fit c']);
  t.is(depths(), 'active 0, backoff 2, unschedulable 1, gated 0, in flight 0');
  queue.moveAllToActiveOrBackoffQueue(clusterEvent('Node', ActionType.UpdateNodeLabel), undefined, undefined);
  t.is(asked.length, 2, 'nobody registered for labels');
  return at(0);
});

test('a pod whose back-off has ended becomes active at once', async (t) => {
  const { queue, at, mustPop, reject, depths } = setUp();
  queue.add(podOf('p'));
  reject(mustPop(), 'Fit');
  await at(2000);
  queue.moveAllToActiveOrBackoffQueue(NODE_ADD, undefined, undefined);
  t.is(depths(), 'active 1, backoff 0, unschedulable 0, gated 0, in flight 0');
});

test('a Skip of every rejecting plugin leaves the pod where it is', (t) => {
  const { queue, mustPop, reject, depths, ready } = setUp({
    hints: [registered('Fit', 'Node', ActionType.Add, never), registered('Ports', 'Node', ActionType.Add, always)],
  });
  queue.add(podOf('p'));
  reject(mustPop(), 'Fit');
  queue.moveAllToActiveOrBackoffQueue(NODE_ADD, undefined, undefined);
  t.is(depths(), 'active 0, backoff 0, unschedulable 1, gated 0, in flight 0');
  t.is(ready.count, 1, 'for the creation only');
});

test('Queue of a Pending plugin skips the back-off', (t) => {
  const { queue, mustPop, depths } = setUp({
    hints: [registered('Fit', 'Node', ActionType.Add), registered('Claims', 'Node', ActionType.Add)],
  });
  queue.add(podOf('p'));
  const info = mustPop();
  info.unschedulablePlugins = new Set(['Fit']);
  info.pendingPlugins = new Set(['Claims']);
  queue.addUnschedulableIfNotPresent(info);
  queue.moveAllToActiveOrBackoffQueue(NODE_ADD, undefined, undefined);
  t.is(depths(), 'active 1, backoff 0, unschedulable 0, gated 0, in flight 0');
});

test('a hint that fails counts as Queue, a broken invariant does not', (t) => {
  const failing = setUp({
    hints: [
      registered('Fit', 'Node', ActionType.Add, () => {
        throw new Error('no such object');
      }),
    ],
  });
  failing.queue.add(podOf('p'));
  failing.reject(failing.mustPop(), 'Fit');
  failing.queue.moveAllToActiveOrBackoffQueue(NODE_ADD, undefined, undefined);
  t.is(failing.depths(), 'active 0, backoff 1, unschedulable 0, gated 0, in flight 0');
  const broken = setUp({
    hints: [
      registered('Fit', 'Node', ActionType.Add, () => {
        throw new InvariantError('columns and nodes differ');
      }),
    ],
  });
  broken.queue.add(podOf('p'));
  broken.reject(broken.mustPop(), 'Fit');
  t.throws(() => broken.queue.moveAllToActiveOrBackoffQueue(NODE_ADD, undefined, undefined), {
    instanceOf: InvariantError,
  });
});

test('preCheck keeps pods where they are', (t) => {
  const { queue, mustPop, reject, popName } = setUp();
  for (const name of ['a', 'b']) queue.add(podOf(name, { priority: name === 'a' ? 2 : 1 }));
  reject(mustPop(), 'Fit');
  reject(mustPop(), 'Fit');
  queue.moveAllToActiveOrBackoffQueue(NODE_ADD, undefined, undefined, (pod) => (pod.spec.priority ?? 0) <= 1);
  t.deepEqual([popName(), popName()], ['b', undefined]);
});

test('a wildcard event with a pod is for that pod alone, without one for all', (t) => {
  const { queue, mustPop, reject, depths } = setUp();
  for (const name of ['a', 'b', 'c']) queue.add(podOf(name));
  for (let index = 0; index < 3; index += 1) reject(mustPop(), 'Unregistered');
  queue.moveAllToActiveOrBackoffQueue(Events.forceActivate, undefined, podOf('b'));
  t.is(depths(), 'active 0, backoff 1, unschedulable 2, gated 0, in flight 0');
  queue.moveAllToActiveOrBackoffQueue(Events.forceActivate, undefined, undefined);
  t.is(depths(), 'active 0, backoff 3, unschedulable 0, gated 0, in flight 0');
});

test('a registration for all pods hears of assigned ones, and a generic update matches no specific one', (t) => {
  const { queue, mustPop, reject, depths } = setUp({
    hints: [
      registered('Ports', 'Pod', ActionType.Delete),
      registered('Labels', 'Pod', ActionType.UpdatePodLabel),
      registered('Any', 'Pod', ActionType.Update),
    ],
  });
  for (const plugin of ['Ports', 'Labels', 'Any']) {
    queue.add(podOf(plugin));
    reject(mustPop(), plugin);
  }
  queue.moveAllToActiveOrBackoffQueue(POD_DELETE, podOf('gone', { nodeName: 'n' }), undefined);
  t.deepEqual(
    queue.pendingPods().backoff.map((pod) => pod.metadata.name),
    ['Ports'],
  );
  queue.moveAllToActiveOrBackoffQueue(clusterEvent('AssignedPod', ActionType.Update), undefined, undefined);
  t.deepEqual(
    queue.pendingPods().unschedulable.map((pod) => pod.metadata.name),
    ['Labels'],
  );
  t.is(depths(), 'active 0, backoff 2, unschedulable 1, gated 0, in flight 0');
});

test('an event during the attempt is replayed when the pod comes back', (t) => {
  const { queue, mustPop, reject, depths } = setUp();
  for (const name of ['before', 'during', 'other']) queue.add(podOf(name));
  const before = mustPop();
  queue.moveAllToActiveOrBackoffQueue(NODE_ADD, undefined, undefined);
  const during = mustPop();
  reject(before, 'Fit');
  t.is(depths(), 'active 1, backoff 1, unschedulable 0, gated 0, in flight 1');
  reject(during, 'Fit');
  t.is(depths(), 'active 1, backoff 1, unschedulable 1, gated 0, in flight 0', 'it was popped after the event');
  const other = mustPop();
  queue.moveAllToActiveOrBackoffQueue(NODE_ADD, undefined, undefined);
  reject(other, 'Ports');
  t.is(depths(), 'active 0, backoff 2, unschedulable 1, gated 0, in flight 0');
});

test('a replayed event of a Pending plugin makes the pod active at once', (t) => {
  const { queue, mustPop, depths } = setUp({
    hints: [registered('Fit', 'Node', ActionType.Add), registered('Claims', 'Pod', ActionType.Delete)],
  });
  queue.add(podOf('p'));
  const info = mustPop();
  queue.moveAllToActiveOrBackoffQueue(NODE_ADD, undefined, undefined);
  queue.moveAllToActiveOrBackoffQueue(POD_DELETE, podOf('gone', { nodeName: 'n' }), undefined);
  info.unschedulablePlugins = new Set(['Fit']);
  info.pendingPlugins = new Set(['Claims']);
  queue.addUnschedulableIfNotPresent(info);
  t.is(depths(), 'active 1, backoff 0, unschedulable 0, gated 0, in flight 0');
});

test('events that no plugin registered for are not kept for pods in flight', (t) => {
  const { queue, mustPop, reject, depths } = setUp({ hints: FIT_HINTS });
  queue.add(podOf('p'));
  const info = mustPop();
  queue.moveAllToActiveOrBackoffQueue(POD_DELETE, podOf('gone', { nodeName: 'n' }), undefined);
  reject(info, 'Fit');
  t.is(depths(), 'active 0, backoff 0, unschedulable 1, gated 0, in flight 0');
});

test('activate makes pods active whatever their back-off, and is noted for pods in flight', (t) => {
  const { queue, mustPop, reject, depths } = setUp();
  for (const name of ['error', 'rejected', 'flying']) queue.add(podOf(name));
  queue.addUnschedulableIfNotPresent(mustPop());
  reject(mustPop(), 'Fit');
  const flying = mustPop();
  queue.activate([podOf('error'), podOf('rejected'), podOf('flying'), podOf('unknown')]);
  t.is(depths(), 'active 2, backoff 0, unschedulable 0, gated 0, in flight 1');
  reject(flying, 'Fit');
  t.is(depths(), 'active 2, backoff 1, unschedulable 0, gated 0, in flight 0');
});

test('unschedulable pods are retried at the first 30 s tick after more than five minutes', async (t) => {
  const { queue, at, mustPop, reject, depths } = setUp({ hints: [] });
  queue.add(podOf('first'));
  const first = mustPop();
  await at(10_300);
  reject(first, 'Fit');
  await at(30_000);
  queue.add(podOf('second'));
  reject(mustPop(), 'Fit');
  await at(329_999);
  t.is(depths(), 'active 0, backoff 0, unschedulable 2, gated 0, in flight 0');
  await at(330_000);
  t.is(depths(), 'active 1, backoff 0, unschedulable 1, gated 0, in flight 0', 'exactly five minutes are not enough');
  await at(359_999);
  t.is(depths(), 'active 1, backoff 0, unschedulable 1, gated 0, in flight 0');
  await at(360_000);
  t.is(depths(), 'active 2, backoff 0, unschedulable 0, gated 0, in flight 0');
});

test('the 30 s ticks count from the start of the queue', async (t) => {
  const early = setUp();
  await early.at(7000);
  const { queue, mustPop, reject, depths } = setUp({ clock: early.clock, hints: [] });
  queue.add(podOf('p'));
  reject(mustPop(), 'Fit');
  await early.at(336_999);
  t.is(depths(), 'active 0, backoff 0, unschedulable 1, gated 0, in flight 0');
  await early.at(337_000);
  t.is(depths(), 'active 1, backoff 0, unschedulable 0, gated 0, in flight 0');
});

test('a bound pod may help only pods with spread or required affinity', (t) => {
  const { queue, mustPop, reject } = setUp({
    hints: ['PodTopologySpread', 'InterPodAffinity', 'Custom'].map((plugin) =>
      registered(plugin, 'Pod', ActionType.Add | ActionType.UpdatePodLabel | ActionType.UpdatePodScaleDown),
    ),
  });
  const affinity = {
    podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: 'zone', labelSelector: {} }] },
  };
  queue.add(podOf('spread'));
  reject(mustPop(), 'PodTopologySpread');
  queue.add(podOf('spread-elsewhere', { namespace: 'other' }));
  reject(mustPop(), 'PodTopologySpread');
  queue.add(podOf('affine', { spec: { affinity } }));
  reject(mustPop(), 'InterPodAffinity');
  queue.add(podOf('custom'));
  reject(mustPop(), 'Custom');
  const names = () => queue.pendingPods().unschedulable.map((pod) => pod.metadata.name);
  queue.assignedPodAdded(podOf('bound', { nodeName: 'n' }));
  t.deepEqual(names(), ['spread-elsewhere', 'custom']);
  const label = clusterEvent('AssignedPod', ActionType.UpdatePodLabel);
  queue.assignedPodUpdated(podOf('bound'), podOf('bound'), label);
  t.deepEqual(names(), ['spread-elsewhere', 'custom']);
  const scaleDown = clusterEvent('AssignedPod', ActionType.UpdatePodScaleDown);
  queue.assignedPodUpdated(podOf('bound'), podOf('bound'), scaleDown);
  t.deepEqual(names(), [], 'freed resources may help anybody');
});
