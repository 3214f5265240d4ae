import test from 'ava';
import fc from 'fast-check';
import type { core, Pod } from '../../../../src/api/objects/objects.js';
import { CycleState } from '../../../../src/scheduler/framework/cycle-state.js';
import { NodeInfo } from '../../../../src/scheduler/framework/node-info.js';
import { PodInfo } from '../../../../src/scheduler/framework/pod-info.js';
import { CriticalPaths, NO_MINIMUM } from '../../../../src/scheduler/plugins/pod-topology-spread/critical-paths.js';
import { testNode, testPod, type PodParts } from '../../support/objects.js';
import { modelFilter, type ModelNode } from './model.js';
import { plainVerdict, SpreadStage } from './stage.js';

const ZONE = 'topology.kubernetes.io/zone';
const CONSTRAINT: core.TopologySpreadConstraint = {
  maxSkew: 1,
  topologyKey: ZONE,
  whenUnsatisfiable: 'DoNotSchedule',
  labelSelector: { matchLabels: { app: 'a' } },
};

function newPod(constraint: Partial<core.TopologySpreadConstraint> = {}): Pod {
  return testPod('new', {
    labels: { app: 'a' },
    spec: { topologySpreadConstraints: [{ ...CONSTRAINT, ...constraint }] },
  });
}

let serial = 0;
function matching(parts: PodParts = {}): Pod {
  serial += 1;
  return testPod(`pod-${serial}`, { labels: { app: 'a' }, ...parts });
}

/** Zones za, zb, zc with one node each and so many pods. */
function stageWith(counts: readonly number[], parts: PodParts = {}): SpreadStage {
  const stage = new SpreadStage();
  for (const [index, count] of counts.entries()) {
    const zone = `z${'abcdefgh'.charAt(index)}`;
    stage.addNodes(testNode(zone, { zone }));
    for (let placed = 0; placed < count; placed += 1) stage.place(matching(parts), zone);
  }
  return stage;
}

/** A dry run on a copy of the state. */
class DryRun {
  readonly state: CycleState;

  constructor(
    readonly stage: SpreadStage,
    readonly pod: Pod,
    state = stage.begin(pod)?.clone(),
  ) {
    if (state === undefined) throw new Error('the pod has no hard constraints');
    this.state = state;
  }

  add(node: string, ...pods: readonly Pod[]): this {
    for (const each of pods) this.#change('addPod', node, each);
    return this;
  }

  remove(node: string, ...pods: readonly Pod[]): this {
    for (const each of pods) this.#change('removePod', node, each);
    return this;
  }

  /** Whether each node takes the pod. */
  get fits(): Record<string, boolean> {
    const { plugin, snapshot } = this.stage;
    const info = new PodInfo(this.pod);
    return Object.fromEntries(
      snapshot.nodes.map((node) => [node.name, plugin.filter(this.state, info, node) === undefined]),
    );
  }

  #change(method: 'addPod' | 'removePod', node: string, changed: Pod): void {
    const { preFilterExtensions } = this.stage.plugin;
    const [info, other] = [new PodInfo(this.pod), new PodInfo(changed)];
    preFilterExtensions[method](this.state, info, other, this.stage.node(node));
  }
}

test('PodTopologySpread › a victim that leaves makes room in its domain', (t) => {
  const stage = stageWith([2, 1]);
  const run = new DryRun(stage, newPod());
  t.deepEqual(run.fits, { za: false, zb: true });
  t.deepEqual(run.remove('za', matching()).fits, { za: true, zb: true });
  t.deepEqual(run.add('za', matching()).fits, { za: false, zb: true });
});

test('PodTopologySpread › a nominated pod takes room, and raises the minimum', (t) => {
  const stage = stageWith([1, 0]);
  const run = new DryRun(stage, newPod());
  t.deepEqual(run.fits, { za: false, zb: true });
  t.deepEqual(run.add('zb', matching()).fits, { za: true, zb: true });
});

test('PodTopologySpread › a dry run changes neither the attempt nor other dry runs', (t) => {
  const stage = stageWith([1, 1]);
  const state = stage.begin(newPod());
  const first = new DryRun(stage, newPod(), state?.clone()).remove('za', matching());
  const second = new DryRun(stage, newPod(), first.state.clone()).add('za', matching());
  const original = new DryRun(stage, newPod(), state);
  t.deepEqual(first.fits, { za: true, zb: false });
  t.deepEqual(second.fits, { za: true, zb: true });
  t.deepEqual(original.fits, { za: true, zb: true });
  t.is(stage.plugin.compileFilter(first.state), undefined);
  t.not(stage.plugin.compileFilter(original.state), undefined);
});

test('PodTopologySpread › pods of other namespaces and other labels change nothing in a dry run', (t) => {
  const run = new DryRun(stageWith([2, 1]), newPod());
  run.remove('za', matching({ namespace: 'other' }), matching({ labels: { app: 'b' } }));
  t.deepEqual(run.fits, { za: false, zb: true });
});

test('PodTopologySpread › a pod on its way out counts for a dry run, although not before', (t) => {
  const stage = stageWith([2, 1]);
  const leaving = matching();
  const metadata = { ...leaving.metadata, deletionTimestamp: '2030-01-01T00:00:00Z' };
  const run = new DryRun(stage, newPod());
  t.deepEqual(run.remove('za', { ...leaving, metadata }).fits, { za: true, zb: true });
});

