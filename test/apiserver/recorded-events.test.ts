import test from 'ava';
import { draftOf, type RecordedEvent } from '../../src/api/objects/recorded-event.js';
import { HOUR_MS } from '../../src/kernel/time-units.js';
import { createFixture, heard, podDraft, refusal, type Fixture } from './fixtures.js';

const WRITER = { source: { component: 'kubelet', host: 'n' }, component: 'kubelet', instance: 'n' };

function event(name: string, own: Partial<RecordedEvent> = {}): RecordedEvent {
  const regarding = {
    kind: 'Pod',
    namespace: 'default',
    name: 'p',
    uid: 'pod-uid',
    apiVersion: 'v1',
    resourceVersion: '7',
    fieldPath: 'spec.containers{c}',
  };
  const told = { type: 'Normal', reason: 'Pulled', message: 'Pulled "a\\b" – 5 µs', time: '2030-01-01T00:00:00Z' };
  return { name, namespace: 'default', regarding, ...told, writer: WRITER, ...own };
}

/** Of components that say what they did. */
const DONE = {
  time: '2030-01-01T00:00:00.117000Z',
  writer: { source: {}, component: 'scheduler', instance: 'scheduler' },
};

/** Of all shapes: without a version, without a host, about what has no namespace, with fields that are left out. */
const EVENTS: readonly RecordedEvent[] = [
  event('p.1'),
  event('p.2', { message: '' }),
  event('p.3', { writer: { source: { component: 'c' }, component: 'c', instance: '' } }),
  event('n.4', { regarding: { kind: 'Node', name: 'n', uid: 'n' } }),
  event('p.5', { regarding: { kind: 'Pod', namespace: 'default', name: 'p', uid: '' } }),
  event('p.6', { message: `long ${'-'.repeat(500)}` }),
  event('p.7', { ...DONE, action: 'Binding' }),
  event('p.8', {
    ...DONE,
    action: 'Preempting',
    related: { kind: 'Pod', namespace: 'other', name: 'q', uid: 'q-uid' },
  }),
  event('p.9', { ...DONE, action: '' }),
  event('p.10', { ...DONE, action: 'Preempting', related: { kind: 'Pod', name: '', uid: 'q-uid' } }),
];

/** Two servers, with the same events: one by records, the other by drafts. */
function createPair(options: { readonly tracksFields?: boolean } = {}): [Fixture, Fixture] {
  const [recorded, created] = [createFixture(), createFixture()];
  for (const { server } of [recorded, created]) server.tracksFields = options.tracksFields ?? false;
  for (const each of EVENTS) {
    recorded.server.record(each);
    created.server.create('Event', draftOf(each));
  }
  return [recorded, created];
}

const texts = ({ server }: Fixture): string[] => server.list('Event').items.map((item) => JSON.stringify(item));

for (const tracksFields of [false, true]) {
  const where = tracksFields ? ' where owners of fields are kept' : '';
  test(`recorded events › a record leaves the same trace and is the same object as its draft${where}`, (t) => {
    const [recorded, created] = createPair({ tracksFields });
    t.is(recorded.kernel.trace.digest(), created.kernel.trace.digest());
    t.is(recorded.server.version, created.server.version);
    t.is(recorded.server.count('Event'), EVENTS.length);
    t.deepEqual(texts(recorded), texts(created));
  });
}

test('recorded events › a record that is read is frozen, and one object for all readers', (t) => {
  const { server } = createFixture();
  const { version } = server;
  server.record(event('p.1'));
  const objects: unknown[] = [];
  server.watch('Event', { resourceVersion: String(version) }, (told) => {
    if (told.type !== 'BOOKMARK') objects.push(told.object);
  });
  const read = server.get('Event', { namespace: 'default', name: 'p.1' });
  t.true(Object.isFrozen(read) && Object.isFrozen(read.metadata));
  t.is(objects[0], read);
  t.is(server.list('Event').items[0], read);
});

test('recorded events › a record is told as plain data, live and out of the history', (t) => {
  const { server } = createFixture();
  const told: unknown[] = [];
  const { version } = server;
  server.watch('Event', { resourceVersion: String(version) }, (each) => told.push(each));
  server.record(event('p.1'));
  server.watch('Event', { resourceVersion: String(version) }, (each) => told.push(each));
  const object = server.get('Event', { namespace: 'default', name: 'p.1' });
  const expected = {
    type: 'ADDED',
    kind: 'Event',
    object,
    version: version + 1,
    atMs: 0,
    by: 'user',
    named: undefined,
  };
  t.deepEqual(structuredClone(told), [expected, expected]);
});

