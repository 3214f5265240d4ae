import test from 'ava';
import type { Container, Pod, PodSpec } from '../../../src/api/objects/objects.js';
import { shapeOf } from '../../../src/scheduler/framework/pod-shape.js';

/** A pod that shares no object with any other. */
function podOf(spec: Partial<PodSpec>, namespace = 'default', labels?: Record<string, string>): Pod {
  const metadata = { name: 'p', namespace, uid: 'u', resourceVersion: '1', creationTimestamp: '' };
  const containers: Container[] = [{ name: 'c', image: 'pause' }];
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: labels === undefined ? metadata : { ...metadata, labels },
    spec: { containers, ...spec },
    status: { phase: 'Pending' },
  };
  return structuredClone(pod) as Pod;
}

function container(image: string, more: Partial<Container> = {}): Container {
  return { name: 'c', image, ...more };
}

const SPECS: readonly (readonly [what: string, spec: Partial<PodSpec>])[] = [
  ['nothing', {}],
  ['two containers', { containers: [container('pause'), container('Always')] }],
  ['a restart policy', { containers: [container('pause', { restartPolicy: 'Always' })] }],
  ['an init container', { initContainers: [container('Always')] }],
  ['a host port', { containers: [container('pause', { ports: [{ containerPort: 80, hostPort: 80 }] })] }],
  ['a toleration', { tolerations: [{ key: 'a', operator: 'Exists' }] }],
  ['a node selector', { nodeSelector: { a: 'b' } }],
  ['an empty node selector', { nodeSelector: {} }],
  ['a volume', { volumes: [{ name: 'v', emptyDir: {} }] }],
  ['an affinity', { affinity: { podAntiAffinity: {} } }],
];
const REQUESTS: readonly (readonly [what: string, spec: Partial<PodSpec>])[] = [
  ['a request', { containers: [container('pause', { resources: { requests: { cpu: '1' } } })] }],
  ['another request', { containers: [container('pause', { resources: { requests: { cpu: '2' } } })] }],
  ['overhead', { overhead: { cpu: '1' } }],
  ['a request of the pod', { resources: { requests: { cpu: '1' } } }],
];

test('the shape of a pod › is the same for equal content that is not shared', (t) => {
  for (const [what, spec] of [...SPECS, ...REQUESTS]) {
    t.is(shapeOf(podOf(spec, 'default', { app: 'a' })), shapeOf(podOf(spec, 'default', { app: 'a' })), what);
  }
});

test('the shape of a pod › differs with everything that scheduling reads', (t) => {
  const pods = [...SPECS, ...REQUESTS].map(([, spec]) => podOf(spec));
  const ids = [...pods, podOf({}, 'other'), podOf({}, 'default', { app: 'a' })].map((pod) => shapeOf(pod).id);
  t.is(new Set(ids).size, ids.length);
});

test('the shape of a pod › has the outline of the pods that differ in requests alone', (t) => {
  const outline = shapeOf(podOf({})).outlineId;
  for (const [what, spec] of REQUESTS) t.is(shapeOf(podOf(spec)).outlineId, outline, what);
  const outlines = SPECS.map(([, spec]) => shapeOf(podOf(spec)).outlineId);
  t.is(new Set(outlines).size, SPECS.length);
});

test('the shape of a pod › counts for scores what each container lacks, and leaves requests of the pod aside', (t) => {
  const { usage, scoreRequests } = shapeOf(
    podOf({
      containers: [container('pause', { resources: { requests: { cpu: '300m' } } }), container('pause')],
      resources: { requests: { cpu: '2', memory: '1Gi' } },
    }),
  );
  t.deepEqual([scoreRequests.cpuMillis, scoreRequests.memoryBytes], [400, 400 * 2 ** 20]);
  t.deepEqual([usage.requests.cpuMillis, usage.nonZeroCpuMillis, usage.nonZeroMemoryBytes], [2000, 2000, 2 ** 30]);
  const plain = shapeOf(podOf({ containers: [container('pause', { resources: { requests: { cpu: '300m' } } })] }));
  t.deepEqual([plain.usage.requests.cpuMillis, plain.usage.nonZeroMemoryBytes], [300, 200 * 2 ** 20]);
  t.deepEqual([plain.scoreRequests.cpuMillis, plain.scoreRequests.memoryBytes], [300, 200 * 2 ** 20]);
});
