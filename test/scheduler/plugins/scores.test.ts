import test, { type ExecutionContext } from 'ava';
import type { core, Node, Pod } from '../../../src/api/objects/objects.js';
import { DEFAULT_PLUGINS, type PluginSpec } from '../../../src/scheduler/plugins/registry.js';
import type { ScoringStrategy } from '../../../src/scheduler/plugins/resource-scorer.js';
import { Algorithm, type DecisionDetails } from '../support/algorithm.js';
import { testNode, testPod } from '../support/objects.js';

interface Scene {
  readonly nodes: readonly Node[];
  readonly placed?: readonly (readonly [Pod, string])[];
  readonly plugins?: readonly PluginSpec[];
}

/** All scores of a pod, which both forms agree on. */
function scores(
  t: ExecutionContext,
  pod: Pod,
  { nodes, placed = [], plugins = DEFAULT_PLUGINS }: Scene,
): DecisionDetails {
  const [columns, plain] = [false, true].map((isPlain) => {
    const algorithm = new Algorithm({ isPlain, plugins });
    algorithm.addNodes(nodes);
    for (const [each, node] of placed) algorithm.place(each, node);
    return algorithm.decideInDetail(pod);
  }) as [DecisionDetails, DecisionDetails];
  t.deepEqual(columns.raw, plain.raw);
  t.deepEqual(columns.normalized, plain.normalized);
  t.deepEqual(columns.totals, plain.totals);
  return columns;
}

const plain = ['n1', 'n2'].map((name) => testNode(name));

function withStrategy(scoringStrategy: ScoringStrategy): readonly PluginSpec[] {
  return DEFAULT_PLUGINS.map((spec) =>
    spec.name === 'NodeResourcesFit' ? { ...spec, args: { scoringStrategy } } : spec,
  );
}

test('NodeResourcesFit › LeastAllocated on an empty node of 4 cores and 8 GiB', (t) => {
  const asking = scores(t, testPod('p', { requests: { cpu: '500m', memory: '1Gi' } }), { nodes: plain });
  t.is(asking.raw['NodeResourcesFit']?.['n1'], 87);
  const bestEffort = scores(t, testPod('p'), { nodes: plain });
  t.is(bestEffort.raw['NodeResourcesFit']?.['n1'], 97);
  t.is(bestEffort.raw['NodeResourcesBalancedAllocation'], undefined);
});

test('NodeResourcesFit › an explicit 0 gets no default, a missing key does', (t) => {
  const { raw } = scores(t, testPod('p', { requests: { cpu: '0', memory: '0' } }), { nodes: plain });
  t.is(raw['NodeResourcesFit']?.['n1'], 100);
});

test('NodeResourcesFit › pods on the node count with defaults', (t) => {
  const placed = [[testPod('q'), 'n1']] as const;
  const { raw } = scores(t, testPod('p', { requests: { cpu: '0', memory: '0' } }), { nodes: plain, placed });
  t.deepEqual(raw['NodeResourcesFit'], { n1: 97, n2: 100 });
});

test('NodeResourcesFit › MostAllocated prefers the fuller node', (t) => {
  const plugins = withStrategy({ type: 'MostAllocated' });
  const placed = [[testPod('q', { requests: { cpu: '2', memory: '4Gi' } }), 'n1']] as const;
  const { raw } = scores(t, testPod('p', { requests: { cpu: '1', memory: '1Gi' } }), { nodes: plain, placed, plugins });
  t.deepEqual(raw['NodeResourcesFit'], { n1: 68, n2: 18 });
});

test('NodeResourcesFit › RequestedToCapacityRatio follows the lines of its shape, also falling ones', (t) => {
  const shape = [
    { utilization: 0, score: 0 },
    { utilization: 50, score: 10 },
    { utilization: 100, score: 3 },
  ];
  const plugins = withStrategy({
    type: 'RequestedToCapacityRatio',
    resources: [{ name: 'cpu', weight: 3 }],
    requestedToCapacityRatio: { shape },
  });
  const placed = [[testPod('q', { requests: { cpu: '2' } }), 'n1']] as const;
  const { raw } = scores(t, testPod('p', { requests: { cpu: '1' } }), { nodes: plain, placed, plugins });
  // 75 % used: 100 + trunc(-70 · 25 / 50) = 65; 25 % used: trunc(100 · 25 / 50) = 50.
  t.deepEqual(raw['NodeResourcesFit'], { n1: 65, n2: 50 });
});

test('NodeResourcesFit › scalars count only for pods that ask for them, weights apply', (t) => {
  const gpu = { cpu: '4', memory: '8Gi', pods: '10', 'example.com/gpu': '4' };
  const nodes = [testNode('n1', { allocatable: gpu }), testNode('n2', { allocatable: gpu })];
  const resources = [
    { name: 'cpu', weight: 1 },
    { name: 'example.com/gpu', weight: 3 },
  ];
  const plugins = withStrategy({ type: 'LeastAllocated', resources });
  const placed = [[testPod('q', { requests: { cpu: '0', 'example.com/gpu': '1' } }), 'n1']] as const;
  const asking = testPod('p', { requests: { cpu: '1', 'example.com/gpu': '1' } });
  // n1: (75 + 3 · 50) / 4, n2: (75 + 3 · 75) / 4.
  t.deepEqual(scores(t, asking, { nodes, placed, plugins }).raw['NodeResourcesFit'], { n1: 56, n2: 75 });
  const other = testPod('p', { requests: { cpu: '1' } });
  t.deepEqual(scores(t, other, { nodes, placed, plugins }).raw['NodeResourcesFit'], { n1: 75, n2: 75 });
});

