import test from 'ava';
import type { AttemptExplanation, NodeScoreExplanation } from '../../../src/scheduler/explain/explanation.js';
import { explainNode } from '../../../src/scheduler/explain/explain-node.js';
import type { PreemptionExplanation } from '../../../src/scheduler/framework/interface.js';
import { Code, createStatus } from '../../../src/scheduler/framework/status.js';
import type { PluginSpec } from '../../../src/scheduler/plugins/registry.js';
import type { SchedulerOptions } from '../../../src/scheduler/scheduler.js';
import { createScheduledCluster, type ScheduledCluster } from '../support/scheduled-cluster.js';
import { testNode, testPod } from '../support/objects.js';

/** A part of the default profile that has something to say about plain pods. */
const PLUGINS: readonly PluginSpec[] = [
  { name: 'PrioritySort' },
  { name: 'NodeUnschedulable' },
  { name: 'TaintToleration', weight: 3 },
  { name: 'NodeAffinity', weight: 2 },
  { name: 'NodeResourcesFit' },
  { name: 'NodeResourcesBalancedAllocation' },
  { name: 'DefaultBinder' },
];

function createCluster(options: SchedulerOptions = {}, more: readonly string[] = []): ScheduledCluster {
  return createScheduledCluster({ plugins: [...PLUGINS, ...more.map((name) => ({ name }))], ...options });
}

function attemptsAt(cluster: ScheduledCluster, pod: string): readonly AttemptExplanation[] {
  return cluster.scheduler.explain(`default/${pod}`)?.attempts ?? [];
}

/** Scores of a node by the plugins above, as upstream computes them. */
function scored(node: string, taints: [number, number], fit: number, balanced: number): NodeScoreExplanation {
  const [raw, normalized] = taints;
  return {
    node,
    total: normalized * 3 + fit + balanced,
    plugins: [
      { plugin: 'TaintToleration', raw, normalized, weight: 3, weighted: normalized * 3 },
      { plugin: 'NodeResourcesFit', raw: fit, normalized: fit, weight: 1, weighted: fit },
      { plugin: 'NodeResourcesBalancedAllocation', raw: balanced, normalized: balanced, weight: 1, weighted: balanced },
    ],
  };
}

/** The attempt at a pod that is nominated to the first of three nodes. */
async function attemptAtNominated(isFree: boolean): Promise<AttemptExplanation | undefined> {
  const cluster = createCluster();
  cluster.create(testNode('n1', { unschedulable: !isFree }), testNode('n2'), testNode('n3'), testPod('web'));
  cluster.server.change(
    'Pod',
    { namespace: 'default', name: 'web' },
    (pod) => ({ ...pod, status: { ...pod.status, nominatedNodeName: 'n1' } }),
    { subresource: 'status' },
  );
  await cluster.run();
  const [attempt] = attemptsAt(cluster, 'web');
  await cluster.dispose();
  return attempt;
}

const REFERENCE = { way: 'reference', reason: 'nodes are looked at one by one' };
const TOTALS = { way: 'table', reason: 'totals are kept' };

test('explain › a choice by scores, whole', async (t) => {
  const cluster = createCluster();
  cluster.create(
    testNode('n1', { taints: [{ key: 'busy', effect: 'PreferNoSchedule' }] }),
    testNode('n2', { allocatable: { cpu: '8', memory: '8Gi', pods: '110' } }),
    testNode('n3', { allocatable: { cpu: '1', memory: '8Gi', pods: '110' } }),
    testNode('n4', { unschedulable: true }),
    testPod('web', { requests: { cpu: '2', memory: '2Gi' } }),
  );
  await cluster.run();
  const [attempt, ...others] = attemptsAt(cluster, 'web');
  t.deepEqual(others, []);
  t.deepEqual(attempt, {
    pod: 'default/web',
    atMs: attempt?.atMs ?? -1,
    attempt: 1,
    outcome: 'placed',
    node: 'n2',
    chosenBy: 'scores',
    way: REFERENCE,
    nodes: { total: 4, visited: 4, feasible: 2 },
    detail: 'full',
    rejections: [
      {
        plugin: 'NodeResourcesFit',
        code: 'UnschedulableAndUnresolvable',
        reasons: ['Insufficient cpu'],
        count: 1,
        nodes: ['n3'],
      },
      {
        plugin: 'NodeUnschedulable',
        code: 'UnschedulableAndUnresolvable',
        reasons: ['node(s) were unschedulable'],
        count: 1,
        nodes: ['n4'],
      },
    ],
    scores: [scored('n2', [0, 100], 75, 100), scored('n1', [1, 0], 62, 87)],
    best: ['n2'],
  });
  await cluster.dispose();
});

