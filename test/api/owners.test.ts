import test from 'ava';
import { controllerOf, controllerReference, isOwnedBy } from '../../src/api/objects/owners.js';

const OWNER = {
  apiVersion: 'apps/v1',
  kind: 'ReplicaSet',
  metadata: { name: 'web', uid: 'u1', resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' },
};

const PLAIN = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: 'u1' };

test('a controller reference blocks the deletion of its owner', (t) => {
  t.deepEqual(controllerReference(OWNER), { ...PLAIN, controller: true, blockOwnerDeletion: true });
});

test('the controller is one of the owners', (t) => {
  const controller = controllerReference(OWNER);
  const other = { ...PLAIN, uid: 'u2' };
  const object = { metadata: { ownerReferences: [other, controller] } };
  t.is(controllerOf(object), controller);
  t.deepEqual(
    ['u1', 'u2', 'u3'].map((uid) => isOwnedBy(object, uid)),
    [true, true, false],
  );
  t.is(controllerOf({ metadata: { ownerReferences: [other] } }), undefined);
  t.is(controllerOf({ metadata: {} }), undefined);
  t.false(isOwnedBy({ metadata: {} }, 'u1'));
});
