import test from 'ava';
import type { AnyObject, core, Pod } from '../../../src/api/objects/objects.js';
import {
  ActionType,
  matchesEvent,
  QueueingHint,
  type ClusterEvent,
} from '../../../src/scheduler/framework/cluster-event.js';
import { Events } from '../../../src/scheduler/framework/cluster-event.js';
import { queueingHintsOf } from '../../../src/scheduler/framework/queueing-hints.js';
import { Algorithm } from '../support/algorithm.js';
import { testNode, testPod } from '../support/objects.js';

const { hints } = new Algorithm().framework;

/** Whether the plugin would have the pod retried; `undefined` when it did not register for the event. */
function wakes(
  plugin: string,
  event: ClusterEvent,
  pod: Pod,
  old?: AnyObject,
  updated?: AnyObject,
): boolean | undefined {
  const functions = hints
    .filter((registered) => matchesEvent(registered.event, event))
    .flatMap((registered) => registered.functions)
    .filter((each) => each.plugin === plugin);
  if (functions.length === 0) return undefined;
  return functions.some(({ hint }) => hint === undefined || hint(pod, old, updated) === QueueingHint.Queue);
}

const pod = testPod('p', { requests: { cpu: '2' } });
const cordoned = testNode('n', { unschedulable: true });
const free = testNode('n');
const podUpdate = (actionType: number): ClusterEvent => ({ resource: 'UnscheduledPod', actionType, label: '' });

test('NodeUnschedulable › waits for a node that is, or becomes, schedulable', (t) => {
  t.true(wakes('NodeUnschedulable', Events.nodeAdd, pod, undefined, free));
  t.false(wakes('NodeUnschedulable', Events.nodeAdd, pod, undefined, cordoned));
  t.true(wakes('NodeUnschedulable', Events.nodeTaintChange, pod, cordoned, free));
  t.false(wakes('NodeUnschedulable', Events.nodeTaintChange, pod, free, free));
  t.is(wakes('NodeUnschedulable', Events.nodeLabelChange, pod, free, free), undefined);
});

test('NodeUnschedulable › waits for the pod to tolerate the cordon', (t) => {
  const event = podUpdate(ActionType.UpdatePodToleration);
  const tolerations: core.Toleration[] = [{ operator: 'Exists' }];
  t.true(wakes('NodeUnschedulable', event, pod, pod, testPod('p', { spec: { tolerations } })));
  t.false(wakes('NodeUnschedulable', event, pod, pod, pod));
  t.false(wakes('NodeUnschedulable', event, pod, pod, testPod('q', { spec: { tolerations } })));
});

test('TaintToleration › waits for a taint that kept the pod away to go', (t) => {
  const tainted = testNode('n', { taints: [{ key: 'a', effect: 'NoSchedule' }] });
  t.true(wakes('TaintToleration', Events.nodeTaintChange, pod, tainted, free));
  t.false(wakes('TaintToleration', Events.nodeTaintChange, pod, free, free));
  t.false(wakes('TaintToleration', Events.nodeTaintChange, pod, tainted, tainted));
  t.true(wakes('TaintToleration', Events.nodeAdd, pod, undefined, free));
});

test('NodeAffinity › waits for labels that match now and did not before', (t) => {
  const picky = testPod('p', { spec: { nodeSelector: { disk: 'ssd' } } });
  const matching = testNode('n', { labels: { disk: 'ssd' } });
  t.true(wakes('NodeAffinity', Events.nodeLabelChange, picky, free, matching));
  t.false(wakes('NodeAffinity', Events.nodeLabelChange, picky, matching, matching));
  t.false(wakes('NodeAffinity', Events.nodeAdd, picky, undefined, free));
});

const withPort = (name: string, hostPort: number, nodeName?: string): Pod =>
  testPod(name, {
    ports: [{ containerPort: 1, hostPort }],
    ...(nodeName === undefined ? {} : { spec: { nodeName } }),
  });

test('NodePorts › waits for a pod on a node that held the port', (t) => {
  t.true(wakes('NodePorts', Events.assignedPodDelete, withPort('p', 80), withPort('q', 80, 'n')));
  t.false(wakes('NodePorts', Events.assignedPodDelete, withPort('p', 80), withPort('q', 81, 'n')));
  t.false(wakes('NodePorts', Events.assignedPodDelete, withPort('p', 80), withPort('q', 80)));
});

test('NodeResourcesFit › waits for a pod that leaves a node or shrinks there', (t) => {
  const placed = testPod('q', { requests: { cpu: '1' }, spec: { nodeName: 'n' } });
  const smaller = testPod('q', { requests: { cpu: '500m' }, spec: { nodeName: 'n' } });
  const shrinks: ClusterEvent = { resource: 'AssignedPod', actionType: ActionType.UpdatePodScaleDown, label: '' };
  t.true(wakes('NodeResourcesFit', Events.assignedPodDelete, pod, placed));
  t.false(wakes('NodeResourcesFit', Events.assignedPodDelete, pod, testPod('q')));
  t.true(wakes('NodeResourcesFit', shrinks, pod, placed, smaller));
  t.false(wakes('NodeResourcesFit', shrinks, pod, smaller, placed));
  t.true(wakes('NodeResourcesFit', shrinks, pod, pod, pod));
});

const withCpu = (cpu: string): AnyObject => testNode('n', { allocatable: { cpu, memory: '1Gi', pods: '10' } });

test('NodeResourcesFit › waits for a node on which the pod would fit if it were empty, and that gives more than before', (t) => {
  t.true(wakes('NodeResourcesFit', Events.nodeAdd, pod, undefined, withCpu('2')));
  t.false(wakes('NodeResourcesFit', Events.nodeAdd, pod, undefined, withCpu('1999m')));
  t.true(wakes('NodeResourcesFit', Events.nodeAllocatableChange, pod, withCpu('2'), withCpu('3')));
  t.false(wakes('NodeResourcesFit', Events.nodeAllocatableChange, pod, withCpu('3'), withCpu('2')));
  t.false(wakes('NodeResourcesFit', Events.nodeAllocatableChange, pod, withCpu('1'), withCpu('1500m')));
});

test('queueing hints › a plugin that waits for new nodes is called for their taints, too', (t) => {
  for (const plugin of ['NodeName', 'NodeAffinity', 'NodePorts', 'NodeResourcesFit']) {
    t.true(wakes(plugin, Events.nodeTaintChange, pod, free, free), plugin);
  }
});

test('queueing hints › a plugin that registers nothing is called for everything, unless it can reject no pod', (t) => {
  const map = queueingHintsOf([
    { name: 'Silent', filter: () => undefined },
    { name: 'Scorer', score: () => 0 },
  ]);
  t.true(map.length > 10);
  t.true(
    map.every(({ functions }) => functions.every(({ plugin, hint }) => plugin === 'Silent' && hint === undefined)),
  );
});

test('events › a generic update is larger than any specific registration and matches none', (t) => {
  const registered = { resource: 'Pod', actionType: ActionType.UpdatePodLabel, label: '' } as const;
  t.true(matchesEvent(registered, podUpdate(ActionType.UpdatePodLabel)));
  t.false(matchesEvent(registered, podUpdate(ActionType.Update)));
  t.false(matchesEvent({ ...registered, resource: 'AssignedPod' }, podUpdate(ActionType.UpdatePodLabel)));
  t.true(matchesEvent({ ...registered, resource: '*', actionType: ActionType.All }, podUpdate(ActionType.Update)));
});
