import test from 'ava';
import type { Draft } from '../../src/api/objects/objects.js';
import { createFixture, podDraft, type Fixture } from './fixtures.js';

const P = { namespace: 'default', name: 'p' };

const ENDPOINTS = Array.from({ length: 30 }, (_, index) => ({
  addresses: [`10.0.0.${index + 1}`],
  nodeName: `n${index}`,
}));

/** Another one in the middle. */
const OTHERS = ENDPOINTS.toSpliced(7, 1, { addresses: ['10.0.1.1'], nodeName: 'n7' });

function sliceDraft(endpoints: readonly object[]): Draft {
  return { metadata: { name: 's', namespace: 'default' }, addressType: 'IPv4', endpoints };
}

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
    ...[ENDPOINTS.slice(1), ENDPOINTS.slice(2), ENDPOINTS.slice(0, -1), ENDPOINTS.toSpliced(3, 1), OTHERS].map(
      (endpoints) =>
        ({ server }: Fixture): void => {
          server.create('EndpointSlice', sliceDraft(ENDPOINTS));
          server.update('EndpointSlice', sliceDraft(endpoints));
        },
    ),
  ];
  const digests = stories.map(digest);
  t.is(new Set(digests).size, stories.length);
});

test('trace › bindings of pods that look alike have the hash that they have one by one', (t) => {
  const names = ['p', 'q', 'r'];
  const bindAll = ({ server }: Fixture): void => {
    for (const name of names) server.bind({ metadata: { namespace: 'default', name }, target: { name: 'n1' } });
  };
  const shared = digest((fixture) => {
    const { spec } = podDraft('x');
    for (const name of names) fixture.server.create('Pod', { metadata: { name }, spec });
    bindAll(fixture);
  });
  const apart = digest((fixture) => {
    for (const name of names) fixture.server.create('Pod', podDraft(name));
    bindAll(fixture);
  });
  t.is(shared, apart);
});

/** Versions of one slice, which share endpoints as far as `copy` lets them. */
function sliceDigest(copy: (endpoint: object) => object): string {
  const lists = [
    ENDPOINTS.slice(0, 20),
    [...ENDPOINTS.slice(3, 9), ...ENDPOINTS.slice(12)],
    ENDPOINTS.slice(25),
    ENDPOINTS,
    ENDPOINTS.toReversed(),
  ];
  return digest(({ server }) => {
    server.create('EndpointSlice', sliceDraft([]));
    for (const list of lists) server.update('EndpointSlice', sliceDraft(list.map(copy)));
  });
}

test('trace › a long list has the same hash, whether its items are those of the version before or copies', (t) => {
  const shared = sliceDigest((endpoint) => endpoint);
  const copied = sliceDigest((endpoint) => ({ ...endpoint }));
  t.is(shared, copied);
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
