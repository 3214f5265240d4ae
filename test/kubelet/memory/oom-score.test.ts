import test from 'ava';
import type { Container, Draft, Pod } from '../../../src/api/objects/objects.js';
import { oomBadness, oomScoreAdjust } from '../../../src/kubelet/memory/oom-score.js';

const MACHINE = 8_000_000_000;

function container(name: string, memory?: string, more: Draft = {}): Container {
  const resources = memory === undefined ? {} : { requests: { memory } };
  return { name, image: 'x', resources, ...more };
}

/** The adjustments of all containers of a pod, init containers first. */
function adjusts(spec: Draft): readonly number[] {
  const pod = { metadata: { name: 'p' }, spec } as unknown as Pod;
  const { initContainers = [], containers } = pod.spec;
  return [...initContainers, ...containers].map((each) => oomScoreAdjust(pod, each, MACHINE));
}

// The cases of pkg/kubelet/qos/policy_test.go (v1.34), by the rule that each stands for.
test('Guaranteed is spared, BestEffort is not, Burstable by the share that it does not ask for', (t) => {
  const limits = { cpu: '1', memory: '1G' };
  t.deepEqual(
    adjusts({ containers: [container('a', undefined, { resources: { limits, requests: limits } })] }),
    [-997],
  );
  t.deepEqual(adjusts({ containers: [container('a')] }), [1000]);
  t.deepEqual(adjusts({ containers: [container('a', '4G'), container('b', '2G')] }), [500, 750]);
});

test('Burstable lies between 3 and 999', (t) => {
  const cpu = { resources: { requests: { cpu: '1' } } };
  t.deepEqual(adjusts({ containers: [container('a', '1'), container('b', undefined, cpu)] }), [999, 999]);
  t.deepEqual(adjusts({ containers: [container('a', '7999999999')] }), [3]);
});

test('a pod of the class system-node-critical is spared', (t) => {
  const spec = { priority: 2_000_001_000, priorityClassName: 'system-node-critical' };
  t.deepEqual(adjusts({ ...spec, containers: [container('a')] }), [-997]);
  t.deepEqual(
    adjusts({ priority: 2_000_000_000, priorityClassName: 'system-cluster-critical', containers: [container('a')] }),
    [1000],
  );
});

test('a sidecar goes no earlier than the app container that asks for least; other init containers do', (t) => {
  const initContainers = [container('s', '1M', { restartPolicy: 'Always' }), container('i', '1M')];
  t.deepEqual(
    adjusts({ initContainers, containers: [container('a', '4G'), container('b', '2G')] }),
    [750, 999, 500, 750],
  );
});

test('memory that a pod requests beyond its containers is shared among them', (t) => {
  const containers = [container('a', '1G'), container('b')];
  t.deepEqual(adjusts({ containers, resources: { requests: { memory: '3G' } } }), [750, 875]);
});

test('the score adds the pages in use to thousandths of all pages', (t) => {
  t.is(oomBadness(4096 * 10 + 1, 0, 4096 * 1000), 11);
  t.is(oomBadness(0, 1000, 4096 * 2500), 2000);
  t.is(oomBadness(4096, -997, 4096 * 1000), -996);
});
