/** What kubelets may do, as a kube-apiserver 1.34.2 in the modes Node and RBAC answers them. */
import test from 'ava';
import { createRoom, type Question } from '../ask.js';

const NS = '/api/v1/namespaces/default';
const WHERE = 'in API group "" in the namespace "default"';

function kubelet(node: string, groups = 'system:nodes'): Question {
  return { headers: { 'impersonate-user': `system:node:${node}`, 'impersonate-group': groups } };
}

function roomWithPod() {
  const room = createRoom();
  room.ask('POST', `${NS}/persistentvolumeclaims`, {
    body: {
      metadata: { name: 'data' },
      spec: { accessModes: ['ReadWriteOnce'], volumeName: 'v', resources: { requests: { storage: '1Gi' } } },
    },
  });
  room.ask('POST', '/api/v1/persistentvolumes', {
    body: {
      metadata: { name: 'v' },
      spec: {
        accessModes: ['ReadWriteOnce'],
        capacity: { storage: '1Gi' },
        claimRef: { namespace: 'default', name: 'data' },
        csi: { driver: 'd', volumeHandle: 'h', nodeStageSecretRef: { name: 'stage', namespace: 'vault' } },
      },
    },
  });
  room.ask('POST', `${NS}/pods`, {
    body: {
      metadata: { name: 'p' },
      spec: {
        nodeName: 'n',
        serviceAccountName: 'default',
        imagePullSecrets: [{ name: 'pull' }],
        containers: [{ name: 'c', image: 'i', envFrom: [{ configMapRef: { name: 'settings' } }] }],
        volumes: [{ name: 'd', persistentVolumeClaim: { claimName: 'data' } }],
      },
    },
  });
  const answer = (method: string, path: string, question: Question): string => {
    const { status, body } = room.ask(method, path, question);
    return status === 403 ? (body as { readonly message: string }).message : String(status < 300 || status === 404);
  };
  return { ...room, answer };
}

test('a kubelet has its node, its pods and what these name, and is told why it has no more', (t) => {
  const { answer } = roomWithPod();
  const [own, other] = [kubelet('n'), kubelet('m')];
  const owned = [
    `${NS}/pods/p`,
    `${NS}/configmaps/settings`,
    `${NS}/secrets/pull`,
    `${NS}/persistentvolumeclaims/data`,
    '/api/v1/persistentvolumes/v',
    '/api/v1/namespaces/vault/secrets/stage',
    `${NS}/serviceaccounts/default`,
  ];
  for (const path of owned) {
    t.is(answer('GET', path, own), 'true', path);
    t.regex(answer('GET', path, other), /: no relationship found between node 'm' and this object$/, path);
  }
  t.is(answer('GET', '/api/v1/nodes/n', own), 'true');
  t.is(
    answer('GET', '/api/v1/nodes/n', other),
    `nodes "n" is forbidden: User "system:node:m" cannot get resource "nodes" in API group "" at the cluster scope: node 'm' cannot read 'n', only its own Node object`,
  );
  t.is(answer('GET', '/api/v1/nodes?fieldSelector=metadata.name%3Dn', own), 'true');
  t.regex(answer('GET', '/api/v1/nodes', own), /node 'n' cannot read all nodes, only its own Node object$/);
  t.is(answer('GET', '/api/v1/pods?fieldSelector=spec.nodeName%3Dn', own), 'true');
  t.regex(answer('GET', '/api/v1/pods', own), /can only list\/watch pods with spec.nodeName field selector$/);
  t.is(
    answer('GET', `${NS}/secrets`, own),
    `secrets is forbidden: User "system:node:n" cannot list resource "secrets" ${WHERE}: No Object name found`,
  );
  t.regex(answer('DELETE', `${NS}/secrets/pull`, own), /: can only read resources of this type$/);
  const leases = '/apis/coordination.k8s.io/v1/namespaces';
  t.is(answer('GET', `${leases}/kube-node-lease/leases/n`, own), 'true');
  t.regex(answer('GET', `${leases}/kube-node-lease/leases/m`, own), /with the same name as the requesting node$/);
  t.regex(answer('GET', `${leases}/default/leases/n`, own), /leases in the "kube-node-lease" system namespace$/);
  t.is(answer('GET', '/api/v1/services', own), 'true');
  t.regex(answer('GET', '/api/v1/services', kubelet('n', 'others')), /at the cluster scope$/);
  t.regex(answer('GET', '/api/v1/services', kubelet('')), /: unknown node for user "system:node:"$/);
});