test('recorded events › watches hear of a record, and of what becomes of it', (t) => {
  const { server } = createFixture();
  const lines = heard(server, 'Event', { namespace: 'default' });
  server.record(event('p.1'));
  const { version } = server;
  server.patch('Event', { namespace: 'default', name: 'p.1' }, { type: 'merge', body: { count: 2 } });
  server.delete('Event', { namespace: 'default', name: 'p.1' });
  t.deepEqual(lines, [`ADDED p.1 ${version}`, `MODIFIED p.1 ${version + 1}`, `DELETED p.1 ${version + 2}`]);
  t.is(server.count('Event'), 0);
});

test('recorded events › what becomes of a record leaves the same trace as that of a draft', (t) => {
  const pair = createPair();
  const [recorded, created] = pair;
  for (const { server } of pair) {
    server.patch('Event', { namespace: 'default', name: 'p.1' }, { type: 'merge', body: { count: 2 } });
    server.delete('Event', { namespace: 'default', name: 'p.3' });
  }
  t.is(recorded.kernel.trace.digest(), created.kernel.trace.digest());
});

for (const isRead of [false, true]) {
  const when = isRead ? 'were read' : 'nobody read';
  test(`recorded events › records that ${when} leave after an hour as their drafts do`, async (t) => {
    const pair = createPair();
    const found = [];
    for (const { kernel, server, at } of pair) {
      if (isRead) server.list('Event');
      await at(HOUR_MS);
      const { version } = server;
      const live: unknown[] = [];
      const late: unknown[] = [];
      server.watch('Event', { resourceVersion: String(version) }, (told) => live.push(told));
      await at(2 * HOUR_MS);
      server.watch('Event', { resourceVersion: String(version) }, (told) => late.push(told));
      const past = server.list('Event', { resourceVersion: String(version), resourceVersionMatch: 'Exact' }).items;
      t.is(past.length, EVENTS.length);
      t.is(live.length, EVENTS.length);
      t.deepEqual(late, live);
      t.is(server.count('Event'), 0);
      found.push({ trace: kernel.trace.digest(), live: structuredClone(live), past });
    }
    t.deepEqual(found[0], found[1]);
  });
}

test('recorded events › a record is refused as its draft is, and draws as much', (t) => {
  const bad = [event('p.1'), event('P_1'), event('x', { namespace: 'gone' }), event('y', { namespace: 'kube-system' })];
  const gone = event('z', { namespace: 'gone', regarding: { kind: 'Pod', namespace: 'gone', name: 'p', uid: 'u' } });
  const refusals = [true, false].map((isRecorded) => {
    const { server } = createFixture();
    server.create('Event', draftOf(event('p.1')));
    const found = [...bad, gone].map((each) =>
      refusal(t, () => (isRecorded ? server.record(each) : server.create('Event', draftOf(each)))),
    );
    return [...found, server.create('Pod', podDraft('p')).metadata.uid];
  });
  t.deepEqual(refusals[0], refusals[1]);
});

test('recorded events › a transaction that fails takes its records back', (t) => {
  const { server } = createFixture();
  t.throws(() =>
    server.transaction(() => {
      server.record(event('p.1'));
      throw new Error('no');
    }),
  );
  t.is(server.count('Event'), 0);
});

test('recorded events › thousands that nothing has read leave one after the other, and the others stand in order', async (t) => {
  const { server, at } = createFixture();
  const [first, second] = ['a', 'b'].map((prefix) => Array.from({ length: 1500 }, (_, each) => `${prefix}.${each}`));
  for (const name of first ?? []) server.record(event(name));
  await at(2 * 60_000);
  for (const name of second ?? []) server.record(event(name));
  await at(HOUR_MS + 60_000);
  t.is(server.count('Event'), 1500);
  const names = server.list('Event').items.map(({ metadata }) => metadata.name);
  t.deepEqual(names, second?.toSorted());
  server.record(event('c.1'));
  server.delete('Event', { namespace: 'default', name: 'b.7' });
  t.is(server.find('Event', { namespace: 'default', name: 'c.1' })?.metadata.name, 'c.1');
  await at(HOUR_MS + 3 * 60_000);
  t.is(server.count('Event'), 1);
  await at(3 * HOUR_MS);
  t.is(server.count('Event'), 0);
});
