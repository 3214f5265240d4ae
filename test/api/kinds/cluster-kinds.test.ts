import test from 'ava';
import { PLAIN_KINDS } from '../../../src/api/objects/plain-kinds.js';
import { kindRegistry, resolveKind, resolveResource } from '../../../src/api/kinds/registry.js';
import type { Draft, Kind } from '../../../src/api/objects/objects.js';
import { answerOf, created, updated } from '../object-pipeline.js';

function refusal(kind: Kind, draft: Draft): string {
  return answerOf(() => created(kind, draft));
}

test('kinds are found by version and by every name of their resource', (t) => {
  t.is(resolveKind('apps/v1', 'Deployment'), 'Deployment');
  t.is(resolveKind('v1', 'Deployment'), undefined);
  t.is(resolveKind('v1', 'LimitRange'), 'LimitRange');
  t.deepEqual(
    ['po', 'pod', 'PODS', 'deploy', 'deployments.apps', 'pc', 'leases', 'limits', 'gateways'].map(resolveResource),
    ['Pod', 'Pod', 'Pod', 'Deployment', 'Deployment', 'PriorityClass', 'Lease', 'LimitRange', undefined],
  );
});

test('scope, upserts and other traits of kinds are as upstream’s strategies have them', (t) => {
  // Kinds on which nothing acts have theirs in the table that describes them.
  const kinds = Object.values(kindRegistry).filter(({ kind }) => !(kind in PLAIN_KINDS));
  const named = (has: (kind: (typeof kinds)[number]) => boolean): Kind[] => kinds.filter(has).map(({ kind }) => kind);
  t.deepEqual(
    named(({ isNamespaced }) => !isNamespaced),
    [
      'Node',
      'Namespace',
      'PriorityClass',
      'PersistentVolume',
      'StorageClass',
      'CSINode',
      'CSIDriver',
      'VolumeAttachment',
      'RuntimeClass',
      'DeviceClass',
      'ResourceSlice',
    ],
  );
  t.deepEqual(
    named(({ createsOnUpdate }) => createsOnUpdate),
    ['Service', 'Endpoints', 'Event', 'Lease', 'RuntimeClass'],
  );
  t.deepEqual(
    named(({ requiresVersionOnUpdate }) => requiresVersionOnUpdate),
    ['Lease', 'PodDisruptionBudget', 'CSINode', 'CSIDriver', 'CSIStorageCapacity', 'VolumeAttachment', 'RuntimeClass'],
  );
  t.deepEqual(
    named(({ deleteReturnsObject }) => deleteReturnsObject),
    [
      'Pod',
      'Namespace',
      'Service',
      'PersistentVolume',
      'PersistentVolumeClaim',
      'StorageClass',
      'CSINode',
      'CSIDriver',
      'VolumeAttachment',
      'ServiceAccount',
      'DeviceClass',
      'ResourceClaim',
      'ResourceClaimTemplate',
      'ResourceSlice',
    ],
  );
  t.deepEqual(
    named(({ generation }) => generation !== 'none' && generation !== 'changes-of-spec'),
    [
      'Pod',
      'EndpointSlice',
      'PriorityClass',
      'ReplicaSet',
      'Deployment',
      'StatefulSet',
      'DaemonSet',
      'ReplicationController',
      'Job',
      'CronJob',
      'PodDisruptionBudget',
      'DeviceClass',
      'ResourceSlice',
    ],
  );
  t.deepEqual(
    named(({ generation }) => generation === 'changes-of-spec'),
    ['CSIDriver'],
  );
});

test('metadata is checked alike for all kinds', (t) => {
  t.is(
    refusal('Lease', { metadata: {} }),
    'Lease.coordination.k8s.io "" is invalid: metadata.name: Required value: name or generateName is required',
  );
  const metadata = {
    name: 'l',
    labels: { 'a b': 'c', d: 'e f' },
    finalizers: ['foo'],
    ownerReferences: [
      { apiVersion: 'v1', kind: 'Node', name: 'n', uid: '1', controller: true },
      { apiVersion: 'v1', kind: 'Node', name: 'm', uid: '2', controller: true },
    ],
  };
  const answer = refusal('Lease', { metadata });
  t.regex(answer, /metadata\.labels: Invalid value: "a b": name part must consist of/);
  t.regex(answer, /metadata\.labels: Invalid value: "e f": a valid label must be/);
  // Its strategy takes any finalizer.
  t.regex(answer, /Found "true" in references for Node\/n and Node\/m\]$/);
  t.regex(
    refusal('ConfigMap', { metadata }),
    /Found "true" in references for Node\/n and Node\/m, metadata\.finalizers\[0\]: Invalid value: "foo"/,
  );
});

test('annotations may be long, but not all together', (t) => {
  const annotations = { a: 'x'.repeat(256 * 1024) };
  t.is(
    refusal('Lease', { metadata: { name: 'l', annotations } }),
    'Lease.coordination.k8s.io "l" is invalid: metadata.annotations: Too long: may not be more than 262144 bytes',
  );
  t.is(refusal('Lease', { metadata: { name: 'l', annotations: { a: 'x'.repeat(256 * 1024 - 1) } } }), 'accepted');
});

