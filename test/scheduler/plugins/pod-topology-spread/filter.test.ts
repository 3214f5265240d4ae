import test from 'ava';
import type { core, Node, Pod } from '../../../../src/api/objects/objects.js';
import { testNode, testPod, type PodParts } from '../../support/objects.js';
import { SpreadStage, type PlainVerdict } from './stage.js';

const TEXT = "node(s) didn't match pod topology spread constraints";
const SKEWED: PlainVerdict = { plugin: 'PodTopologySpread', code: 'Unschedulable', reasons: [TEXT] };
const NO_LABEL: PlainVerdict = {
  plugin: 'PodTopologySpread',
  code: 'UnschedulableAndUnresolvable',
  reasons: [`${TEXT} (missing required label)`],
};
const ZONE = 'topology.kubernetes.io/zone';
const HOSTNAME = 'kubernetes.io/hostname';

function hard(parts: Partial<core.TopologySpreadConstraint> = {}): core.TopologySpreadConstraint {
  return {
    maxSkew: 1,
    topologyKey: ZONE,
    whenUnsatisfiable: 'DoNotSchedule',
    labelSelector: { matchLabels: { app: 'a' } },
    ...parts,
  };
}

function podWith(constraints: core.TopologySpreadConstraint[], parts: PodParts = {}): Pod {
  const { spec, ...rest } = parts;
  return testPod('new', { labels: { app: 'a' }, ...rest, spec: { topologySpreadConstraints: constraints, ...spec } });
}

/** One node per zone. */
function zones(...names: readonly string[]): Node[] {
  return names.map((zone) => testNode(`node-${zone}`, { zone }));
}

/** Puts `counts[i]` pods with `app: a` on the i-th node. */
function fill(stage: SpreadStage, counts: Readonly<Record<string, number>>, parts: PodParts = {}): SpreadStage {
  for (const [node, count] of Object.entries(counts)) {
    for (let index = 0; index < count; index += 1) {
      stage.place(
        testPod(`${node}-${index}-${JSON.stringify(parts).length}`, { labels: { app: 'a' }, ...parts }),
        node,
      );
    }
  }
  return stage;
}

function verdicts(stage: SpreadStage, pod: Pod): Record<string, PlainVerdict | null> {
  const { plain, columns } = stage.filter(pod);
  if (JSON.stringify(plain) !== JSON.stringify(columns)) throw new Error('the two forms of Filter disagree');
  return plain;
}

test('PodTopologySpread › has nothing to filter for a pod without hard constraints', (t) => {
  const stage = new SpreadStage().addNodes(...zones('a'));
  t.is(stage.begin(testPod('new')), undefined);
  t.is(stage.begin(podWith([hard({ whenUnsatisfiable: 'ScheduleAnyway' })])), undefined);
});

test('PodTopologySpread › rejects a domain one pod over the skew, not one at it', (t) => {
  const stage = fill(new SpreadStage().addNodes(...zones('a', 'b', 'c')), { 'node-a': 3, 'node-b': 2, 'node-c': 1 });
  t.deepEqual(verdicts(stage, podWith([hard({ maxSkew: 2 })])), { 'node-a': SKEWED, 'node-b': null, 'node-c': null });
});

test('PodTopologySpread › a pod that its own selector does not match adds nothing to the skew', (t) => {
  const stage = fill(new SpreadStage().addNodes(...zones('a', 'b')), { 'node-a': 1 });
  const matching = podWith([hard()]);
  const other = podWith([hard()], { labels: { app: 'b' } });
  t.deepEqual(verdicts(stage, matching), { 'node-a': SKEWED, 'node-b': null });
  t.deepEqual(verdicts(stage, other), { 'node-a': null, 'node-b': null });
});

test('PodTopologySpread › a node without a key is rejected for good, by the first constraint that fails', (t) => {
  const stage = new SpreadStage().addNodes(...zones('a', 'b'), testNode('bare'));
  fill(stage, { 'node-a': 2 });
  const keyFirst = podWith([hard(), hard({ topologyKey: HOSTNAME })]);
  t.deepEqual(verdicts(stage, keyFirst), { 'node-a': SKEWED, 'node-b': null, bare: NO_LABEL });
  fill(stage, { bare: 1 });
  const hostFirst = podWith([hard({ topologyKey: HOSTNAME }), hard()]);
  t.deepEqual(verdicts(stage, hostFirst), { 'node-a': SKEWED, 'node-b': null, bare: NO_LABEL });
});

test('PodTopologySpread › nodes without every key make no domain', (t) => {
  // The bare node has no zone, so its empty hostname is not the minimum.
  const stage = fill(new SpreadStage().addNodes(...zones('a', 'b'), testNode('bare')), { 'node-a': 2, 'node-b': 2 });
  const pod = podWith([hard({ topologyKey: HOSTNAME }), hard()]);
  t.deepEqual(verdicts(stage, pod), { 'node-a': null, 'node-b': null, bare: NO_LABEL });
});

