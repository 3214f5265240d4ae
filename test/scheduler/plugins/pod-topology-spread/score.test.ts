import test from 'ava';
import type { core, Node, Pod, Service } from '../../../../src/api/objects/objects.js';
import { testNode, testPod, type PodParts } from '../../support/objects.js';
import { SpreadStage, type PlainScores } from './stage.js';

const ZONE = 'topology.kubernetes.io/zone';
const HOSTNAME = 'kubernetes.io/hostname';
const SERVICE: Service = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'a', namespace: 'default', uid: 'a', resourceVersion: '1', creationTimestamp: '' },
  spec: { selector: { app: 'a' } },
};

function soft(parts: Partial<core.TopologySpreadConstraint> = {}): core.TopologySpreadConstraint {
  return {
    maxSkew: 1,
    topologyKey: ZONE,
    whenUnsatisfiable: 'ScheduleAnyway',
    labelSelector: { matchLabels: { app: 'a' } },
    ...parts,
  };
}

function podWith(constraints: core.TopologySpreadConstraint[] | undefined, parts: PodParts = {}): Pod {
  const own = constraints === undefined ? {} : { topologySpreadConstraints: constraints };
  return testPod('new', { labels: { app: 'a' }, ...parts, spec: { ...own, ...parts.spec } });
}

/** Nodes `n0`, `n1`, … in the given zones (`undefined` = no zone) with so many matching pods. */
function stageWith(nodes: readonly (readonly [zone: string | undefined, pods: number])[]): SpreadStage {
  const stage = new SpreadStage();
  for (const [index, [zone, pods]] of nodes.entries()) {
    stage.addNodes(testNode(`n${index}`, zone === undefined ? {} : { zone }));
    for (let placed = 0; placed < pods; placed += 1) {
      stage.place(testPod(`p${index}-${placed}`, { labels: { app: 'a' } }), `n${index}`);
    }
  }
  return stage;
}

function scores(stage: SpreadStage, pod: Pod, ...names: readonly string[]): PlainScores | undefined {
  const both = stage.score(pod, names);
  if (JSON.stringify(both?.plain) !== JSON.stringify(both?.columns)) throw new Error('the two forms of Score disagree');
  return both?.plain;
}

test('PodTopologySpread › has nothing to score for a pod without soft constraints', (t) => {
  const stage = stageWith([['a', 0]]);
  t.is(scores(stage, podWith([soft({ whenUnsatisfiable: 'DoNotSchedule' })]), 'n0'), undefined);
  t.is(scores(stage, podWith(undefined), 'n0'), undefined);
});

test('PodTopologySpread › scores by the system defaults as kube-scheduler does', (t) => {
  const stage = stageWith([
    ['a', 1],
    ['b', 0],
    ['c', 0],
  ]);
  stage.objects.push(SERVICE);
  // By node and by zone ln(3 + 2) each: 1.609 + 2 + 1.609 + 4 against 2 + 4.
  t.deepEqual(scores(stage, podWith(undefined), 'n0', 'n1', 'n2'), {
    raw: { n0: 9, n1: 6, n2: 6 },
    normalized: { n0: 66, n1: 100, n2: 100 },
  });
});

test('PodTopologySpread › counts pods of the whole domain, on nodes that do not fit as well', (t) => {
  const stage = stageWith([
    ['a', 0],
    ['a', 3],
    ['b', 1],
    ['c', 7],
  ]);
  // ln(2 + 2) = 1.386: zone c has no feasible node and is no domain.
  t.deepEqual(scores(stage, podWith([soft()]), 'n0', 'n2'), {
    raw: { n0: 4, n2: 1 },
    normalized: { n0: 25, n2: 100 },
  });
});

test('PodTopologySpread › more domains weigh more, and the skew is added once per constraint', (t) => {
  const stage = stageWith([
    ['a', 2],
    ['b', 0],
    ['c', 0],
    ['d', 0],
  ]);
  const pod = podWith([soft({ maxSkew: 4 })]);
  // 2 ln 4 + 3 = 5.77 and 2 ln 6 + 3 = 6.58
  t.deepEqual(scores(stage, pod, 'n0', 'n1')?.raw, { n0: 6, n1: 3 });
  t.deepEqual(scores(stage, pod, 'n0', 'n1', 'n2', 'n3')?.raw, { n0: 7, n1: 3, n2: 3, n3: 3 });
});

