import test from 'ava';
import fc from 'fast-check';
import type { core, Node, Pod, ResourceList } from '../../../src/api/objects/objects.js';
import { DEFAULT_PLUGINS } from '../../../src/scheduler/plugins/registry.js';
import type { ScoringStrategy } from '../../../src/scheduler/plugins/resource-scorer.js';
import { Algorithm, type DecisionDetails } from '../support/algorithm.js';
import { testNode, testPod, type NodeParts } from '../support/objects.js';

const resources = (scale: number): fc.Arbitrary<ResourceList> =>
  fc
    .record(
      {
        cpu: fc.integer({ min: 0, max: 40 * scale }).map((value) => `${value * 50}m`),
        memory: fc.integer({ min: 0, max: 40 * scale }).map((value) => `${value * 100}Mi`),
        'ephemeral-storage': fc.integer({ min: 0, max: 20 * scale }).map((value) => `${value}Gi`),
        'example.com/gpu': fc.integer({ min: 0, max: 2 * scale }).map(String),
        'hugepages-2Mi': fc.integer({ min: 0, max: 4 * scale }).map((value) => `${value * 2}Mi`),
      },
      { requiredKeys: [] },
    )
    .map((list) => list as ResourceList);

const label = fc.constantFrom('a', 'b', 'c');
const effect = fc.constantFrom('NoSchedule', 'NoExecute', 'PreferNoSchedule');

const nodeParts = fc.record({
  allocatable: resources(4).chain((list) =>
    fc.integer({ min: 0, max: 6 }).map((pods): ResourceList => ({ ...list, pods: `${pods}` })),
  ),
  labels: fc.dictionary(label, fc.constantFrom('1', '2', 'x'), { maxKeys: 3, noNullPrototype: true }),
  taints: fc.array(fc.record({ key: label, value: label, effect }), { maxLength: 2 }),
  unschedulable: fc.constantFrom(false, false, false, true),
  images: fc.array(
    fc.record({
      names: fc.constantFrom(['app:latest'], ['db:1']),
      sizeBytes: fc.integer({ min: 1, max: 2_000_000_000 }),
    }),
    { maxLength: 2 },
  ),
  zone: label,
});

const requirement = fc.record({
  key: label,
  operator: fc.constantFrom('In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt', 'Lt'),
  values: fc.array(fc.constantFrom('1', '2', 'x'), { maxLength: 2 }),
}) as fc.Arbitrary<core.NodeSelectorRequirement>;

const nameField: fc.Arbitrary<core.NodeSelectorRequirement> = fc.record({
  key: fc.constant('metadata.name'),
  operator: fc.constantFrom('In', 'NotIn'),
  values: fc.constantFrom(['n1'], ['n2']),
}) as fc.Arbitrary<core.NodeSelectorRequirement>;

const term: fc.Arbitrary<core.NodeSelectorTerm> = fc.record(
  { matchExpressions: fc.array(requirement, { maxLength: 2 }), matchFields: fc.array(nameField, { maxLength: 1 }) },
  { requiredKeys: [] },
);

const podParts = fc.record({
  requests: resources(1),
  nodeSelector: fc.option(fc.dictionary(label, fc.constantFrom('1', '2'), { maxKeys: 1, noNullPrototype: true }), {
    nil: undefined,
    freq: 4,
  }),
  required: fc.option(fc.array(term, { maxLength: 2 }), { nil: undefined, freq: 3 }),
  preferred: fc.option(
    fc.array(fc.record({ weight: fc.integer({ min: 1, max: 100 }), preference: term }), { maxLength: 3 }),
    { nil: undefined },
  ),
  tolerations: fc.array(
    fc.record(
      { key: label, operator: fc.constantFrom('Exists', 'Equal'), value: label, effect },
      { requiredKeys: ['operator'] },
    ),
    { maxLength: 3 },
  ),
  hostPort: fc.option(fc.constantFrom(80, 81), { nil: undefined, freq: 3 }),
  image: fc.constantFrom('app', 'db:1', 'other'),
});