test('PodTopologySpread › an empty label value is a value', (t) => {
  const stage = fill(new SpreadStage().addNodes(...zones('', 'b')), { 'node-': 1 });
  t.deepEqual(verdicts(stage, podWith([hard()])), { 'node-': SKEWED, 'node-b': null });
});

test('PodTopologySpread › too few domains make the least full one count as empty', (t) => {
  const stage = fill(new SpreadStage().addNodes(...zones('a', 'b')), { 'node-a': 1, 'node-b': 1 });
  const fits = { 'node-a': null, 'node-b': null };
  t.deepEqual(verdicts(stage, podWith([hard()])), fits);
  t.deepEqual(verdicts(stage, podWith([hard({ minDomains: 2 })])), fits);
  t.deepEqual(verdicts(stage, podWith([hard({ minDomains: 3 })])), { 'node-a': SKEWED, 'node-b': SKEWED });
});

test('PodTopologySpread › a domain that no eligible node makes counts as empty and bounds nothing', (t) => {
  const spec = { nodeSelector: { disk: 'ssd' } };
  const stage = fill(new SpreadStage().addNodes(...zones('a', 'b')), { 'node-a': 5 });
  t.deepEqual(verdicts(stage, podWith([hard()], { spec })), { 'node-a': null, 'node-b': null });
  t.deepEqual(verdicts(stage, podWith([hard({ minDomains: 1 })], { spec })), { 'node-a': null, 'node-b': null });
});

test('PodTopologySpread › nodeAffinityPolicy decides whether nodes that the pod does not want count', (t) => {
  const nodes = zones('a', 'b').map((node) => ({
    ...node,
    metadata: { ...node.metadata, labels: { ...node.metadata.labels, disk: node.metadata.name } },
  }));
  const stage = fill(new SpreadStage().addNodes(...nodes), { 'node-a': 1 });
  const spec = { nodeSelector: { disk: 'node-a' } };
  const honored = { 'node-a': null, 'node-b': null };
  t.deepEqual(verdicts(stage, podWith([hard()], { spec })), honored);
  t.deepEqual(verdicts(stage, podWith([hard({ nodeAffinityPolicy: 'Honor' })], { spec })), honored);
  const ignoring = podWith([hard({ nodeAffinityPolicy: 'Ignore' })], { spec });
  t.deepEqual(verdicts(stage, ignoring), { 'node-a': SKEWED, 'node-b': null });
});

test('PodTopologySpread › required node affinity by name counts, too', (t) => {
  const stage = fill(new SpreadStage().addNodes(...zones('a', 'b')), { 'node-a': 1 });
  const matchFields = [{ key: 'metadata.name', operator: 'In', values: ['node-a'] }];
  const required = { nodeSelectorTerms: [{ matchFields }] };
  const affinity = { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: required } };
  t.deepEqual(verdicts(stage, podWith([hard()], { spec: { affinity } })), { 'node-a': null, 'node-b': null });
});

for (const effect of ['NoSchedule', 'NoExecute', 'PreferNoSchedule']) {
  test(`PodTopologySpread › nodeTaintsPolicy decides whether nodes with an untolerated ${effect} taint count`, (t) => {
    const tainted = testNode('node-b', { zone: 'b', taints: [{ key: 'k', effect }] });
    const stage = fill(new SpreadStage().addNodes(...zones('a'), tainted), { 'node-a': 1 });
    const counted = { 'node-a': SKEWED, 'node-b': null };
    const passedOver = effect === 'PreferNoSchedule' ? counted : { 'node-a': null, 'node-b': null };
    const honoring = hard({ nodeTaintsPolicy: 'Honor' });
    t.deepEqual(verdicts(stage, podWith([hard()])), counted);
    t.deepEqual(verdicts(stage, podWith([hard({ nodeTaintsPolicy: 'Ignore' })])), counted);
    t.deepEqual(verdicts(stage, podWith([honoring])), passedOver);
    const tolerations = [{ key: 'k', operator: 'Exists' }];
    t.deepEqual(verdicts(stage, podWith([honoring], { spec: { tolerations } })), counted);
  });
}

test('PodTopologySpread › counts neither other namespaces nor pods that are being deleted', (t) => {
  const stage = new SpreadStage().addNodes(...zones('a', 'b'));
  fill(stage, { 'node-a': 3 }, { namespace: 'other' });
  const leaving = testPod('leaving', { labels: { app: 'a' } });
  const metadata = { ...leaving.metadata, deletionTimestamp: '2030-01-01T00:00:00Z' };
  stage.place({ ...leaving, metadata }, 'node-a');
  t.deepEqual(verdicts(stage, podWith([hard()])), { 'node-a': null, 'node-b': null });
});

