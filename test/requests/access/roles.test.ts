/** What the roles of every cluster allow, and which users may grant what; texts as kube-apiserver 1.34.2 answers. */
import test from 'ava';
import { placeDefaultRoles } from '../../../src/assembly/default-roles.js';
import { createRoom, PODS, type Question, type Room } from '../ask.js';

const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const ROLES = `${RBAC}/namespaces/default/roles`;
const BINDINGS = `${RBAC}/namespaces/default/rolebindings`;
const GROUP = 'rbac.authorization.k8s.io';

const as = (name: string, body?: unknown): Question => ({ headers: { 'impersonate-user': name }, body });

/** A room with the roles of every cluster, in which jane is bound to some of them in the namespace default. */
function roomFor(...roles: string[]): Room {
  const room = createRoom();
  placeDefaultRoles(room.server, '2024-01-01T00:00:00Z');
  for (const role of roles) room.ask('POST', BINDINGS, { body: bindingOf(role, 'jane') });
  return room;
}

function bindingOf(role: string, user: string, name = `${user}-${role}`): object {
  return {
    metadata: { name },
    roleRef: { apiGroup: GROUP, kind: 'ClusterRole', name: role },
    subjects: [{ kind: 'User', name: user, apiGroup: GROUP }],
  };
}

function roleOf(...rules: object[]): object {
  return { metadata: { name: 'r' }, rules };
}

function messageOf(body: unknown): string {
  return (body as { readonly message: string }).message;
}

const NOT_HELD =
  'user "jane" (groups=["system:authenticated"]) is attempting to grant RBAC permissions not currently held:';

test('roles › every cluster has them, marked, and takes no version for them', (t) => {
  const { server, ask } = createRoom();
  const before = server.version;
  placeDefaultRoles(server, '2024-01-01T00:00:00Z');
  t.is(server.version, before);
  t.deepEqual([server.count('ClusterRole'), server.count('Role'), server.count('RoleBinding')], [69, 7, 7]);
  const { metadata, rules } = ask('GET', `${RBAC}/clusterroles/view`).body as {
    readonly metadata: Readonly<Record<string, unknown>>;
    readonly rules: readonly { readonly resources: readonly string[] }[];
  };
  t.deepEqual(metadata['labels'], {
    'kubernetes.io/bootstrapping': 'rbac-defaults',
    'rbac.authorization.k8s.io/aggregate-to-edit': 'true',
  });
  t.is(metadata['resourceVersion'], '1');
  t.is(rules.length, 11);
  t.true(rules.some(({ resources }) => resources.includes('deployments')));
});

test('roles › edit writes what runs, and neither reads nor writes roles', (t) => {
  const { ask } = roomFor('edit');
  const pod = { metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'x' }] } };
  t.is(ask('POST', PODS, as('jane', pod)).status, 201);
  t.is(ask('GET', ROLES, as('jane')).status, 403);
  t.is(ask('GET', '/api/v1/nodes', as('jane')).status, 403);
  t.is(ask('POST', '/api/v1/namespaces/kube-system/pods', as('jane', pod)).status, 403);
  t.is(ask('GET', '/apis', as('jane')).status, 200);
});

test('roles › without its binding a group loses what it had', (t) => {
  const { ask, server } = roomFor();
  server.delete('ClusterRoleBinding', { name: 'system:discovery' });
  t.is(ask('GET', '/apis', as('jane')).status, 403);
});

test('escalation › a role may allow what its writer holds, and no more', (t) => {
  const { ask } = roomFor('admin');
  const held = { apiGroups: [''], resources: ['pods'], verbs: ['get', 'create'] };
  t.is(ask('POST', ROLES, as('jane', roleOf(held))).status, 201);
  const more = [
    { apiGroups: [''], resources: ['nodes', 'pods'], verbs: ['list', 'get'] },
    { apiGroups: ['apps'], resources: ['deployments'], resourceNames: ['web'], verbs: ['escalate'] },
  ];
  const refused = ask('PUT', `${ROLES}/r`, as('jane', roleOf(...more)));
  t.is(refused.status, 403);
  t.is(
    messageOf(refused.body),
    `roles.rbac.authorization.k8s.io "r" is forbidden: ${NOT_HELD}\n` +
      '{APIGroups:[""], Resources:["nodes"], Verbs:["list" "get"]}\n' +
      '{APIGroups:["apps"], Resources:["deployments"], ResourceNames:["web"], Verbs:["escalate"]}',
  );
});

