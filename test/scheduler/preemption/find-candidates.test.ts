import test from 'ava';
import { Code, createStatus } from '../../../src/scheduler/framework/status.js';
import {
  candidatesWanted,
  preemptionLimits,
  validatePreemptionArgs,
} from '../../../src/scheduler/framework/preemption/preemption-args.js';
import { budget, guest, PreemptionScene, shortly } from './preemption-scene.js';

const HIGH = guest('high', { priority: 10, requests: { cpu: '2' } });

function full(
  count: number,
  options: ConstructorParameters<typeof PreemptionScene>[0],
  guarded: readonly number[] = [],
) {
  const scene = new PreemptionScene(options);
  for (let index = 0; index < count; index += 1) {
    const labels = guarded.includes(index) ? { app: 'db' } : { app: 'web' };
    scene.node(`n${index}`, [guest(`low${index}`, { requests: { cpu: '4' }, labels })]);
  }
  scene.budgets.push(budget('db', { matchLabels: { app: 'db' } }, 0));
  return scene;
}

function wanted(args: object, nodes: number): number {
  return candidatesWanted(preemptionLimits(args), nodes);
}

test('candidates › as many as the limits say, and never more than there are nodes', (t) => {
  t.is(wanted({}, 50), 50);
  t.is(wanted({}, 100), 100);
  t.is(wanted({}, 5000), 500);
  t.is(wanted({}, 1009), 100);
  t.is(wanted({}, 1019), 101);
  t.is(wanted({ minCandidateNodesPercentage: 100 }, 300), 300);
  t.is(wanted({ minCandidateNodesPercentage: 0, minCandidateNodesAbsolute: 1 }, 300), 1);
});

/** What is wrong with args, as users read it. */
function textsOf(args: object): string[] {
  return validatePreemptionArgs(args, 'profiles[0].pluginConfig[1].args').map(
    ({ field, detail }) => `${field}: ${detail}`,
  );
}

test('candidates › limits out of range are refused in the words of upstream', (t) => {
  t.deepEqual(textsOf({}), []);
  t.deepEqual(textsOf({ minCandidateNodesPercentage: 0 }), []);
  t.deepEqual(textsOf({ minCandidateNodesAbsolute: 0 }), []);
  t.deepEqual(textsOf({ minCandidateNodesPercentage: 101, minCandidateNodesAbsolute: -1 }), [
    'profiles[0].pluginConfig[1].args.minCandidateNodesPercentage: Invalid value: 101: not in valid range [0, 100]',
    'profiles[0].pluginConfig[1].args.minCandidateNodesAbsolute: Invalid value: -1: not in valid range [0, inf)',
  ]);
  t.deepEqual(textsOf({ minCandidateNodesPercentage: 0, minCandidateNodesAbsolute: 0 }), [
    'profiles[0].pluginConfig[1].args.minCandidateNodesPercentage: Invalid value: 0: cannot be zero at the same time as minCandidateNodesAbsolute',
    'profiles[0].pluginConfig[1].args.minCandidateNodesAbsolute: Invalid value: 0: cannot be zero at the same time as minCandidateNodesPercentage',
  ]);
});

const THREE = { minCandidateNodesPercentage: 0, minCandidateNodesAbsolute: 3 };

test('candidates › the walk ends when there are enough', (t) => {
  const report = full(6, { args: THREE }).evaluate(HIGH);
  t.deepEqual(shortly(report), ['n0: low0', 'n1: low1', 'n2: low2']);
  t.is(report.potentialNodes, 6);
  t.is(report.wanted, 3);
});

test('candidates › the walk goes on until one breaks no budget, which then stands first', (t) => {
  const report = full(6, { args: THREE }, [0, 1, 2, 3]).evaluate(HIGH);
  // Of those that break a budget only as many are kept as are wanted.
  t.deepEqual(shortly(report), ['n4: low4', 'n0: low0 !1', 'n1: low1 !1', 'n2: low2 !1']);
  t.is(report.picked?.candidate.nodeName, 'n4');
});