test('explain › a tie names the best nodes, and which of them was drawn', async (t) => {
  const cluster = createCluster();
  cluster.create(
    ...['n1', 'n2', 'n3'].map((name) => testNode(name)),
    testNode('small', { allocatable: { cpu: '2', memory: '8Gi', pods: '110' } }),
    testPod('web', { requests: { cpu: '1', memory: '2Gi' } }),
  );
  await cluster.run();
  const [attempt] = attemptsAt(cluster, 'web');
  t.deepEqual(attempt?.best, ['n1', 'n2', 'n3']);
  t.deepEqual(attempt?.tieBreak, { tied: 3, drawn: ['n1', 'n2', 'n3'].indexOf(attempt?.node ?? '') });
  t.is(attempt?.node, cluster.pod('web').spec.nodeName);
  t.deepEqual(attempt?.scores, [
    scored('n1', [0, 100], 75, 100),
    scored('n2', [0, 100], 75, 100),
    scored('n3', [0, 100], 75, 100),
    scored('small', [0, 100], 62, 87),
  ]);
  await cluster.dispose();
});

test('explain › every attempt is told, the latest last', async (t) => {
  const cluster = createCluster();
  cluster.create(testNode('n1', { unschedulable: true }), testPod('web'));
  await cluster.run();
  cluster.server.change('Node', { name: 'n1' }, (node) => ({ ...node, spec: {} }));
  await cluster.run(20_000);
  const attempts = attemptsAt(cluster, 'web');
  const [first, second] = attempts;
  t.deepEqual(attempts, [
    {
      pod: 'default/web',
      atMs: first?.atMs ?? -1,
      attempt: 1,
      outcome: 'unschedulable',
      way: REFERENCE,
      message: '0/1 nodes are available: 1 node(s) were unschedulable.',
      nodes: { total: 1, visited: 1, feasible: 0 },
      detail: 'full',
      rejections: [
        {
          plugin: 'NodeUnschedulable',
          code: 'UnschedulableAndUnresolvable',
          reasons: ['node(s) were unschedulable'],
          count: 1,
          nodes: ['n1'],
        },
      ],
      scores: [],
      best: [],
    },
    {
      pod: 'default/web',
      atMs: second?.atMs ?? -1,
      attempt: 2,
      outcome: 'placed',
      node: 'n1',
      chosenBy: 'only-feasible-node',
      way: TOTALS,
      nodes: { total: 1, visited: 1, feasible: 1 },
      detail: 'full',
      rejections: [],
      scores: [],
      best: ['n1'],
    },
  ]);
  t.true((second?.atMs ?? 0) > (first?.atMs ?? 0));
  await cluster.dispose();
});

test('explain › a verdict on the pod as a whole counts nodes that were not looked at', async (t) => {
  const affinity = {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['n1'] }] }],
      },
    },
  };
  const cluster = createCluster();
  cluster.create(
    testNode('n1', { unschedulable: true }),
    testNode('n2'),
    testNode('n3'),
    testPod('web', { spec: { affinity } }),
  );
  await cluster.run();
  const [attempt] = attemptsAt(cluster, 'web');
  t.deepEqual(attempt?.nodes, { total: 3, visited: 1, feasible: 0 });
  t.deepEqual(attempt?.rejections, [
    {
      plugin: '',
      code: 'UnschedulableAndUnresolvable',
      reasons: ["node(s) didn't satisfy plugin(s) [NodeAffinity]"],
      count: 2,
      nodes: [],
    },
    {
      plugin: 'NodeUnschedulable',
      code: 'UnschedulableAndUnresolvable',
      reasons: ['node(s) were unschedulable'],
      count: 1,
      nodes: ['n1'],
    },
  ]);
  if (attempt === undefined) return;
  t.deepEqual(explainNode(attempt, 'n1'), {
    kind: 'rejected',
    verdict: {
      plugin: 'NodeUnschedulable',
      code: 'UnschedulableAndUnresolvable',
      reasons: ['node(s) were unschedulable'],
    },
  });
  t.deepEqual(explainNode(attempt, 'n3'), {
    kind: 'rejected',
    verdict: {
      plugin: '',
      code: 'UnschedulableAndUnresolvable',
      reasons: ["node(s) didn't satisfy plugin(s) [NodeAffinity]"],
    },
  });
  await cluster.dispose();
});

test('explain › an attempt in a cluster without nodes is told as well', async (t) => {
  const cluster = createCluster();
  cluster.create(testPod('web'));
  await cluster.run(10);
  const [attempt] = attemptsAt(cluster, 'web');
  t.like(attempt, {
    outcome: 'unschedulable',
    message: 'no nodes available to schedule pods',
    nodes: { total: 0, visited: 0, feasible: 0 },
  });
  await cluster.dispose();
});