function podOf(name: string, parts: typeof podParts extends fc.Arbitrary<infer T> ? T : never): Pod {
  const { requests, nodeSelector, required, preferred, tolerations, hostPort, image } = parts;
  const nodeAffinity: core.NodeAffinity = {
    ...(required === undefined
      ? {}
      : { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: required } }),
    ...(preferred === undefined ? {} : { preferredDuringSchedulingIgnoredDuringExecution: preferred }),
  };
  return testPod(name, {
    requests,
    image,
    ports: hostPort === undefined ? [] : [{ containerPort: 1, hostPort }],
    spec: { tolerations, affinity: { nodeAffinity }, ...(nodeSelector === undefined ? {} : { nodeSelector }) },
  });
}

const strategy: fc.Arbitrary<ScoringStrategy> = fc.constantFrom<ScoringStrategy>(
  {},
  { type: 'MostAllocated' },
  {
    type: 'LeastAllocated',
    resources: [
      { name: 'cpu', weight: 2 },
      { name: 'example.com/gpu', weight: 5 },
    ],
  },
  {
    type: 'RequestedToCapacityRatio',
    resources: [{ name: 'memory', weight: 0 }, { name: 'ephemeral-storage', weight: 3 }, { name: 'cpu' }],
    requestedToCapacityRatio: {
      shape: [
        { utilization: 0, score: 10 },
        { utilization: 70, score: 1 },
      ],
    },
  },
);

const scene = fc.record({
  nodes: fc.array(nodeParts, { minLength: 1, maxLength: 12 }),
  pods: fc.array(podParts, { minLength: 1, maxLength: 6 }),
  /** Which pod shape comes next, and what happens to a node before: repeats meet kept results. */
  steps: fc.array(fc.record({ pod: fc.nat(5), change: fc.constantFrom('none', 'taint', 'cordon', 'delete', 'free') }), {
    minLength: 1,
    maxLength: 25,
  }),
  strategy,
});

function comparable({ decision, feasible, rejected, raw, normalized, totals, best }: DecisionDetails): unknown {
  return { kind: decision.kind, feasible, rejected: [...rejected], raw, normalized, totals, best };
}

test('columns › decide in every step of a random cluster as the plain forms do', (t) => {
  fc.assert(
    fc.property(scene, ({ nodes, pods, steps, strategy: scoringStrategy }) => {
      const plugins = DEFAULT_PLUGINS.map((spec) =>
        spec.name === 'NodeResourcesFit' ? { ...spec, args: { scoringStrategy } } : spec,
      );
      const pair = [new Algorithm({ plugins }), new Algorithm({ plugins, isPlain: true })] as const;
      const current = nodes.map((parts, index): Node => testNode(`n${index}`, parts as unknown as NodeParts));
      for (const algorithm of pair) algorithm.addNodes(current);
      const placed: Pod[] = [];
      steps.forEach(({ pod: which, change }, step) => {
        const at = step % current.length;
        const node = current[at];
        if (node !== undefined && change !== 'none') {
          for (const algorithm of pair) {
            if (change === 'delete') algorithm.cache.removeNode(node.metadata.name);
            else if (change === 'free')
              for (const pod of placed.splice(0, 1)) pair.forEach(({ cache }) => cache.removePod(pod));
            else {
              const taints: core.Taint[] = [{ key: 'a', value: `${step}`, effect: 'NoSchedule' }];
              const spec = change === 'taint' ? { ...node.spec, taints } : { ...node.spec, unschedulable: true };
              algorithm.cache.setNode({ ...node, spec });
            }
          }
        }
        const pod = podOf(`p${step}`, pods[which % pods.length] as (typeof pods)[number]);
        const [columns, plain] = pair.map((algorithm) => algorithm.decideInDetail(pod)) as [
          DecisionDetails,
          DecisionDetails,
        ];
        t.deepEqual(comparable(columns), comparable(plain));
        if (plain.decision.kind !== 'placed') return;
        const { nodeName } = plain.decision;
        for (const algorithm of pair) algorithm.place(pod, nodeName);
        placed.push({ ...pod, spec: { ...pod.spec, nodeName } });
      });
    }),
    { numRuns: 300, seed: 7 },
  );
});
