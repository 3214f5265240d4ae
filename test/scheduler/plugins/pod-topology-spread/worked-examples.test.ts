/** The examples by which the documentation of topology spread constraints explains them, through the whole algorithm. */
import test from 'ava';
import type { core, Pod } from '../../../../src/api/objects/objects.js';
import { PodTopologySpread } from '../../../../src/scheduler/plugins/pod-topology-spread/pod-topology-spread.js';
import { DEFAULT_PLUGINS, IN_TREE_PLUGINS } from '../../../../src/scheduler/plugins/registry.js';
import { Algorithm, type DecisionDetails } from '../../support/algorithm.js';
import { testNode, testPod } from '../../support/objects.js';

const NAME = 'PodTopologySpread';
const TEXT = "node(s) didn't match pod topology spread constraints";

/** Nodes with their zone and their pods with label `foo: bar`. */
type Layout = Readonly<Record<string, readonly [zone: string, pods: number]>>;

/** node1 and node2 in zoneA, node3 and node4 in zoneB; [2, 1]. */
const FOUR_NODES: Layout = { node1: ['zoneA', 1], node2: ['zoneA', 1], node3: ['zoneB', 1], node4: ['zoneB', 0] };
/** The conflicting one: zoneA has 2 + 1 pods, zoneB 2 on its only node. */
const THREE_NODES: Layout = { node1: ['zoneA', 2], node2: ['zoneA', 1], node3: ['zoneB', 2] };

function spread(
  topologyKey: string,
  parts: Partial<core.TopologySpreadConstraint> = {},
): core.TopologySpreadConstraint {
  const labelSelector = { matchLabels: { foo: 'bar' } };
  return { maxSkew: 1, topologyKey, whenUnsatisfiable: 'DoNotSchedule', labelSelector, ...parts };
}

function decide(layout: Layout, ...constraints: core.TopologySpreadConstraint[]): DecisionDetails {
  const algorithm = new Algorithm({
    registry: new Map([...IN_TREE_PLUGINS, [NAME, (_args, handle) => new PodTopologySpread(undefined, handle)]]),
    plugins: [...DEFAULT_PLUGINS.filter(({ name }) => name !== NAME), { name: NAME, weight: 2 }],
  });
  for (const [node, [zone, pods]] of Object.entries(layout)) {
    algorithm.addNodes([testNode(node, { labels: { zone, node } })]);
    for (let index = 0; index < pods; index += 1) {
      algorithm.place(testPod(`${node}-${index}`, { labels: { foo: 'bar' } }), node);
    }
  }
  const mypod: Pod = testPod('mypod', { labels: { foo: 'bar' }, spec: { topologySpreadConstraints: constraints } });
  return algorithm.decideInDetail(mypod);
}

test('one constraint › the pod goes to zoneB, since zoneA would be two ahead', (t) => {
  const { feasible, rejected } = decide(FOUR_NODES, spread('zone'));
  t.deepEqual(feasible, ['node3', 'node4']);
  t.deepEqual([...rejected.keys()].sort(), ['node1', 'node2']);
});

test('one constraint › a skew of 2 opens zoneA', (t) => {
  t.deepEqual(decide(FOUR_NODES, spread('zone', { maxSkew: 2 })).feasible, ['node1', 'node2', 'node3', 'node4']);
});

test('one constraint › by node only node4 is left', (t) => {
  t.deepEqual(decide(FOUR_NODES, spread('node')).feasible, ['node4']);
});

test('one constraint › ScheduleAnyway keeps every node and prefers zoneB', (t) => {
  const { feasible, best, raw, normalized } = decide(
    FOUR_NODES,
    spread('zone', { whenUnsatisfiable: 'ScheduleAnyway' }),
  );
  t.deepEqual(feasible, ['node1', 'node2', 'node3', 'node4']);
  // 2 ln 4 and 1 ln 4
  t.deepEqual(raw[NAME], { node1: 3, node2: 3, node3: 1, node4: 1 });
  t.deepEqual(normalized[NAME], { node1: 33, node2: 33, node3: 100, node4: 100 });
  // Of the two in zoneB, node4 has more room left.
  t.deepEqual(best, ['node4']);
});

test('two constraints › zone and node together leave node4', (t) => {
  t.deepEqual(decide(FOUR_NODES, spread('zone'), spread('node')).feasible, ['node4']);
});

test('two constraints › contradict each other on three nodes: the pod stays pending', (t) => {
  const { decision, rejected } = decide(THREE_NODES, spread('zone'), spread('node'));
  t.is(decision.kind, 'unfit');
  t.deepEqual(
    [...rejected.values()].map(({ reasons }) => reasons),
    [[TEXT], [TEXT], [TEXT]],
  );
  t.deepEqual(decide(THREE_NODES, spread('zone')).feasible, ['node3']);
  t.deepEqual(decide(THREE_NODES, spread('node')).feasible, ['node2']);
});

test('two constraints › a larger skew, or one that only scores, resolves the conflict', (t) => {
  t.deepEqual(decide(THREE_NODES, spread('zone', { maxSkew: 2 }), spread('node')).feasible, ['node2']);
  const soft = spread('node', { whenUnsatisfiable: 'ScheduleAnyway' });
  t.deepEqual(decide(THREE_NODES, spread('zone'), soft).feasible, ['node3']);
});
