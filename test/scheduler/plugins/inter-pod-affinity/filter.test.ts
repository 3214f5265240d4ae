import test from 'ava';
import type { core } from '../../../../src/api/objects/objects.js';
import { withMatchLabelKeys } from '../../../../src/api/kinds/rules/match-label-keys.js';
import { CycleState } from '../../../../src/scheduler/framework/cycle-state.js';
import { PodInfo } from '../../../../src/scheduler/framework/pod-info.js';
import { testNode, testPod } from '../../support/objects.js';
import { affinePod, affinityOf, Scene, testNamespace, HOST, NODES, term, ZONE } from './scene.js';

const AFFINITY = "3 node(s) didn't match pod affinity rules";
const ANTI_AFFINITY = "2 node(s) didn't match pod anti-affinity rules";
const EXISTING = "2 node(s) didn't satisfy existing pods anti-affinity rules";

/** Affinity as the API server stores it for a pod of version 2. */
function merged(affinity: core.Affinity): core.Affinity {
  const labels = { app: 'web', version: '2' };
  return withMatchLabelKeys(testPod('pod', { spec: { affinity } }).spec, labels).affinity ?? {};
}

test('InterPodAffinity › skips a pod without required terms that no existing pod wants to be away from', (t) => {
  const scene = new Scene(NODES);
  scene.place(affinePod('other', affinityOf({ near: [term(ZONE, 'web')], apart: [term(ZONE, 'db')] })), 'x1');
  t.is(scene.judge(testPod('plain', { labels: { app: 'web' } })), undefined);
  t.is(
    scene.judge(affinePod('pod', affinityOf({ preferNear: [{ weight: 1, podAffinityTerm: term(ZONE, 'web') }] }))),
    undefined,
  );
});

test('InterPodAffinity › lets a pod only into domains with a pod that matches its affinity', (t) => {
  const scene = new Scene(NODES);
  scene.place(testPod('web', { labels: { app: 'web' } }), 'x2');
  const pod = affinePod('pod', affinityOf({ near: [term(ZONE, 'web')] }));
  t.deepEqual(scene.judge(pod), { x1: '', x2: '', y1: AFFINITY, bare: AFFINITY });
  t.deepEqual(scene.judgeByColumns(pod), scene.judge(pod));
});

test('InterPodAffinity › needs one existing pod that matches all affinity terms at once', (t) => {
  const scene = new Scene(NODES);
  const pod = affinePod(
    'pod',
    affinityOf({ near: [term(ZONE, 'web'), { topologyKey: HOST, labelSelector: { matchLabels: { tier: 'gold' } } }] }),
  );
  scene.place(testPod('web', { labels: { app: 'web' } }), 'x1');
  scene.place(testPod('gold', { labels: { tier: 'gold' } }), 'x1');
  t.deepEqual(scene.judge(pod), { x1: AFFINITY, x2: AFFINITY, y1: AFFINITY, bare: AFFINITY });
  scene.place(testPod('both', { labels: { app: 'web', tier: 'gold' } }), 'y1');
  t.deepEqual(scene.judge(pod), { x1: AFFINITY, x2: AFFINITY, y1: '', bare: AFFINITY });
});

test('InterPodAffinity › lets the first of a self-affine series go to any node with all keys', (t) => {
  const scene = new Scene(NODES);
  const pod = affinePod('pod', affinityOf({ near: [term(ZONE, 'web'), term(HOST, 'web')] }), { app: 'web' });
  t.deepEqual(scene.judge(pod), { x1: '', x2: '', y1: '', bare: AFFINITY });
  t.deepEqual(scene.judgeByColumns(pod), scene.judge(pod));
  scene.place(testPod('web', { labels: { app: 'web' } }), 'y1');
  t.deepEqual(scene.judge(pod), { x1: AFFINITY, x2: AFFINITY, y1: '', bare: AFFINITY });
});