test('explain › the chosen node of a pod that Reserve refuses is told, with the verdict', async (t) => {
  const registry = new Map([
    [
      'NoReserve',
      () => ({
        name: 'NoReserve',
        reserve: () => createStatus(Code.Unschedulable, 'NoReserve', 'no claim left'),
        unreserve: () => undefined,
        eventsToRegister: () => [],
      }),
    ],
  ]);
  const cluster = createCluster({ registry }, ['NoReserve']);
  cluster.create(testNode('n1'), testPod('web'));
  await cluster.run();
  const attempts = attemptsAt(cluster, 'web');
  t.deepEqual(attempts, [
    {
      pod: 'default/web',
      atMs: attempts[0]?.atMs ?? -1,
      attempt: 1,
      outcome: 'unschedulable',
      node: 'n1',
      chosenBy: 'only-feasible-node',
      way: REFERENCE,
      message: '0/1 nodes are available: 1 no claim left.',
      nodes: { total: 1, visited: 1, feasible: 1 },
      detail: 'full',
      rejections: [],
      scores: [],
      best: ['n1'],
      refusal: { plugin: 'NoReserve', code: 'Unschedulable', reasons: ['no claim left'] },
    },
  ]);
  await cluster.dispose();
});

test('explain › a nominated node that takes the pod is chosen without a scan; one that refuses stands among the rejected', async (t) => {
  t.like(await attemptAtNominated(true), {
    outcome: 'placed',
    node: 'n1',
    chosenBy: 'nominated-node',
    nodes: { total: 3, visited: 1, feasible: 1 },
    best: ['n1'],
  });
  const refused = await attemptAtNominated(false);
  t.like(refused, { chosenBy: 'scores', nodes: { total: 3, visited: 3, feasible: 2 } });
  t.deepEqual(
    refused?.rejections.map(({ count, nodes }) => ({ count, nodes })),
    [{ count: 1, nodes: ['n1'] }],
  );
});

test('explain › what PostFilter says of its preemption is told', async (t) => {
  const explanation: PreemptionExplanation = {
    nominated: 'n1',
    candidates: [
      { node: 'n1', victims: ['default/low'], pdbViolations: 0 },
      { node: 'n2', victims: ['default/a', 'default/b'], pdbViolations: 1 },
    ],
    decidedBy: 'budget-violations',
    ties: [],
  };
  const registry = new Map([
    ['Clearer', () => ({ name: 'Clearer', postFilter: () => ({ nominatedNodeName: 'n1', explanation }) })],
  ]);
  const cluster = createCluster({ registry }, ['Clearer']);
  cluster.create(testNode('n1', { unschedulable: true }), testPod('web'));
  await cluster.run();
  t.deepEqual(attemptsAt(cluster, 'web')[0]?.preemption, explanation);
  await cluster.dispose();
});

test('explain › another pod of the same name begins anew', async (t) => {
  const cluster = createCluster();
  cluster.create(testNode('n1', { unschedulable: true }), testPod('web'));
  await cluster.run();
  cluster.server.delete('Pod', { namespace: 'default', name: 'web' }, { gracePeriodSeconds: 0 });
  await cluster.run();
  cluster.create(testPod('web', { requests: { cpu: '9' } }));
  await cluster.run();
  t.deepEqual(
    attemptsAt(cluster, 'web').map(({ attempt, message }) => [attempt, message]),
    [[1, '0/1 nodes are available: 1 node(s) were unschedulable.']],
  );
  cluster.server.delete('Pod', { namespace: 'default', name: 'web' }, { gracePeriodSeconds: 0 });
  cluster.create(testNode('n2'));
  await cluster.run();
  cluster.create(testPod('web'));
  await cluster.run();
  t.deepEqual(
    attemptsAt(cluster, 'web').map(({ attempt, node }) => [attempt, node]),
    [[1, 'n2']],
  );
  await cluster.dispose();
});

test('explain › nothing is known of pods that were never tried', async (t) => {
  const cluster = createCluster();
  cluster.create(testNode('n1'));
  await cluster.run();
  t.is(cluster.scheduler.explain('default/web'), undefined);
  await cluster.dispose();
});

test('explain › a focus changes nothing that happens', async (t) => {
  const hashes: string[] = [];
  for (const hasFocus of [false, true]) {
    const cluster = createCluster();
    if (hasFocus) cluster.scheduler.focusExplanations({ namePrefix: 'p' });
    cluster.create(...['n1', 'n2', 'n3'].map((name) => testNode(name)));
    cluster.create(...['p1', 'p2', 'q1'].map((name) => testPod(name, { requests: { cpu: '2' } })));
    await cluster.run();
    t.is(attemptsAt(cluster, 'p1').length, 1);
    hashes.push(cluster.kernel.trace.digest());
    await cluster.dispose();
  }
  t.is(hashes[0], hashes[1]);
});
