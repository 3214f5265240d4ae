import test from 'ava';
import { createRoom } from './ask.js';

test('plain kinds › are stored, defaulted, checked for their fields and served', (t) => {
  const { ask } = createRoom();
  const path = '/apis/networking.k8s.io/v1/namespaces/default/networkpolicies';
  const { status, body } = ask('POST', path, {
    body: { metadata: { name: 'p' }, spec: { podSelector: {}, egress: [{}] } },
  });
  t.is(status, 201);
  t.deepEqual((body as { readonly spec: object }).spec, {
    podSelector: {},
    egress: [{}],
    policyTypes: ['Ingress', 'Egress'],
  });
  const bad = ask('POST', `${path}?fieldValidation=Strict`, { body: { metadata: { name: 'q' }, spec: { colour: 1 } } });
  t.is(bad.status, 400);
});

test('plain kinds › names of roles may hold colons, as those of Kubernetes do', (t) => {
  const { ask } = createRoom();
  const path = '/apis/rbac.authorization.k8s.io/v1/clusterroles';
  t.is(ask('POST', path, { body: { metadata: { name: 'system:a' }, rules: [] } }).status, 201);
  t.is(ask('GET', `${path}/system:a`).status, 200);
  const body = {
    metadata: { name: 'b' },
    roleRef: { kind: 'ClusterRole', name: 'system:a' },
    subjects: [{ kind: 'User', name: 'u' }],
  };
  const binding = ask('POST', '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', { body }).body as typeof body;
  t.deepEqual(binding.roleRef as object, {
    apiGroup: 'rbac.authorization.k8s.io',
    kind: 'ClusterRole',
    name: 'system:a',
  });
});

test('plain kinds › an empty text of a typed client of Go is one that was not stated', (t) => {
  const { ask } = createRoom();
  const body = {
    metadata: { name: 'b' },
    roleRef: { apiGroup: '', kind: 'Role', name: 'reader' },
    subjects: [{ apiGroup: '', kind: 'Group', name: 'g' }],
  };
  const path = '/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings';
  const apiGroup = 'rbac.authorization.k8s.io';
  t.like(ask('POST', path, { body }).body, {
    roleRef: { apiGroup, kind: 'Role', name: 'reader' },
    subjects: [{ apiGroup, kind: 'Group', name: 'g' }],
  });
  const policies = '/apis/networking.k8s.io/v1/namespaces/default/networkpolicies';
  const policy = { metadata: { name: 'p' }, spec: { podSelector: {}, policyTypes: [], egress: [] } };
  t.like(ask('POST', policies, { body: policy }).body, { spec: { policyTypes: ['Ingress'] } });
});

test('plain kinds › what Go shows though it is empty is shown, what it leaves out is not', (t) => {
  const { ask } = createRoom();
  const path = '/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers';
  const spec = { maxReplicas: 3, scaleTargetRef: { kind: 'Deployment', name: 'd', apiVersion: 'apps/v1' } };
  const { body } = ask('POST', path, { body: { metadata: { name: 'h' }, spec } });
  const shown = body as { readonly spec: { readonly minReplicas: number }; readonly status: object };
  t.is(shown.spec.minReplicas, 1);
  t.deepEqual(shown.status, { desiredReplicas: 0, currentMetrics: null });
});

test('events › are shown in both groups, each with its own names', (t) => {
  const { ask } = createRoom();
  const body = {
    metadata: { name: 'e' },
    involvedObject: { kind: 'Pod', name: 'p', namespace: 'default' },
    reason: 'Started',
    message: 'm',
    type: 'Normal',
    source: { component: 'k' },
  };
  t.is(ask('POST', '/api/v1/namespaces/default/events', { body }).status, 201);
  const shown = ask('GET', '/apis/events.k8s.io/v1/namespaces/default/events/e').body as Readonly<
    Record<string, unknown>
  >;
  t.deepEqual(
    [shown['apiVersion'], shown['note'], shown['regarding'], shown['deprecatedSource']],
    ['events.k8s.io/v1', 'm', body.involvedObject, body.source],
  );
});

test('plain kinds › lists that are empty and always shown are null once they are stored', (t) => {
  const { ask } = createRoom();
  const rolePath = '/apis/rbac.authorization.k8s.io/v1/clusterroles';
  const role = ask('POST', rolePath, { body: { metadata: { name: 'a' }, rules: [] } }).body;
  t.is((role as { readonly rules: unknown }).rules, null);
  const slicePath = '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices';
  const slice = ask('POST', slicePath, {
    body: { metadata: { name: 'a' }, addressType: 'IPv4', endpoints: [], ports: [] },
  }).body;
  const { endpoints, ports } = slice as Readonly<Record<string, unknown>>;
  t.deepEqual([endpoints, ports], [null, null]);
});

test('plain kinds › amounts of limits and quotas are kept in canonical texts', (t) => {
  const { ask } = createRoom();
  const limit = { type: 'Container', default: { cpu: '1.5' }, max: { memory: '1.5Gi' } };
  const ranges = ask('POST', '/api/v1/namespaces/default/limitranges', {
    body: { metadata: { name: 'a' }, spec: { limits: [limit] } },
  });
  const amounts = { cpu: '1500m', memory: '1536Mi' };
  t.deepEqual((ranges.body as { readonly spec: object }).spec, {
    limits: [{ type: 'Container', default: amounts, defaultRequest: amounts, max: { memory: '1536Mi' } }],
  });
  const quota = ask('POST', '/api/v1/namespaces/default/resourcequotas', {
    body: { metadata: { name: 'a' }, spec: { hard: { 'limits.cpu': '1.5' } } },
  });
  t.deepEqual((quota.body as { readonly spec: object }).spec, { hard: { 'limits.cpu': '1500m' } });
});