test('InterPodAffinity › counts a pod on a node without the key for nothing: the series still has no first', (t) => {
  const scene = new Scene(NODES);
  const pod = affinePod('pod', affinityOf({ near: [term(ZONE, 'web')] }), { app: 'web' });
  scene.place(testPod('web', { labels: { app: 'web' } }), 'bare');
  t.deepEqual(scene.judge(pod), { x1: '', x2: '', y1: '', bare: AFFINITY });
});

test('InterPodAffinity › does not let a pod be first that does not match itself', (t) => {
  const scene = new Scene(NODES);
  const pod = affinePod('pod', affinityOf({ near: [term(HOST, 'web')] }), { app: 'db' });
  t.deepEqual(scene.judge(pod), { x1: AFFINITY, x2: AFFINITY, y1: AFFINITY, bare: AFFINITY });
});

test('InterPodAffinity › keeps a pod out of domains with a pod that matches any anti-affinity term', (t) => {
  const scene = new Scene(NODES);
  scene.place(testPod('web', { labels: { app: 'web' } }), 'x2');
  scene.place(testPod('db', { labels: { app: 'db' } }), 'bare');
  const pod = affinePod('pod', affinityOf({ apart: [term(ZONE, 'web'), term(HOST, 'db')] }));
  t.deepEqual(scene.judge(pod), { x1: ANTI_AFFINITY, x2: ANTI_AFFINITY, y1: '', bare: ANTI_AFFINITY });
  t.deepEqual(scene.judgeByColumns(pod), scene.judge(pod));
});

test('InterPodAffinity › lets anti-affinity pass on a node without the key', (t) => {
  const scene = new Scene(NODES);
  scene.place(testPod('web', { labels: { app: 'web' } }), 'bare');
  const pod = affinePod('pod', affinityOf({ apart: [term(ZONE, 'web')] }));
  t.deepEqual(scene.judge(pod), { x1: '', x2: '', y1: '', bare: '' });
});

test('InterPodAffinity › respects anti-affinity of existing pods towards a pod without terms', (t) => {
  const scene = new Scene(NODES);
  scene.place(affinePod('loner', affinityOf({ apart: [term(ZONE, 'web')] })), 'x2');
  t.deepEqual(scene.judge(testPod('pod', { labels: { app: 'web' } })), {
    x1: EXISTING,
    x2: EXISTING,
    y1: '',
    bare: '',
  });
  t.deepEqual(scene.judgeByColumns(testPod('pod', { labels: { app: 'web' } })), {
    x1: EXISTING,
    x2: EXISTING,
    y1: '',
    bare: '',
  });
});

test('InterPodAffinity › names affinity before anti-affinity before that of existing pods', (t) => {
  const scene = new Scene(NODES);
  scene.place(affinePod('loner', affinityOf({ apart: [term(ZONE, 'web')] }), { app: 'db' }), 'x1');
  scene.place(testPod('peer', { labels: { app: 'peer' } }), 'x1');
  const apart = affinityOf({ apart: [term(HOST, 'db')] });
  t.deepEqual(scene.judge(affinePod('pod', apart, { app: 'web' })), {
    x1: ANTI_AFFINITY,
    x2: EXISTING,
    y1: '',
    bare: '',
  });
  const all = affinityOf({ near: [term(HOST, 'peer')], apart: [term(HOST, 'db')] });
  t.deepEqual(scene.judge(affinePod('pod', all, { app: 'web' })), {
    x1: ANTI_AFFINITY,
    x2: AFFINITY,
    y1: AFFINITY,
    bare: AFFINITY,
  });
});

test('InterPodAffinity › still counts pods that are terminating', (t) => {
  const scene = new Scene(NODES);
  const web = testPod('web', { labels: { app: 'web' } });
  scene.place({ ...web, metadata: { ...web.metadata, deletionTimestamp: '2030-01-01T00:00:01Z' } }, 'x1');
  const pod = affinePod('pod', affinityOf({ apart: [term(HOST, 'web')] }));
  t.deepEqual(scene.judge(pod), { x1: ANTI_AFFINITY, x2: '', y1: '', bare: '' });
});