test('candidates › the walk begins where the seeded stream says, and comes round', (t) => {
  const starts = new Set<string>();
  for (const seed of ['a', 'b', 'c', 'd', 'e', 'f']) {
    const nodes = shortly(full(4, { args: THREE, seed }).evaluate(HIGH)).map((text) => Number(text[1]));
    const [first = Number.NaN] = nodes;
    t.deepEqual(nodes, [first, (first + 1) % 4, (first + 2) % 4]);
    starts.add(String(first));
  }
  t.true(starts.size > 1);
});

test('candidates › equal options and seed give an equal choice', (t) => {
  const [first, second] = [1, 2].map(() => full(8, { args: THREE, seed: 'x' }).evaluate(HIGH).picked);
  t.deepEqual(first, second);
});

test('candidates › only nodes that are Unschedulable and nothing worse are tried', (t) => {
  const scene = new PreemptionScene()
    .node('n1', [guest('low1', { requests: { cpu: '4' } })], { unschedulable: true })
    .node('n2', [guest('low2', { requests: { cpu: '1' } })], { allocatable: { cpu: '1', memory: '1Gi', pods: '10' } });
  const report = scene.evaluate(HIGH);
  t.is(report.potentialNodes, 0);
  t.is(report.message, '0/2 nodes are available: 2 Preemption is not helpful for scheduling.');
  t.deepEqual(scene.preempt(HIGH), {
    nominatedNodeName: '',
    status: { code: Code.Unschedulable, plugin: '', reasons: [report.message] },
  });
});

test('candidates › nodes that were tried say why, all others that it is of no help', (t) => {
  const report = new PreemptionScene()
    .node('n1', [guest('low1', { requests: { cpu: '4' } })], { unschedulable: true })
    .node('n2', [guest('same', { priority: 10, requests: { cpu: '4' } })])
    .node('n3', [guest('same3', { priority: 10, requests: { cpu: '3' } }), guest('low3')])
    .evaluate(HIGH);
  t.is(
    report.message,
    '0/3 nodes are available: 1 Insufficient cpu, 1 No preemption victims found for incoming pod, 1 Preemption is not helpful for scheduling.',
  );
});

/** A plugin that turns every pod away before any node is looked at. */
function doorman(code: Code) {
  return {
    Doorman: () => ({
      name: 'Doorman',
      preFilter: () => ({ status: createStatus(code, 'Doorman', 'closed') }),
    }),
  };
}

test('candidates › a PreFilter that rejects with Unschedulable makes all nodes worth a try, a worse one none', (t) => {
  const room = [guest('low')];
  const open = new PreemptionScene({ extra: doorman(Code.Unschedulable) }).node('n1', room).node('n2', []);
  t.is(open.evaluate(HIGH).potentialNodes, 2);
  const shut = new PreemptionScene({ extra: doorman(Code.UnschedulableAndUnresolvable) }).node('n1', room);
  t.is(shut.evaluate(HIGH).potentialNodes, 0);
});

test('candidates › the chosen node is nominated and its victims are removed', (t) => {
  const scene = full(2, {});
  t.deepEqual(scene.preempt(HIGH), { nominatedNodeName: 'n0' });
  t.deepEqual(scene.removed, ['n0: low0']);
});

test('candidates › a pod is not helped by victims on other nodes', (t) => {
  // The ports of n1 are taken by a pod that may not be displaced; only that on n2 could be.
  const ports = [{ containerPort: 80, hostPort: 80 }];
  const scene = new PreemptionScene()
    .node('n1', [guest('same', { priority: 10, ports })])
    .node('n2', [guest('low', { requests: { cpu: '4' } })], { unschedulable: true });
  const report = scene.evaluate(guest('high', { priority: 10, ports }));
  t.is(report.outcome, 'unhelpful');
});
