import test from 'ava';
import { CONFIG_MAPS, createRoom, PODS, type Room } from '../ask.js';

const JANE = { headers: { 'impersonate-user': 'jane' } };
const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const AUTHORIZATION = '/apis/authorization.k8s.io/v1';
const TOKENS = '/apis/authentication.k8s.io/v1/tokenreviews';

/** A room in which jane may read pods of the namespace default, and one config map. */
function roomWithRole(): Room {
  const room = createRoom();
  const rules = [
    { apiGroups: [''], resources: ['pods', 'pods/log'], verbs: ['get', 'list'] },
    { apiGroups: [''], resources: ['configmaps'], resourceNames: ['hers'], verbs: ['*'] },
  ];
  room.ask('POST', `${RBAC}/namespaces/default/roles`, { body: { metadata: { name: 'reader' }, rules } });
  const binding = {
    metadata: { name: 'readers' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'reader' },
    subjects: [{ kind: 'User', name: 'jane', apiGroup: 'rbac.authorization.k8s.io' }],
  };
  room.ask('POST', `${RBAC}/namespaces/default/rolebindings`, { body: binding });
  return room;
}

function messageOf(body: unknown): string {
  return (body as { readonly message: string }).message;
}

test('access › a user without a role is refused in the words of upstream', (t) => {
  const { ask } = createRoom();
  const refused = ask('GET', PODS, JANE);
  t.is(refused.status, 403);
  const where = 'in API group "" in the namespace "default"';
  t.is(messageOf(refused.body), `pods is forbidden: User "jane" cannot list resource "pods" ${where}`);
  t.is(
    messageOf(ask('DELETE', '/apis/apps/v1/namespaces/default/deployments/web', JANE).body),
    'deployments.apps "web" is forbidden: User "jane" cannot delete resource "deployments" in API group "apps" in the namespace "default"',
  );
  t.is(
    messageOf(ask('GET', '/api/v1/nodes', JANE).body),
    'nodes is forbidden: User "jane" cannot list resource "nodes" in API group "" at the cluster scope',
  );
  t.is(ask('GET', '/version', JANE).status, 200);
});

test('access › a role allows what its rules say, in its namespace and by its names', (t) => {
  const { ask } = roomWithRole();
  t.is(ask('GET', PODS, JANE).status, 200);
  t.is(ask('GET', '/api/v1/namespaces/kube-system/pods', JANE).status, 403);
  t.is(ask('GET', `${CONFIG_MAPS}/hers`, JANE).status, 404);
  t.is(ask('GET', `${CONFIG_MAPS}/his`, JANE).status, 403);
  t.is(ask('POST', PODS, { ...JANE, body: { metadata: { name: 'a' } } }).status, 403);
});

test('access › reviews say what requests would meet', (t) => {
  const { ask } = roomWithRole();
  const review = (verb: string): unknown => {
    const spec = { user: 'jane', resourceAttributes: { verb, resource: 'pods', namespace: 'default' } };
    return (ask('POST', `${AUTHORIZATION}/subjectaccessreviews`, { body: { spec } }).body as { status: unknown })
      .status;
  };
  const reason = 'RBAC: allowed by RoleBinding "readers/default" of Role "reader" to User "jane"';
  t.deepEqual(review('get'), { allowed: true, reason });
  t.deepEqual(review('delete'), { allowed: false });
  const rules = ask('POST', `${AUTHORIZATION}/selfsubjectrulesreviews`, {
    ...JANE,
    body: { spec: { namespace: 'default' } },
  });
  const { resourceRules } = (rules.body as { readonly status: { readonly resourceRules: readonly object[] } }).status;
  t.true(JSON.stringify(resourceRules).includes('"resourceNames":["hers"]'));
  const bad = ask('POST', `${AUTHORIZATION}/subjectaccessreviews`, { body: { spec: { user: 'jane' } } });
  t.is(bad.status, 422);
});

test('access › only who may impersonate makes requests in the name of another', (t) => {
  const { ask } = roomWithRole();
  const user = { name: 'jane', groups: ['system:authenticated'] };
  const refused = ask('GET', PODS, { headers: { 'impersonate-user': 'admin' }, user });
  t.is(
    messageOf(refused.body),
    'users "admin" is forbidden: User "jane" cannot impersonate resource "users" in API group "" at the cluster scope',
  );
  const masters = { headers: { 'impersonate-user': 'joe', 'impersonate-group': 'system:masters' } };
  t.is(ask('GET', PODS, masters).status, 200);
});

test('access › a token of an account is its own until it expires, or the account is gone', (t) => {
  const { ask, server } = createRoom();
  server.create('ServiceAccount', { metadata: { name: 'robot' } });
  const path = '/api/v1/namespaces/default/serviceaccounts/robot';
  const wish = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { expirationSeconds: 600 } };
  const made = ask('POST', `${path}/token`, { body: wish });
  t.is(made.status, 201);
  const { token } = (made.body as { readonly status: { readonly token: string } }).status;
  const review = (text: string): unknown =>
    (ask('POST', TOKENS, { body: { spec: { token: text } } }).body as { readonly status: object }).status;
  t.like(review(token), { authenticated: true, user: { username: 'system:serviceaccount:default:robot' } });
  t.deepEqual(review(`${token}x`), { user: {}, error: 'invalid bearer token' });
  const short = ask('POST', `${path}/token`, { body: { spec: { expirationSeconds: 5 } } });
  t.is(short.status, 422);
  server.delete('ServiceAccount', { name: 'robot' });
  t.deepEqual(review(token), { user: {}, error: 'invalid bearer token' });
});
