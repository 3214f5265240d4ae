import fc from 'fast-check';
import test from 'ava';
import type { Pod } from '../../src/api/objects/objects.js';
import { OrderedNames } from '../../src/apiserver/store/ordered-names.js';
import type { ApiServer, ListOptions } from '../../src/apiserver/store/server-types.js';
import { createFixture, podDraft } from './fixtures.js';

const NAMES = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
const NAMESPACES = ['x', 'x-y', 'y'];
const change = fc.record({
  does: fc.constantFrom('create', 'create', 'label', 'label', 'delete'),
  namespace: fc.constantFrom(...NAMESPACES),
  name: fc.constantFrom(...NAMES),
});
const reader = fc.record({
  namespace: fc.constantFrom(undefined, ...NAMESPACES),
  limit: fc.integer({ min: 1, max: 4 }),
  begins: fc.integer({ min: 5, max: 40 }),
});

/** A list that is read page by page, and what it is to come to. */
interface Reader {
  readonly options: ListOptions;
  readonly wanted: readonly Pod[];
  readonly got: Pod[];
  token: string | undefined;
}

function apply(server: ApiServer, { does, namespace, name }: { does: string; namespace: string; name: string }): void {
  const present = server.find('Pod', { namespace, name });
  if (does === 'create' && present === undefined) server.create('Pod', podDraft(name, {}, { namespace }));
  if (present === undefined) return;
  if (does === 'delete') server.delete('Pod', { namespace, name }, { gracePeriodSeconds: 0 });
  if (does !== 'label') return;
  const body = { metadata: { labels: { at: String(server.version) } } };
  server.patch('Pod', { namespace, name }, { type: 'merge', body });
}

function read(server: ApiServer, reading: Reader): void {
  if (reading.token === undefined) return;
  const page = server.list('Pod', { ...reading.options, continue: reading.token });
  reading.got.push(...page.items);
  reading.token = page.continue;
}

test('list pages › each list that is read page by page stays as it was when it began, whatever else is read and written', (t) => {
  fc.assert(
    fc.property(
      fc.array(change, { minLength: 40, maxLength: 60 }),
      fc.array(reader, { minLength: 4, maxLength: 10 }),
      (changes, readers) => {
        const { server } = createFixture();
        for (const name of NAMESPACES) server.create('Namespace', { metadata: { name } });
        const readings: Reader[] = [];
        for (const [index, each] of changes.entries()) {
          apply(server, each);
          for (const { namespace, limit, begins } of readers) {
            if (begins !== index) continue;
            const options = { limit, ...(namespace === undefined ? {} : { namespace }) };
            const wanted = server.list('Pod', { ...options, limit: 0 }).items;
            const page = server.list('Pod', options);
            readings.push({ options, wanted, got: [...page.items], token: page.continue });
          }
          if (index % 3 === 0) for (const reading of readings) read(server, reading);
        }
        for (const reading of readings) while (reading.token !== undefined) read(server, reading);
        for (const { got, wanted } of readings) t.deepEqual(got, wanted);
      },
    ),
    { numRuns: 50 },
  );
});

test('list pages › names stay in order as they come and go, and orders that were handed out stay as they are', (t) => {
  const step = fc.record({ name: fc.constantFrom(...NAMES, 'A', '', 'aa'), reads: fc.boolean() });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 400 }), (steps) => {
      const names = new OrderedNames();
      const present = new Set<string>();
      const handed: { readonly order: readonly string[]; readonly expected: readonly string[] }[] = [];
      for (const { name, reads } of steps) {
        if (present.delete(name)) names.remove(name);
        else {
          present.add(name);
          names.add(name);
        }
        if (!reads) continue;
        const order = names.read(present);
        handed.push({ order, expected: [...present].sort() });
      }
      for (const { order, expected } of handed) t.deepEqual(order, expected);
    }),
  );
});
