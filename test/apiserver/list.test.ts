import test from 'ava';
import type { ListOptions } from '../../src/apiserver/store/server-types.js';
import { createFixture, podDraft, refusal, type Fixture } from './fixtures.js';

function withPods(...podNames: readonly string[]): Fixture {
  const fixture = createFixture();
  for (const name of podNames) fixture.server.create('Pod', podDraft(name));
  return fixture;
}

function names({ server }: Fixture, options: ListOptions = {}): readonly string[] {
  return server.list('Pod', options).items.map(({ metadata }) => metadata.name);
}

test('list › is in key order and stands at one version', (t) => {
  const fixture = withPods('b', 'a', 'c');
  t.deepEqual(names(fixture), ['a', 'b', 'c']);
  t.is(fixture.server.list('Pod').resourceVersion, String(fixture.server.version));
});

test('list › orders namespaces as storage keys do: the slash counts', (t) => {
  const { server } = createFixture();
  for (const namespace of ['a', 'a-b', 'ab']) {
    server.create('Namespace', { metadata: { name: namespace } });
    server.create('Pod', podDraft('p', {}, { namespace }));
  }
  t.deepEqual(
    server.list('Pod').items.map(({ metadata }) => metadata.namespace),
    ['a-b', 'a', 'ab'],
  );
});

test('list › selects by namespace, label and field', (t) => {
  const fixture = withPods('a', 'b');
  fixture.server.create('Pod', podDraft('c', { nodeName: 'n1' }, { labels: { app: 'web' } }));
  t.deepEqual(names(fixture, { namespace: 'default' }), ['a', 'b', 'c']);
  t.deepEqual(names(fixture, { namespace: 'kube-system' }), []);
  t.deepEqual(names(fixture, { labelSelector: 'app=web' }), ['c']);
  t.deepEqual(names(fixture, { labelSelector: '!app' }), ['a', 'b']);
  t.deepEqual(names(fixture, { fieldSelector: 'spec.nodeName=n1' }), ['c']);
  t.deepEqual(names(fixture, { fieldSelector: 'spec.nodeName!=n1,metadata.name!=a' }), ['b']);
});

test('list › Exact shows the state of an older version: additions, changes and removals undone', (t) => {
  const fixture = withPods('a', 'b');
  const { server } = fixture;
  const resourceVersion = String(server.version);
  const before = server.list('Pod').items;
  server.create('Pod', podDraft('c'));
  server.bind({ metadata: { namespace: 'default', name: 'a' }, target: { name: 'n1' } });
  server.delete('Pod', { namespace: 'default', name: 'b' });
  t.deepEqual(names(fixture), ['a', 'c']);
  const list = server.list('Pod', { resourceVersion, resourceVersionMatch: 'Exact' });
  t.deepEqual(list, { items: before, resourceVersion });
  t.deepEqual(names(fixture, { resourceVersion, resourceVersionMatch: 'Exact', fieldSelector: 'spec.nodeName=' }), [
    'a',
    'b',
  ]);
});

test('list › NotOlderThan, and a bare version, answer with the latest', (t) => {
  const fixture = withPods('a');
  const resourceVersion = String(fixture.server.version);
  fixture.server.create('Pod', podDraft('b'));
  t.deepEqual(names(fixture, { resourceVersion }), ['a', 'b']);
  t.deepEqual(names(fixture, { resourceVersion, resourceVersionMatch: 'NotOlderThan' }), ['a', 'b']);
});

test('list › a version that the history lost is 410', (t) => {
  const fixture = createFixture({ watchHistory: 2 });
  const resourceVersion = String(fixture.server.version);
  for (const name of ['a', 'b', 'c']) fixture.server.create('Pod', podDraft(name));
  t.deepEqual(
    refusal(t, () => names(fixture, { resourceVersion, resourceVersionMatch: 'Exact' })),
    { code: 410, reason: 'Expired', message: 'The resourceVersion for the provided list is too old.' },
  );
});

test('list › a future version is refused', (t) => {
  const fixture = withPods();
  const { version } = fixture.server;
  t.deepEqual(
    refusal(t, () => names(fixture, { resourceVersion: String(version + 1) })),
    {
      code: 504,
      reason: 'Timeout',
      message: `Timeout: Too large resource version: ${version + 1}, current: ${version}`,
    },
  );
});

test('list › pages share one version whatever happens between them', (t) => {
  const { server } = withPods('a', 'b', 'c', 'd', 'e');
  const first = server.list('Pod', { limit: 2 });
  t.deepEqual([first.items.map(({ metadata }) => metadata.name), first.remainingItemCount], [['a', 'b'], 3]);
  server.delete('Pod', { namespace: 'default', name: 'c' });
  server.create('Pod', podDraft('bb'));
  const second = server.list('Pod', { limit: 2, continue: first.continue });
  t.deepEqual([second.items.map(({ metadata }) => metadata.name), second.remainingItemCount], [['c', 'd'], 1]);
  const third = server.list('Pod', { limit: 2, continue: second.continue });
  t.deepEqual(
    third.items.map(({ metadata }) => metadata.name),
    ['e'],
  );
  t.deepEqual([second.resourceVersion, third.resourceVersion], [first.resourceVersion, first.resourceVersion]);
  t.deepEqual([third.continue, third.remainingItemCount], [undefined, undefined]);
});

test('list › pages within a namespace continue by name, as recorded', (t) => {
  const { server } = withPods('a', 'b');
  const { continue: token } = server.list('Pod', { namespace: 'default', limit: 1 });
  t.is(
    Buffer.from(token ?? '', 'base64url').toString('utf8'),
    `{"v":"meta.k8s.io/v1","rv":${server.version},"start":"/a\\u0000"}`,
  );
  t.deepEqual(
    server.list('Pod', { namespace: 'default', limit: 1, continue: token }).items.map(({ metadata }) => metadata.name),
    ['b'],
  );
});

test('list › with a selector there is no remaining count', (t) => {
  const { server } = withPods('a', 'b');
  const list = server.list('Pod', { limit: 1, labelSelector: '!x' });
  t.deepEqual([typeof list.continue, 'remainingItemCount' in list], ['string', false]);
});

test('list › the limit is ignored at version 0, and a limit of 0 or less is none', (t) => {
  const fixture = withPods('a', 'b');
  t.deepEqual(names(fixture, { limit: 1, resourceVersion: '0' }), ['a', 'b']);
  t.deepEqual(names(fixture, { limit: 0 }), ['a', 'b']);
  t.deepEqual(names(fixture, { limit: -1 }), ['a', 'b']);
});

test('list › a page whose version is gone is 410', (t) => {
  const fixture = createFixture({ watchHistory: 2 });
  for (const name of ['a', 'b']) fixture.server.create('Pod', podDraft(name));
  const { continue: token } = fixture.server.list('Pod', { limit: 1 });
  for (const name of ['c', 'd', 'e']) fixture.server.create('Pod', podDraft(name));
  const { code, reason } = refusal(t, () => names(fixture, { limit: 1, continue: token }));
  t.deepEqual({ code, reason }, { code: 410, reason: 'Expired' });
});

test('list › a token that is none is refused', (t) => {
  const fixture = withPods('a');
  t.deepEqual(
    refusal(t, () => names(fixture, { continue: 'a!b' })),
    {
      code: 400,
      reason: 'BadRequest',
      message: 'invalid continue token: continue key is not valid: illegal base64 data at input byte 1',
    },
  );
});
