import test from 'ava';
import { ActionType, Events } from '../../../src/scheduler/framework/cluster-event.js';
import type { PreEnqueuePlugin } from '../../../src/scheduler/framework/interface.js';
import { Code, createStatus } from '../../../src/scheduler/framework/status.js';
import { podUpdateEvents } from '../../../src/scheduler/queue/pod-update-events.js';
import { FIT_HINTS, GATE_HINTS, gates, NODE_ADD, podOf, registered, setUp } from './fixtures.js';

const labels = (...args: Parameters<typeof podUpdateEvents>): string[] =>
  podUpdateEvents(...args).map(({ label }) => label);

const GATED = { preEnqueue: [gates], hints: [...GATE_HINTS, ...FIT_HINTS] };

test('a gated pod waits outside the active queue until its last gate is gone', (t) => {
  const { queue, depths, popName, ready, clock } = setUp(GATED);
  const two = podOf('p', { gates: ['a', 'b'] });
  const one = podOf('p', { gates: ['b'] });
  queue.add(two);
  t.is(depths(), 'active 0, backoff 0, unschedulable 0, gated 1, in flight 0');
  t.is(ready.count, 0);
  t.is(clock.pending, 0, 'gated pods wait for ever');
  queue.update(two, one);
  t.is(depths(), 'active 0, backoff 0, unschedulable 0, gated 1, in flight 0');
  queue.update(one, podOf('p'));
  t.is(depths(), 'active 1, backoff 0, unschedulable 0, gated 0, in flight 0');
  t.is(ready.count, 1);
  t.is(popName(), 'p');
});

test('events reach a gated pod only if its gating plugin registered for them', (t) => {
  let isOpen = false;
  const door: PreEnqueuePlugin = {
    name: 'Door',
    preEnqueue: () => (isOpen ? undefined : createStatus(Code.Pending, 'Door', 'closed')),
  };
  const { queue, depths } = setUp({
    preEnqueue: [door],
    hints: [registered('Fit', 'Node', ActionType.Add), registered('Door', 'Pod', ActionType.Delete)],
  });
  queue.add(podOf('p'));
  isOpen = true;
  queue.moveAllToActiveOrBackoffQueue(NODE_ADD, undefined, undefined);
  queue.moveAllToActiveOrBackoffQueue(Events.unschedulableTimeout, undefined, undefined);
  t.is(depths(), 'active 0, backoff 0, unschedulable 0, gated 1, in flight 0');
  queue.moveAllToActiveOrBackoffQueue(Events.assignedPodDelete, podOf('gone', { nodeName: 'n' }), undefined);
  t.is(depths(), 'active 1, backoff 0, unschedulable 0, gated 0, in flight 0');
});

test('PreEnqueue is asked on the way into the back-off queue, and not again when the back-off ends', async (t) => {
  let calls = 0;
  const counting: PreEnqueuePlugin = {
    name: 'Counting',
    preEnqueue: () => {
      calls += 1;
      return undefined;
    },
  };
  const { queue, at, mustPop, popName } = setUp({ preEnqueue: [counting] });
  queue.add(podOf('p'));
  queue.addUnschedulableIfNotPresent(mustPop());
  t.is(calls, 2);
  await at(2000);
  t.is(popName(), 'p');
  t.is(calls, 2);
});

test('the plugin that gates a pod already is asked first', (t) => {
  const asked: string[] = [];
  let closed = 'B';
  const plugin = (name: string): PreEnqueuePlugin => ({
    name,
    preEnqueue: () => {
      asked.push(name);
      return name === closed ? createStatus(Code.Unschedulable, name, 'closed') : undefined;
    },
  });
  const { queue } = setUp({ preEnqueue: [plugin('A'), plugin('B'), plugin('C')], hints: [] });
  queue.add(podOf('p'));
  queue.activate([podOf('p')]);
  closed = '';
  queue.activate([podOf('p')]);
  t.deepEqual(asked, ['A', 'B', 'B', 'B', 'A', 'C']);
  t.is(queue.depths().active, 1);
});

test('a pod that PreEnqueue refuses on its way into the back-off queue becomes a gated one', (t) => {
  const closed = new Set<string>();
  const door: PreEnqueuePlugin = {
    name: 'Door',
    preEnqueue: (pod) =>
      closed.has(pod.metadata.name) ? createStatus(Code.Unschedulable, 'Door', 'closed') : undefined,
  };
  const { queue, mustPop, reject, depths } = setUp({ preEnqueue: [door] });
  queue.add(podOf('p'));
  reject(mustPop(), 'Fit');
  closed.add('p');
  queue.moveAllToActiveOrBackoffQueue(NODE_ADD, undefined, undefined);
  t.is(depths(), 'active 0, backoff 0, unschedulable 0, gated 1, in flight 0');
  t.deepEqual([...(queue.get('default/p')?.unschedulablePlugins ?? [])], ['Fit', 'Door']);
  closed.clear();
  queue.activate([podOf('p')]);
  t.is(depths(), 'active 1, backoff 0, unschedulable 0, gated 0, in flight 0');
});

