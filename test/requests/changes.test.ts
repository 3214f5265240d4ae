/**
 * What a kube-apiserver v1.34.2 made of random changes: `patches.jsonl` has JSON patches, merge patches and strategic
 * merge patches with all of their directives, `applies.jsonl` server-side applies of several managers between updates,
 * patches and scales. Each line is a request, in the order in which they were sent, with the status, the warnings and
 * the body of its answer; what differs from cluster to cluster is masked. Owners of fields are in the second file.
 */
import { readFileSync } from 'node:fs';
import test from 'ava';
import { createRoom } from './ask.js';

interface Change {
  readonly method: string;
  readonly path: string;
  readonly type?: string;
  readonly body: unknown;
  readonly status: number;
  readonly warning?: string;
  readonly answer: Fields;
}

type Fields = Readonly<Record<string, unknown>>;

const MASKED = new Set([
  ...['uid', 'resourceVersion', 'creationTimestamp', 'deletionTimestamp', 'time', 'clusterIP', 'nodePort'],
  'healthCheckNodePort',
]);

function masked(value: unknown, key = ''): unknown {
  if (MASKED.has(key) && (typeof value === 'string' || typeof value === 'number'))
    return value === '' ? '' : `<${key}>`;
  if (typeof value === 'string') return maskedText(value);
  if (Array.isArray(value)) {
    if (key === 'clusterIPs') return ['<ip>'];
    const all = value.map((each) => masked(each));
    // By their times, which are masked.
    return key === 'managedFields'
      ? all.sort((left, right) => (JSON.stringify(left) < JSON.stringify(right) ? -1 : 1))
      : all;
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, masked(each, name)]));
}

function maskedText(text: string): string {
  return text
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, '<uid>')
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, '<t>')
    .replaceAll(/(resourceVersion[^0-9]{1,40})\d+/gi, '$1<rv>')
    .replaceAll(/10\.(?:9[6-9]|10\d|11[01])\.\d+\.\d+/g, '<ip>');
}

/** What was read and is sent back is of this cluster. */
function ofHere(body: Fields, live: Fields): Fields {
  const { labels } = body['metadata'] as Fields;
  return { ...body, metadata: { ...(live['metadata'] as Fields), labels } };
}

function withoutOwners({ metadata, ...rest }: Fields): Fields {
  if (metadata === undefined) return rest;
  const { managedFields: _owners, ...others } = metadata as Fields;
  return { ...rest, metadata: others };
}

function changesIn(file: string): readonly Change[] {
  const lines = readFileSync(`test/requests/${file}.jsonl`, 'utf8').trim().split('\n');
  return lines.map((line) => JSON.parse(line) as Change);
}

for (const [file, hasOwners] of [
  ['patches', false],
  ['applies', true],
] as const) {
  test(`requests › changes › ${file} come to what an API server makes of them`, (t) => {
    const { ask } = createRoom();
    const changes = changesIn(file);
    for (const { method, path, type, body, status, warning, answer } of changes) {
      const contentType = type === undefined ? {} : { contentType: type };
      const sent = method === 'PUT' ? ofHere(body as Fields, ask('GET', path).body as Fields) : body;
      const seen = ask(method, path, { body: JSON.stringify(sent), userAgent: 'kubectl/v1.34.2', ...contentType });
      const what = `${method} ${path} ${JSON.stringify(body)}`;
      const { warning: texts } = seen.headers as { readonly warning?: readonly string[] };
      const [own, other] = [masked(seen.body) as Fields, masked(answer) as Fields];
      t.deepEqual([seen.status, texts?.join(', ')], [status, warning], what);
      t.deepEqual(hasOwners ? own : withoutOwners(own), hasOwners ? other : withoutOwners(other), what);
    }
    t.true(changes.length > 80);
  });
}

test('requests › changes › an owner that is stated twice counts once, and one of the same uid that says more stays', (t) => {
  const { ask } = createRoom();
  const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'c', uid: 'u' };
  const ownersOf = (name: string, ownerReferences: readonly object[]): unknown => {
    const path = '/api/v1/namespaces/default/configmaps';
    const { body } = ask('POST', path, { body: { metadata: { name, ownerReferences } } });
    return (body as { readonly metadata: { readonly ownerReferences: unknown } }).metadata.ownerReferences;
  };
  t.deepEqual(ownersOf('a', [owner, owner]), [owner]);
  const blocking = { ...owner, blockOwnerDeletion: true };
  t.deepEqual(ownersOf('b', [owner, blocking]), [owner, blocking]);
});
