import test from 'ava';
import { createFixture, heard, podDraft, refusal, take } from './fixtures.js';

test('transaction › its writes are told once it has ended, in order', (t) => {
  const { kernel, server } = createFixture();
  const { records } = kernel.trace;
  const start = server.version;
  const lines = heard(server, 'Pod', { resourceVersion: String(start) });
  const answer = server.transaction(() => {
    server.create('Pod', podDraft('a'));
    server.bind({ metadata: { namespace: 'default', name: 'a' }, target: { name: 'n1' } });
    t.deepEqual(lines, []);
    t.is(server.get('Pod', { namespace: 'default', name: 'a' }).spec.nodeName, 'n1');
    return 'done';
  });
  t.is(answer, 'done');
  t.deepEqual(take(lines), [`ADDED a ${start + 1}`, `MODIFIED a ${start + 2}`]);
  t.is(kernel.trace.records, records + 2);
});

test('transaction › one that fails leaves nothing behind', (t) => {
  const { kernel, server } = createFixture();
  const kept = server.create('Pod', podDraft('kept'));
  const service = { metadata: { name: 's' }, spec: { clusterIP: '10.96.0.10', ports: [{ port: 80 }] } };
  const { records } = kernel.trace;
  const start = server.version;
  const lines = heard(server, 'Pod', { resourceVersion: String(start) });
  const error = refusal(t, () =>
    server.transaction(() => {
      server.create('PriorityClass', { metadata: { name: 'gd' }, value: 7, globalDefault: true });
      server.create('Service', service);
      server.create('Pod', podDraft('a'));
      server.delete('Pod', { namespace: 'default', name: 'kept' });
      server.create('Pod', { metadata: { name: 'b' } });
    }),
  );
  t.is(error.message, 'Pod "b" is invalid: spec.containers: Required value');
  t.deepEqual(lines, []);
  t.deepEqual([server.version, kernel.trace.records], [start, records]);
  t.deepEqual(server.list('Pod').items, [kept]);
  t.is(server.create('Service', service).spec.clusterIP, '10.96.0.10');
  t.is(server.create('Pod', podDraft('a')).spec.priority, 0);
});

test('transaction › what a failed one admitted with a class of its own is admitted anew', (t) => {
  const { server } = createFixture();
  const { spec } = podDraft('x');
  t.throws(() =>
    server.transaction(() => {
      server.create('PriorityClass', { metadata: { name: 'gd' }, value: 7, globalDefault: true });
      t.is(server.create('Pod', { metadata: { name: 'a' }, spec }).spec.priority, 7);
      throw new Error('no');
    }),
  );
  t.is(server.create('Pod', { metadata: { name: 'a' }, spec }).spec.priority, 0);
});

test('transaction › inside another it is a part of that one', (t) => {
  const { server } = createFixture();
  t.throws(() =>
    server.transaction(() => {
      server.transaction(() => server.create('Pod', podDraft('a')));
      throw new Error('no');
    }),
  );
  t.is(server.count('Pod'), 0);
});

test('transaction › one that fails inside another takes back its own writes, and no others', (t) => {
  const { server } = createFixture();
  const start = server.version;
  const lines = heard(server, 'Pod', { resourceVersion: String(start) });
  server.transaction(() => {
    server.create('Pod', podDraft('a'));
    t.throws(() =>
      server.transaction(() => {
        server.create('Pod', podDraft('b'));
        throw new Error('no');
      }),
    );
    server.create('Pod', podDraft('c'));
  });
  t.deepEqual(take(lines), [`ADDED a ${start + 1}`, `ADDED c ${start + 2}`]);
});
