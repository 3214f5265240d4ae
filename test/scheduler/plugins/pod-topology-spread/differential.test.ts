import test from 'ava';
import fc from 'fast-check';
import type { core, LabelSelector, Node, Pod, Service, StringMap } from '../../../../src/api/objects/objects.js';
import { SYSTEM_CONSTRAINTS } from '../../../../src/scheduler/plugins/pod-topology-spread/args.js';
import { testNode, testPod } from '../../support/objects.js';
import { modelFilter, modelScore, type ModelNode } from './model.js';
import { SpreadStage } from './stage.js';

/** Bounds of the generated clusters. */
const NODE_NAMES = ['n0', 'n1', 'n2', 'n3', 'n4', 'n5', 'n6', 'n7'];
const POD_NAMES = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k', 'l'];
const ZONE = 'topology.kubernetes.io/zone';
const HOSTNAME = 'kubernetes.io/hostname';

/** Selects pods that have no constraints of their own. */
const APP_SERVICE: Service = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'x', namespace: 'default', uid: 'x', resourceVersion: '1', creationTimestamp: '' },
  spec: { selector: { app: 'x' } },
};
/** What these pods get. */
const SYSTEM_FOR_APP: readonly core.TopologySpreadConstraint[] = SYSTEM_CONSTRAINTS.map((each) => ({
  ...each,
  labelSelector: { matchLabels: { app: 'x' } },
}));

const flip = fc.boolean();
const nodeName = fc.constantFrom(...NODE_NAMES);
const podLabels = fc.record(
  { app: fc.constantFrom('x', 'y'), version: fc.constantFrom('1', '2') },
  { requiredKeys: [], noNullPrototype: true },
);
const nodeLabels = fc.record(
  {
    [ZONE]: fc.constantFrom('za', 'zb', 'zc', ''),
    rack: fc.constantFrom('r1', 'r2'),
    disk: fc.constantFrom('ssd', 'hdd'),
  },
  { requiredKeys: [], noNullPrototype: true },
);
const taints = fc.array(
  fc.record({
    key: fc.constantFrom('gpu', 'dedicated'),
    effect: fc.constantFrom('NoSchedule', 'NoExecute', 'PreferNoSchedule'),
  }),
  { maxLength: 1 },
);

const selector: fc.Arbitrary<LabelSelector | undefined> = fc.constantFrom<LabelSelector | undefined>(
  undefined,
  {},
  { matchLabels: { app: 'x' } },
  { matchLabels: { app: 'x' } },
  { matchExpressions: [{ key: 'app', operator: 'Exists' }] },
  { matchExpressions: [{ key: 'version', operator: 'NotIn', values: ['2'] }] },
);

const constraint: fc.Arbitrary<core.TopologySpreadConstraint> = fc
  .record({
    maxSkew: fc.integer({ min: 1, max: 3 }),
    topologyKey: fc.constantFrom(ZONE, ZONE, HOSTNAME, 'rack'),
    isHard: flip,
    minDomains: fc.constantFrom(undefined, undefined, 1, 3, 5),
    labelSelector: selector,
    matchLabelKeys: fc.constantFrom(undefined, undefined, ['version'], ['absent']),
    nodeAffinityPolicy: fc.constantFrom(undefined, 'Honor', 'Ignore'),
    nodeTaintsPolicy: fc.constantFrom(undefined, 'Honor', 'Ignore'),
  })
  .map(({ isHard, minDomains, ...rest }) => {
    const fields = { ...rest, minDomains: isHard ? minDomains : undefined };
    const present = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
    const whenUnsatisfiable = isHard ? 'DoNotSchedule' : 'ScheduleAnyway';
    return { ...present, whenUnsatisfiable } as unknown as core.TopologySpreadConstraint;
  });

const incoming = fc.record({
  labels: podLabels,
  constraints: fc.uniqueArray(constraint, {
    minLength: 1,
    maxLength: 3,
    selector: ({ topologyKey, whenUnsatisfiable }) => `${topologyKey}/${whenUnsatisfiable}`,
  }),
  tolerations: fc.constantFrom<core.Toleration[] | undefined>(undefined, [{ key: 'gpu', operator: 'Exists' }]),
  nodeSelector: fc.constantFrom<StringMap | undefined>(undefined, undefined, { disk: 'ssd' }),
});

/** What happens to the cluster between two decisions. */
const setNode = fc.record({
  kind: fc.constant('node' as const),
  name: nodeName,
  labels: nodeLabels,
  taints,
  hasHostname: flip,
});
const setPod = fc.record({
  kind: fc.constant('pod' as const),
  name: fc.constantFrom(...POD_NAMES),
  node: nodeName,
  labels: podLabels,
  isElsewhere: fc.constantFrom(false, false, false, true),
  isTerminating: fc.constantFrom(false, false, false, true),
});
const change = fc.oneof(
  { weight: 1, arbitrary: setNode },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('taint' as const), name: nodeName, taints }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('removeNode' as const), name: nodeName }) },
  { weight: 4, arbitrary: setPod },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('removePod' as const), name: fc.constantFrom(...POD_NAMES) }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('decide' as const), pod: fc.nat({ max: 3 }) }) },
);
const beginning = fc
  .tuple(
    fc.uniqueArray(setNode, { minLength: 5, maxLength: 8, selector: ({ name }) => name }),
    fc.array(setPod, { maxLength: 10 }),
  )
  .map(([nodes, pods]): Change[] => [...nodes, ...pods]);
