/** What users wrote of objects, and what changes of theirs come to. */
import test from 'ava';
import { fieldsOfUsers } from '../../../src/transfer/record/user-fields.js';
import { mergePatch } from '../../../src/transfer/record/merge-patch.js';
import { Recorder, type SeenChange } from '../../../src/transfer/record/recorder.js';

const USER_FIELDS = {
  'f:metadata': { 'f:labels': { '.': {}, 'f:app': {} } },
  'f:spec': {
    'f:template': {
      'f:spec': { 'f:containers': { 'k:{"name":"a"}': { '.': {}, 'f:image': {}, 'f:name': {} } }, 'f:tolerations': {} },
    },
    'f:finalizers': { 'v:"mine"': {} },
  },
};

function deployment(replicas: number, more: object = {}, uid = '1'): SeenChange['object'] {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: {
      name: 'web',
      namespace: 'shop',
      uid,
      labels: { app: 'web', tool: 'x' },
      annotations: { 'deployment.kubernetes.io/revision': '1' },
      managedFields: [
        { manager: 'kubectl', operation: 'Update', fieldsV1: USER_FIELDS },
        { manager: 'kubectl', operation: 'Update', subresource: 'scale', fieldsV1: { 'f:spec': { 'f:replicas': {} } } },
        {
          manager: 'kube-controller-manager',
          operation: 'Update',
          fieldsV1: { 'f:metadata': { 'f:labels': { 'f:tool': {} } }, 'f:spec': { 'f:paused': {} } },
        },
        { manager: 'kubectl', subresource: 'status', fieldsV1: { 'f:status': { 'f:replicas': {} } } },
      ],
      ...more,
    },
    spec: {
      replicas,
      paused: false,
      finalizers: ['mine', 'theirs'],
      template: {
        spec: {
          containers: [
            { name: 'a', image: 'i', env: [{ name: 'injected' }] },
            { name: 'sidecar', image: 's' },
          ],
          tolerations: [{ key: 't' }],
        },
      },
    },
    status: { replicas: 7 },
  };
}

test('of an object the fields remain that users own: not those of components, nor the status', (t) => {
  t.deepEqual(fieldsOfUsers(deployment(3)), {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web', namespace: 'shop', labels: { app: 'web' } },
    spec: {
      template: { spec: { containers: [{ name: 'a', image: 'i' }], tolerations: [{ key: 't' }] } },
      finalizers: ['mine'],
      replicas: 3,
    },
  });
  const derived = { ...deployment(1), metadata: { name: 'x', managedFields: [{ manager: 'kubelet', fieldsV1: {} }] } };
  t.is(fieldsOfUsers(derived), undefined);
});

test('a patch takes away what is gone, and takes lists as they stand', (t) => {
  t.deepEqual(mergePatch({ a: 1, b: { c: 1, d: 2 }, l: [1] }, { b: { c: 3 }, l: [1, 2] }, { l: [0, 1, 2] }), {
    a: null,
    b: { d: null, c: 3 },
    l: [0, 1, 2],
  });
  t.is(mergePatch({ a: { b: [1] } }, { a: { b: [1] } }, {}), undefined);
});

test('values without fields are in no set of managed fields, and are of users where their surroundings are', (t) => {
  const fieldsV1 = { 'f:spec': { 'f:policyTypes': {} } };
  const managedFields = [{ manager: 'kubectl', fieldsV1 }];
  const policy = { metadata: { name: 'all', managedFields }, spec: { podSelector: {}, policyTypes: ['Ingress'] } };
  t.deepEqual(fieldsOfUsers(policy)?.['spec'], policy.spec);
});

test('of fields that users no longer own only those go that are gone: others were written by others', (t) => {
  const before = { spec: { replicas: 3, paused: true }, finalizers: ['mine', 'theirs'], taints: [1] };
  const whole = { spec: { replicas: 5 }, finalizers: ['theirs'], taints: [1, 2] };
  t.deepEqual(mergePatch(before, {}, whole), { spec: { paused: null }, finalizers: ['theirs'] });
});

test('what was written in another version of the API counts with all of its content', (t) => {
  const written = fieldsOfUsers({
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: {
      name: 'web',
      labels: { theirs: 'x' },
      managedFields: [
        {
          manager: 'kubectl-autoscale',
          apiVersion: 'autoscaling/v1',
          fieldsV1: { 'f:spec': { 'f:maxReplicas': {}, 'f:targetCPUUtilizationPercentage': {} } },
        },
      ],
    },
    spec: { maxReplicas: 9, metrics: ['cpu at 50 %'] },
    status: {},
  });
  t.deepEqual(written?.['spec'], { maxReplicas: 9, metrics: ['cpu at 50 %'] });
  t.deepEqual(written?.['metadata'], { name: 'web' });
});

