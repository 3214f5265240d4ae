import test from 'ava';
import type { Binding } from '../../src/apiserver/store/server-types.js';
import { createFixture, podDraft, refusal } from './fixtures.js';

const P = { namespace: 'default', name: 'p' };
const toNode = (metadata: object = P): Binding => ({
  metadata: metadata as Binding['metadata'],
  target: { kind: 'Node', name: 'n1' },
});

test('bind › writes node, annotations and PodScheduled in one state and leaves the generation', async (t) => {
  const { server, at } = createFixture();
  const pod = server.create('Pod', podDraft('p', {}, { annotations: { x: '1' } }));
  await at(2500);
  const bound = server.bind(toNode({ ...P, annotations: { a: 'b' } }));
  t.deepEqual(bound, {
    ...pod,
    metadata: { ...pod.metadata, annotations: { x: '1', a: 'b' }, resourceVersion: String(server.version) },
    spec: { ...pod.spec, nodeName: 'n1' },
    status: {
      ...pod.status,
      conditions: [
        { type: 'PodScheduled', status: 'True', lastProbeTime: null, lastTransitionTime: '2030-01-01T00:00:02Z' },
      ],
    },
  });
});

test('bind › replaces an earlier PodScheduled in its place and keeps the nominated node', (t) => {
  const { server } = createFixture();
  server.create('Pod', podDraft('p'));
  const conditions = [
    { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', lastTransitionTime: '2029-01-01T00:00:00Z' },
    { type: 'Other', status: 'True' },
  ] as const;
  server.change('Pod', P, (pod) => ({ ...pod, status: { ...pod.status, nominatedNodeName: 'n9', conditions } }), {
    subresource: 'status',
  });
  const { status } = server.bind(toNode());
  t.is(status.nominatedNodeName, 'n9');
  t.deepEqual(
    status.conditions?.map(({ type, status: value, reason }) => [type, value, reason]),
    [
      ['PodScheduled', 'True', undefined],
      ['Other', 'True', undefined],
    ],
  );
});

test('bind › does not ask whether the node exists', (t) => {
  const { server } = createFixture();
  server.create('Pod', podDraft('p'));
  t.is(server.bind({ metadata: P, target: { name: 'nonode' } }).spec.nodeName, 'nonode');
});

test('bind › refuses in this order: target, pod, preconditions, deleted, assigned, gated', (t) => {
  const { server } = createFixture();
  const bind = (binding: Binding) => refusal(t, () => server.bind(binding));
  t.deepEqual(bind({ metadata: P, target: { kind: 'Node', name: '' } }), {
    code: 500,
    reason: undefined,
    message: 'target.name: Required value',
  });
  t.deepEqual(bind({ metadata: P, target: { kind: 'Pod', name: 'x' } }), {
    code: 500,
    reason: undefined,
    message: 'target.kind: Unsupported value: "Pod": supported values: "Node", "<empty>"',
  });
  t.deepEqual(bind(toNode()), { code: 404, reason: 'NotFound', message: 'pods "p" not found' });
  const gated = server.create(
    'Pod',
    podDraft('p', { schedulingGates: [{ name: 'a.b/c' }] }, { finalizers: ['x.y/z'] }),
  );
  t.is(
    bind(toNode()).message,
    'Operation cannot be fulfilled on pods/binding "p": pod p has non-empty .spec.schedulingGates',
  );
  const storage =
    'Operation cannot be fulfilled on pods "p": StorageError: invalid object, Code: 4, Key: /registry/pods/default/p';
  t.is(
    bind(toNode({ ...P, uid: 'u' })).message,
    `${storage}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: u, UID in object meta: ${gated.metadata.uid}`,
  );
  t.is(
    bind(toNode({ ...P, resourceVersion: '1' })).message,
    `${storage}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: ResourceVersion in precondition: 1, ResourceVersion in object meta: ${gated.metadata.resourceVersion}`,
  );
  server.patch('Pod', P, { type: 'merge', body: { spec: { schedulingGates: null } } });
  server.bind(toNode());
  t.is(
    bind(toNode()).message,
    'Operation cannot be fulfilled on pods/binding "p": pod p is already assigned to node "n1"',
  );
  server.delete('Pod', P);
  t.deepEqual(bind(toNode()), {
    code: 409,
    reason: 'Conflict',
    message: 'Operation cannot be fulfilled on pods/binding "p": pod p is being deleted, cannot be assigned to a host',
  });
});