test('InterPodAffinity › matches nothing without a label selector and everything with an empty one', (t) => {
  const scene = new Scene(NODES);
  scene.place(testPod('web', { labels: { app: 'web' } }), 'x1');
  t.deepEqual(scene.judge(affinePod('pod', affinityOf({ apart: [{ topologyKey: HOST }] }))), {
    x1: '',
    x2: '',
    y1: '',
    bare: '',
  });
  t.deepEqual(scene.judge(affinePod('pod', affinityOf({ apart: [{ topologyKey: HOST, labelSelector: {} }] }))), {
    x1: ANTI_AFFINITY,
    x2: '',
    y1: '',
    bare: '',
  });
});

test('InterPodAffinity › looks only at pods that have the values of matchLabelKeys, as the API server merged them', (t) => {
  const scene = new Scene(NODES);
  scene.place(testPod('old', { labels: { app: 'web', version: '1' } }), 'x1');
  scene.place(testPod('new', { labels: { app: 'web', version: '2' } }), 'y1');
  const matching = merged(affinityOf({ apart: [term(HOST, 'web', { matchLabelKeys: ['version'] })] }));
  t.deepEqual(scene.judge(affinePod('pod', matching)), { x1: '', x2: '', y1: ANTI_AFFINITY, bare: '' });
  const mismatching = merged(affinityOf({ apart: [term(HOST, 'web', { mismatchLabelKeys: ['version'] })] }));
  t.deepEqual(scene.judge(affinePod('pod', mismatching)), { x1: ANTI_AFFINITY, x2: '', y1: '', bare: '' });
});

test('InterPodAffinity › follows pods and nodes that come, change and go', (t) => {
  const scene = new Scene(NODES);
  const pod = affinePod('pod', affinityOf({ near: [term(ZONE, 'web')] }));
  const web = scene.place(testPod('web', { labels: { app: 'web' } }), 'x1');
  t.is(scene.judge(pod)?.['x2'], '');
  scene.cache.setNode(testNode('x1', { zone: 'y' }));
  t.deepEqual(scene.judge(pod), { x1: '', x2: AFFINITY, y1: '', bare: AFFINITY });
  scene.cache.updatePod({ ...web, metadata: { ...web.metadata, labels: { app: 'db' } } });
  t.is(scene.judge(pod)?.['x1'], AFFINITY);
  scene.cache.updatePod(web);
  t.is(scene.judge(pod)?.['y1'], '');
  scene.cache.removeNode('x1');
  t.deepEqual(scene.judge(pod), { x2: AFFINITY, y1: AFFINITY, bare: AFFINITY });
  scene.cache.setNode(testNode('x1', { zone: 'x' }));
  t.is(scene.judge(pod)?.['x2'], '');
  scene.cache.removePod(web);
  t.is(scene.judge(pod)?.['x2'], AFFINITY);
});

test('InterPodAffinity › goes on when the cluster outgrows its columns', (t) => {
  const scene = new Scene(NODES);
  const pod = affinePod('pod', affinityOf({ apart: [term(HOST, 'web')] }));
  scene.place(testPod('web', { labels: { app: 'web' } }), 'x1');
  t.is(scene.judge(pod)?.['x1'], ANTI_AFFINITY);
  for (let index = 0; index < 300; index += 1) {
    scene.cache.setNode(testNode(`n${index}`));
    if (index % 2 === 0) scene.place(testPod(`web-${index}`, { labels: { app: 'web' } }), `n${index}`);
  }
  const verdicts = Object.entries(scene.judge(pod) ?? {});
  t.deepEqual(scene.judgeByColumns(pod), Object.fromEntries(verdicts));
  t.is(verdicts.filter(([, reason]) => reason === ANTI_AFFINITY).length, 151);
});

