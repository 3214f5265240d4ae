import test from 'ava';
import { ApiError, createCluster, type HookAnswer } from '../../../src/index.js';

const RULES = { rules: [{ operations: ['CREATE', 'UPDATE'], apiGroups: [''], resources: ['configmaps'] }] };
const MAPS = '/api/v1/namespaces/default/configmaps';

test('what a webhook says of its refusal is told, and a patch sees nothing that the server gives a new object later', async (t) => {
  const cluster = createCluster({ nodes: 0 });
  let answer: HookAnswer = { allowed: true };
  cluster.admission.mutating('hook', RULES, () => answer);
  const told = (): ApiError | undefined =>
    t.throws(() => cluster.create('ConfigMap', { metadata: { name: 'x' } }), { instanceOf: ApiError });
  const details = { name: 'n', kind: 'k', causes: [{ field: 'f', message: 'm', reason: 'r' }], retryAfterSeconds: 3 };
  answer = { allowed: false, status: { code: 422, message: 'no', details } };
  t.deepEqual(told()?.details, details);
  for (const field of ['uid', 'resourceVersion', 'creationTimestamp']) {
    answer = { allowed: true, patch: [{ op: 'remove', path: `/metadata/${field}` }] };
    const why = `error in remove for path: '/metadata/${field}': Unable to remove nonexistent key: ${field}: missing value`;
    t.is(told()?.message, `Internal error occurred: ${why}`);
  }
  answer = { allowed: true, patch: [{ op: 'remove', path: '/metadata/generateName' }] };
  const nameless = { metadata: { generateName: 'x-' } };
  const why = 'ConfigMap "" is invalid: metadata.name: Required value: name or generateName is required';
  t.throws(() => cluster.create('ConfigMap', nameless), { message: why });
  answer = { allowed: true, patch: [{ op: 'add', path: '/data', value: {} }] };
  t.regex(cluster.create('ConfigMap', nameless).metadata.name, /^x-.{5}$/);
  answer = { allowed: true };
  cluster.create('ConfigMap', { metadata: { name: 'x' } });
  answer = {
    allowed: true,
    patch: [{ op: 'add', path: '/metadata/creationTimestamp', value: '2001-01-01T00:00:00Z' }],
  };
  const { creationTimestamp } = cluster.patch('ConfigMap', 'x', { data: { a: 'b' } }).metadata;
  t.is(creationTimestamp, '2030-01-01T00:00:00Z');
  await cluster.dispose();
});

test('warnings that make no header are dropped, and many long ones are cut', async (t) => {
  const cluster = createCluster({ nodes: 0 });
  let warnings: readonly string[] = ['a\nb', '', ' ', 'c"', 'c"', 'd\te'];
  cluster.admission.validating('hook', RULES, () => ({ allowed: true, warnings }));
  const headers = async (name: string): Promise<unknown> => {
    const answer = await cluster.ask({ method: 'POST', path: MAPS, body: { metadata: { name } } });
    return answer.headers['warning'];
  };
  t.deepEqual(await headers('x'), ['299 - " "', '299 - "c\\""']);
  warnings = Array.from({ length: 20 }, (_each, index) => `${index} ${'x'.repeat(300)}`);
  const cut = (await headers('y')) as readonly string[];
  t.deepEqual([cut.length, new Set(cut.map(({ length }) => length))], [16, new Set([264])]);
  await cluster.dispose();
});
