/** What happens where the plugin's memory of earlier attempts ends: more changes, and more ways of counting, than it keeps. */
import test from 'ava';
import type { Pod } from '../../../../src/api/objects/objects.js';
import { testNode, testPod } from '../../support/objects.js';
import { modelFilter, modelScore, type ModelNode } from './model.js';
import { SpreadStage, type PlainVerdict } from './stage.js';

const ZONE = 'topology.kubernetes.io/zone';

function podOf(app: string): Pod {
  const labelSelector = { matchLabels: { app } };
  const constraint = { maxSkew: 3, topologyKey: ZONE, labelSelector };
  return testPod(`new-${app}`, {
    labels: { app },
    spec: {
      topologySpreadConstraints: [
        { ...constraint, whenUnsatisfiable: 'DoNotSchedule' },
        { ...constraint, whenUnsatisfiable: 'ScheduleAnyway' },
      ],
    },
  });
}

function nodesOf(stage: SpreadStage): ModelNode[] {
  return stage.snapshot.nodes.flatMap(({ node, pods }): ModelNode[] =>
    node === undefined ? [] : [{ node, pods: pods.map((each) => each.pod) }],
  );
}

function modelOf(stage: SpreadStage, pod: Pod): Record<string, PlainVerdict | null> {
  return modelFilter(pod, nodesOf(stage), pod.spec.topologySpreadConstraints ?? []);
}

test('PodTopologySpread › counts anew after more changes than it remembers', (t) => {
  const stage = new SpreadStage();
  const zones = ['a', 'b', 'c'];
  for (const [index, zone] of zones.entries()) stage.addNodes(testNode(`n${index}`, { zone }));
  const [seldom, often] = [podOf('seldom'), podOf('often')];
  stage.place(testPod('first', { labels: { app: 'seldom' } }), 'n0');
  t.deepEqual(stage.filter(seldom).columns, { n0: null, n1: null, n2: null });
  let standing: Pod[] = [];
  for (let round = 0; round < 10; round += 1) {
    for (const pod of standing) stage.cache.removePod(pod);
    standing = Array.from({ length: 600 + round }, (_, index) => {
      const app = index % 3 === 0 ? 'seldom' : 'often';
      const labels = { app, round: `${round}` };
      return stage.place(testPod(`p${round}-${index}`, { labels }), `n${(index % 7) % 3}`);
    });
    stage.filter(often);
  }
  const expected = modelOf(stage, seldom);
  t.deepEqual(stage.filter(seldom), { plain: expected, columns: expected });
  const names = Object.keys(expected);
  const scores = modelScore(seldom, nodesOf(stage), seldom.spec.topologySpreadConstraints ?? [], names);
  t.deepEqual(stage.score(seldom, names)?.columns, scores);
});

test('PodTopologySpread › counts anew what it has dropped for want of room', (t) => {
  const stage = new SpreadStage();
  // Enough nodes that no more than 1,024 ways of counting are kept.
  for (let index = 0; index < 4100; index += 1) stage.addNodes(testNode(`n${index}`, { zone: `z${index % 3}` }));
  const first = podOf('app-0');
  stage.filter(first);
  for (let index = 0; index < 4; index += 1) {
    stage.place(testPod(`p${index}`, { labels: { app: 'app-0' } }), 'n1');
  }
  for (let index = 1; index < 1100; index += 1) stage.begin(podOf(`app-${index}`));
  const expected = modelOf(stage, first);
  t.deepEqual(stage.filter(first).columns, expected);
  t.is(expected['n0'], null);
  t.not(expected['n1'], null);
});