test('an update of an active pod keeps its place among equals and takes its new priority', (t) => {
  const { queue, popName } = setUp();
  for (const name of ['a', 'b', 'c']) queue.add(podOf(name));
  queue.update(podOf('a'), podOf('a', { labels: { x: '1' } }));
  queue.update(podOf('c'), podOf('c', { priority: 7 }));
  t.deepEqual(queue.get('default/a')?.podInfo.pod.metadata.labels, { x: '1' });
  t.deepEqual([popName(), popName(), popName()], ['c', 'a', 'b']);
});

test('an update of a pod that backs off leaves it there', (t) => {
  const { queue, mustPop, depths } = setUp();
  queue.add(podOf('p'));
  queue.addUnschedulableIfNotPresent(mustPop());
  queue.update(podOf('p'), podOf('p', { labels: { x: '1' } }));
  t.is(depths(), 'active 0, backoff 1, unschedulable 0, gated 0, in flight 0');
  t.deepEqual(queue.get('default/p')?.podInfo.pod.metadata.labels, { x: '1' });
});

test('an update of an unschedulable pod moves it only by a hint of a plugin that rejected it', (t) => {
  const { queue, mustPop, reject, depths } = setUp({
    hints: [
      registered('Fit', 'Pod', ActionType.UpdatePodScaleDown),
      registered('Other', 'Pod', ActionType.UpdatePodLabel),
    ],
  });
  queue.add(podOf('p', { cpu: '2' }));
  reject(mustPop(), 'Fit');
  queue.update(podOf('p', { cpu: '2' }), podOf('p', { cpu: '2', labels: { x: '1' } }));
  t.is(depths(), 'active 0, backoff 0, unschedulable 1, gated 0, in flight 0');
  queue.update(podOf('p', { cpu: '2' }), podOf('p', { cpu: '1' }));
  t.is(depths(), 'active 0, backoff 1, unschedulable 0, gated 0, in flight 0');
});

test('an update of a pod in flight is only noted', (t) => {
  const { queue, mustPop, reject, depths } = setUp({
    hints: [registered('Fit', 'Pod', ActionType.UpdatePodScaleDown)],
  });
  queue.add(podOf('p', { cpu: '2' }));
  const info = mustPop();
  queue.update(podOf('p', { cpu: '2' }), podOf('p', { cpu: '1' }));
  t.is(depths(), 'active 0, backoff 0, unschedulable 0, gated 0, in flight 1');
  reject(info, 'Fit');
  t.is(depths(), 'active 0, backoff 1, unschedulable 0, gated 0, in flight 0');
});

test('an update of an unknown pod adds it', (t) => {
  const { queue, popName } = setUp();
  queue.update(podOf('p'), podOf('p', { labels: { x: '1' } }));
  t.is(popName(), 'p');
});

test('a deleted pod is in no pool any more', (t) => {
  const { queue, mustPop, reject, popName, depths } = setUp(GATED);
  for (const name of ['error', 'rejected', 'active']) queue.add(podOf(name));
  queue.add(podOf('gated', { gates: ['a'] }));
  queue.addUnschedulableIfNotPresent(mustPop());
  reject(mustPop(), 'Fit');
  for (const name of ['error', 'rejected', 'active', 'gated', 'unknown']) queue.delete(podOf(name));
  t.is(depths(), 'active 0, backoff 0, unschedulable 0, gated 0, in flight 0');
  t.is(popName(), undefined);
});

test('podUpdateEvents names every change in the order of upstream', (t) => {
  const plain = podOf('p', { cpu: '1' });
  t.deepEqual(labels(plain, podOf('p', { cpu: '1' })), ['UnschedulablePodUpdate']);
  t.deepEqual(labels(plain, podOf('p', { cpu: '2' })), ['UnschedulablePodUpdate'], 'growing is no scale-down');
  t.deepEqual(labels(plain, podOf('p', { cpu: '1', nodeName: 'n' })), ['AssignedPodUpdate']);
  t.deepEqual(labels(podOf('p', { gates: ['a', 'b'] }), podOf('p', { gates: ['b'] })), ['UnschedulablePodUpdate']);
  t.deepEqual(labels(plain, podOf('p')), ['UnschedulablePodUpdatePodScaleDown'], 'a request went away');
  const claims = { ...podOf('p'), status: { phase: 'Pending' as const, resourceClaimStatuses: [{ name: 'gpu' }] } };
  t.deepEqual(labels(podOf('p'), claims), ['UnschedulablePodUpdatePodGeneratedResourceClaim']);
  t.deepEqual(
    labels(
      podOf('p', { cpu: '1', gates: ['a'], labels: { x: '1' } }),
      podOf('p', { cpu: '500m', labels: { x: '2' }, spec: { tolerations: [{ operator: 'Exists' }] } }),
    ),
    [
      'UnschedulablePodUpdatePodLabel',
      'UnschedulablePodUpdatePodScaleDown',
      'UnschedulablePodUpdatePodSchedulingGatesEliminated',
      'UnschedulablePodUpdatePodToleration',
    ],
  );
});
