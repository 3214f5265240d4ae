import test from 'ava';
import { createFixture, heard, type Fixture } from './fixtures.js';
import { MINUTE_MS, HOUR_MS } from '../../src/kernel/time-units.js';

function record({ server }: Fixture, name: string): void {
  server.create('Event', {
    metadata: { name },
    involvedObject: { kind: 'Pod', name: 'p', namespace: 'default' },
    reason: 'R',
    message: 'm',
    type: 'Normal',
  });
}

test('event expiry › a record leaves with its lease, an hour and a minute after the lease was granted', async (t) => {
  const fixture = createFixture();
  const { server, at } = fixture;
  record(fixture, 'a');
  await at(MINUTE_MS - 1);
  record(fixture, 'b');
  await at(MINUTE_MS);
  record(fixture, 'c');
  const lines = heard(server, 'Event', { resourceVersion: String(server.version) });
  const { version } = server;
  await at(HOUR_MS + MINUTE_MS - 1);
  t.is(server.count('Event'), 3);
  await at(HOUR_MS + MINUTE_MS);
  t.deepEqual(lines, [`DELETED a ${version + 1}`, `DELETED b ${version + 2}`]);
  await at(HOUR_MS + 2 * MINUTE_MS);
  t.is(server.count('Event'), 0);
});

test('event expiry › a record that is written again lives on', async (t) => {
  const fixture = createFixture();
  const { server, at } = fixture;
  record(fixture, 'a');
  await at(HOUR_MS);
  server.patch('Event', { namespace: 'default', name: 'a' }, { type: 'merge', body: { count: 2 } });
  await at(HOUR_MS + MINUTE_MS);
  t.is(server.count('Event'), 1);
  await at(2 * HOUR_MS + MINUTE_MS);
  t.is(server.count('Event'), 0);
});

test('event expiry › keeps one timer however many records there are, and none when there are none', async (t) => {
  const fixture = createFixture();
  const { kernel, server, at } = fixture;
  t.is(kernel.clock.pending, 0);
  for (let index = 0; index < 2500; index += 1) record(fixture, `e${index}`);
  t.is(kernel.clock.pending, 1);
  await at(2 * HOUR_MS);
  t.deepEqual([server.count('Event'), kernel.clock.pending], [0, 0]);
});
