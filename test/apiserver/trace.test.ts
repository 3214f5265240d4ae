import test from 'ava';
import { createFixture, podDraft, type Fixture } from './fixtures.js';

const P = { namespace: 'default', name: 'p' };

function digest(story: (fixture: Fixture) => void): string {
  const fixture = createFixture();
  story(fixture);
  return fixture.kernel.trace.digest();
}

test('trace › the same story has the same hash, whether objects are shared or not', (t) => {
  const labels = { app: 'web', tier: 'front', 'app.kubernetes.io/name': 'a-name-that-is-not-short' };
  const { spec } = podDraft('x');
  const shared = digest(({ server }) => {
    for (const name of ['p', 'q']) server.create('Pod', { metadata: { name, labels }, spec });
  });
  const copied = digest(({ server }) => {
    for (const name of ['p', 'q']) server.create('Pod', podDraft(name, {}, { labels: { ...labels } }));
  });
  t.is(shared, copied);
});

test('trace › every difference of content changes the hash', (t) => {
  const stories: ((fixture: Fixture) => void)[] = [
    () => undefined,
    ({ server }) => server.create('Pod', podDraft('p')),
    ({ server }) => server.create('Pod', podDraft('q')),
    ({ server }) => server.create('Pod', podDraft('p', { nodeName: 'n1' })),
    ({ server }) => server.create('Pod', podDraft('p', {}, { labels: { a: '1' } })),
    ({ server }) => server.create('Pod', podDraft('p', { containers: [{ name: 'c', image: 'other' }] })),
    ({ server }) => {
      server.create('Pod', podDraft('p'));
      server.bind({ metadata: P, target: { name: 'n1' } });
    },
    ({ server }) => {
      server.create('Pod', podDraft('p'));
      server.bind({ metadata: P, target: { name: 'n2' } });
    },
    ({ server }) => {
      server.create('Pod', podDraft('p'));
      server.delete('Pod', P);
    },
  ];
  const digests = stories.map(digest);
  t.is(new Set(digests).size, stories.length);
});

test('trace › one record a write, none for what changes nothing', (t) => {
  const { kernel, server } = createFixture();
  const { records } = kernel.trace;
  server.create('Pod', podDraft('p'));
  server.change('Pod', P, (pod) => ({ ...pod }));
  t.is(kernel.trace.records, records + 1);
  server.delete('Pod', P);
  t.is(kernel.trace.records, records + 3);
});
