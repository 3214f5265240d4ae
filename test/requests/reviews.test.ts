import test from 'ava';
import { createRoom } from './ask.js';

const AUTHORIZATION = '/apis/authorization.k8s.io/v1';

test('reviews › the administrator may do everything, and is told its name and groups', (t) => {
  const { ask } = createRoom();
  const spec = { resourceAttributes: { verb: 'create', resource: 'pods' } };
  const allowed = ask('POST', `${AUTHORIZATION}/selfsubjectaccessreviews`, { body: { spec } });
  t.deepEqual([allowed.status, (allowed.body as { readonly status: object }).status], [201, { allowed: true }]);
  const me = ask('POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', { body: {} });
  t.deepEqual((me.body as { readonly status: object }).status, {
    userInfo: { username: 'admin', uid: 'admin', groups: ['system:masters', 'system:authenticated'] },
  });
});

test('reviews › a user of no group that may do anything may do nothing', (t) => {
  const { ask } = createRoom();
  const review = ask('POST', `${AUTHORIZATION}/subjectaccessreviews`, {
    body: { spec: { user: 'jane', groups: [], resourceAttributes: { verb: 'get', resource: 'pods' } } },
  });
  t.deepEqual((review.body as { readonly status: object }).status, { allowed: false });
});
