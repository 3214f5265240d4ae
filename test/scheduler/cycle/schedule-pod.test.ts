import test from 'ava';
import { fitErrorText } from '../../../src/scheduler/cycle/attempt/node-statuses.js';
import type { Decision } from '../../../src/scheduler/cycle/schedule-pod.js';
import type { PluginFactory } from '../../../src/scheduler/framework/interface.js';
import { Code, createStatus } from '../../../src/scheduler/framework/status.js';
import { DEFAULT_PLUGINS, IN_TREE_PLUGINS } from '../../../src/scheduler/plugins/registry.js';
import { Algorithm } from '../support/algorithm.js';
import { testNode, testPod } from '../support/objects.js';

function withNodes(count: number, percentageOfNodesToScore = 0): Algorithm {
  const algorithm = new Algorithm({ percentageOfNodesToScore });
  algorithm.addNodes(Array.from({ length: count }, (_, index) => testNode(`n${index}`)));
  return algorithm;
}

function textOf(decision: Decision, nodes: number): string {
  return decision.kind === 'unfit' ? fitErrorText(decision.diagnosis, nodes) : decision.kind;
}

test('the scan › ends before the feasible node after the target, and the next one starts there', (t) => {
  const algorithm = withNodes(500);
  const first = algorithm.decideInDetail(testPod('a'));
  t.is(first.feasible.length, 230);
  t.is(first.feasible[0], 'n0');
  t.is(algorithm.start.index, 230);
  const second = algorithm.decideInDetail(testPod('b'));
  t.deepEqual([second.feasible[0], second.feasible.at(-1)], ['n230', 'n459']);
  const third = algorithm.decideInDetail(testPod('c'));
  t.deepEqual([third.feasible[0], third.feasible.at(-1)], ['n460', 'n189']);
  t.is(algorithm.start.index, 190);
});

test('the scan › rejected nodes count as visited', (t) => {
  const algorithm = new Algorithm();
  algorithm.addNodes(
    Array.from({ length: 200 }, (_, index) => testNode(`n${index}`, { unschedulable: index % 2 === 0 })),
  );
  const { feasible, rejected } = algorithm.decideInDetail(testPod('a'));
  t.is(feasible.length, 100);
  t.is(rejected.size, 100);
  t.is(algorithm.start.index, 0);
  const fewer = new Algorithm();
  fewer.addNodes(Array.from({ length: 300 }, (_, index) => testNode(`n${index}`, { unschedulable: index % 2 === 0 })));
  fewer.decide(testPod('a'));
  // Feasible nodes stand at odd places: the 145th ends the walk, the cordoned one before it was visited.
  t.is(fewer.start.index, 2 * 145 - 1);
});

test('the scan › with all nodes visited the start does not move', (t) => {
  const algorithm = withNodes(150, 100);
  algorithm.decide(testPod('a'));
  t.is(algorithm.start.index, 0);
});

test('a decision › without nodes is an error of its own', (t) => {
  const decision = new Algorithm().decide(testPod('a'));
  t.deepEqual(decision, {
    kind: 'error',
    status: createStatus(Code.UnschedulableAndUnresolvable, '', 'no nodes available to schedule pods'),
  });
});

test('a decision › a single feasible node is taken without scores', (t) => {
  const algorithm = new Algorithm();
  algorithm.addNodes([testNode('n1'), testNode('n2', { unschedulable: true })]);
  const { decision, raw } = algorithm.decideInDetail(testPod('a'));
  t.like(decision, { kind: 'placed', nodeName: 'n1', ties: 1 });
  t.deepEqual(raw, {});
});

test('a decision › a pod pinned to one node that lacks room names NodeAffinity for all others', (t) => {
  const algorithm = withNodes(5);
  const pinned = testPod('a', {
    requests: { cpu: '3' },
    spec: {
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['n2'] }] }],
          },
        },
      },
    },
  });
  algorithm.place(testPod('big', { requests: { cpu: '2' } }), 'n2');
  t.is(
    textOf(algorithm.decide(pinned), 5),
    "0/5 nodes are available: 1 Insufficient cpu, 4 node(s) didn't satisfy plugin(s) [NodeAffinity].",
  );
  t.is(algorithm.start.index, 1);
});

