import test from 'ava';
import { ApiError } from '../../../src/api/errors/api-error.js';
import type { Pod } from '../../../src/api/objects/objects.js';
import { createFixture, podDraft, refusal } from '../fixtures.js';

test('namespaces › four exist from the start, named by label', (t) => {
  const { server } = createFixture();
  t.deepEqual(
    server.list('Namespace').items.map(({ metadata, spec, status }) => [metadata.name, metadata.labels, spec, status]),
    ['default', 'kube-node-lease', 'kube-public', 'kube-system'].map((name) => [
      name,
      { 'kubernetes.io/metadata.name': name },
      { finalizers: ['kubernetes'] },
      { phase: 'Active' },
    ]),
  );
});

test('namespaces › those that the cluster needs cannot be deleted', (t) => {
  const { server } = createFixture();
  for (const name of ['default', 'kube-system', 'kube-public']) {
    t.deepEqual(
      refusal(t, () => server.delete('Namespace', { name })),
      {
        code: 403,
        reason: 'Forbidden',
        message: `namespaces "${name}" is forbidden: this namespace may not be deleted`,
      },
    );
  }
});

test('namespaces › one that does not exist takes nothing', (t) => {
  const { server } = createFixture();
  const error = t.throws(() => server.create('Pod', podDraft('p', {}, { namespace: 'nowhere' })), {
    instanceOf: ApiError,
  });
  t.deepEqual(error.toStatus(), {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: 'namespaces "nowhere" not found',
    reason: 'NotFound',
    details: { name: 'nowhere', kind: 'namespaces' },
    code: 404,
  });
});

test('namespaces › the cause of a terminating one is named', (t) => {
  const { server } = createFixture();
  server.create('Namespace', { metadata: { name: 'x' } });
  server.delete('Namespace', { name: 'x' });
  const error = t.throws(() => server.create('Pod', podDraft('p', {}, { namespace: 'x' })), { instanceOf: ApiError });
  t.deepEqual(error.details, {
    name: 'p',
    kind: 'pods',
    causes: [
      { reason: 'NamespaceTerminating', message: 'namespace x is being terminated', field: 'metadata.namespace' },
    ],
  });
});

const DEFAULT_TOLERATIONS = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'].map((key) => ({
  key,
  operator: 'Exists',
  effect: 'NoExecute',
  tolerationSeconds: 300,
}));

test('7.13 › pods get a service account, a priority and default tolerations', (t) => {
  const { server } = createFixture();
  const { spec } = server.create('Pod', podDraft('p'));
  const { serviceAccountName, serviceAccount, priority, preemptionPolicy, priorityClassName, tolerations } = spec;
  t.deepEqual(
    { serviceAccountName, serviceAccount, priority, preemptionPolicy, priorityClassName, tolerations },
    {
      serviceAccountName: 'default',
      serviceAccount: 'default',
      priority: 0,
      preemptionPolicy: 'PreemptLowerPriority',
      priorityClassName: undefined,
      tolerations: DEFAULT_TOLERATIONS,
    },
  );
});