test('reviews ask for kubelets as requests do', (t) => {
  const { ask } = roomWithPod();
  const status = (kind: string, spec: object, question: Question = {}): unknown =>
    (ask('POST', `/apis/authorization.k8s.io/v1/${kind}`, { ...question, body: { spec } }).body as { status: unknown })
      .status;
  const user = { user: 'system:node:n', groups: ['system:nodes'] };
  const listed = (fieldSelector?: object): unknown =>
    status('subjectaccessreviews', { ...user, resourceAttributes: { verb: 'list', resource: 'pods', fieldSelector } });
  t.deepEqual(listed({ rawSelector: 'spec.nodeName=n' }), { allowed: true });
  t.deepEqual(listed({ requirements: [{ key: 'spec.nodeName', operator: 'In', values: ['n'] }] }), { allowed: true });
  const reason = 'can only list/watch pods with spec.nodeName field selector';
  t.deepEqual(listed({ rawSelector: 'spec.nodeName!=n' }), { allowed: false, reason });
  t.like(status('selfsubjectrulesreviews', { namespace: 'default' }, kubelet('n')), {
    incomplete: true,
    evaluationError: 'node authorizer does not support user rule resolution',
  });
});

test('a list of one name is for the object of that name', (t) => {
  const { ask } = createRoom();
  const rules = [{ apiGroups: [''], resources: ['configmaps'], resourceNames: ['hers'], verbs: ['list', 'watch'] }];
  const RBAC = '/apis/rbac.authorization.k8s.io/v1/namespaces/default';
  ask('POST', `${RBAC}/roles`, { body: { metadata: { name: 'one' }, rules } });
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'one' };
  const subjects = [{ kind: 'User', name: 'jane', apiGroup: 'rbac.authorization.k8s.io' }];
  ask('POST', `${RBAC}/rolebindings`, { body: { metadata: { name: 'one' }, roleRef, subjects } });
  const jane = { headers: { 'impersonate-user': 'jane' } };
  t.is(ask('GET', `${NS}/configmaps?fieldSelector=metadata.name%3Dhers`, jane).status, 200);
  t.like(ask('GET', `${NS}/configmaps?fieldSelector=metadata.name%3Dhis`, jane), {
    status: 403,
    body: { message: `configmaps "his" is forbidden: User "jane" cannot list resource "configmaps" ${WHERE}` },
  });
});

test('groups without a user are refused in plain text, strangers may read the version, and it is JSON', (t) => {
  const { ask } = createRoom();
  const headers = { 'impersonate-group': 'a<b', 'impersonate-uid': '4', 'impersonate-extra-foo': 'x' };
  const { status, body } = ask('GET', '/api/v1/nodes', { headers });
  t.is(status, 500);
  const asked =
    '{Group  a&lt;b    } {UserExtra  x  authentication.k8s.io/v1  foo} {UID  4  authentication.k8s.io/v1  }';
  t.is(body, `Internal Server Error: "/api/v1/nodes": requested [${asked}] without impersonating a user\n`);
  t.is(ask('GET', '/version', { headers: { 'impersonate-user': 'system:anonymous' } }).status, 200);
  t.like(ask('GET', '/version', { accept: 'application/yaml' }), {
    status: 406,
    body: { message: '406: Not Acceptable\n\nAvailable representations: application/json' },
  });
});