test('a decision › histogram entries are sorted as texts, number included', (t) => {
  const algorithm = new Algorithm();
  algorithm.addNodes(Array.from({ length: 12 }, (_, index) => testNode(`n${index}`, { unschedulable: index < 10 })));
  t.is(
    textOf(algorithm.decide(testPod('a', { requests: { cpu: '9' } })), 12),
    '0/12 nodes are available: 10 node(s) were unschedulable, 2 Insufficient cpu.',
  );
});

test('a nomination › the nominated node is tried first and taken without a scan', (t) => {
  const algorithm = withNodes(3);
  const pod = testPod('a', { status: { nominatedNodeName: 'n2' } });
  t.like(algorithm.decide(pod), { kind: 'placed', nodeName: 'n2', isNominated: true });
  t.is(algorithm.start.index, 0);
});

const place = (priority: number): string => {
  const algorithm = new Algorithm();
  algorithm.addNodes([testNode('n1', { allocatable: { cpu: '1', memory: '8Gi', pods: '110' } })]);
  const nominated = testPod('first', { requests: { cpu: '1' }, spec: { priority: 10 } });
  algorithm.nominator.nominate(nominated, 'n1');
  return textOf(algorithm.decide(testPod('b', { requests: { cpu: '1' }, spec: { priority } })), 1);
};

test('a nomination › a pod of at least the same priority keeps its place on the nominated node', (t) => {
  t.is(place(10), '0/1 nodes are available: 1 Insufficient cpu.');
  t.is(place(11), 'placed');
});

test('a nomination › a pod ignores its own', (t) => {
  const algorithm = new Algorithm();
  algorithm.addNodes([testNode('n1', { allocatable: { cpu: '1', memory: '8Gi', pods: '110' } })]);
  const pod = testPod('a', { requests: { cpu: '1' }, status: { nominatedNodeName: 'n1' } });
  algorithm.nominator.nominate(pod, 'n1');
  t.is(algorithm.decide(pod).kind, 'placed');
});

function withPlugin(name: string, factory: PluginFactory): Algorithm {
  const algorithm = new Algorithm({
    plugins: [...DEFAULT_PLUGINS, { name, weight: 1 }],
    registry: new Map([...IN_TREE_PLUGINS, [name, factory]]),
  });
  algorithm.addNodes([testNode('n1'), testNode('n2')]);
  return algorithm;
}

test('a user plugin › filters in the plain form beside ours', (t) => {
  const status = createStatus(Code.Unschedulable, 'OnlyN2', 'node(s) are not n2');
  const algorithm = withPlugin('OnlyN2', () => ({
    name: 'OnlyN2',
    filter: (_state, _pod, node) => (node.name === 'n2' ? undefined : status),
  }));
  t.like(algorithm.decide(testPod('a')), { kind: 'placed', nodeName: 'n2' });
});

test('a user plugin › a fault in a filter ends the attempt, the start moves on', (t) => {
  const algorithm = withPlugin('Broken', () => ({
    name: 'Broken',
    filter: (_state, _pod, node) =>
      node.name === 'n2' ? createStatus(Code.Error, 'Broken', 'out of luck') : undefined,
  }));
  t.like(algorithm.decide(testPod('a')), {
    kind: 'error',
    status: { code: Code.Error, reasons: ['running "Broken" filter plugin: out of luck'] },
  });
  t.is(algorithm.start.index, 1);
});

test('a user plugin › a score outside of 0..100 ends the attempt', (t) => {
  const algorithm = withPlugin('TooMuch', () => ({ name: 'TooMuch', score: () => 101 }));
  t.like(algorithm.decide(testPod('a')), { kind: 'error', status: { code: Code.Error, plugin: 'TooMuch' } });
});

test('a user plugin › its score decides by its weight', (t) => {
  const algorithm = withPlugin('LikesN2', () => ({
    name: 'LikesN2',
    score: (_state, _pod, node) => (node.name === 'n2' ? 100 : 0),
  }));
  t.like(algorithm.decide(testPod('a')), { kind: 'placed', nodeName: 'n2', ties: 1 });
});
