/** Holds the tables of types against the facts about the API's types, where these are at hand. */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import test from 'ava';
import { typeRows } from '../../bench/type-facts/type-rows.js';
import { kindRegistry } from '../../src/api/kinds/registry.js';
import { structFact, typeKeyOf, typeKeys } from '../../src/api/types/type-facts.js';

const FACTS = path.join(process.cwd(), '..', 'shared', 'wire', 'types.json.gz');
const TABLES = path.join(process.cwd(), 'src', 'api', 'types');

test('types › the tables are what is written from the facts, row by row', (t) => {
  if (!existsSync(FACTS)) {
    t.log(`skipped: ${FACTS} is not there`);
    t.pass();
    return;
  }
  const rows = typeRows(JSON.parse(gunzipSync(readFileSync(FACTS)).toString()));
  t.true(rows.size > 20);
  for (const [place, expected] of rows) {
    const text = readFileSync(path.join(TABLES, `${place.replace('/', '-')}.ts`), 'utf8');
    const table = text.slice(text.indexOf('`') + 2, text.lastIndexOf('`') - 1);
    t.is(table, expected.join('\n'), place);
  }
});

test('types › every kind that is kept has its fields, and each of those its type', (t) => {
  const keys = new Set(typeKeys());
  for (const kind of Object.values(kindRegistry)) t.true(keys.has(typeKeyOf(kind)), kind.kind);
  for (const key of keys) {
    for (const { type, name } of structFact(key)?.fields.values() ?? []) {
      let inner = type;
      while (inner.form === 'pointer' || inner.form === 'list' || inner.form === 'map') inner = inner.of;
      if (inner.form === 'struct') t.true(keys.has(inner.key), `${key}.${name}`);
    }
  }
});

test('types › a field says how it is sent, merged and owned', (t) => {
  const ports = structFact('core/v1.Container')?.fields.get('ports');
  t.deepEqual(ports, {
    name: 'ports',
    number: 6,
    within: [],
    type: { form: 'list', of: { form: 'struct', key: 'core/v1.ContainerPort' } },
    isOmitempty: true,
    isRequired: false,
    patch: { merges: true, key: 'containerPort', retainsKeys: false },
    listKeys: ['containerPort', 'protocol'],
    isSet: false,
    isAtomic: false,
    isGranular: false,
    default: undefined,
  });
  t.is(structFact('core/v1.ContainerPort')?.fields.get('protocol')?.default, 'TCP');
  t.true(structFact('core/v1.PersistentVolumeSpec')?.fields.get('claimRef')?.isGranular);
});