test('a namespace starts active, labelled with its name and held by its content', (t) => {
  const { metadata, spec, status } = created('Namespace', { metadata: { name: 'n' } });
  t.deepEqual(
    [metadata.labels, spec, status],
    [{ 'kubernetes.io/metadata.name': 'n' }, { finalizers: ['kubernetes'] }, { phase: 'Active' }],
  );
});

test('an update of a namespace cannot take its finalizer away', (t) => {
  const before = created('Namespace', { metadata: { name: 'n' } });
  const after = updated('Namespace', { ...before, spec: {} }, before);
  t.is(after.spec, before.spec);
});

test('a node may give pods all it has, unless it says otherwise', (t) => {
  const capacity = { cpu: '4000m', memory: '8192Mi' };
  const { status } = created('Node', { metadata: { name: 'n' }, status: { capacity } });
  t.deepEqual(
    [status.capacity, status.allocatable],
    [
      { cpu: '4', memory: '8Gi' },
      { cpu: '4', memory: '8Gi' },
    ],
  );
});

test('taints of a node must make sense', (t) => {
  const taints = [{ key: 'a', effect: 'NoSchedule' }, { key: 'a', effect: 'NoSchedule', value: 'x' }, { key: 'b' }];
  t.is(
    refusal('Node', { metadata: { name: 'n' }, spec: { taints } }),
    'Node "n" is invalid: [metadata.taints[1]: Duplicate value: {"Key":"a","Value":"x","Effect":"NoSchedule","TimeAdded":null}: taints must be unique by key and effect pair, metadata.taints[2].effect: Required value]',
  );
});

function classAnswer(name: string, value: number): string {
  return refusal('PriorityClass', { metadata: { name }, value });
}

test('user priority classes have a limit and system ones their values', (t) => {
  const prefix = "priority class names with 'system-' prefix are reserved for system use only. error: ";
  t.is(classAnswer('p', 1_000_000_000), 'accepted');
  t.is(classAnswer('p', -5), 'accepted');
  t.is(
    classAnswer('p', 1_000_000_001),
    'PriorityClass.scheduling.k8s.io "p" is invalid: value: Forbidden: maximum allowed value of a user defined priority is 1000000000',
  );
  t.is(classAnswer('system-node-critical', 2_000_001_000), 'accepted');
  t.is(
    classAnswer('system-node-critical', 1),
    `PriorityClass.scheduling.k8s.io "system-node-critical" is invalid: metadata.name: Forbidden: ${prefix}value of system-node-critical PriorityClass must be 2000001000`,
  );
  t.is(created('PriorityClass', { metadata: { name: 'p' } }).preemptionPolicy, 'PreemptLowerPriority');
});

test('the value and the policy of a priority class never change', (t) => {
  const before = created('PriorityClass', { metadata: { name: 'p' }, value: 1 });
  t.is(
    answerOf(() =>
      updated(
        'PriorityClass',
        { ...before, apiVersion: 'scheduling.k8s.io/v1', value: 2, preemptionPolicy: 'Never' },
        before,
      ),
    ),
    'PriorityClass.scheduling.k8s.io "p" is invalid: [value: Forbidden: may not be changed in an update., preemptionPolicy: Invalid value: "Never": field is immutable]',
  );
});

function serviceAnswer(spec: object): string {
  return refusal('Service', { metadata: { name: 's' }, spec });
}

test('services need ports, unless they are headless', (t) => {
  t.is(serviceAnswer({}), 'Service "s" is invalid: spec.ports: Required value');
  t.is(serviceAnswer({ clusterIP: 'None' }), 'accepted');
  t.is(
    serviceAnswer({ ports: [{ port: 80 }, { port: 80, name: 'b' }], type: 'X' }),
    'Service "s" is invalid: [spec.ports[0].name: Required value, spec.type: Unsupported value: "X": supported values: "ClusterIP", "ExternalName", "LoadBalancer", "NodePort", spec.ports[1]: Duplicate value: {"Name":"","Protocol":"TCP","AppProtocol":null,"Port":80,"TargetPort":0,"NodePort":0}]',
  );
  t.deepEqual(created('Service', { metadata: { name: 's' }, spec: { type: 'NodePort', ports: [{ port: 80 }] } }).spec, {
    type: 'NodePort',
    ports: [{ port: 80, protocol: 'TCP', targetPort: 80 }],
    sessionAffinity: 'None',
    internalTrafficPolicy: 'Cluster',
    externalTrafficPolicy: 'Cluster',
  });
});

test('an event record lies beside its object', (t) => {
  const draft = { metadata: { name: 'e' }, involvedObject: { namespace: 'other' } };
  t.is(
    refusal('Event', draft),
    'Event "e" is invalid: involvedObject.namespace: Invalid value: "other": does not match event.namespace',
  );
  t.is(refusal('Event', { metadata: { name: 'e' }, involvedObject: { kind: 'Node', name: 'n' } }), 'accepted');
});

test('a refusal carries one cause per error and one text per message', (t) => {
  const error = t.throws(() => created('Deployment', { metadata: { name: 'd' }, spec: { replicas: -1 } }));
  const { details } = error as unknown as { details: { causes: { field: string }[]; kind: string; group: string } };
  t.deepEqual(
    [details.kind, details.group, details.causes.map(({ field }) => field)],
    [
      'Deployment',
      'apps',
      ['spec.replicas', 'spec.selector', 'spec.template.metadata.labels', 'spec.template.spec.containers'],
    ],
  );
});
