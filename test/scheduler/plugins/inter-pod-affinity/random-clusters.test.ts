import test from 'ava';
import fc from 'fast-check';
import type { core, LabelSelector, Node, Pod } from '../../../../src/api/objects/objects.js';
import { PodInfo } from '../../../../src/scheduler/framework/pod-info.js';
import { testNode } from '../../support/objects.js';
import { Reference } from './reference.js';
import { affinePod, affinityOf, Scene, testNamespace } from './scene.js';

const KEYS = ['kubernetes.io/hostname', 'topology.kubernetes.io/zone', 'rack'] as const;
const value = fc.constantFrom('1', '2');
const labels = fc.dictionary(fc.constantFrom('app', 'tier'), value, { noNullPrototype: true });

const requirement = fc.oneof(
  fc.record({
    key: fc.constantFrom('app', 'tier'),
    operator: fc.constantFrom('In', 'NotIn'),
    values: fc.array(value, { minLength: 1, maxLength: 2 }),
  }),
  fc.record({ key: fc.constantFrom('app', 'tier'), operator: fc.constantFrom('Exists', 'DoesNotExist') }),
);

const selector: fc.Arbitrary<LabelSelector> = fc.record(
  { matchLabels: labels, matchExpressions: fc.array(requirement, { maxLength: 2 }) },
  { requiredKeys: [] },
);

const term: fc.Arbitrary<core.PodAffinityTerm> = fc
  .record(
    {
      topologyKey: fc.constantFrom(...KEYS, 'absent'),
      labelSelector: selector,
      namespaces: fc.array(fc.constantFrom('a', 'b', 'ghost'), { maxLength: 2 }),
      namespaceSelector: selector,
    },
    { requiredKeys: ['topologyKey'] },
  )
  .map((parts) => parts as core.PodAffinityTerm);

const terms = fc.array(term, { maxLength: 2 });
const weightedTerms = fc.array(fc.record({ weight: fc.integer({ min: 1, max: 100 }), podAffinityTerm: term }), {
  maxLength: 2,
});
const affinity = fc.oneof(
  { arbitrary: fc.constant<core.Affinity>({}), weight: 1 },
  {
    arbitrary: fc
      .record(
        { near: terms, apart: terms, preferNear: weightedTerms, preferApart: weightedTerms },
        { requiredKeys: [] },
      )
      .map((parts) => affinityOf(parts as Parameters<typeof affinityOf>[0])),
    weight: 3,
  },
);

const podParts = fc.record({ labels, affinity, namespace: fc.constantFrom('a', 'b', 'unknown') });
type PodParts = typeof podParts extends fc.Arbitrary<infer T> ? T : never;

const nodeLabels = fc.record({
  zone: fc.option(value, { nil: undefined }),
  rack: fc.option(value, { nil: undefined }),
});
type NodeLabels = typeof nodeLabels extends fc.Arbitrary<infer T> ? T : never;

const change = fc.constantFrom('place', 'place', 'place', 'remove', 'relabel', 'drop', 'return', 'namespace', 'none');
const randomScene = fc.record({
  nodes: fc.array(nodeLabels, { minLength: 1, maxLength: 6 }),
  pods: fc.array(podParts, { minLength: 1, maxLength: 6 }),
  namespaces: fc.record({ a: labels, b: labels }),
  steps: fc.array(fc.record({ change, pod: fc.nat(5), node: fc.nat(5), labels: nodeLabels, namespace: labels }), {
    minLength: 1,
    maxLength: 20,
  }),
  hardPodAffinityWeight: fc.constantFrom(0, 1, 40),
  ignorePreferredTermsOfExistingPods: fc.boolean(),
});

function nodeOf(index: number, { zone, rack }: NodeLabels): Node {
  return testNode(`n${index}`, {
    ...(zone === undefined ? {} : { zone }),
    ...(rack === undefined ? {} : { labels: { rack } }),
  });
}

function podOf(name: string, parts: PodParts): Pod {
  return affinePod(name, parts.affinity, parts.labels, parts.namespace);
}

/** A cluster that changes, and what the reference has to know of it. */
class Changing {
  readonly nodes = new Map<string, Node>();
  readonly pods: Pod[] = [];

  constructor(
    readonly scene: Scene,
    nodes: readonly Node[],
  ) {
    for (const node of nodes) this.set(node);
  }

  set(node: Node): void {
    this.nodes.set(node.metadata.name, node);
    this.scene.cache.setNode(node);
  }

  drop(name: string): void {
    this.nodes.delete(name);
    this.scene.cache.removeNode(name);
  }

  place(pod: Pod, nodeName: string): void {
    if (this.nodes.has(nodeName)) this.pods.push(this.scene.place(pod, nodeName));
  }

  remove(index: number): void {
    for (const pod of this.pods.splice(index, 1)) this.scene.cache.removePod(pod);
  }

