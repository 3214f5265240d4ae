import test from 'ava';
import { daemonSetKind } from '../../../src/api/kinds/workload/daemon-set.js';
import { podDisruptionBudgetKind } from '../../../src/api/kinds/workload/pod-disruption-budget.js';
import { replicationControllerKind } from '../../../src/api/kinds/workload/replication-controller.js';
import { statefulSetKind } from '../../../src/api/kinds/workload/stateful-set.js';
import type { Draft, KubeObject } from '../../../src/api/objects/objects.js';
import { answerOf } from '../object-pipeline.js';
import { createdBy, updatedBy, type KindDescription } from './kind-pipeline.js';

const TEMPLATE = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'nginx' }] } };
const SET = { selector: { matchLabels: { a: 'b' } }, template: TEMPLATE, serviceName: 's' };
const PERCENT =
  "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')";

function answer<T extends KubeObject>(kind: KindDescription<T>, draft: Draft): string {
  return answerOf(() => createdBy(kind, draft)).replace(/^.*? "x" is invalid: /, '');
}

function setAnswer(spec: object): string {
  return answer(statefulSetKind, { spec: { ...SET, ...spec } });
}

function budgetAnswer(spec: object): string {
  return answer(podDisruptionBudgetKind, { spec });
}

const CLAIM_SPEC = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };

test('StatefulSet › has a server’s defaults', (t) => {
  const { spec, status } = createdBy(statefulSetKind, {
    spec: { ...SET, volumeClaimTemplates: [{ metadata: { name: 'd' }, spec: CLAIM_SPEC }] },
  });
  const { template: _template, selector: _selector, ...rest } = spec;
  t.deepEqual(rest, {
    serviceName: 's',
    podManagementPolicy: 'OrderedReady',
    updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 0 } },
    replicas: 1,
    revisionHistoryLimit: 10,
    persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Retain', whenScaled: 'Retain' },
    volumeClaimTemplates: [
      {
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        metadata: { name: 'd' },
        spec: { ...CLAIM_SPEC, volumeMode: 'Filesystem' },
        status: { phase: 'Pending' },
      },
    ],
  });
  t.deepEqual(status, { replicas: 0, availableReplicas: 0 });
  const onDelete = createdBy(statefulSetKind, { spec: { ...SET, updateStrategy: { type: 'OnDelete' } } });
  t.deepEqual(onDelete.spec.updateStrategy, { type: 'OnDelete' });
});

test('StatefulSet › refuses what cannot be', (t) => {
  t.is(
    setAnswer({ podManagementPolicy: 'Any' }),
    "spec.podManagementPolicy: Invalid value: \"Any\": must be 'OrderedReady' or 'Parallel'",
  );
  t.is(
    setAnswer({ updateStrategy: { type: 'Recreate' } }),
    'spec.updateStrategy: Invalid value: {"Type":"Recreate","RollingUpdate":null}: must be \'RollingUpdate\' or \'OnDelete\'',
  );
  t.is(
    setAnswer({ updateStrategy: { type: 'OnDelete', rollingUpdate: { partition: 1 } } }),
    'spec.updateStrategy.rollingUpdate: Invalid value: {"Partition":1,"MaxUnavailable":null}: only allowed for updateStrategy \'RollingUpdate\'',
  );
  t.is(
    setAnswer({ updateStrategy: { rollingUpdate: { partition: -1 } } }),
    'spec.updateStrategy.rollingUpdate.partition: Invalid value: -1: must be greater than or equal to 0',
  );
  t.is(
    setAnswer({ persistentVolumeClaimRetentionPolicy: { whenScaled: 'Keep' } }),
    'spec.persistentVolumeClaimRetentionPolicy.whenScaled: Unsupported value: "Keep": supported values: "Retain", "Delete"',
  );
  t.is(
    setAnswer({ selector: {}, template: { ...TEMPLATE, spec: { ...TEMPLATE.spec, activeDeadlineSeconds: 5 } } }),
    '[spec.selector: Invalid value: {}: empty selector is invalid for statefulset, spec.template.spec.activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in StatefulSet is not Supported]',
  );
});

test('StatefulSet › may mount what only its claims bring', (t) => {
  const container = { name: 'c', image: 'i', volumeMounts: [{ name: 'data', mountPath: '/data' }] };
  const template = { ...TEMPLATE, spec: { containers: [container] } };
  t.is(setAnswer({ template, volumeClaimTemplates: [{ metadata: { name: 'data' }, spec: CLAIM_SPEC }] }), 'accepted');
  t.is(
    setAnswer({ template: { ...template, metadata: { labels: { a: 'c' } } } }),
    '[spec.template.metadata.labels: Invalid value: {"a":"c"}: `selector` does not match template `labels`, ' +
      'spec.template.spec.containers[0].volumeMounts[0].name: Not found: "data"]',
  );
});

test('StatefulSet › changes in a few places only', (t) => {
  const stored = createdBy(statefulSetKind, { spec: SET });
  const change = (spec: object): string =>
    answerOf(() => updatedBy(statefulSetKind, stored, (set) => ({ ...set, spec: { ...set.spec, ...spec } })));
  t.is(change({ replicas: 3, minReadySeconds: 1, ordinals: { start: 1 } }), 'accepted');
  t.is(
    change({ serviceName: 'zz' }),
    "StatefulSet.apps \"x\" is invalid: spec: Forbidden: updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden",
  );
});