test('InterPodAffinity › asks about pods of the own namespace only, if a term names none', (t) => {
  const scene = new Scene(NODES).declare(testNamespace('default'), testNamespace('other'));
  scene.place(testPod('web', { labels: { app: 'web' }, namespace: 'other' }), 'x1');
  t.is(scene.judge(affinePod('pod', affinityOf({ apart: [term(HOST, 'web')] })))?.['x1'], '');
  t.is(
    scene.judge(affinePod('pod', affinityOf({ apart: [term(HOST, 'web', { namespaces: ['other'] })] })))?.['x1'],
    ANTI_AFFINITY,
  );
  t.is(scene.judge(affinePod('pod', affinityOf({ apart: [term(HOST, 'web')] }), {}, 'other'))?.['x1'], ANTI_AFFINITY);
});

test('InterPodAffinity › does not look into the own namespace when a term names others', (t) => {
  const scene = new Scene(NODES);
  scene.place(testPod('web', { labels: { app: 'web' } }), 'x1');
  t.is(
    scene.judge(affinePod('pod', affinityOf({ apart: [term(HOST, 'web', { namespaces: ['other'] })] })))?.['x1'],
    '',
  );
});

test('InterPodAffinity › selects namespaces by their labels, besides those that are named', (t) => {
  const scene = new Scene(NODES).declare(testNamespace('prod', { env: 'prod' }), testNamespace('dev', { env: 'dev' }));
  for (const [namespace, node] of [
    ['prod', 'x1'],
    ['dev', 'x2'],
    ['named', 'y1'],
    ['default', 'bare'],
  ] as const) {
    scene.place(testPod('web', { labels: { app: 'web' }, namespace }), node);
  }
  const namespaceSelector = { matchLabels: { env: 'prod' } };
  const selected = affinityOf({ apart: [term(HOST, 'web', { namespaceSelector })] });
  t.deepEqual(scene.judge(affinePod('pod', selected)), { x1: ANTI_AFFINITY, x2: '', y1: '', bare: '' });
  const both = affinityOf({ apart: [term(HOST, 'web', { namespaceSelector, namespaces: ['named'] })] });
  t.deepEqual(scene.judge(affinePod('pod', both)), { x1: ANTI_AFFINITY, x2: '', y1: ANTI_AFFINITY, bare: '' });
  const all = affinityOf({ apart: [term(HOST, 'web', { namespaceSelector: {} })] });
  t.deepEqual(Object.values(scene.judge(affinePod('pod', all)) ?? {}), Array(4).fill(ANTI_AFFINITY));
});

test('InterPodAffinity › sees a namespace change its labels', (t) => {
  const scene = new Scene(NODES).declare(testNamespace('team', { env: 'dev' }));
  scene.place(testPod('web', { labels: { app: 'web' }, namespace: 'team' }), 'x1');
  const namespaceSelector = { matchLabels: { env: 'prod' } };
  const pod = affinePod('pod', affinityOf({ apart: [term(HOST, 'web', { namespaceSelector })] }));
  t.is(scene.judge(pod)?.['x1'], '');
  scene.declare(testNamespace('team', { env: 'prod' }));
  t.is(scene.judge(pod)?.['x1'], ANTI_AFFINITY);
});

test('InterPodAffinity › takes a namespace selector of negative requirements for every namespace of an existing pod', (t) => {
  const scene = new Scene(NODES).declare(testNamespace('prod', { env: 'prod' }));
  scene.place(testPod('web', { labels: { app: 'web' }, namespace: 'prod' }), 'x1');
  for (const requirement of [
    { key: 'env', operator: 'NotIn', values: ['prod'] },
    { key: 'env', operator: 'DoesNotExist' },
  ]) {
    const namespaceSelector = { matchExpressions: [requirement] };
    const pod = affinePod('pod', affinityOf({ apart: [term(HOST, 'web', { namespaceSelector })] }));
    t.is(scene.judge(pod)?.['x1'], ANTI_AFFINITY);
  }
  const namespaceSelector = {
    matchExpressions: [
      { key: 'env', operator: 'NotIn', values: ['prod'] },
      { key: 'env', operator: 'Exists' },
    ],
  };
  t.is(scene.judge(affinePod('pod', affinityOf({ apart: [term(HOST, 'web', { namespaceSelector })] })))?.['x1'], '');
});