  reference(weight: number, ignores: boolean): Reference {
    const nodes = [...this.nodes.values()].map((node) => ({
      node,
      pods: this.pods.filter(({ spec }) => spec.nodeName === node.metadata.name),
    }));
    return new Reference(nodes, [...this.scene.namespaces.values()], weight, ignores);
  }
}

test('InterPodAffinity › says in every step of a random cluster what a walk over all its pods says', (t) => {
  fc.assert(
    fc.property(randomScene, ({ nodes, pods, namespaces, steps, ...args }) => {
      const { hardPodAffinityWeight, ignorePreferredTermsOfExistingPods } = args;
      const subject = new Scene([], args);
      subject.declare(testNamespace('a', namespaces.a), testNamespace('b', namespaces.b));
      const cluster = new Changing(
        subject,
        nodes.map((parts, index) => nodeOf(index, parts)),
      );
      steps.forEach((step, number) => {
        const index = step.node % nodes.length;
        const pod = podOf(`p${number}`, pods[step.pod % pods.length] as PodParts);
        if (step.change === 'place') cluster.place(pod, `n${index}`);
        if (step.change === 'remove') cluster.remove(step.node);
        if (step.change === 'relabel' && cluster.nodes.has(`n${index}`)) cluster.set(nodeOf(index, step.labels));
        if (step.change === 'drop' && cluster.nodes.size > 1) cluster.drop(`n${index}`);
        if (step.change === 'return') cluster.set(nodeOf(index, step.labels));
        if (step.change === 'namespace') subject.declare(testNamespace('b', step.namespace));
        const reference = cluster.reference(hardPodAffinityWeight, ignorePreferredTermsOfExistingPods);
        const verdicts = reference.judge(pod);
        t.deepEqual(subject.judge(pod), verdicts as Record<string, string> | undefined);
        if (verdicts !== undefined) t.deepEqual(subject.judgeByColumns(pod), verdicts);
        const scores = reference.score(pod);
        t.deepEqual(subject.score(pod), scores);
        t.deepEqual(subject.score(pod, undefined, true), scores);
      });
    }),
    { numRuns: 600, seed: 11 },
  );
});

test('InterPodAffinity › keeps up with pods that dry runs add and remove', (t) => {
  fc.assert(
    fc.property(
      randomScene,
      fc.array(fc.record({ node: fc.nat(5), pod: fc.nat(5) }), { maxLength: 4 }),
      (parts, changes) => {
        const subject = new Scene([]);
        subject.declare(testNamespace('a', parts.namespaces.a), testNamespace('b', parts.namespaces.b));
        const cluster = new Changing(
          subject,
          parts.nodes.map((labelsOf, index) => nodeOf(index, labelsOf)),
        );
        parts.steps.forEach(({ pod, node }, number) =>
          cluster.place(
            podOf(`p${number}`, parts.pods[pod % parts.pods.length] as PodParts),
            `n${node % parts.nodes.length}`,
          ),
        );
        const pod = podOf('incoming', parts.pods[0] as PodParts);
        const state = subject.prepare(pod);
        if (state === undefined) return;
        const copy = state.clone();
        const info = new PodInfo(pod);
        const extensions = subject.plugin.preFilterExtensions;
        const applied: { node: Node; pod: Pod; difference: 1 | -1 }[] = [];
        const gone = new Set<Pod>();
        for (const [number, each] of changes.entries()) {
          const victim = cluster.pods[each.pod];
          if (number % 2 === 0 && victim !== undefined && !gone.has(victim)) {
            gone.add(victim);
            const node = subject.node(victim.spec.nodeName ?? '');
            extensions.removePod(copy, info, new PodInfo(victim), node);
            applied.push({ node: node.node as Node, pod: victim, difference: -1 });
            continue;
          }
          const added = podOf(`added${number}`, parts.pods[each.pod % parts.pods.length] as PodParts);
          const node = subject.node(`n${each.node % parts.nodes.length}`);
          extensions.addPod(copy, info, new PodInfo(added), node);
          applied.push({ node: node.node as Node, pod: added, difference: 1 });
        }
        const reference = cluster.reference(1, false);
        const judged = Object.fromEntries(subject.snapshot.nodes.map((node) => [node.name, reason(copy, node)]));
        t.deepEqual(judged, reference.judge(pod, applied) as Record<string, string>);
        const unchanged = Object.fromEntries(subject.snapshot.nodes.map((node) => [node.name, reason(state, node)]));
        t.deepEqual(unchanged, reference.judge(pod) as Record<string, string>);

        function reason(of: typeof state, node: Parameters<typeof subject.plugin.filter>[2]): string {
          const status = of === undefined ? undefined : subject.plugin.filter(of, info, node);
          return status === undefined ? '' : `${status.code} ${status.reasons.join(', ')}`;
        }
      },
    ),
    { numRuns: 600, seed: 12 },
  );
});
