import test from 'ava';
import type { Pod } from '../../src/api/objects/objects.js';
import type { WatchEvent } from '../../src/apiserver/store/server-types.js';
import { createFixture, heard, podDraft, refusal, take } from './fixtures.js';

test('watch › without a version tells the present state in key order, then what follows', (t) => {
  const { server } = createFixture();
  server.create('Pod', podDraft('b'));
  server.create('Pod', podDraft('a'));
  const { version } = server;
  const lines = heard(server, 'Pod');
  t.deepEqual(take(lines), [`ADDED a ${version}`, `ADDED b ${version}`]);
  server.delete('Pod', { namespace: 'default', name: 'a' });
  t.deepEqual(take(lines), [`MODIFIED a ${version + 1}`, `DELETED a ${version + 2}`]);
});

test('watch › version 0 is any version: the present state', (t) => {
  const { server } = createFixture();
  server.create('Pod', podDraft('a'));
  t.deepEqual(heard(server, 'Pod', { resourceVersion: '0' }), [`ADDED a ${server.version}`]);
});

test('watch › resumes after a version without loss or repetition', (t) => {
  const { server } = createFixture();
  server.create('Pod', podDraft('a'));
  const { version } = server;
  server.create('Pod', podDraft('b'));
  server.create('Namespace', { metadata: { name: 'other' } });
  server.create('Pod', podDraft('c', {}, { namespace: 'other' }));
  t.deepEqual(heard(server, 'Pod', { resourceVersion: String(version) }), [
    `ADDED b ${version + 1}`,
    `ADDED c ${version + 3}`,
  ]);
  t.deepEqual(heard(server, 'Pod', { resourceVersion: String(version), namespace: 'other' }), [
    `ADDED c ${version + 3}`,
  ]);
  t.deepEqual(heard(server, 'Pod', { resourceVersion: String(version), fieldSelector: 'metadata.name=b' }), [
    `ADDED b ${version + 1}`,
  ]);
  t.deepEqual(heard(server, 'Pod', { resourceVersion: String(server.version) }), []);
});

test('watch › a version one before the oldest event is served, an older one is 410', (t) => {
  const { server } = createFixture({ watchHistory: 2 });
  const first = server.version;
  server.create('Pod', podDraft('a'));
  server.create('Pod', podDraft('b'));
  server.create('Pod', podDraft('c'));
  t.deepEqual(heard(server, 'Pod', { resourceVersion: String(first + 1) }), [
    `ADDED b ${first + 2}`,
    `ADDED c ${first + 3}`,
  ]);
  t.deepEqual(
    refusal(t, () => heard(server, 'Pod', { resourceVersion: String(first) })),
    {
      code: 410,
      reason: 'Expired',
      message: `too old resource version: ${first} (${first + 1})`,
    },
  );
});

test('watch › a history that never overflowed still serves version 1', (t) => {
  const { server } = createFixture();
  server.create('Pod', podDraft('a'));
  t.deepEqual(heard(server, 'Pod', { resourceVersion: '1' }), [`ADDED a ${server.version}`]);
});

test('watch › a future version is silent until it has passed', (t) => {
  const { server } = createFixture();
  const lines = heard(server, 'Pod', { resourceVersion: String(server.version + 1) });
  server.create('Pod', podDraft('a'));
  t.deepEqual(take(lines), []);
  server.create('Pod', podDraft('b'));
  t.deepEqual(take(lines), [`ADDED b ${server.version}`]);
});

test('watch › a version that is no number is an internal error, as upstream', (t) => {
  const { server } = createFixture();
  t.deepEqual(
    refusal(t, () => heard(server, 'Pod', { resourceVersion: 'abc' })),
    {
      code: 500,
      reason: undefined,
      message: 'resourceVersion: Invalid value: "abc": strconv.ParseUint: parsing "abc": invalid syntax',
    },
  );
});