test('NodeResourcesBalancedAllocation › half of the cpu and an eighth of the memory are 81', (t) => {
  const { raw } = scores(t, testPod('p', { requests: { cpu: '2', memory: '1Gi' } }), { nodes: plain });
  t.is(raw['NodeResourcesBalancedAllocation']?.['n1'], 81);
});

test('NodeResourcesBalancedAllocation › a node without memory has nothing to balance', (t) => {
  const nodes = [testNode('n1', { allocatable: { cpu: '4', pods: '10' } }), testNode('n2')];
  const { raw } = scores(t, testPod('p', { requests: { cpu: '2' } }), { nodes });
  t.deepEqual(raw['NodeResourcesBalancedAllocation'], { n1: 100, n2: 75 });
});

const soft = (...keys: string[]): core.Taint[] => keys.map((key) => ({ key, effect: 'PreferNoSchedule' }));

test('TaintToleration › 0, 1 and 2 soft taints become 100, 50 and 0; none anywhere is 100 for all', (t) => {
  const nodes = [testNode('n1'), testNode('n2', { taints: soft('a') }), testNode('n3', { taints: soft('a', 'b') })];
  const { raw, normalized } = scores(t, testPod('p'), { nodes });
  t.deepEqual(raw['TaintToleration'], { n1: 0, n2: 1, n3: 2 });
  t.deepEqual(normalized['TaintToleration'], { n1: 100, n2: 50, n3: 0 });
  const { normalized: equal, totals } = scores(t, testPod('p'), { nodes: plain });
  t.deepEqual(equal['TaintToleration'], { n1: 100, n2: 100 });
  t.is(totals['n1'], 300 + 97);
});

test('TaintToleration › only tolerations of soft taints, or of all effects, count', (t) => {
  const taints: core.Taint[] = [{ key: 'a', effect: 'PreferNoSchedule' }];
  const nodes = [testNode('n1', { taints }), testNode('n2')];
  const raw = (toleration: core.Toleration): unknown =>
    scores(t, testPod('p', { spec: { tolerations: [toleration] } }), { nodes }).raw['TaintToleration']?.['n1'];
  t.is(raw({ key: 'a', operator: 'Exists' }), 0);
  t.is(raw({ key: 'a', operator: 'Exists', effect: 'PreferNoSchedule' }), 0);
  t.is(raw({ operator: 'Exists', effect: 'NoSchedule' }), 1);
});

function preferring(...terms: readonly (readonly [weight: number, key: string])[]): Pod {
  return testPod('p', {
    spec: {
      affinity: {
        nodeAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: terms.map(([weight, key]) => ({
            weight,
            preference: { matchExpressions: [{ key, operator: 'Exists' }] },
          })),
        },
      },
    },
  });
}

test('NodeAffinity › weights 0, 1 and 3 become 0, 33 and 100', (t) => {
  const nodes = [testNode('n1'), testNode('n2', { labels: { a: '' } }), testNode('n3', { labels: { a: '', b: '' } })];
  const { raw, normalized } = scores(t, preferring([1, 'a'], [2, 'b']), { nodes });
  t.deepEqual(raw['NodeAffinity'], { n1: 0, n2: 1, n3: 3 });
  t.deepEqual(normalized['NodeAffinity'], { n1: 0, n2: 33, n3: 100 });
});

test('NodeAffinity › without preferences it takes no part, with an empty list it does', (t) => {
  t.is(scores(t, testPod('p'), { nodes: plain }).raw['NodeAffinity'], undefined);
  t.deepEqual(scores(t, preferring(), { nodes: plain }).raw['NodeAffinity'], { n1: 0, n2: 0 });
});

test('ImageLocality › an image of 500 MiB on one node of four is 10', (t) => {
  const images = [{ names: ['registry/app:latest'], sizeBytes: 500 * 1024 * 1024 }];
  const nodes = [testNode('n1', { images }), testNode('n2'), testNode('n3'), testNode('n4')];
  const { raw } = scores(t, testPod('p', { image: 'registry/app' }), { nodes });
  t.deepEqual(raw['ImageLocality'], { n1: 10, n2: 0, n3: 0, n4: 0 });
});

test('ImageLocality › a colon in the registry is no tag, a digest stays as it is', (t) => {
  const images = [{ names: ['host:5000/app:latest'], sizeBytes: 1000 * 1024 * 1024 }];
  const nodes = [testNode('n1', { images }), testNode('n2', { images })];
  const of = (image: string): unknown => scores(t, testPod('p', { image }), { nodes }).raw['ImageLocality']?.['n1'];
  t.is(of('host:5000/app'), 100);
  t.is(of('host:5000/app:2'), 0);
});
