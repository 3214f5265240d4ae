import test from 'ava';
import {
  getCondition,
  isPodAvailable,
  isPodReady,
  isPodTerminal,
  setCondition,
  setPodCondition,
} from '../../src/api/objects/conditions.js';
import type { Pod, PodCondition } from '../../src/api/objects/objects.js';
import { created } from './object-pipeline.js';

const READY: PodCondition = { type: 'Ready', status: 'True', lastTransitionTime: 't1' };
const SCHEDULED: PodCondition = { type: 'PodScheduled', status: 'True', lastTransitionTime: 't0' };

function podWith(...conditions: PodCondition[]): Pod {
  const pod = created('Pod', { metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'i' }] } });
  return { ...pod, status: { ...pod.status, conditions } };
}

test('a changed condition keeps its place, and its transition time while its status stays', (t) => {
  const conditions = [READY, SCHEDULED];
  t.deepEqual(setCondition(conditions, { type: 'Ready', status: 'True', reason: 'R', lastTransitionTime: 't2' }), [
    { type: 'Ready', status: 'True', reason: 'R', lastTransitionTime: 't1' },
    SCHEDULED,
  ]);
  t.deepEqual(setCondition(conditions, { type: 'Ready', status: 'False', lastTransitionTime: 't2' }), [
    { type: 'Ready', status: 'False', lastTransitionTime: 't2' },
    SCHEDULED,
  ]);
});

test('a new condition goes to the end and an equal one changes nothing', (t) => {
  t.deepEqual(setCondition(undefined, READY), [READY]);
  t.deepEqual(setCondition([SCHEDULED], READY), [SCHEDULED, READY]);
  const conditions = [READY, SCHEDULED];
  t.is(setCondition(conditions, { ...READY, lastTransitionTime: 't9' }), conditions);
});

test('conditions are found by type', (t) => {
  t.is(getCondition([READY, SCHEDULED], 'PodScheduled'), SCHEDULED);
  t.is(getCondition([READY], 'PodScheduled'), undefined);
  t.is(getCondition(undefined, 'Ready'), undefined);
});

test('a pod is available when it has been ready for long enough', (t) => {
  const pod = podWith({ ...READY, lastTransitionTime: '5' });
  const availableAt = (nowMs: number): boolean => isPodAvailable(pod, 10, nowMs, (text) => Number(text) * 1000);
  t.deepEqual([availableAt(14_999), availableAt(15_000)], [false, true]);
  t.true(isPodAvailable(podWith(READY), 0, 0, Number));
  t.false(isPodAvailable(podWith({ ...READY, status: 'False' }), 0, 1e9, Number));
});

test('readiness and the end of a pod are read off its status', (t) => {
  t.true(isPodReady(podWith(READY)));
  t.false(isPodReady(podWith(SCHEDULED)));
  const pod = podWith();
  t.deepEqual(
    (['Pending', 'Running', 'Succeeded', 'Failed'] as const).map((phase) =>
      isPodTerminal({ ...pod, status: { phase } }),
    ),
    [false, false, true, true],
  );
});

test("a pod's condition that differs in nothing but the generation which was seen is the same one", (t) => {
  const seen = [SCHEDULED, { ...READY, observedGeneration: 1 }];
  t.is(setPodCondition(seen, { ...READY, observedGeneration: 2 }), seen);
  t.is(setPodCondition(seen, READY), seen);
  t.deepEqual(setPodCondition(seen, { ...READY, reason: 'R', observedGeneration: 2 }), [
    SCHEDULED,
    { ...READY, reason: 'R', observedGeneration: 2 },
  ]);
  t.deepEqual(setPodCondition([SCHEDULED], READY), [SCHEDULED, READY]);
});