test('watch › labels that start or cease to match are ADDED and DELETED', (t) => {
  const { server } = createFixture();
  server.create('Pod', podDraft('a'));
  const events: WatchEvent<'Pod'>[] = [];
  server.watch('Pod', { labelSelector: 'app=web' }, (event) => events.push(event));
  const label = (labels: Record<string, string>): Pod =>
    server.patch('Pod', { namespace: 'default', name: 'a' }, { type: 'merge', body: { metadata: { labels } } });
  label({ other: 'x' });
  const started = label({ app: 'web' });
  const within = label({ other: 'y' });
  const ceased = label({ app: 'db' });
  label({ other: 'z' });
  t.deepEqual(
    events.map((event) => [event.type, event.version]),
    [
      ['ADDED', Number(started.metadata.resourceVersion)],
      ['MODIFIED', Number(within.metadata.resourceVersion)],
      ['DELETED', Number(ceased.metadata.resourceVersion)],
    ],
  );
  const last = events[2];
  t.deepEqual(last?.type === 'DELETED' ? last.object.metadata : undefined, {
    ...within.metadata,
    resourceVersion: ceased.metadata.resourceVersion,
  });
});

test('watch › a pod bound to a node is ADDED to the watch of that node and DELETED for that of the unbound', (t) => {
  const { server } = createFixture();
  server.create('Pod', podDraft('a'));
  const here = heard(server, 'Pod', { fieldSelector: 'spec.nodeName=n1' });
  const elsewhere = heard(server, 'Pod', { fieldSelector: 'spec.nodeName=n2' });
  const unbound = heard(server, 'Pod', { fieldSelector: 'spec.nodeName=' });
  const labelled = heard(server, 'Pod', { fieldSelector: 'spec.nodeName=n1', labelSelector: 'app=web' });
  const named = heard(server, 'Pod', { fieldSelector: 'spec.nodeName=n1,metadata.name=a' });
  take(unbound);
  server.bind({ metadata: { namespace: 'default', name: 'a' }, target: { name: 'n1' } });
  const { version } = server;
  t.deepEqual(take(here), [`ADDED a ${version}`]);
  t.deepEqual(take(named), [`ADDED a ${version}`]);
  t.deepEqual(take(unbound), [`DELETED a ${version}`]);
  server.change('Pod', { namespace: 'default', name: 'a' }, (pod) => ({
    ...pod,
    metadata: { ...pod.metadata, labels: { app: 'web' } },
  }));
  t.deepEqual(take(here), [`MODIFIED a ${version + 1}`]);
  t.deepEqual(take(labelled), [`ADDED a ${version + 1}`]);
  server.delete('Pod', { namespace: 'default', name: 'a' }, { gracePeriodSeconds: 0 });
  t.deepEqual(take(here), [`MODIFIED a ${version + 2}`, `DELETED a ${version + 3}`]);
  t.deepEqual(take(elsewhere), []);
});

test('watch › the same transitions are told when a keyed watch resumes from the history', (t) => {
  const { server } = createFixture();
  server.create('Pod', podDraft('a'));
  const { version } = server;
  server.bind({ metadata: { namespace: 'default', name: 'a' }, target: { name: 'n1' } });
  const resourceVersion = String(version);
  t.deepEqual(heard(server, 'Pod', { resourceVersion, fieldSelector: 'spec.nodeName=n1' }), [`ADDED a ${version + 1}`]);
  t.deepEqual(heard(server, 'Pod', { resourceVersion, fieldSelector: 'spec.nodeName=' }), [`DELETED a ${version + 1}`]);
  t.deepEqual(heard(server, 'Pod', { resourceVersion, fieldSelector: 'spec.nodeName=n2' }), []);
});

/** What watches of nodes hear of a short history that pods came and went through. */
function resumedByNode(isAskedBefore: boolean): readonly (readonly string[])[] {
  const { server } = createFixture({ watchHistory: 8 });
  const bindTo = (name: string, node: string): void => {
    server.create('Pod', podDraft(name));
    server.bind({ metadata: { namespace: 'default', name }, target: { name: node } });
  };
  const heardSince = (version: number, node: string): readonly string[] => [
    ...heard(server, 'Pod', { resourceVersion: String(version), fieldSelector: `spec.nodeName=${node}` }),
  ];
  for (const name of ['a', 'b', 'c']) bindTo(name, 'n1');
  if (isAskedBefore) heardSince(server.version - 1, 'n1');
  bindTo('d', 'n1');
  bindTo('e', 'n2');
  const since = server.version - 7;
  const before = [heardSince(since, 'n1'), heardSince(since, 'n2')];
  bindTo('f', 'n1');
  return [...before, heardSince(server.version - 4, 'n1')];
}

