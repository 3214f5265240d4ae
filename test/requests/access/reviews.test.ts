import test from 'ava';
import { createRoom } from '../ask.js';

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

interface Shown {
  readonly message: string;
  readonly details: object;
  readonly metadata: object;
  readonly spec: object;
}

const OF_PODS = { verb: 'get', resource: 'pods' };

test('reviews › what is wrong with one is said of no kind', (t) => {
  const { ask } = createRoom();
  const refusal = (plural: string, body: object): Shown =>
    ask('POST', `${AUTHORIZATION}/${plural}`, { body }).body as Shown;
  const head = '.authorization.k8s.io "" is invalid: ';
  const neither = 'exactly one of nonResourceAttributes or resourceAttributes must be specified';
  const empty = refusal('subjectaccessreviews', { spec: {} });
  const user = 'spec.user: Invalid value: "": at least one of user or group must be specified';
  t.is(empty.message, `${head}[spec.resourceAttributes: Invalid value: null: ${neither}, ${user}]`);
  t.deepEqual(Object.keys(empty.details), ['group', 'causes']);
  const both = { user: 'a', resourceAttributes: OF_PODS, nonResourceAttributes: { path: '/x', verb: 'get' } };
  t.is(
    refusal('subjectaccessreviews', { spec: both }).message,
    `${head}spec.nonResourceAttributes: Invalid value: {"Path":"/x","Verb":"get"}: cannot be specified in combination with resourceAttributes`,
  );
  const local = { spec: { user: 'a', resourceAttributes: { ...OF_PODS, namespace: 'other' } } };
  t.is(
    refusal('namespaces/default/localsubjectaccessreviews', local).message,
    `${head}spec.resourceAttributes.namespace: Invalid value: "other": must match metadata.namespace`,
  );
  t.regex(
    refusal('selfsubjectaccessreviews', { metadata: { name: 'x' }, spec: { resourceAttributes: OF_PODS } }).message,
    /^\.authorization\.k8s\.io "" is invalid: metadata: Invalid value: {"name":"x","managedFields":\[.*\]}: must be empty$/,
  );
  t.is(refusal('selfsubjectrulesreviews', { spec: {} }).message, 'no namespace on request');
  const tokenReview = ask('POST', '/apis/authentication.k8s.io/v1/tokenreviews', { body: { spec: {} } });
  t.like(tokenReview.body, { code: 400, message: 'token is required for TokenReview in authentication' });
});

test('reviews › an answer has the owners of what was sent, and unknown fields are told of', (t) => {
  const { ask } = createRoom();
  const spec = { user: 'jane', resourceAttributes: { ...OF_PODS, namespace: 'default' }, more: 1 };
  const path = `${AUTHORIZATION}/namespaces/default/localsubjectaccessreviews`;
  const { body, headers } = ask('POST', path, { body: { spec } });
  t.deepEqual(headers['warning'], ['299 - "unknown field \\"spec.more\\""']);
  const { metadata, spec: shown } = body as Shown;
  const { more: _unknown, ...known } = spec;
  t.deepEqual(shown, known);
  const ofResource = { '.': {}, 'f:namespace': {}, 'f:resource': {}, 'f:verb': {} };
  t.like(metadata, {
    namespace: 'default',
    managedFields: [
      { manager: 'tester', fieldsV1: { 'f:spec': { 'f:resourceAttributes': ofResource, 'f:user': {} } } },
    ],
  });
  const strict = ask('POST', `${path}?fieldValidation=Strict`, { body: { spec } });
  t.is(strict.status, 400);
});