type Change = typeof change extends fc.Arbitrary<infer T> ? T : never;

/** Keeps the cluster twice: as plain lists, and as the plugin sees it. */
class TwoClusters {
  readonly stage = new SpreadStage();
  readonly nodes = new Map<string, Node>();
  readonly pods = new Map<string, Pod>();

  apply(each: Change): void {
    switch (each.kind) {
      case 'node':
        this.#setNode(each.name, each.labels, each.taints, each.hasHostname);
        break;
      case 'taint': {
        const { metadata } = this.nodes.get(each.name) ?? {};
        if (metadata === undefined) break;
        const { [HOSTNAME]: hostname, ...labels } = metadata.labels ?? {};
        this.#setNode(each.name, labels, each.taints, hostname !== undefined);
        break;
      }
      case 'removeNode':
        this.nodes.delete(each.name);
        this.stage.cache.removeNode(each.name);
        break;
      case 'pod':
        this.#setPod(each.name, each.node, each);
        break;
      case 'removePod': {
        const pod = this.pods.get(each.name);
        if (pod !== undefined) this.stage.cache.removePod(pod);
        this.pods.delete(each.name);
        break;
      }
      case 'decide':
        break;
    }
  }

  get modelNodes(): ModelNode[] {
    return [...this.nodes.values()].map((node) => ({
      node,
      pods: [...this.pods.values()].filter(({ spec }) => spec.nodeName === node.metadata.name),
    }));
  }

  #setNode(name: string, labels: StringMap, nodeTaints: core.Taint[], hasHostname: boolean): void {
    const node = testNode(name, { labels, taints: nodeTaints });
    const { [HOSTNAME]: _hostname, ...rest } = node.metadata.labels ?? {};
    const complete = hasHostname ? node : { ...node, metadata: { ...node.metadata, labels: rest } };
    this.nodes.set(name, complete);
    this.stage.cache.setNode(complete);
  }

  #setPod(
    name: string,
    nodeName_: string,
    { labels, isElsewhere, isTerminating }: { labels: StringMap; isElsewhere: boolean; isTerminating: boolean },
  ): void {
    const previous = this.pods.get(name);
    const namespace = isElsewhere ? 'other' : 'default';
    const created = testPod(name, { labels, namespace, spec: { nodeName: previous?.spec.nodeName ?? nodeName_ } });
    const metadata = { ...created.metadata, uid: name };
    const pod: Pod = {
      ...created,
      metadata: isTerminating ? { ...metadata, deletionTimestamp: '2030-01-01T00:00:10Z' } : metadata,
    };
    this.pods.set(name, pod);
    this.stage.cache.updatePod(pod);
  }
}

test('PodTopologySpread › counts that follow changes equal counts made anew, in both forms', (t) => {
  const history = fc
    .tuple(beginning, fc.array(change, { minLength: 5, maxLength: 50, size: 'max' }))
    .map(([first, later]) => [...first, ...later]);
  fc.assert(
    fc.property(fc.array(incoming, { minLength: 3, maxLength: 3 }), history, (shapes, changes) => {
      const clusters = new TwoClusters();
      clusters.stage.objects.push(APP_SERVICE);
      const pods = shapes.map(({ labels, constraints, tolerations, nodeSelector }, index) =>
        testPod(`incoming-${index}`, {
          labels,
          spec: {
            topologySpreadConstraints: constraints,
            ...(tolerations === undefined ? {} : { tolerations }),
            ...(nodeSelector === undefined ? {} : { nodeSelector }),
          },
        }),
      );
      pods.push(testPod('incoming-3', { labels: { app: 'x' } }));
      const last: Change = { kind: 'decide', pod: 0 };
      for (const each of [...changes, last]) {
        clusters.apply(each);
        if (each.kind !== 'decide') continue;
        const pod = pods[each.pod] as Pod;
        const own = shapes[each.pod]?.constraints;
        const constraints = own ?? SYSTEM_FOR_APP;
        const { modelNodes } = clusters;
        const expected = modelFilter(pod, modelNodes, constraints);
        t.deepEqual(clusters.stage.filter(pod), { plain: expected, columns: expected });
        const names = modelNodes.map(({ node }) => node.metadata.name);
        const feasible = names.filter((_, index) => (index + each.pod) % 3 !== 0);
        if (feasible.length === 0) continue;
        const scores = modelScore(pod, modelNodes, constraints, feasible, own !== undefined);
        const both = scores === undefined ? undefined : { plain: scores, columns: scores };
        t.deepEqual(clusters.stage.score(pod, feasible), both);
      }
    }),
    { numRuns: 500 },
  );
});