test('tolerations › those that are there already are not added', (t) => {
  const { server } = createFixture();
  const tolerations = (given: object[]): unknown =>
    server.create('Pod', podDraft('', { tolerations: given }, { name: undefined, generateName: 'p-' })).spec
      .tolerations;
  const [notReady, unreachable] = DEFAULT_TOLERATIONS;
  const other = { key: 'x', operator: 'Exists' };
  t.deepEqual(tolerations([other]), [other, notReady, unreachable]);
  const own = { key: 'node.kubernetes.io/unreachable', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 5 };
  t.deepEqual(tolerations([own]), [own, notReady]);
  const all = { operator: 'Exists' };
  t.deepEqual(tolerations([all]), [all]);
  const noSchedule = { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoSchedule' };
  t.deepEqual(tolerations([noSchedule]), [noSchedule, notReady, unreachable]);
});

test('priority › two classes exist from the start and cannot be deleted', (t) => {
  const { server } = createFixture();
  t.deepEqual(
    server.list('PriorityClass').items.map(({ metadata, value }) => [metadata.name, value]),
    [
      ['system-cluster-critical', 2_000_000_000],
      ['system-node-critical', 2_000_001_000],
    ],
  );
  t.is(
    refusal(t, () => server.delete('PriorityClass', { name: 'system-node-critical' })).message,
    'priorityclasses.scheduling.k8s.io "system-node-critical" is forbidden: this is a system priority class and cannot be deleted',
  );
});

test('priority › comes from the named class, and contradictions are refused', (t) => {
  const { server } = createFixture();
  server.create('PriorityClass', { metadata: { name: 'hi' }, value: 1000, preemptionPolicy: 'Never' });
  const create = (spec: object): Pod =>
    server.create('Pod', podDraft('', spec, { name: undefined, generateName: 'p-' }));
  const { spec } = create({ priorityClassName: 'hi' });
  t.deepEqual([spec.priority, spec.preemptionPolicy], [1000, 'Never']);
  t.is(create({ priorityClassName: 'hi', priority: 1000, preemptionPolicy: 'Never' }).spec.priority, 1000);
  const refused = (given: object) => refusal(t, () => server.create('Pod', podDraft('p', given))).message;
  t.is(refused({ priorityClassName: 'nope' }), 'pods "p" is forbidden: no PriorityClass with name nope was found');
  t.is(
    refused({ priorityClassName: 'hi', priority: 1 }),
    'pods "p" is forbidden: the integer value of priority (1) must not be provided in pod spec; priority admission controller computed 1000 from the given PriorityClass name',
  );
  t.is(
    refused({ priorityClassName: 'hi', preemptionPolicy: 'PreemptLowerPriority' }),
    'pods "p" is forbidden: the string value of PreemptionPolicy (PreemptLowerPriority) must not be provided in pod spec; priority admission controller computed Never from the given PriorityClass name',
  );
});

test('priority › a default class serves pods that name none, as long as it exists', (t) => {
  const { server } = createFixture();
  const { spec } = podDraft('x');
  const create = (name: string): Pod => server.create('Pod', { metadata: { name }, spec });
  t.is(create('before').spec.priority, 0);
  server.create('PriorityClass', { metadata: { name: 'gd' }, value: 7, globalDefault: true });
  const during = create('during').spec;
  t.deepEqual([during.priorityClassName, during.priority], ['gd', 7]);
  const second = { metadata: { name: 'gd2' }, value: 8, globalDefault: true };
  const text =
    'priorityclasses.scheduling.k8s.io "gd2" is forbidden: PriorityClass gd is already marked as default. Only one default can exist';
  t.is(refusal(t, () => server.create('PriorityClass', second)).message, text);
  server.create('PriorityClass', { ...second, globalDefault: false });
  t.is(
    refusal(t, () => server.patch('PriorityClass', { name: 'gd2' }, { type: 'merge', body: { globalDefault: true } }))
      .message,
    text,
  );
  server.delete('PriorityClass', { name: 'gd' });
  t.is(create('after').spec.priority, 0);
  t.is(server.get('Pod', { namespace: 'default', name: 'during' }).spec.priority, 7);
});

test('priority › classes keep to their range and names', (t) => {
  const { server } = createFixture();
  const refused = (name: string, value: number) =>
    refusal(t, () => server.create('PriorityClass', { metadata: { name }, value })).message;
  t.is(
    refused('th', 1_000_000_001),
    'PriorityClass.scheduling.k8s.io "th" is invalid: value: Forbidden: maximum allowed value of a user defined priority is 1000000000',
  );
  t.is(
    refused('system-foo', 5),
    `PriorityClass.scheduling.k8s.io "system-foo" is invalid: metadata.name: Forbidden: priority class names with 'system-' prefix are reserved for system use only. error: system-foo is not a known system priority class`,
  );
});

test('nodes › are tainted not-ready until a controller has seen that they are ready', (t) => {
  const { server } = createFixture();
  const notReady = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' };
  t.deepEqual(server.create('Node', { metadata: { name: 'a' } }).spec.taints, [notReady]);
  const other = { key: 'x', effect: 'NoExecute' };
  t.deepEqual(server.create('Node', { metadata: { name: 'b' }, spec: { taints: [other] } }).spec.taints, [
    other,
    notReady,
  ]);
  t.deepEqual(server.create('Node', { metadata: { name: 'c' }, spec: { taints: [notReady] } }).spec.taints, [notReady]);
});

test('services › get a cluster IP of their own, which comes back when they go', (t) => {
  const { server } = createFixture();
  const create = (name: string, spec: object = {}) =>
    server.create('Service', { metadata: { name }, spec: { selector: { a: 'b' }, ports: [{ port: 80 }], ...spec } })
      .spec;
  const a = create('a');
  const b = create('b');
  t.regex(a.clusterIP ?? '', /^10\.(9[6-9]|10\d|11[01])\.\d+\.\d+$/);
  t.not(a.clusterIP, b.clusterIP);
  t.deepEqual([a.clusterIPs, a.ipFamilies, a.ipFamilyPolicy], [[a.clusterIP], ['IPv4'], 'SingleStack']);
  t.deepEqual([create('h', { clusterIP: 'None' }).clusterIPs], [['None']]);
  t.is(create('own', { clusterIP: '10.96.0.10' }).clusterIP, '10.96.0.10');
  t.is(
    refusal(t, () => create('same', { clusterIP: '10.96.0.10' })).message,
    'Service "same" is invalid: spec.clusterIPs: Invalid value: ["10.96.0.10"]: failed to allocate IP 10.96.0.10: provided IP is already allocated',
  );
  server.delete('Service', { namespace: 'default', name: 'own' });
  t.is(create('same', { clusterIP: '10.96.0.10' }).clusterIP, '10.96.0.10');
  const updated = server.update('Service', {
    metadata: { name: 'a' },
    spec: { selector: { a: 'c' }, ports: [{ port: 80 }] },
  });
  t.is(updated.spec.clusterIP, a.clusterIP);
});

test('8.18 › a pod acts only as a service account that exists', (t) => {
  const { server } = createFixture();
  const draft = podDraft('x', { serviceAccountName: 'robot' });
  t.deepEqual(
    refusal(t, () => server.create('Pod', draft)),
    {
      code: 403,
      reason: 'Forbidden',
      message:
        'pods "x" is forbidden: error looking up service account default/robot: serviceaccount "robot" not found',
    },
  );
  server.create('ServiceAccount', { metadata: { name: 'robot', namespace: 'kube-system' } });
  t.throws(() => server.create('Pod', draft), { instanceOf: ApiError });
  server.create('ServiceAccount', { metadata: { name: 'robot' } });
  const { spec } = server.create('Pod', draft);
  t.deepEqual([spec.serviceAccountName, spec.serviceAccount], ['robot', 'robot']);
});
