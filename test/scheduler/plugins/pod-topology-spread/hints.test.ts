import test from 'ava';
import type { core, Node, Pod } from '../../../../src/api/objects/objects.js';
import {
  ActionType,
  clusterEvent,
  Events,
  matchesEvent,
  QueueingHint,
  type ClusterEvent,
} from '../../../../src/scheduler/framework/cluster-event.js';
import { testNode, testPod, type PodParts } from '../../support/objects.js';
import { SpreadStage } from './stage.js';

const ZONE = 'topology.kubernetes.io/zone';
const PLUGIN = new SpreadStage().plugin;

function waiting(parts: Partial<core.TopologySpreadConstraint> = {}): Pod {
  const labelSelector = { matchLabels: { app: 'a' } };
  const constraint = { maxSkew: 1, topologyKey: ZONE, whenUnsatisfiable: 'DoNotSchedule', labelSelector, ...parts };
  const soft = { maxSkew: 1, topologyKey: 'rack', whenUnsatisfiable: 'ScheduleAnyway', labelSelector: {} };
  return testPod('waiting', { labels: { app: 'a' }, spec: { topologySpreadConstraints: [constraint, soft] } });
}

function onNode(labels: Record<string, string>, parts: PodParts = {}): Pod {
  return testPod('other', { labels, spec: { nodeName: 'n' }, ...parts });
}

/** Whether the plugin wants another try. */
function asks(pod: Pod, event: ClusterEvent, before: Pod | Node | undefined, after: Pod | Node | undefined): boolean {
  const registered = PLUGIN.eventsToRegister().find((each) => matchesEvent(each.event, event));
  if (registered?.hint === undefined) throw new Error(`nothing is registered for ${event.label}`);
  return registered.hint(pod, before, after) === QueueingHint.Queue;
}

const LABELS_CHANGED = clusterEvent('AssignedPod', ActionType.UpdatePodLabel, 'labels');
const TOLERATIONS_CHANGED = clusterEvent('UnscheduledPod', ActionType.UpdatePodToleration, 'tolerations');

test('hints › listens to pods and nodes, and to nothing that cannot matter', (t) => {
  const { Add, Delete, UpdatePodLabel, UpdatePodToleration, UpdateNodeLabel, UpdateNodeTaint } = ActionType;
  t.deepEqual(
    PLUGIN.eventsToRegister().map(({ event }) => [event.resource, event.actionType]),
    [
      ['Pod', Add | Delete | UpdatePodLabel | UpdatePodToleration],
      ['Node', Add | Delete | UpdateNodeLabel | UpdateNodeTaint],
    ],
  );
});

test('hints › a matching pod that comes or goes helps, another does not', (t) => {
  const pod = waiting();
  for (const [labels, isHelpful] of [
    [{ app: 'a' }, true],
    [{ app: 'b' }, false],
  ] as const) {
    t.is(asks(pod, Events.assignedPodAdd, undefined, onNode(labels)), isHelpful);
    t.is(asks(pod, Events.assignedPodDelete, onNode(labels), undefined), isHelpful);
  }
});

test('hints › pods of other namespaces and pods without a node do not help', (t) => {
  const pod = waiting();
  const elsewhere = onNode({ app: 'a' }, { namespace: 'other' });
  t.false(asks(pod, Events.assignedPodAdd, undefined, elsewhere));
  t.false(asks(pod, Events.assignedPodDelete, onNode({ app: 'a' }, { spec: {} }), undefined));
});

test('hints › labels help when a pod begins or ceases to match', (t) => {
  const pod = waiting();
  const [a, b] = [onNode({ app: 'a' }), onNode({ app: 'b' })];
  t.true(asks(pod, LABELS_CHANGED, a, b));
  t.true(asks(pod, LABELS_CHANGED, b, a));
  t.false(asks(pod, LABELS_CHANGED, a, onNode({ app: 'a', more: 'yes' })));
  t.false(asks(pod, LABELS_CHANGED, b, onNode({ app: 'c' })));
  const relabelled: Pod = { ...pod, metadata: { ...pod.metadata, labels: { app: 'b' } } };
  t.true(asks(relabelled, LABELS_CHANGED, pod, relabelled));
});

test("hints › the pod's own tolerations help where a constraint honours taints", (t) => {
  const tolerations = [{ key: 'k', operator: 'Exists' }];
  for (const [policy, isHelpful] of [
    ['Honor', true],
    ['Ignore', false],
  ] as const) {
    const pod = waiting({ nodeTaintsPolicy: policy });
    const updated: Pod = { ...pod, spec: { ...pod.spec, tolerations } };
    t.is(asks(updated, TOLERATIONS_CHANGED, pod, updated), isHelpful);
    t.false(asks(pod, TOLERATIONS_CHANGED, { ...pod, spec: { ...pod.spec, tolerations: [] } }, pod));
    const other = onNode({ app: 'a' });
    const otherUpdated: Pod = { ...other, spec: { ...other.spec, tolerations } };
    t.false(asks(pod, TOLERATIONS_CHANGED, other, otherUpdated));
  }
});

test('hints › nodes help when they have every key of the hard constraints', (t) => {
  const pod = waiting();
  const [za, zb, bare] = [testNode('n', { zone: 'a' }), testNode('n', { zone: 'b' }), testNode('n')];
  t.true(asks(pod, Events.nodeAdd, undefined, za));
  t.false(asks(pod, Events.nodeAdd, undefined, bare));
  t.true(asks(pod, Events.nodeDelete, za, undefined));
  t.false(asks(pod, Events.nodeDelete, bare, undefined));
  t.true(asks(pod, Events.nodeLabelChange, bare, za));
  t.true(asks(pod, Events.nodeLabelChange, za, bare));
  t.true(asks(pod, Events.nodeLabelChange, za, zb));
  t.false(asks(pod, Events.nodeLabelChange, za, testNode('n', { zone: 'a', labels: { more: 'yes' } })));
  t.false(asks(pod, Events.nodeLabelChange, bare, testNode('n', { labels: { more: 'yes' } })));
  const taints = [{ key: 'k', effect: 'NoSchedule' }];
  t.true(asks(pod, Events.nodeTaintChange, testNode('n', { zone: 'a', taints }), za));
  t.false(asks(pod, Events.nodeTaintChange, testNode('n', { taints }), bare));
});