test("InterPodAffinity › asks existing pods' namespace selectors about the real labels of the pod's namespace", (t) => {
  const scene = new Scene(NODES).declare(testNamespace('prod', { env: 'prod' }), testNamespace('dev'));
  const negative = { matchExpressions: [{ key: 'env', operator: 'DoesNotExist' }] };
  scene.place(affinePod('loner', affinityOf({ apart: [term(HOST, 'web', { namespaceSelector: negative })] })), 'x1');
  const labels = { app: 'web' };
  t.is(scene.judge(testPod('pod', { labels, namespace: 'prod' })), undefined);
  t.is(scene.judge(testPod('pod', { labels, namespace: 'dev' }))?.['x1'], EXISTING);
  t.is(scene.judge(testPod('pod', { labels, namespace: 'unknown' }))?.['x1'], EXISTING);
  scene.declare(testNamespace('prod', {}));
  t.is(scene.judge(testPod('pod', { labels, namespace: 'prod' }))?.['x1'], EXISTING);
});

test('InterPodAffinity › counts what a dry run adds and removes, in the copy only', (t) => {
  const scene = new Scene(NODES);
  const web = scene.place(testPod('web', { labels: { app: 'web' } }), 'x1');
  const pod = new PodInfo(affinePod('pod', affinityOf({ apart: [term(ZONE, 'web')] })));
  const state = scene.prepare(pod.pod) as CycleState;
  const copy = state.clone();
  const extensions = scene.plugin.preFilterExtensions;
  const reasons = (of: CycleState): (string | undefined)[] =>
    ['x1', 'y1'].map((name) => scene.plugin.filter(of, pod, scene.node(name))?.reasons.join());
  t.is(extensions.removePod(copy, pod, new PodInfo(web), scene.node('x1')), undefined);
  t.deepEqual(reasons(copy), [undefined, undefined]);
  t.is(
    extensions.addPod(copy, pod, new PodInfo(testPod('late', { labels: { app: 'web' } })), scene.node('y1')),
    undefined,
  );
  t.deepEqual(reasons(copy), [undefined, ANTI_AFFINITY.slice(2)]);
  t.deepEqual(reasons(copy.clone()), reasons(copy));
  t.deepEqual(reasons(state), [ANTI_AFFINITY.slice(2), undefined]);
  t.is(scene.plugin.compileFilter(copy), undefined);
});

test('InterPodAffinity › lets a pod be first again when a dry run removes the last that matches', (t) => {
  const scene = new Scene(NODES);
  const web = scene.place(testPod('web', { labels: { app: 'web' } }), 'x1');
  const pod = new PodInfo(affinePod('pod', affinityOf({ near: [term(ZONE, 'web')] }), { app: 'web' }));
  const state = scene.prepare(pod.pod) as CycleState;
  t.is(scene.plugin.filter(state, pod, scene.node('y1'))?.reasons.join(), AFFINITY.slice(2));
  scene.plugin.preFilterExtensions.removePod(state, pod, new PodInfo(web), scene.node('x1'));
  t.is(scene.plugin.filter(state, pod, scene.node('y1')), undefined);
});

test('InterPodAffinity › says that PreFilter did not run', (t) => {
  const scene = new Scene(NODES);
  scene.cache.updateSnapshot(scene.snapshot);
  const pod = new PodInfo(testPod('pod'));
  const error = {
    code: 1,
    plugin: 'InterPodAffinity',
    reasons: ['error reading "PreFilterInterPodAffinity" from cycleState: not found'],
  };
  t.deepEqual(scene.plugin.filter(new CycleState(), pod, scene.node('x1')), error);
  t.deepEqual(scene.plugin.preFilterExtensions.addPod(new CycleState(), pod, pod, scene.node('x1')), error);
});
