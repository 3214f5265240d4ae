import test from 'ava';
import {
  newCondition,
  withCondition,
  type DeploymentCondition,
} from '../../../src/controllers/deployment/conditions.js';
import {
  calculateStatus,
  rolloutStatus,
  stuckCheckInMs,
} from '../../../src/controllers/deployment/deployment-status.js';
import { createTimestamps } from '../../../src/kernel/timestamps.js';
import { deployment, replicaSet } from '../objects.js';

const timestamps = createTimestamps('2030-01-01T00:00:00Z');
const START = '2030-01-01T00:00:00Z';
const LATER = '2030-01-01T00:01:00Z';

function progress(
  reason: string,
  message: string,
  status: 'True' | 'False' = 'True',
  updated = START,
  since = START,
): DeploymentCondition {
  return { type: 'Progressing', status, lastUpdateTime: updated, lastTransitionTime: since, reason, message };
}

test('7.2.10 › a rewritten condition moves to the end and keeps its transition time while its status stays', (t) => {
  const created = progress('NewReplicaSetCreated', 'Created');
  const available = newCondition('Available', 'True', 'MinimumReplicasAvailable', 'yes', START);
  const before = { conditions: [created, available] };
  const after = withCondition(before, newCondition('Progressing', 'True', 'ReplicaSetUpdated', 'is', LATER));
  t.deepEqual(after.conditions, [available, progress('ReplicaSetUpdated', 'is', 'True', LATER, START)]);
});

test('7.2.10 › one of the same status and reason is left alone, even if its message differs', (t) => {
  const before = { conditions: [progress('ReplicaSetUpdated', 'one')] };
  t.is(withCondition(before, progress('ReplicaSetUpdated', 'two')), before);
});

test('7.2.7 › before any pod: unavailable replicas and no minimum availability', (t) => {
  const d = deployment({ replicas: 8 });
  const newest = replicaSet('d-1', { replicas: 8 });
  t.deepEqual(calculateStatus(d, { newest, old: [] }, START), {
    observedGeneration: 1,
    unavailableReplicas: 8,
    conditions: [
      newCondition(
        'Available',
        'False',
        'MinimumReplicasUnavailable',
        'Deployment does not have minimum availability.',
        START,
      ),
    ],
  });
});

test('7.2.7 › minimum availability is reached at replicas minus maxUnavailable, not one below', (t) => {
  const d = deployment({ replicas: 8 });
  const at = (availableReplicas: number): string | undefined =>
    calculateStatus(
      d,
      { newest: replicaSet('d-1', { replicas: 8 }, { replicas: 8, availableReplicas }), old: [] },
      START,
    ).conditions?.[0]?.reason;
  t.is(at(5), 'MinimumReplicasUnavailable');
  t.is(at(6), 'MinimumReplicasAvailable');
});

test('7.2.8 › progress renews the time of update, and the end of the rollout names the replica set', (t) => {
  const created = progress('NewReplicaSetCreated', 'Created new replica set "d-1"');
  const d = deployment({ replicas: 2 }, { observedGeneration: 1, conditions: [created] });
  const half = replicaSet('d-1', { replicas: 2 }, { replicas: 2, readyReplicas: 1, availableReplicas: 1 });
  const after = rolloutStatus(d, { newest: half, old: [] }, 60_000, timestamps);
  t.deepEqual(
    after.conditions?.at(-1),
    progress('ReplicaSetUpdated', 'ReplicaSet "d-1" is progressing.', 'True', LATER, START),
  );
  const full = replicaSet('d-1', { replicas: 2 }, { replicas: 2, readyReplicas: 2, availableReplicas: 2 });
  const done = rolloutStatus({ ...d, status: after }, { newest: full, old: [] }, 60_000, timestamps);
  t.deepEqual(
    done.conditions?.find(({ type }) => type === 'Progressing'),
    progress('NewReplicaSetAvailable', 'ReplicaSet "d-1" has successfully progressed.', 'True', LATER, START),
  );
});

test('7.2.8 › a rollout times out after its deadline and not at it', (t) => {
  const conditions = [progress('ReplicaSetUpdated', 'x')];
  const newest = replicaSet('d-1', { replicas: 2 }, { replicas: 2 });
  const status = { observedGeneration: 1, replicas: 2, updatedReplicas: 2, unavailableReplicas: 2, conditions };
  const d = deployment({ replicas: 2, progressDeadlineSeconds: 60 }, status);
  const reasonAt = (nowMs: number): string | undefined =>
    rolloutStatus(d, { newest, old: [] }, nowMs, timestamps).conditions?.find(({ type }) => type === 'Progressing')
      ?.reason;
  t.is(reasonAt(60_000), 'ReplicaSetUpdated');
  t.is(reasonAt(60_001), 'ProgressDeadlineExceeded');
});

test('7.2.8 › a finished rollout that loses a pod does not time out, nor is it watched', (t) => {
  const conditions = [progress('NewReplicaSetAvailable', 'x')];
  const d = deployment(
    { replicas: 2, progressDeadlineSeconds: 60 },
    { observedGeneration: 1, replicas: 2, updatedReplicas: 2, conditions },
  );
  const newest = replicaSet('d-1', { replicas: 2 }, { replicas: 2, readyReplicas: 1, availableReplicas: 1 });
  const status = rolloutStatus(d, { newest, old: [] }, 3_600_000, timestamps);
  t.is(status.conditions?.find(({ type }) => type === 'Progressing')?.reason, 'NewReplicaSetAvailable');
  t.is(stuckCheckInMs(d, status, 3_600_000, timestamps), undefined);
});

test('7.2.8 › a rollout without news is looked at one second after its deadline', (t) => {
  const conditions = [progress('ReplicaSetUpdated', 'x')];
  const d = deployment({ replicas: 2 }, { conditions });
  t.is(stuckCheckInMs(d, d.status, 100_000, timestamps), 501_000);
});

test('7.2.9 › a failing replica set shows until it recovers', (t) => {
  const failure = {
    type: 'ReplicaFailure',
    status: 'True',
    lastTransitionTime: START,
    reason: 'FailedCreate',
    message: 'no',
  };
  const d = deployment({ replicas: 2 }, {});
  const failing = replicaSet('d-1', { replicas: 2 }, { conditions: [failure] });
  const status = rolloutStatus(d, { newest: undefined, old: [failing] }, 0, timestamps);
  t.deepEqual(
    status.conditions?.find(({ type }) => type === 'ReplicaFailure'),
    { ...failure, lastUpdateTime: START },
  );
  const after = rolloutStatus({ ...d, status }, { newest: replicaSet('d-1', { replicas: 2 }), old: [] }, 0, timestamps);
  t.is(
    after.conditions?.find(({ type }) => type === 'ReplicaFailure'),
    undefined,
  );
});
