import test from 'ava';
import type { core } from '../../../src/api/objects/objects.js';
import { shapeOf, type PodShape } from '../../../src/scheduler/framework/pod-shape.js';
import { testPod } from '../support/objects.js';

function shapeWith(volume: Omit<core.Volume, 'name'>): PodShape {
  return shapeOf(testPod('p', { spec: { volumes: [{ name: 'data', ...volume }] } }));
}

test('pods with different claims have one outline, and a shape each', (t) => {
  const [a, b] = [
    shapeWith({ persistentVolumeClaim: { claimName: 'a' } }),
    shapeWith({ persistentVolumeClaim: { claimName: 'b' } }),
  ];
  t.is(a.outlineId, b.outlineId);
  t.not(a.id, b.id);
  t.is(shapeWith({ persistentVolumeClaim: { claimName: 'a' } }), a);
});

test('pods with volumes of different kinds, or without any, have different outlines', (t) => {
  const outlines = [
    shapeWith({ persistentVolumeClaim: { claimName: 'a' } }),
    shapeWith({ emptyDir: {} }),
    shapeWith({ ephemeral: { volumeClaimTemplate: { spec: {} } } }),
    shapeOf(testPod('p')),
  ].map(({ outlineId }) => outlineId);
  t.is(new Set(outlines).size, outlines.length);
});