test('watch › of a node resumes alike whether the history has been asked for a node before or not', (t) => {
  const { version } = createFixture().server;
  const expected = [
    [`ADDED b ${version + 4}`, `ADDED c ${version + 6}`, `ADDED d ${version + 8}`],
    [`ADDED e ${version + 10}`],
    [`ADDED f ${version + 12}`],
  ];
  t.deepEqual(resumedByNode(false), expected);
  t.deepEqual(resumedByNode(true), expected);
});

test('watch › of a node resumes after a whole history in which none was asked for', (t) => {
  const { server } = createFixture({ watchHistory: 4 });
  const tellsOf = (node: string, version: number): string[] =>
    heard(server, 'Pod', { fieldSelector: `spec.nodeName=${node}`, resourceVersion: String(version) });
  const create = (name: string, nodeName: string): void => void server.create('Pod', podDraft(name, { nodeName }));
  create('a', 'n1');
  t.deepEqual(tellsOf('n1', server.version - 1), [`ADDED a ${server.version}`]);
  for (const name of ['b', 'c', 'd', 'e', 'f', 'g', 'h']) create(name, 'n2');
  const { version } = server;
  create('i', 'n1');
  create('j', 'n2');
  t.deepEqual(tellsOf('n1', version), [`ADDED i ${version + 1}`]);
  create('k', 'n1');
  t.deepEqual(tellsOf('n1', version), [`ADDED i ${version + 1}`, `ADDED k ${version + 3}`]);
  t.deepEqual(tellsOf('n2', version - 1), [`ADDED h ${version}`, `ADDED j ${version + 2}`]);
});

test('watch › by namespace and by name hear only of their own', (t) => {
  const { server } = createFixture();
  server.create('Namespace', { metadata: { name: 'other' } });
  const other = heard(server, 'Pod', { namespace: 'other' });
  const named = heard(server, 'Pod', { fieldSelector: 'metadata.name=a' });
  const namedThere = heard(server, 'Pod', { namespace: 'other', fieldSelector: 'metadata.name=a' });
  server.create('Pod', podDraft('a'));
  const { version } = server;
  server.create('Pod', podDraft('a', {}, { namespace: 'other' }));
  server.create('Pod', podDraft('b', {}, { namespace: 'other' }));
  t.deepEqual(other, [`ADDED a ${version + 1}`, `ADDED b ${version + 2}`]);
  t.deepEqual(named, [`ADDED a ${version}`, `ADDED a ${version + 1}`]);
  t.deepEqual(namedThere, [`ADDED a ${version + 1}`]);
});

test('watch › a closed watch is silent, and closing it again is harmless', (t) => {
  const { server } = createFixture();
  const lines: string[] = [];
  const handle = server.watch('Pod', { fieldSelector: 'spec.nodeName=' }, ({ type }) => lines.push(type));
  server.create('Pod', podDraft('a'));
  handle.close();
  handle.close();
  server.create('Pod', podDraft('b'));
  t.deepEqual(lines, ['ADDED']);
});

test('watch › a selector of an unknown field is refused before anything is told', (t) => {
  const { server } = createFixture();
  t.deepEqual(
    refusal(t, () => heard(server, 'Pod', { fieldSelector: 'spec.foo=bar' })),
    {
      code: 400,
      reason: 'BadRequest',
      message: 'field label not supported: spec.foo',
    },
  );
});

test('watch › all watches of all kinds hear of versions in rising order', (t) => {
  const { server } = createFixture();
  const versions: number[] = [];
  for (const kind of ['Pod', 'Node', 'Namespace'] as const) {
    server.watch(kind, { resourceVersion: String(server.version) }, ({ version }) => versions.push(version));
  }
  const start = server.version;
  server.create('Pod', podDraft('a'));
  server.create('Node', { metadata: { name: 'n' } });
  server.create('Namespace', { metadata: { name: 'x' } });
  server.delete('Pod', { namespace: 'default', name: 'a' });
  t.deepEqual(
    versions,
    [1, 2, 3, 4, 5].map((each) => start + each),
  );
});