test('PodTopologySpread › a pod that begins to be deleted stops counting', (t) => {
  const stage = new SpreadStage().addNodes(...zones('a', 'b'));
  const pod = stage.place(testPod('leaving', { labels: { app: 'a' } }), 'node-a');
  t.deepEqual(verdicts(stage, podWith([hard()])), { 'node-a': SKEWED, 'node-b': null });
  stage.cache.updatePod({ ...pod, metadata: { ...pod.metadata, deletionTimestamp: '2030-01-01T00:00:00Z' } });
  t.deepEqual(verdicts(stage, podWith([hard()])), { 'node-a': null, 'node-b': null });
});

test('PodTopologySpread › an absent selector matches nothing, with matchLabelKeys too', (t) => {
  const stage = fill(new SpreadStage().addNodes(...zones('a', 'b')), { 'node-a': 5 });
  const { labelSelector: _absent, ...bare } = hard();
  t.deepEqual(verdicts(stage, podWith([bare])), { 'node-a': null, 'node-b': null });
  t.deepEqual(verdicts(stage, podWith([{ ...bare, matchLabelKeys: ['app'] }])), { 'node-a': null, 'node-b': null });
});

test('PodTopologySpread › an empty selector counts no pod but the new one', (t) => {
  const stage = fill(new SpreadStage().addNodes(...zones('a', 'b')), { 'node-a': 5 });
  t.deepEqual(verdicts(stage, podWith([hard({ labelSelector: {} })])), { 'node-a': null, 'node-b': null });
  // 0 + 1 for itself - 0 is at the skew; a skew below 1 shows that the pod itself counts.
  const strict = podWith([hard({ labelSelector: {}, maxSkew: 0 })]);
  t.deepEqual(verdicts(stage, strict), { 'node-a': SKEWED, 'node-b': SKEWED });
});

test('PodTopologySpread › an empty selector with a label key that the pod has is a selector', (t) => {
  const stage = fill(new SpreadStage().addNodes(...zones('a', 'b')), { 'node-a': 1 });
  const keyed = podWith([hard({ labelSelector: {}, matchLabelKeys: ['app', 'absent'] })]);
  t.deepEqual(verdicts(stage, keyed), { 'node-a': SKEWED, 'node-b': null });
});

test('PodTopologySpread › matchLabelKeys narrow the selector to the values that the pod has', (t) => {
  const stage = new SpreadStage().addNodes(...zones('a', 'b'));
  stage.place(testPod('old', { labels: { app: 'a', version: '1' } }), 'node-a');
  const constraint = hard({ matchLabelKeys: ['version'] });
  const sameVersion = podWith([constraint], { labels: { app: 'a', version: '1' } });
  const newVersion = podWith([constraint], { labels: { app: 'a', version: '2' } });
  const noVersion = podWith([constraint], { labels: { app: 'a' } });
  t.deepEqual(verdicts(stage, sameVersion), { 'node-a': SKEWED, 'node-b': null });
  t.deepEqual(verdicts(stage, newVersion), { 'node-a': null, 'node-b': null });
  t.deepEqual(verdicts(stage, noVersion), { 'node-a': SKEWED, 'node-b': null });
});

test('PodTopologySpread › own constraints of the other kind keep the defaults away', (t) => {
  const stage = new SpreadStage({ defaultingType: 'List', defaultConstraints: [withoutSelector(hard())] });
  stage.addNodes(...zones('a', 'b'));
  stage.objects.push({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 's', namespace: 'default', uid: 's', resourceVersion: '1', creationTimestamp: '' },
    spec: { selector: { app: 'a' } },
  });
  t.is(stage.begin(podWith([hard({ whenUnsatisfiable: 'ScheduleAnyway' })])), undefined);
  t.not(stage.begin(podWith([])), undefined);
});

test('PodTopologySpread › follows a cluster that outgrows its columns', (t) => {
  const stage = new SpreadStage().addNodes(testNode('n0'));
  const pod = podWith([hard({ topologyKey: HOSTNAME })]);
  stage.place(testPod('p0', { labels: { app: 'a' } }), 'n0');
  t.deepEqual(verdicts(stage, pod), { n0: null });
  for (let index = 1; index < 200; index += 1) stage.addNodes(testNode(`n${index}`));
  const later = verdicts(stage, pod);
  t.deepEqual(
    Object.keys(later).filter((name) => later[name] !== null),
    ['n0'],
  );
  for (let index = 1; index < 200; index += 1) {
    stage.place(testPod(`p${index}`, { labels: { app: 'a' } }), `n${index}`);
    t.is(verdicts(stage, pod)['n0'] === null, index === 199);
  }
});

function withoutSelector({
  labelSelector: _own,
  ...rest
}: core.TopologySpreadConstraint): core.TopologySpreadConstraint {
  return rest;
}
