import test from 'ava';
import type { Pod } from '../../../src/api/objects/objects.js';
import { effectiveGraceSeconds } from '../../../src/kubelet/pods/pod-grace.js';

function pod(spec: number | undefined, asked?: number): Pod {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: 'p',
      uid: 'u',
      resourceVersion: '1',
      creationTimestamp: '',
      ...(asked === undefined ? {} : { deletionGracePeriodSeconds: asked }),
    },
    spec: { containers: [], ...(spec === undefined ? {} : { terminationGracePeriodSeconds: spec }) },
    status: { phase: 'Running' },
  };
}

test('the grace that was asked for wins over the spec, 0 means that only the object goes at once', (t) => {
  t.is(effectiveGraceSeconds(pod(30)), 30);
  t.is(effectiveGraceSeconds(pod(30, 5)), 5);
  t.is(effectiveGraceSeconds(pod(30, 60)), 60);
  t.is(effectiveGraceSeconds(pod(30, 0)), 30);
});

test('the grace period is at least one second', (t) => {
  t.is(effectiveGraceSeconds(pod(0)), 1);
  t.is(effectiveGraceSeconds(pod(undefined, 0)), 1);
});

test('during a termination the grace period only becomes shorter', (t) => {
  t.is(effectiveGraceSeconds(pod(30, 60), 20), 20);
  t.is(effectiveGraceSeconds(pod(30, 5), 20), 5);
  t.is(effectiveGraceSeconds(pod(30, 0), 20), 20);
});
