import test from 'ava';
import fc from 'fast-check';
import { keyOf, type Pod } from '../../src/api/objects/objects.js';
import type { ApiServer, Selection, WatchEvent } from '../../src/apiserver/store/server-types.js';
import { createFixture, podDraft } from './fixtures.js';

const SELECTIONS: readonly Selection[] = [
  {},
  { namespace: 'a' },
  { fieldSelector: 'metadata.name=p1' },
  { namespace: 'b', fieldSelector: 'metadata.name=p1' },
  { fieldSelector: 'spec.nodeName=n1' },
  { fieldSelector: 'spec.nodeName=' },
  { fieldSelector: 'spec.nodeName!=n1' },
  { namespace: 'a', fieldSelector: 'spec.nodeName=n1' },
  { labelSelector: 'app=x' },
  { labelSelector: 'app!=x', fieldSelector: 'spec.nodeName=n1' },
  { fieldSelector: 'status.phase=Running,spec.nodeName=n1' },
];

interface Step {
  readonly act: 'create' | 'bind' | 'label' | 'run' | 'delete' | 'remove';
  readonly namespace: string;
  readonly name: string;
  readonly value: string;
}

const steps = fc.array(
  fc.record<Step>({
    act: fc.constantFrom('create', 'create', 'bind', 'label', 'run', 'delete', 'remove'),
    namespace: fc.constantFrom('a', 'b'),
    name: fc.constantFrom('p1', 'p2', 'p3'),
    value: fc.constantFrom('x', 'y'),
  }),
  { maxLength: 40 },
);

function perform(server: ApiServer, { act, namespace, name, value }: Step): void {
  const target = { namespace, name };
  const pod = server.find('Pod', target);
  if (act === 'create') {
    if (pod === undefined) server.create('Pod', podDraft(name, {}, { namespace, labels: { app: value } }));
    return;
  }
  if (pod === undefined) return;
  switch (act) {
    case 'bind':
      if (pod.spec.nodeName === undefined && pod.metadata.deletionTimestamp === undefined) {
        server.bind({ metadata: target, target: { name: value === 'x' ? 'n1' : 'n2' } });
      }
      return;
    case 'label':
      server.patch('Pod', target, { type: 'merge', body: { metadata: { labels: { app: value } } } });
      return;
    case 'run':
      server.change('Pod', target, (each) => ({ ...each, status: { ...each.status, phase: 'Running' } }), {
        subresource: 'status',
      });
      return;
    case 'delete':
      server.delete('Pod', target);
      return;
    case 'remove':
      server.delete('Pod', target, { gracePeriodSeconds: 0 });
  }
}

/** What a client believes after the events of its watch, which must never contradict themselves. */
class Believer {
  readonly #objects = new Map<string, Pod>();

  hear(event: WatchEvent<'Pod'>): void {
    if (event.type === 'BOOKMARK') return;
    const key = keyOf(event.object);
    if (this.#objects.has(key) !== (event.type !== 'ADDED')) throw new Error(`${event.type} of ${key} makes no sense`);
    if (event.type === 'DELETED') this.#objects.delete(key);
    else this.#objects.set(key, event.object);
  }

  /** In key order. */
  get objects(): readonly Pod[] {
    return [...this.#objects.keys()].sort().map((key) => this.#objects.get(key) as Pod);
  }
}

function createServer(): ApiServer {
  const { server } = createFixture();
  for (const name of ['a', 'b']) server.create('Namespace', { metadata: { name } });
  return server;
}

test('watch model › every watch, keyed or not, live or resumed, ends where a list stands', (t) => {
  fc.assert(
    fc.property(steps, fc.nat(40), (story, openedAfter) => {
      const server = createServer();
      const opened = Math.min(openedAfter, story.length);
      for (const step of story.slice(0, opened)) perform(server, step);
      const resourceVersion = String(server.version);
      const live = SELECTIONS.map((selection) => {
        const believer = new Believer();
        server.watch('Pod', selection, (event) => believer.hear(event));
        return believer;
      });
      const before = SELECTIONS.map((selection) => server.list('Pod', selection).items);
      for (const step of story.slice(opened)) perform(server, step);
      for (const [index, selection] of SELECTIONS.entries()) {
        const { items } = server.list('Pod', selection);
        t.deepEqual(live[index]?.objects, items);
        const resumed = new Believer();
        for (const object of before[index] ?? []) {
          resumed.hear({ type: 'ADDED', kind: 'Pod', object, version: 0, atMs: 0, by: undefined, named: undefined });
        }
        server.watch('Pod', { ...selection, resourceVersion }, (event) => resumed.hear(event));
        t.deepEqual(resumed.objects, items);
      }
    }),
    { numRuns: 50 },
  );
});

test('watch model › a list at an older version is what a list was then', (t) => {
  fc.assert(
    fc.property(steps, (story) => {
      const server = createServer();
      const then: { readonly resourceVersion: string; readonly items: readonly Pod[] }[] = [];
      for (const step of story) {
        then.push(server.list('Pod'));
        perform(server, step);
      }
      for (const { resourceVersion, items } of then) {
        t.deepEqual(server.list('Pod', { resourceVersion, resourceVersionMatch: 'Exact' }).items, items);
      }
    }),
    { numRuns: 50 },
  );
});
