import test from 'ava';
import fc from 'fast-check';
import {
  maxScaledDownOf,
  maxSurgeOf,
  maxUnavailableOf,
  newReplicasOf,
  proportionalShares,
} from '../../../src/controllers/deployment/rolling-arithmetic.js';
import { deployment, replicaSet } from '../objects.js';

function rolling(
  replicas: number,
  maxSurge: number | string,
  maxUnavailable: number | string,
): ReturnType<typeof deployment> {
  return deployment({ replicas, strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge, maxUnavailable } } });
}

test('7.2.1 › surge percentages round up, unavailable ones down', (t) => {
  const d = rolling(10, '25%', '25%');
  t.is(maxSurgeOf(d), 3);
  t.is(maxUnavailableOf(d), 2);
});

test('7.2.1 › when both round to nothing one pod may be missing', (t) => {
  const d = rolling(2, '0%', '10%');
  t.is(maxSurgeOf(d), 0);
  t.is(maxUnavailableOf(d), 1);
});

test('7.2.1 › no more pods may be missing than there are, none of none, none when recreating', (t) => {
  t.is(maxUnavailableOf(rolling(3, 1, 5)), 3);
  t.is(maxUnavailableOf(rolling(0, 1, 5)), 0);
  const recreating = deployment({ replicas: 4, strategy: { type: 'Recreate' } });
  t.is(maxSurgeOf(recreating), 0);
  t.is(maxUnavailableOf(recreating), 0);
});

test('7.2.3 › the new replica set takes the room that the surge leaves', (t) => {
  const d = rolling(8, '25%', '25%');
  t.is(newReplicasOf(d, 8, 0), 2);
  t.is(newReplicasOf(d, 10, 2), 2);
  t.is(newReplicasOf(d, 8, 2), 4);
  t.is(newReplicasOf(d, 2, 0), 8);
  t.is(newReplicasOf(deployment({ replicas: 8, strategy: { type: 'Recreate' } }), 8, 0), 8);
});

test('7.2.3 › unavailable new pods keep old ones alive', (t) => {
  const d = rolling(8, '25%', '25%');
  t.is(maxScaledDownOf(d, 10, replicaSet('new', { replicas: 2 }, { availableReplicas: 0 })), 2);
  t.is(maxScaledDownOf(d, 10, replicaSet('new', { replicas: 4 }, { availableReplicas: 0 })), 0);
  t.is(maxScaledDownOf(d, 10, replicaSet('new', { replicas: 4 }, { availableReplicas: 4 })), 4);
});

test('7.2.4 › 8 to 12 in the middle of a rollout makes 6 into 9 and 4 into 6', (t) => {
  const d = rolling(12, '25%', '25%');
  const annotations = {
    'deployment.kubernetes.io/max-replicas': '10',
    'deployment.kubernetes.io/desired-replicas': '8',
  };
  const shares = proportionalShares(d, [
    replicaSet('old', { replicas: 6 }, {}, { annotations }),
    replicaSet('new', { replicas: 4 }, {}, { annotations, creationTimestamp: '2030-01-01T00:01:00Z' }),
  ]);
  t.deepEqual(
    shares.map(({ replicaSet: { metadata }, replicas }) => [metadata.name, replicas]),
    [
      ['old', 9],
      ['new', 6],
    ],
  );
});

test('7.2.4 › among equals growth favours the newer and shrinking the older', (t) => {
  const annotations = { 'deployment.kubernetes.io/max-replicas': '10' };
  const sets = [
    replicaSet('old', { replicas: 5 }, {}, { annotations }),
    replicaSet('new', { replicas: 5 }, {}, { annotations, creationTimestamp: '2030-01-01T00:01:00Z' }),
  ];
  const names = (replicas: number): string[] =>
    proportionalShares(rolling(replicas, 0, 1), sets).map((share) => share.replicaSet.metadata.name);
  t.deepEqual(names(11), ['new', 'old']);
  t.deepEqual(names(9), ['old', 'new']);
});

test('7.2.4 › scaled to nothing, every share is nothing', (t) => {
  const sets = [replicaSet('a', { replicas: 5 }), replicaSet('b', { replicas: 3 })];
  t.deepEqual(
    proportionalShares(rolling(0, 1, 0), sets).map(({ replicas }) => replicas),
    [0, 0],
  );
});

test('7.2.4 › a property: shares are never negative and add up to the wish and the surge', (t) => {
  const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 2, maxLength: 6 });
  fc.assert(
    fc.property(sizes, fc.integer({ min: 1, max: 100 }), fc.integer({ min: 0, max: 10 }), (list, replicas, surge) => {
      const before = list.reduce((sum, size) => sum + size, 0);
      const annotations = { 'deployment.kubernetes.io/max-replicas': String(before) };
      const d = rolling(replicas, surge, 1);
      const shares = proportionalShares(
        d,
        list.map((size, index) => replicaSet(`rs-${index}`, { replicas: size }, {}, { annotations })),
      );
      t.true(shares.every((share) => share.replicas >= 0));
      // What rounding leaves is taken from the first, which may have less than that: the next sync takes the rest.
      const sum = shares.reduce((total, share) => total + share.replicas, 0);
      t.true(sum === replicas + surge || (sum > replicas + surge && shares[0]?.replicas === 0), `${sum}`);
    }),
    { numRuns: 200, examples: [[[1, 1, 1, 1, 1, 1], 3, 0]] },
  );
});
