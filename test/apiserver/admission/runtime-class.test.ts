/** What a runtime class gives the pods that name it. */
import test from 'ava';
import { createCluster } from '../../../src/index.js';
import type { Draft } from '../../../src/api/objects/objects.js';
import { createFixture } from '../fixtures.js';

const GVISOR = {
  metadata: { name: 'gvisor' },
  handler: 'runsc',
  overhead: { podFixed: { cpu: '250m', memory: '120Mi' } },
  scheduling: {
    nodeSelector: { sandbox: 'yes' },
    tolerations: [{ key: 'sandbox', operator: 'Exists', effect: 'NoSchedule' }],
  },
};

function podWith(spec: Draft): Draft {
  return { metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'x' }], ...spec } };
}

test('a pod of a class › has its overhead, its node selector and its tolerations', (t) => {
  const { server } = createFixture();
  server.create('RuntimeClass', GVISOR);
  const own = { key: 'mine', operator: 'Equal', value: 'x', effect: 'NoSchedule' };
  const { spec } = server.create(
    'Pod',
    podWith({ runtimeClassName: 'gvisor', nodeSelector: { zone: 'a' }, tolerations: [own] }),
  );
  t.deepEqual(spec.overhead, { cpu: '250m', memory: '120Mi' });
  t.deepEqual(spec.nodeSelector, { zone: 'a', sandbox: 'yes' });
  t.deepEqual(
    spec.tolerations?.map(({ key }) => key),
    ['mine', 'node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable', 'sandbox'],
  );
});

test('of two tolerations › the one that covers the other stays', (t) => {
  const { server } = createFixture();
  const all = { operator: 'Exists', effect: 'NoSchedule' };
  server.create('RuntimeClass', { metadata: { name: 'all' }, handler: 'h', scheduling: { tolerations: [all] } });
  const own = { key: 'mine', operator: 'Equal', value: 'x', effect: 'NoSchedule' };
  const { spec } = server.create('Pod', podWith({ runtimeClassName: 'all', tolerations: [own] }));
  t.deepEqual(
    spec.tolerations?.map(({ key = '' }) => key),
    ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable', ''],
  );
});

for (const [what, spec, text] of [
  ['an unknown class', { runtimeClassName: 'kata' }, 'pod rejected: RuntimeClass "kata" not found'],
  [
    'another overhead than that of the class',
    { runtimeClassName: 'gvisor', overhead: { cpu: '1' } },
    "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead",
  ],
  [
    'an overhead without a class',
    { overhead: { cpu: '250m' } },
    'pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead',
  ],
  [
    'another value of a label than that of the class',
    { runtimeClassName: 'gvisor', nodeSelector: { sandbox: 'no' } },
    'conflict: runtimeClass.scheduling.nodeSelector[sandbox] = yes; pod.spec.nodeSelector[sandbox] = no',
  ],
] as const) {
  test(`${what} › ${text}`, (t) => {
    const { server } = createFixture();
    server.create('RuntimeClass', GVISOR);
    t.throws(() => server.create('Pod', podWith(spec)), { message: `pods "p" is forbidden: ${text}` });
  });
}

test('the overhead in other words › is the same overhead', (t) => {
  const { server } = createFixture();
  server.create('RuntimeClass', GVISOR);
  t.notThrows(() =>
    server.create('Pod', podWith({ runtimeClassName: 'gvisor', overhead: { cpu: '0.25', memory: '120Mi' } })),
  );
});

test('a class › is checked as upstream checks it', (t) => {
  const { server } = createFixture();
  t.throws(() => server.create('RuntimeClass', { metadata: { name: 'r' } }), { message: /handler: Invalid value: ""/ });
  const stored = server.create('RuntimeClass', { metadata: { name: 'r' }, handler: 'a' });
  t.throws(() => server.update('RuntimeClass', { ...stored, handler: 'b' }), {
    message: 'RuntimeClass.node.k8s.io "r" is invalid: handler: Invalid value: "b": field is immutable',
  });
});

test('the scheduler › counts the overhead', async (t) => {
  const cluster = createCluster({ nodes: [{ count: 1, allocatable: { cpu: '1', memory: '1Gi', pods: '10' } }] });
  await cluster.ready();
  cluster.create('RuntimeClass', { metadata: { name: 'big' }, handler: 'h', overhead: { podFixed: { cpu: '2' } } });
  cluster.create('Pod', podWith({ runtimeClassName: 'big' }));
  await cluster.run({ limit: '5s' });
  t.is(cluster.unschedulable()[0]?.reason, 'Insufficient cpu');
  await cluster.dispose();
});
