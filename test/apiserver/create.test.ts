import test from 'ava';
import { isApiError } from '../../src/api/errors/api-error.js';
import { createFixture, podDraft, refusal } from './fixtures.js';

test('create › the server sets identity, version, time and generation; what the client wrote of them is dropped', async (t) => {
  const { server, at } = createFixture();
  await at(61_500);
  const pod = server.create('Pod', {
    ...podDraft(
      'p',
      {},
      {
        labels: { a: 'b' },
        uid: '11111111-1111-1111-1111-111111111111',
        generation: 7,
        creationTimestamp: '2001-01-01T00:00:00Z',
        deletionTimestamp: '2001-01-01T00:00:00Z',
      },
    ),
    status: { phase: 'Running' },
  });
  const { uid, ...metadata } = pod.metadata;
  t.regex(uid, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  t.not(uid, '11111111-1111-1111-1111-111111111111');
  t.deepEqual(metadata, {
    name: 'p',
    namespace: 'default',
    resourceVersion: String(server.version),
    generation: 1,
    creationTimestamp: '2030-01-01T00:01:01Z',
    labels: { a: 'b' },
  });
  t.deepEqual(pod.status, { phase: 'Pending', qosClass: 'BestEffort' });
  t.is(server.get('Pod', { namespace: 'default', name: 'p' }), pod);
});

test('create › kinds without a generation have none', (t) => {
  const { server } = createFixture();
  t.false('generation' in server.create('Node', { metadata: { name: 'n' } }).metadata);
});

test('create › what is stored is frozen', (t) => {
  const { server } = createFixture();
  const pod = server.create('Pod', podDraft('p'));
  t.true(Object.isFrozen(pod));
  t.true(Object.isFrozen(pod.metadata));
});

test('create › a name that is taken is refused', (t) => {
  const { server } = createFixture();
  server.create('Pod', podDraft('p'));
  const { version } = server;
  t.deepEqual(
    refusal(t, () => server.create('Pod', podDraft('p'))),
    {
      code: 409,
      reason: 'AlreadyExists',
      message: 'pods "p" already exists',
    },
  );
  t.is(server.version, version);
});

test('create › a resourceVersion must not be sent', (t) => {
  const { server } = createFixture();
  t.deepEqual(
    refusal(t, () => server.create('Pod', podDraft('p', {}, { resourceVersion: '5' }))),
    {
      code: 500,
      reason: undefined,
      message: 'resourceVersion should not be set on objects to be created',
    },
  );
});

test('create › generateName is cut to 58 characters and gets five letters', (t) => {
  const { server } = createFixture();
  const base = 'a'.repeat(70);
  const { metadata } = server.create('Pod', podDraft('', {}, { name: undefined, generateName: base }));
  t.regex(metadata.name, /^a{58}[bcdfghjklmnpqrstvwxz2456789]{5}$/);
  t.is(metadata.generateName, base);
});

test('create › a generated name that is taken is drawn again', (t) => {
  const draw = createFixture();
  const draft = podDraft('', {}, { name: undefined, generateName: 'p-' });
  const first = draw.server.create('Pod', draft).metadata.name;
  const second = draw.server.create('Pod', draft).metadata.name;
  const { server } = createFixture();
  server.create('Pod', podDraft(first));
  t.is(server.create('Pod', draft).metadata.name, second);
});

test('create › after eight taken names it gives up', (t) => {
  const draw = createFixture();
  const draft = podDraft('', {}, { name: undefined, generateName: 'p-' });
  const taken = Array.from({ length: 8 }, () => draw.server.create('Pod', draft).metadata.name);
  const { server } = createFixture();
  for (const name of taken) server.create('Pod', podDraft(name));
  const error = t.throws(() => server.create('Pod', draft));
  t.true(isApiError(error, 'AlreadyExists'));
  t.is(
    error.message,
    `pods "${taken[7]}" already exists, the server was not able to generate a unique name for the object`,
  );
  t.is(isApiError(error, 'AlreadyExists') ? error.details?.retryAfterSeconds : undefined, 1);
});

test('create › an invalid object is refused with every reason, and nothing is stored', (t) => {
  const { server } = createFixture();
  const { version } = server;
  t.deepEqual(
    refusal(t, () => server.create('Pod', { metadata: { name: 'p' }, spec: { containers: [{ name: 'c' }] } })),
    {
      code: 422,
      reason: 'Invalid',
      message: 'Pod "p" is invalid: spec.containers[0].image: Required value',
    },
  );
  t.deepEqual([server.version, server.count('Pod')], [version, 0]);
});

test('get › an object that is not there is 404, with its group', (t) => {
  const { server } = createFixture();
  t.is(server.find('Pod', { namespace: 'default', name: 'p' }), undefined);
  t.deepEqual(
    refusal(t, () => server.get('Pod', { namespace: 'default', name: 'p' })),
    {
      code: 404,
      reason: 'NotFound',
      message: 'pods "p" not found',
    },
  );
  t.is(
    refusal(t, () => server.get('Deployment', { namespace: 'default', name: 'd' })).message,
    'deployments.apps "d" not found',
  );
});

test('create › pods of one draft spec share everything below their own spec', (t) => {
  const { server } = createFixture();
  const { spec } = podDraft('x');
  const a = server.create('Pod', { metadata: { name: 'a' }, spec });
  const b = server.create('Pod', { metadata: { name: 'b' }, spec });
  t.is(a.spec.containers, b.spec.containers);
  t.is(a.spec.tolerations, b.spec.tolerations);
});

test('renewals › a lease is renewed whenever it is read; watches hear of the beginning and the end', async (t) => {
  const { kernel, server } = createFixture();
  const name = { namespace: 'kube-node-lease', name: 'n1' };
  server.create('Lease', { metadata: name, spec: { holderIdentity: 'n1' } });
  const watched: unknown[] = [];
  server.watch('Lease', { resourceVersion: String(server.version) }, (event) => {
    if (event.type !== 'BOOKMARK') watched.push([event.type, event.object.spec, event.renewals]);
  });
  const renewals = { firstMs: 1000, periodMs: 10_000 };
  server.renewLease('n1', renewals);
  const bare = { holderIdentity: 'n1' };
  t.deepEqual(server.get('Lease', name).spec, bare);
  await kernel.clock.run({ untilMs: 25_000 });
  const shown = { holderIdentity: 'n1', renewTime: kernel.timestamps.toMicroTime(21_000) };
  t.deepEqual(server.get('Lease', name).spec, shown);
  const { items, renewals: listed } = server.list('Lease');
  t.deepEqual([items.map(({ spec }) => spec), listed?.get('kube-node-lease/n1')], [[shown], renewals]);
  server.renewLease('n1', undefined);
  await kernel.clock.run({ untilMs: 50_000 });
  t.deepEqual(server.get('Lease', name).spec, shown);
  t.deepEqual(watched, [
    ['MODIFIED', bare, renewals],
    ['MODIFIED', shown, undefined],
  ]);
});

test('create › unknown fields are dropped with a warning, wrong types refused', (t) => {
  const warnings: string[] = [];
  const { server } = createFixture({ onWarning: (warning) => warnings.push(warning) });
  const pod = server.create('Pod', { ...podDraft('p', { bar: 1 }), foo: 1 });
  t.deepEqual(warnings, ['unknown field "spec.bar"', 'unknown field "foo"']);
  t.false('foo' in pod || 'bar' in pod.spec);
  t.is(
    refusal(t, () => server.create('Pod', podDraft('q', { terminationGracePeriodSeconds: '30' }))).message,
    'Pod in version "v1" cannot be handled as a Pod: json: cannot unmarshal string into Go struct field PodSpec.spec.terminationGracePeriodSeconds of type int64',
  );
  t.is(
    refusal(t, () => server.create('Pod', { ...podDraft('q'), kind: 'Service' })).message,
    'Service in version "v1" cannot be handled as a Pod: converting (v1.Service) to (core.Pod): unknown conversion',
  );
});
