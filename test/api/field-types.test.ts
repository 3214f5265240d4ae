/** Holds the table of fields against the facts about the API's types, where these are at hand. */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import test from 'ava';
import { FIELD_TYPES } from '../../src/api/decoding/field-types.js';
import { kindRegistry } from '../../src/api/kinds/registry.js';

interface GoField {
  readonly json: string;
  readonly go: string;
  readonly inline?: true;
}
type GoTypes = Readonly<Record<string, { readonly fields?: readonly GoField[]; readonly is?: string }>>;

const FACTS = path.join(process.cwd(), '..', 'shared', 'wire', 'types.json.gz');
/** Types that are no mappings in JSON, or any mapping. */
const RAW: ReadonlySet<string> = new Set(['IntOrString', 'Time', 'MicroTime', 'FieldsV1', 'RawExtension']);
/** Import names of Go files, and what they stand for. */
const PACKAGES: Readonly<Record<string, string>> = {
  metav1: 'meta/v1',
  v1: 'core/v1',
  corev1: 'core/v1',
  apiv1: 'core/v1',
};

function readTable(): ReadonlyMap<string, readonly string[]> {
  return new Map(
    FIELD_TYPES.trim()
      .split(/\n(?! )/)
      .map((entry) => {
        const [name = '', ...fields] = entry.split(/\s+/);
        return [name, fields.map((field) => field.slice(0, field.indexOf(':')))];
      }),
  );
}

/** JSON names of a type's fields, and the types that they lead to. */
function fieldsOf(types: GoTypes, key: string): readonly GoField[] {
  const home = key.slice(0, key.lastIndexOf('.'));
  return (types[key]?.fields ?? []).flatMap((field) => {
    if (field.json !== '') return [{ ...field, go: keyOf(field.go, home) }];
    if (field.go.endsWith('TypeMeta')) return ['apiVersion', 'kind'].map((json) => ({ json, go: 'string' }));
    return fieldsOf(types, keyOf(field.go, home));
  });
}

function keyOf(go: string, home: string): string {
  const name = go.replace(/^(\*|\[\])+/, '');
  const [prefix = '', rest] = name.split('.');
  return rest === undefined ? `${home}.${name}` : `${PACKAGES[prefix] ?? prefix}.${rest}`;
}

test('every field of every kind is in the table, and no other', (t) => {
  if (!existsSync(FACTS)) {
    t.log(`skipped: ${FACTS} is not there`);
    t.pass();
    return;
  }
  const types = JSON.parse(gunzipSync(readFileSync(FACTS)).toString()) as GoTypes;
  const table = readTable();
  const waiting = Object.values(kindRegistry).map(({ kind, group, version }) => {
    const [folder] = group === '' ? ['core'] : group.split('.');
    return `${folder}/${version}.${kind}`;
  });
  const seen = new Set<string>();
  for (const key of waiting) {
    const name = key.slice(key.lastIndexOf('.') + 1);
    if (seen.has(key) || RAW.has(name)) continue;
    seen.add(key);
    const fields = fieldsOf(types, key);
    if (fields.length === 0) continue;
    t.deepEqual(table.get(name)?.toSorted(), fields.map(({ json }) => json).toSorted(), key);
    waiting.push(...fields.map(({ go }) => go));
  }
  t.true(seen.size > 200);
});