test('PodTopologySpread › by hostname every feasible node is a domain, and node policies are not asked', (t) => {
  const stage = stageWith([
    ['a', 2],
    ['a', 0],
    ['a', 0],
  ]);
  const pod = podWith([soft({ topologyKey: HOSTNAME })], { spec: { nodeSelector: { disk: 'ssd' } } });
  // 2 ln 5 = 3.2, although no node has the disk that the pod wants
  t.deepEqual(scores(stage, pod, 'n0', 'n1', 'n2')?.raw, { n0: 3, n1: 0, n2: 0 });
  // By zone the same nodes do not count at all.
  const byZone = podWith([soft()], { spec: { nodeSelector: { disk: 'ssd' } } });
  t.deepEqual(scores(stage, byZone, 'n0', 'n1', 'n2')?.raw, { n0: 0, n1: 0, n2: 0 });
});

test('PodTopologySpread › a node without a key of own constraints scores nothing and makes no domain', (t) => {
  const stage = stageWith([
    ['a', 1],
    ['b', 0],
    [undefined, 0],
  ]);
  const pod = podWith([soft({ topologyKey: HOSTNAME }), soft()]);
  // Two domains by either key: 2 ln 4 = 2.77
  t.deepEqual(scores(stage, pod, 'n0', 'n1', 'n2'), {
    raw: { n0: 3, n1: 0, n2: 0 },
    normalized: { n0: 0, n1: 100, n2: 0 },
  });
});

test('PodTopologySpread › by system defaults nodes without a zone share a domain and score by name', (t) => {
  const stage = stageWith([
    ['a', 0],
    [undefined, 2],
    [undefined, 0],
  ]);
  stage.objects.push(SERVICE);
  // Zones a and '' : ln 4; names: ln 5. n1: 2 ln 5 + 2 = 5.2; n0: 2 + 4; n2: 2
  t.deepEqual(scores(stage, podWith(undefined), 'n0', 'n1', 'n2'), {
    raw: { n0: 6, n1: 5, n2: 2 },
    normalized: { n0: 33, n1: 50, n2: 100 },
  });
});

test('PodTopologySpread › by system defaults an empty zone and no zone are one domain', (t) => {
  const stage = stageWith([
    ['', 1],
    [undefined, 2],
    ['b', 0],
  ]);
  stage.objects.push(SERVICE);
  // n0: ln 5 + 2 for its name, 3 ln 4 + 4 for the zone that it shares with n1
  t.deepEqual(scores(stage, podWith(undefined), 'n0', 'n1', 'n2')?.raw, { n0: 12, n1: 5, n2: 6 });
});

test('PodTopologySpread › a default list asks for all keys', (t) => {
  const stage = new SpreadStage({
    defaultingType: 'List',
    defaultConstraints: [{ maxSkew: 2, topologyKey: ZONE, whenUnsatisfiable: 'ScheduleAnyway' }],
  });
  const nodes: Node[] = [testNode('n0', { zone: 'a' }), testNode('n1')];
  stage.addNodes(...nodes).objects.push(SERVICE);
  t.deepEqual(scores(stage, podWith(undefined), 'n0', 'n1'), {
    raw: { n0: 1, n1: 0 },
    normalized: { n0: 100, n1: 0 },
  });
});

test('PodTopologySpread › without any pod every node that takes part scores best', (t) => {
  const stage = stageWith([
    ['a', 0],
    ['b', 0],
    [undefined, 0],
  ]);
  t.deepEqual(scores(stage, podWith([soft()]), 'n0', 'n1', 'n2')?.normalized, { n0: 100, n1: 100, n2: 0 });
  t.deepEqual(scores(stage, podWith([soft()]), 'n2')?.normalized, { n2: 0 });
});

test('PodTopologySpread › domains of nodes that do not count have no pods', (t) => {
  const stage = stageWith(Array.from({ length: 40 }, (_, index) => [`z${index}`, 1] as const));
  const pod = podWith([soft({ maxSkew: 3 })], { spec: { nodeSelector: { disk: 'ssd' } } });
  t.deepEqual(scores(stage, pod, 'n0', 'n39')?.raw, { n0: 2, n39: 2 });
});

test('PodTopologySpread › hard constraints and minDomains have no part in the score', (t) => {
  const stage = stageWith([
    ['a', 2],
    ['b', 0],
  ]);
  const hard = soft({ whenUnsatisfiable: 'DoNotSchedule', topologyKey: HOSTNAME, minDomains: 5 });
  t.deepEqual(scores(stage, podWith([hard, soft()]), 'n0', 'n1')?.raw, { n0: 3, n1: 0 });
});