test('escalation › the verb escalate lets a role allow anything', (t) => {
  const { ask } = roomFor('admin');
  const rules = [{ apiGroups: [GROUP], resources: ['roles'], verbs: ['escalate'] }];
  ask('POST', ROLES, { body: { metadata: { name: 'escalators' }, rules } });
  const roleRef = { apiGroup: GROUP, kind: 'Role', name: 'escalators' };
  const subjects = [{ kind: 'User', name: 'jane', apiGroup: GROUP }];
  ask('POST', BINDINGS, { body: { metadata: { name: 'escalators' }, roleRef, subjects } });
  const any = roleOf({ apiGroups: ['*'], resources: ['*'], verbs: ['*'] });
  t.is(ask('POST', ROLES, as('jane', any)).status, 201);
});

test('escalation › a role may be bound by those that hold it, or may bind it', (t) => {
  const { ask } = roomFor('admin');
  t.is(ask('POST', BINDINGS, as('jane', bindingOf('view', 'joe'))).status, 201);
  const refused = ask('POST', BINDINGS, as('jane', bindingOf('cluster-admin', 'joe')));
  t.is(refused.status, 403);
  t.is(
    messageOf(refused.body),
    `rolebindings.rbac.authorization.k8s.io "joe-cluster-admin" is forbidden: ${NOT_HELD}\n` +
      '{APIGroups:["*"], Resources:["*"], Verbs:["*"]}\n{NonResourceURLs:["*"], Verbs:["*"]}',
  );
  const missing = ask('POST', BINDINGS, as('jane', bindingOf('nowhere', 'joe')));
  t.is(missing.status, 404);
  t.is(messageOf(missing.body), 'rolebindings.rbac.authorization.k8s.io "nowhere" not found');
  const rules = [
    { apiGroups: [GROUP], resources: ['clusterroles'], resourceNames: ['cluster-admin'], verbs: ['bind'] },
  ];
  ask('POST', `${RBAC}/clusterroles`, { body: { metadata: { name: 'binder' }, rules } });
  ask('POST', BINDINGS, { body: bindingOf('binder', 'jane') });
  t.is(ask('POST', BINDINGS, as('jane', bindingOf('cluster-admin', 'joe'))).status, 201);
});

test('escalation › only who may do everything aggregates roles', (t) => {
  const { ask } = roomFor();
  const rules = [{ apiGroups: [GROUP], resources: ['clusterroles'], verbs: ['create'] }];
  ask('POST', `${RBAC}/clusterroles`, { body: { metadata: { name: 'writer' }, rules } });
  ask('POST', `${RBAC}/clusterrolebindings`, { body: bindingOf('writer', 'jane') });
  const aggregationRule = { clusterRoleSelectors: [{ matchLabels: { a: 'b' } }] };
  const body = { metadata: { name: 'whole' }, aggregationRule, rules: [] };
  const refused = ask('POST', `${RBAC}/clusterroles`, as('jane', body));
  t.is(refused.status, 403);
  t.is(
    messageOf(refused.body),
    'clusterroles.rbac.authorization.k8s.io "whole" is forbidden: must have cluster-admin privileges to use the aggregationRule',
  );
  t.is(ask('POST', `${RBAC}/clusterroles`, { body }).status, 201);
});

test('reviews › list what a user may do by the roles of every cluster', (t) => {
  const { ask } = roomFor('view');
  const path = '/apis/authorization.k8s.io/v1/selfsubjectrulesreviews';
  const { status } = ask('POST', path, as('jane', { spec: { namespace: 'default' } })).body as {
    readonly status: {
      readonly resourceRules: readonly { readonly resources: readonly string[]; readonly verbs: readonly string[] }[];
      readonly nonResourceRules: readonly { readonly nonResourceURLs: readonly string[] }[];
    };
  };
  const allows = (resource: string, verb: string): boolean =>
    status.resourceRules.some(({ resources, verbs }) => resources.includes(resource) && verbs.includes(verb));
  t.deepEqual(
    [allows('pods', 'list'), allows('pods', 'create'), allows('selfsubjectrulesreviews', 'create')],
    [true, false, true],
  );
  t.true(status.nonResourceRules.some(({ nonResourceURLs }) => nonResourceURLs.includes('/openapi/*')));
});