test('creations, changes and deletions by users are told once each, and no other', (t) => {
  const recorder = new Recorder((namespace) => namespace === 'quiet');
  const told: (string | undefined)[] = [];
  const note = (
    type: SeenChange['type'],
    object: SeenChange['object'],
    kind: SeenChange['kind'] = 'Deployment',
  ): void => {
    const made = recorder.note({ kind, type, object, atMs: told.length });
    told.push(
      made === undefined
        ? undefined
        : `${made.method} ${made.path} ${JSON.stringify(made.body?.['spec' as never] ?? made.body ?? '')}`,
    );
  };
  note('ADDED', deployment(3));
  note('MODIFIED', { ...deployment(3), status: { replicas: 8 } });
  note('MODIFIED', deployment(5));
  note('MODIFIED', deployment(5, { deletionTimestamp: '2030-01-01T00:00:00Z', finalizers: ['foregroundDeletion'] }));
  note('DELETED', deployment(5));
  note('ADDED', deployment(1, { namespace: 'quiet' }));
  note('ADDED', deployment(1, { ownerReferences: [{ kind: 'CronJob', controller: true }] }));
  note('DELETED', deployment(1, { name: 'unseen' }));
  const path = '/apis/apps/v1/namespaces/shop/deployments';
  t.regex(told[0] ?? '', new RegExp(`^POST ${path} `));
  t.deepEqual(told.slice(1), [
    undefined,
    `PATCH ${path}/web {"replicas":5}`,
    `DELETE ${path}/web {"propagationPolicy":"Foreground"}`,
    undefined,
    undefined,
    undefined,
    `DELETE ${path}/unseen {"propagationPolicy":"Background"}`,
  ]);
});

function pod(condition: string, reason: string): SeenChange['object'] {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: reason, namespace: 'shop', deletionTimestamp: '2030-01-01T00:00:00Z' },
    status: { conditions: [{ type: condition, status: 'True', reason }] },
  };
}

test('what goes with its namespace, and what the scheduler preempts, users have not deleted', (t) => {
  const recorder = new Recorder();
  const methodOf = (object: SeenChange['object'], kind: SeenChange['kind'] = 'Pod'): string | undefined =>
    recorder.note({ kind, type: 'MODIFIED', object, atMs: 0 })?.method;
  t.is(methodOf(pod('DisruptionTarget', 'PreemptionByScheduler')), undefined);
  t.is(methodOf(pod('DisruptionTarget', 'EvictionByEvictionAPI')), 'DELETE');
  t.is(methodOf(pod('Ready', 'Ended')), 'DELETE');
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop', deletionTimestamp: 'x' } };
  t.is(methodOf(namespace, 'Namespace'), 'DELETE');
  t.is(methodOf(pod('Ready', 'Late')), undefined);
  t.deepEqual(Object.fromEntries(recorder.leftOut), { 'deletions by components': 1, 'deletions with a namespace': 1 });
});

function claim(finalizers: readonly string[], deletionTimestamp?: string): SeenChange['object'] {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: 'a', namespace: 'shop', finalizers, deletionTimestamp },
  };
}

test('an object that is being deleted goes when its last finalizer of users is taken away; those of servers are theirs', (t) => {
  const recorder = new Recorder();
  const kept = 'kubernetes.io/pvc-protection';
  const told = (
    [
      ['ADDED', claim([kept, 'example.com/one', 'example.com/two'])],
      ['MODIFIED', claim([kept, 'example.com/one', 'example.com/two'], 'x')],
      ['MODIFIED', claim(['example.com/one', 'example.com/two'], 'x')],
      ['MODIFIED', claim(['example.com/two'], 'x')],
      ['DELETED', claim(['example.com/two'], 'x')],
    ] as const
  ).map(([type, object]) => recorder.note({ kind: 'PersistentVolumeClaim', type, object, atMs: 0 }));
  t.deepEqual(
    told.map((made) => made && [made.method, (made.body as { metadata?: object }).metadata]),
    [
      [
        'POST',
        {
          name: 'a',
          namespace: 'shop',
          finalizers: ['example.com/one', 'example.com/two'],
        },
      ],
      ['DELETE', undefined],
      undefined,
      ['PATCH', { finalizers: ['example.com/two'] }],
      ['PATCH', { finalizers: null }],
    ],
  );
});

test('of pods that controllers made evictions are told once, with what finds their counterparts', (t) => {
  const recorder = new Recorder();
  const owned = pod('DisruptionTarget', 'EvictionByEvictionAPI');
  const object = {
    ...owned,
    metadata: {
      ...(owned['metadata'] as object),
      name: 'web-x-abcde',
      generateName: 'web-x-',
      ownerReferences: [{ kind: 'ReplicaSet', controller: true }],
    },
    spec: { nodeName: 'n1' },
  };
  const made = recorder.note({ kind: 'Pod', type: 'MODIFIED', object, atMs: 0 });
  t.is(made?.path, '/api/v1/namespaces/shop/pods/web-x-abcde/eviction');
  t.deepEqual(made?.drawn, { prefix: 'web-x-', node: 'n1' });
  t.is(recorder.note({ kind: 'Pod', type: 'DELETED', object, atMs: 1 }), undefined);
});
