import test from 'ava';
import type { core } from '../../../../src/api/objects/objects.js';
import { InvariantError } from '../../../../src/kernel/assert.js';
import {
  validateInterPodAffinityArgs,
  type InterPodAffinityArgs,
} from '../../../../src/scheduler/plugins/inter-pod-affinity/args.js';
import { stretchScores } from '../../../../src/scheduler/plugins/inter-pod-affinity/score-state.js';
import { testPod } from '../../support/objects.js';
import { affinePod, affinityOf, Scene, testNamespace, HOST, NODES, term, ZONE } from './scene.js';

function prefer(weight: number, topologyKey: string, app: string): core.WeightedPodAffinityTerm {
  return { weight, podAffinityTerm: term(topologyKey, app) };
}

function normalize(...scores: number[]): number[] {
  const values = Float64Array.from(scores);
  stretchScores(values);
  return [...values];
}

/** Raw scores near an existing pod that requires to be near the incoming one. */
function rawWith(args: InterPodAffinityArgs): unknown {
  const scene = new Scene(NODES, args);
  scene.place(affinePod('a', affinityOf({ near: [term(HOST, 'web')] })), 'x1');
  return scene.score(testPod('pod', { labels: { app: 'web' } }))?.raw;
}

test('InterPodAffinity › divides before it multiplies when it stretches scores', (t) => {
  t.deepEqual(normalize(0, 29, 100), [0, 28, 100]);
  t.deepEqual(normalize(7, 7, 7), [0, 0, 0]);
  t.deepEqual(normalize(-10, 0, 10), [0, 50, 100]);
  t.deepEqual(normalize(-5, -3), [0, 100]);
});

test('InterPodAffinity › adds up own preferences for each pod that matches, near and apart', (t) => {
  const scene = new Scene(NODES);
  scene.place(testPod('web-1', { labels: { app: 'web' } }), 'x1');
  scene.place(testPod('web-2', { labels: { app: 'web' } }), 'x2');
  scene.place(testPod('db', { labels: { app: 'db' } }), 'x2');
  const pod = affinePod(
    'pod',
    affinityOf({ preferNear: [prefer(10, ZONE, 'web'), prefer(1, HOST, 'web')], preferApart: [prefer(7, HOST, 'db')] }),
  );
  const expected = { raw: { x1: 21, x2: 14, y1: 0, bare: 0 }, normalized: { x1: 100, x2: 66, y1: 0, bare: 0 } };
  t.deepEqual(scene.score(pod), expected);
  t.deepEqual(scene.score(pod, undefined, true), expected);
});

test('InterPodAffinity › needs no match of all preferred terms at once', (t) => {
  const scene = new Scene(NODES);
  scene.place(testPod('web', { labels: { app: 'web' } }), 'x1');
  const pod = affinePod('pod', affinityOf({ preferNear: [prefer(10, ZONE, 'web'), prefer(5, ZONE, 'nobody')] }));
  t.deepEqual(scene.score(pod)?.raw, { x1: 10, x2: 10, y1: 0, bare: 0 });
});

test('InterPodAffinity › counts what existing pods prefer and require about the incoming pod', (t) => {
  const scene = new Scene(NODES, { hardPodAffinityWeight: 30 });
  scene.place(affinePod('a', affinityOf({ near: [term(ZONE, 'web')], preferNear: [prefer(4, HOST, 'web')] })), 'x1');
  scene.place(affinePod('b', affinityOf({ apart: [term(ZONE, 'web')], preferApart: [prefer(9, HOST, 'web')] })), 'y1');
  const expected = { x1: 34, x2: 30, y1: -9, bare: 0 };
  t.deepEqual(scene.score(testPod('pod', { labels: { app: 'web' } }))?.raw, expected);
  t.deepEqual(scene.score(testPod('pod', { labels: { app: 'web' } }), undefined, true)?.raw, expected);
  t.is(scene.score(testPod('pod', { labels: { app: 'db' } })), undefined);
});

test('InterPodAffinity › weighs required affinity of existing pods by 1 unless told otherwise, and not at all by 0', (t) => {
  t.deepEqual(rawWith({}), { x1: 1, x2: 0, y1: 0, bare: 0 });
  t.deepEqual(rawWith({ hardPodAffinityWeight: 100 }), { x1: 100, x2: 0, y1: 0, bare: 0 });
  t.is(rawWith({ hardPodAffinityWeight: 0 }), undefined);
});

