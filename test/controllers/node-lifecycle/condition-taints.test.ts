import test from 'ava';
import type { Node, Taint } from '../../../src/api/objects/objects.js';
import { withConditionTaints } from '../../../src/controllers/node-lifecycle/condition-taints.js';
import { meta } from '../objects.js';

const NOW = '2030-01-01T00:00:05Z';
const OTHER: Taint = { key: 'node.kubernetes.io/not-ready', effect: 'NoExecute' };

function node(
  taints: Taint[],
  conditions: readonly (readonly [type: string, status: string])[],
  unschedulable = false,
): Node {
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: meta('n'),
    spec: { taints, ...(unschedulable ? { unschedulable } : {}) },
    status: { conditions: conditions.map(([type, status]) => ({ type, status })) },
  };
}

test('condition taints › not-ready goes when the node is ready; taints of other effects stay', (t) => {
  const before = node([{ key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }, OTHER], [['Ready', 'True']]);
  t.deepEqual(withConditionTaints(before, NOW).spec, { taints: [OTHER] });
  const bare = node([{ key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }], [['Ready', 'True']]);
  t.deepEqual(withConditionTaints(bare, NOW).spec, {});
});

test('condition taints › each bad condition has its taint, with the time of its addition', (t) => {
  const conditions = [
    ['MemoryPressure', 'True'],
    ['DiskPressure', 'False'],
    ['PIDPressure', 'True'],
    ['NetworkUnavailable', 'True'],
    ['Ready', 'Unknown'],
  ] as const;
  const keys = ['memory-pressure', 'pid-pressure', 'network-unavailable', 'unreachable', 'unschedulable'];
  t.deepEqual(
    withConditionTaints(node([], conditions, true), NOW).spec.taints,
    keys.map((key) => ({ key: `node.kubernetes.io/${key}`, effect: 'NoSchedule', timeAdded: NOW })),
  );
});

test('condition taints › a node that has what it should is the very same object', (t) => {
  const ready = node([OTHER], [['Ready', 'True']]);
  t.is(withConditionTaints(ready, NOW), ready);
  const notReady = node([{ key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }], [['Ready', 'False']]);
  t.is(withConditionTaints(notReady, NOW), notReady);
});
