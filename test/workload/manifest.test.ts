import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { classify, ManifestError, orderForApply, parseManifests } from '../../src/workload/manifest.js';

const refusal = (text: string, t: ExecutionContext): string | undefined =>
  t.throws(() => parseManifests(text, 'a.yaml'), { instanceOf: ManifestError })?.message;

test('documents come with their place in the file; empty ones are skipped', (t) => {
  const text = `# a comment
---
apiVersion: v1
kind: Namespace
metadata: {name: shop}
---
---
# nothing here
---
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  namespace: shop
`;
  t.deepEqual(
    parseManifests(text, 'a.yaml').map(({ kind, apiVersion, name, namespace, source }) => [
      kind,
      apiVersion,
      name,
      namespace,
      source,
    ]),
    [
      ['Namespace', 'v1', 'shop', undefined, 'a.yaml:3'],
      ['Deployment', 'apps/v1', 'web', 'shop', 'a.yaml:10'],
    ],
  );
  t.deepEqual(parseManifests('', 'a.yaml'), []);
  t.deepEqual(parseManifests('# only a comment\n', 'a.yaml'), []);
});

test('lists are flattened, and typed ones give their items kind and version', (t) => {
  const text = `apiVersion: v1
kind: List
items:
- apiVersion: v1
  kind: Pod
  metadata: {name: a}
- apiVersion: v1
  kind: PodList
  items:
  - metadata: {name: b}
- apiVersion: v1
  kind: ConfigMapList
  items: []
`;
  t.deepEqual(
    parseManifests(text, 'a.yaml').map(({ draft, source }) => [draft, source]),
    [
      [{ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' } }, 'a.yaml:4'],
      [{ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'b' } }, 'a.yaml:10'],
    ],
  );
});

test('manifests in JSON are read as YAML is', (t) => {
  const text = '{\n\t"apiVersion": "v1",\n\t"kind": "Pod",\n\t"metadata": {"name": "a"}\n}\n';
  t.deepEqual(
    parseManifests(text, 'a.json').map(({ draft }) => draft),
    [{ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' } }],
  );
});

test('manifests given as objects are taken as they are, and checked', (t) => {
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { generateName: 'a-' } };
  const [document] = parseManifests([pod], 'object');
  t.like(document, { draft: pod, name: '', source: 'object[0]' });
  t.throws(() => parseManifests([{ kind: 'Pod' }], 'object'), {
    message: 'object[0]: apiVersion is missing, must be a text such as v1 or apps/v1',
  });
});

test('numbers and merges read as kubectl reads them', (t) => {
  const text = `apiVersion: v1
kind: ConfigMap
metadata: {name: a}
base: &base {x: 1}
merged: {<<: *base, a: yes, on: Off, 'y': "no"}
grouped: 1_000
mode: 0644
port: 8080
day: 2030-01-01
time: 12:30
`;
  const { base, merged, grouped, mode, port, day, time } = parseManifests(text, 'a.yaml')[0]?.draft ?? {};
  t.deepEqual(
    { base, merged, grouped, mode, port, day, time },
    {
      base: { x: 1 },
      merged: { x: 1, a: true, true: false, y: 'no' },
      grouped: 1000,
      mode: 0o644,
      port: 8080,
      day: '2030-01-01',
      time: '12:30',
    },
  );
});

test('every fault is one line with file, line and field', (t) => {
  const head = 'apiVersion: v1\nkind: Pod\n';
  t.is(
    refusal('apiVersion: v1\nmetadata: {name: a}\n', t),
    'a.yaml:1: kind is missing, must be the name of a kind such as Pod',
  );
  t.is(refusal('\n\nkind: 7\n', t), 'a.yaml:3: kind must be the name of a kind such as Pod, got 7');
  t.is(refusal('kind: Pod\n', t), 'a.yaml:1: apiVersion is missing, must be a text such as v1 or apps/v1');
  t.is(refusal('kind: Pod\napiVersion: 1\n', t), 'a.yaml:2: apiVersion must be a text such as v1 or apps/v1, got 1');
  t.is(refusal(head, t), 'a.yaml:1: metadata is missing, must be a mapping with a name');
  t.is(refusal(`${head}metadata: pod\n`, t), 'a.yaml:3: metadata must be a mapping with a name, got "pod"');
  t.is(refusal(`${head}metadata: {}\n`, t), 'a.yaml:3: metadata.name is missing, must be the name of the object');
  t.is(refusal(`${head}metadata: {name: 1}\n`, t), 'a.yaml:3: metadata.name must be a text, got 1');
  t.is(
    refusal(`${head}metadata: {name: a, labels: {v: true}}\n`, t),
    'a.yaml:3: metadata.labels.v must be a text (put it in quotes), got true',
  );
  t.is(
    refusal(`${head}metadata: {name: a, annotations: [a]}\n`, t),
    'a.yaml:3: metadata.annotations must be a mapping of texts, got a list',
  );
  t.is(refusal('apiVersion: v1\nkind: List\nitems: 3\n', t), 'a.yaml:3: items must be a list of objects, got 3');
  t.is(
    refusal(`---\n${head}metadata: {name: a}\n---\njust text\n`, t),
    'a.yaml:6: a manifest must be a mapping with apiVersion and kind, got "just text"',
  );
  t.is(
    refusal('apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: Pod\n', t),
    'a.yaml:4: metadata is missing, must be a mapping with a name',
  );
});

test('broken YAML names the line', (t) => {
  t.is(
    refusal('apiVersion: v1\nkind: Pod\n  metadata: {}\n', t),
    'a.yaml:2: Nested mappings are not allowed in compact mappings',
  );
  t.is(refusal('kind: *missing\n', t)?.startsWith('a.yaml:1: '), true);
  t.is(refusal('{"kind": "Pod"', t)?.includes('\n'), false);
});

test('kinds that are not simulated are set aside', (t) => {
  const text = `{apiVersion: v1, kind: Pod, metadata: {name: a}}
---
{apiVersion: gateway.networking.k8s.io/v1, kind: Gateway, metadata: {name: sa, namespace: x}}
---
{apiVersion: example.org/v1, kind: Pod, metadata: {name: b}}
`;
  const { objects, ignored } = classify(parseManifests(text, 'a.yaml'));
  t.deepEqual(
    objects.map(({ kind, source }) => [kind, source]),
    [['Pod', 'a.yaml:1']],
  );
  t.deepEqual(ignored, [
    { kind: 'Gateway', apiVersion: 'gateway.networking.k8s.io/v1', name: 'sa', namespace: 'x', source: 'a.yaml:3' },
    { kind: 'Pod', apiVersion: 'example.org/v1', name: 'b', namespace: undefined, source: 'a.yaml:5' },
  ]);
});

test('objects that others refer to are applied first', (t) => {
  const objects = ['Node', 'Pod', 'Deployment', 'Service', 'PriorityClass', 'Event', 'Namespace', 'ReplicaSet'].map(
    (kind) => ({ kind: kind as 'Pod', draft: {}, source: '' }),
  );
  t.deepEqual(
    orderForApply(objects).map(({ kind }): string => kind),
    ['Namespace', 'PriorityClass', 'Service', 'Pod', 'Deployment', 'ReplicaSet', 'Node', 'Event'],
  );
});

test('the manifests of well-known applications are read whole', (t) => {
  const folder = resolve(process.cwd(), '../shared/inputs/manifests');
  if (!existsSync(folder)) {
    t.log(`skipped: ${folder} is not there`);
    t.pass();
    return;
  }
  const counts = readdirSync(folder)
    .toSorted()
    .map((name) => {
      const { objects, ignored } = classify(parseManifests(readFileSync(resolve(folder, name), 'utf8'), name));
      return [
        name,
        objects.length,
        ignored
          .map(({ kind }) => kind)
          .toSorted()
          .join(' '),
      ];
    });
  t.deepEqual(counts, [
    ['cassandra.yaml', 3, ''],
    ['guestbook.yaml', 6, ''],
    ['online-boutique.yaml', 35, ''],
  ]);
});

test('long texts in quotes are read as JSON reads them, whatever is in them, and what follows keeps its place', (t) => {
  const long = 'abc def '.repeat(2000);
  for (const text of [long, `${long}''s`, `${long}\\n"\u00e9`, `${long}: # {`, ` ${long}`]) {
    const quoted = JSON.stringify(text);
    const yaml = `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  one: ${quoted} # said\n  two: "folded\n    line"\n  three: [${quoted}]\n`;
    const [object] = parseManifests(`${yaml}---\napiVersion: v1\nkind: Namespace\nmetadata: {name: b}\n`, 'a.yaml');
    t.deepEqual(object?.draft['data'], { one: text, two: 'folded line', three: [text] });
  }
  const folded = `kind: ConfigMap\napiVersion: v1\nmetadata: {name: a}\ndata:\n  one: "${long}\n    ${long}"\n`;
  t.deepEqual(parseManifests(folded, 'a.yaml')[0]?.draft['data'], { one: `${long.trimEnd()} ${long}` });
  t.is(refusal(`kind: Pod\nmetadata: {name: "${long}}\n`, t)?.slice(0, 7), 'a.yaml:');
});