test('InterPodAffinity › gives no score without a recorded term, but one whose weights cancel each other', (t) => {
  const scene = new Scene(NODES);
  const pod = affinePod(
    'pod',
    affinityOf({ preferNear: [prefer(5, ZONE, 'web')], preferApart: [prefer(5, ZONE, 'web')] }),
  );
  t.is(scene.score(pod), undefined);
  scene.place(testPod('web', { labels: { app: 'web' } }), 'bare');
  t.is(scene.score(pod), undefined);
  scene.place(testPod('web-2', { labels: { app: 'web' } }), 'x1');
  t.deepEqual(scene.score(pod), {
    raw: { x1: 0, x2: 0, y1: 0, bare: 0 },
    normalized: { x1: 0, x2: 0, y1: 0, bare: 0 },
  });
});

test('InterPodAffinity › stretches over the nodes that are scored, not over all', (t) => {
  const scene = new Scene(NODES);
  for (let index = 0; index < 3; index += 1) scene.place(testPod(`web-${index}`, { labels: { app: 'web' } }), 'y1');
  scene.place(testPod('web', { labels: { app: 'web' } }), 'x1');
  const pod = affinePod('pod', affinityOf({ preferNear: [prefer(10, HOST, 'web')] }));
  t.deepEqual(scene.score(pod, ['bare', 'x1']), { raw: { bare: 0, x1: 10 }, normalized: { bare: 0, x1: 100 } });
  t.deepEqual(scene.score(pod, ['x1', 'y1', 'bare'])?.normalized, { x1: 33, y1: 100, bare: 0 });
});

test('InterPodAffinity › ignores existing preferences, if told so, only for pods without their own', (t) => {
  const scene = new Scene(NODES, { ignorePreferredTermsOfExistingPods: true });
  scene.place(affinePod('a', affinityOf({ near: [term(HOST, 'web')], preferNear: [prefer(4, HOST, 'web')] })), 'x1');
  const labels = { app: 'web' };
  t.is(scene.score(testPod('pod', { labels })), undefined);
  t.is(scene.score(affinePod('pod', affinityOf({ near: [term(HOST, 'web')], preferNear: [] }), labels)), undefined);
  const own = affinityOf({ preferApart: [prefer(1, HOST, 'nobody')] });
  t.deepEqual(scene.score(affinePod('pod', own, labels))?.raw, { x1: 5, x2: 0, y1: 0, bare: 0 });
});

test('InterPodAffinity › resolves namespace selectors of preferred terms on both sides', (t) => {
  const scene = new Scene(NODES).declare(testNamespace('prod', { env: 'prod' }), testNamespace('dev', { env: 'dev' }));
  const namespaceSelector = { matchLabels: { env: 'prod' } };
  const preferNear = [{ weight: 10, podAffinityTerm: term(HOST, 'web', { namespaceSelector }) }];
  scene.place(testPod('web', { labels: { app: 'web' }, namespace: 'prod' }), 'x1');
  scene.place(testPod('web', { labels: { app: 'web' }, namespace: 'dev' }), 'x2');
  scene.place(affinePod('fan', affinityOf({ preferNear })), 'y1');
  t.deepEqual(scene.score(affinePod('pod', affinityOf({ preferNear }), {}, 'dev'))?.raw, {
    x1: 10,
    x2: 0,
    y1: 0,
    bare: 0,
  });
  t.deepEqual(scene.score(testPod('pod', { labels: { app: 'web' }, namespace: 'prod' }))?.raw, {
    x1: 0,
    x2: 0,
    y1: 10,
    bare: 0,
  });
  t.is(scene.score(testPod('pod', { labels: { app: 'web' }, namespace: 'dev' })), undefined);
});

test('InterPodAffinity › accepts hardPodAffinityWeight in 0..100 only', (t) => {
  t.deepEqual(validateInterPodAffinityArgs({}), []);
  t.deepEqual(validateInterPodAffinityArgs({ hardPodAffinityWeight: 0 }), []);
  t.deepEqual(validateInterPodAffinityArgs({ hardPodAffinityWeight: 100 }), []);
  t.deepEqual(validateInterPodAffinityArgs({ hardPodAffinityWeight: 101 }, 'args'), [
    {
      type: 'FieldValueInvalid',
      field: 'args.hardPodAffinityWeight',
      detail: 'Invalid value: 101: not in valid range [0, 100]',
    },
  ]);
  const error = t.throws(() => new Scene([], { hardPodAffinityWeight: -1 }), { instanceOf: InvariantError });
  t.is(error.message, 'InterPodAffinityArgs: hardPodAffinityWeight: Invalid value: -1: not in valid range [0, 100]');
});