test('ReplicationController › selects by its template’s labels unless it says otherwise', (t) => {
  const { metadata, spec, status } = createdBy(replicationControllerKind, { spec: { template: TEMPLATE } });
  t.deepEqual(metadata.labels, { a: 'b' });
  t.deepEqual(spec.selector, { a: 'b' });
  t.is(spec.replicas, 1);
  t.deepEqual(status, { replicas: 0 });
  t.is(
    answer(replicationControllerKind, { spec: {} }),
    '[spec.selector: Required value, spec.template: Required value]',
  );
  t.is(
    answer(replicationControllerKind, { spec: { selector: { a: 'c' }, template: TEMPLATE } }),
    'spec.template.metadata.labels: Invalid value: {"a":"b"}: `selector` does not match template `labels`',
  );
});

test('PodDisruptionBudget › counts from nothing', (t) => {
  const { status } = createdBy(podDisruptionBudgetKind, { spec: { minAvailable: 1, selector: {} } });
  t.deepEqual(status, { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 });
  t.true(podDisruptionBudgetKind.requiresVersionOnUpdate);
});

test('PodDisruptionBudget › has one bound, a number or a share', (t) => {
  t.is(budgetAnswer({ minAvailable: '50%' }), 'accepted');
  t.is(
    budgetAnswer({ minAvailable: 1, maxUnavailable: 1 }),
    'spec: Invalid value: {"MinAvailable":1,"Selector":null,"MaxUnavailable":1,"UnhealthyPodEvictionPolicy":null}: minAvailable and maxUnavailable cannot be both set',
  );
  t.is(budgetAnswer({ minAvailable: 'abc' }), `spec.minAvailable: Invalid value: "abc": ${PERCENT}`);
  t.is(
    budgetAnswer({ maxUnavailable: '101%' }),
    'spec.maxUnavailable: Invalid value: "101%": must not be greater than 100%',
  );
  t.is(
    budgetAnswer({ maxUnavailable: -1 }),
    'spec.maxUnavailable: Invalid value: -1: must be greater than or equal to 0',
  );
  t.is(
    budgetAnswer({ unhealthyPodEvictionPolicy: 'Never' }),
    'spec.unhealthyPodEvictionPolicy: Unsupported value: "Never": supported values: "AlwaysAllow", "IfHealthyBudget"',
  );
});

function daemonAnswer(spec: object): string {
  return answer(daemonSetKind, { spec: { selector: { matchLabels: { a: 'b' } }, template: TEMPLATE, ...spec } });
}

test('DaemonSet › has a server’s defaults', (t) => {
  const { metadata, spec, status } = createdBy(daemonSetKind, {
    spec: { selector: { matchLabels: { a: 'b' } }, template: TEMPLATE },
  });
  const { template: _template, selector: _selector, ...rest } = spec;
  t.deepEqual(rest, {
    updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1, maxSurge: 0 } },
    revisionHistoryLimit: 10,
  });
  t.deepEqual(metadata.annotations, { 'deprecated.daemonset.template.generation': '1' });
  t.deepEqual(status, {
    currentNumberScheduled: 0,
    numberMisscheduled: 0,
    desiredNumberScheduled: 0,
    numberReady: 0,
  });
});

test('DaemonSet › refuses what cannot be', (t) => {
  const field = 'spec.updateStrategy.rollingUpdate';
  const rolling = (rollingUpdate: object): string => daemonAnswer({ updateStrategy: { rollingUpdate } });
  t.is(daemonAnswer({ selector: {} }), 'spec.selector: Invalid value: {}: empty selector is invalid for daemonset');
  t.is(
    daemonAnswer({ selector: { matchLabels: { a: 'c' } } }),
    'spec.template.metadata.labels: Invalid value: {"a":"b"}: `selector` does not match template `labels`',
  );
  t.is(
    daemonAnswer({ template: { ...TEMPLATE, spec: { ...TEMPLATE.spec, activeDeadlineSeconds: 5 } } }),
    'spec.template.spec.activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in DaemonSet is not Supported',
  );
  t.is(
    daemonAnswer({ updateStrategy: { type: 'Recreate' } }),
    'spec.updateStrategy: Unsupported value: {"Type":"Recreate","RollingUpdate":null}: supported values: "RollingUpdate", "OnDelete"',
  );
  t.is(daemonAnswer({ updateStrategy: { type: 'OnDelete' } }), 'accepted');
  t.is(rolling({ maxUnavailable: 0 }), `${field}.maxUnavailable: Required value: cannot be 0 when maxSurge is 0`);
  t.is(rolling({ maxSurge: 1 }), `${field}.maxSurge: Invalid value: 1: may not be set when maxUnavailable is non-zero`);
  t.is(rolling({ maxSurge: '10%', maxUnavailable: 0 }), 'accepted');
  t.is(
    rolling({ maxUnavailable: '101%' }),
    `${field}.maxUnavailable: Invalid value: "101%": must not be greater than 100%`,
  );
  t.is(
    rolling({ maxUnavailable: 'one' }),
    `[${field}.maxUnavailable: Invalid value: "one": ${PERCENT}, ${field}.maxUnavailable: Required value: cannot be 0 when maxSurge is 0]`,
  );
  t.is(
    daemonAnswer({ minReadySeconds: -1, revisionHistoryLimit: -1 }),
    '[spec.minReadySeconds: Invalid value: -1: must be greater than or equal to 0, spec.revisionHistoryLimit: Invalid value: -1: must be greater than or equal to 0]',
  );
});

test('DaemonSet › keeps its selector', (t) => {
  const stored = createdBy(daemonSetKind, { spec: { selector: { matchLabels: { a: 'b' } }, template: TEMPLATE } });
  const selector = { matchExpressions: [{ key: 'a', operator: 'Exists' as const }] };
  t.is(
    answerOf(() => updatedBy(daemonSetKind, stored, (set) => ({ ...set, spec: { ...set.spec, selector } }))),
    'DaemonSet.apps "x" is invalid: spec.selector: Invalid value: {"matchExpressions":[{"key":"a","operator":"Exists"}]}: field is immutable',
  );
});