test('PodTopologySpread › with an empty selector every removed pod counts, down below zero', (t) => {
  const stage = stageWith([2, 2]);
  const run = new DryRun(stage, newPod({ labelSelector: {} }));
  t.deepEqual(run.fits, { za: true, zb: true });
  // za has -1 now: 0 + 1 - (-1) in zb is over the skew.
  t.deepEqual(run.remove('za', matching({ labels: { app: 'any' } })).fits, { za: true, zb: false });
});

test('PodTopologySpread › nodes that do not count change nothing in a dry run', (t) => {
  const stage = stageWith([2, 1]);
  stage.addNodes(testNode('bare'), testNode('zc', { zone: 'zc', taints: [{ key: 'k', effect: 'NoSchedule' }] }));
  const run = new DryRun(stage, newPod({ nodeTaintsPolicy: 'Honor' }));
  const before = { za: false, zb: true, bare: false, zc: true };
  t.deepEqual(run.fits, before);
  t.deepEqual(run.add('bare', matching()).add('zc', matching(), matching()).fits, before);
});

test('PodTopologySpread › a pod on a node that was not there before makes a domain', (t) => {
  const run = new DryRun(stageWith([1, 1]), newPod({ minDomains: 3 }));
  t.deepEqual(run.fits, { za: false, zb: false });
  const outside = new NodeInfo('zc');
  outside.setNode(testNode('zc', { zone: 'zc' }));
  run.stage.plugin.preFilterExtensions.addPod(run.state, new PodInfo(run.pod), new PodInfo(matching()), outside);
  t.deepEqual(run.fits, { za: true, zb: true });
});

test('PodTopologySpread › is not asked about pods before PreFilter', (t) => {
  const stage = stageWith([1]);
  const [state, pod, node] = [new CycleState(), new PodInfo(newPod()), stage.begin(newPod()) && stage.node('za')];
  if (node === undefined) throw new Error('the pod has hard constraints');
  const error = {
    plugin: 'PodTopologySpread',
    code: 'Error',
    reasons: ['reading "PreFilterPodTopologySpread" from cycleState: not found'],
  };
  const { plugin } = stage;
  t.deepEqual(plainVerdict(plugin.filter(state, pod, node)), error);
  t.deepEqual(plainVerdict(plugin.preFilterExtensions.addPod(state, pod, pod, node)), error);
  t.deepEqual(plainVerdict(plugin.preFilterExtensions.removePod(state, pod, pod, node)), error);
});

test('PodTopologySpread › an attempt that outlasts a change of the nodes stops the run', (t) => {
  const stage = stageWith([1, 0]);
  const state = stage.begin(newPod());
  if (state === undefined) throw new Error('the pod has hard constraints');
  stage.place(matching(), 'zb');
  stage.begin(newPod());
  const error = t.throws(() => stage.plugin.filter(state, new PodInfo(newPod()), stage.node('za')));
  t.is(error.name, 'InvariantError');
});

test('PodTopologySpread › changes in several domains leave a stale minimum, as upstream', (t) => {
  const stage = stageWith([1, 2, 2]);
  const run = new DryRun(stage, newPod());
  t.deepEqual(run.fits, { za: true, zb: false, zc: false });
  run.add('za', matching(), matching(), matching(), matching());
  t.deepEqual(run.fits, { za: false, zb: true, zc: true });
  // zb was one of the two that are watched; zc with its 2 pods is not, and is forgotten: 5 is the minimum.
  run.add('zb', matching(), matching(), matching(), matching());
  t.deepEqual(run.fits, { za: true, zb: false, zc: true });
});

test('CriticalPaths › begins without a domain and keeps the two lowest', (t) => {
  const paths = new CriticalPaths();
  t.is(paths.minimum, NO_MINIMUM);
  paths.update('a', 4);
  t.is(paths.minimum, 4);
  paths.update('b', 2);
  paths.update('c', 3);
  t.is(paths.minimum, 2);
  const copy = paths.copy();
  copy.update('b', 9);
  t.is(copy.minimum, 3);
  t.is(paths.minimum, 2);
  copy.update('c', 10);
  // The lowest is a with 4, but only b and c are known.
  t.is(copy.minimum, 9);
});

test('PodTopologySpread › removing and adding pods on one node equals deciding without and with them', (t) => {
  const counts = fc.array(fc.nat({ max: 4 }), { minLength: 2, maxLength: 5 });
  const options = fc.record({ maxSkew: fc.integer({ min: 1, max: 2 }), minDomains: fc.integer({ min: 1, max: 4 }) });
  fc.assert(
    fc.property(
      counts,
      options,
      fc.nat(),
      fc.nat({ max: 4 }),
      fc.nat({ max: 4 }),
      (before, parts, pick, less, more) => {
        const stage = stageWith(before);
        const pod = newPod(parts);
        const run = new DryRun(stage, pod);
        const changed = stage.snapshot.nodes[pick % before.length]?.name ?? '';
        const standing = stage.node(changed).pods.map((each) => each.pod);
        const removed = standing.slice(0, less);
        const added = Array.from({ length: more }, () => matching());
        run.remove(changed, ...removed).add(changed, ...added);
        const nodes: ModelNode[] = stage.snapshot.nodes.map(({ name, node, pods }) => {
          if (node === undefined) throw new Error(`node ${name} is not there`);
          const all = pods.map((each) => each.pod);
          return { node, pods: name === changed ? [...standing.slice(less), ...added] : all };
        });
        const actual = Object.fromEntries(
          stage.snapshot.nodes.map((node) => [
            node.name,
            plainVerdict(stage.plugin.filter(run.state, new PodInfo(pod), node)),
          ]),
        );
        t.deepEqual(actual, modelFilter(pod, nodes, pod.spec.topologySpreadConstraints ?? []));
      },
    ),
    { numRuns: 300 },
  );
});
