/**
 * What a kube-apiserver v1.34.2 says of metadata, kind by kind: `metadata.jsonl`, one line each with an object and the
 * answers to probes of it: the status, and the fields that are named, as often as they are and in their order.
 */
import { readFileSync } from 'node:fs';
import test from 'ava';
import { createRoom, type Seen } from './ask.js';

interface Line {
  readonly path: string;
  readonly body: { readonly metadata: { readonly name: string } };
  readonly answers: Readonly<Record<string, string>>;
}

const LINES = readFileSync('test/requests/metadata.jsonl', 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Line);

const PROBES: readonly (readonly [name: string, how: 'create' | 'patch', metadata: object | null])[] = [
  ['new finalizer', 'create', { finalizers: ['a'] }],
  ['bad new finalizer', 'create', { finalizers: ['Bad/Ab c'] }],
  ['bad new label', 'create', { labels: { '-a': 'b' } }],
  ['finalizer', 'patch', { finalizers: ['a'] }],
  ['bad finalizer', 'patch', { finalizers: ['Bad/Ab c'] }],
  ['bad label', 'patch', { labels: { '-a': 'b' } }],
  ['bad annotation', 'patch', { annotations: { '-a': 'b' } }],
  ['bad owner', 'patch', { ownerReferences: [{ apiVersion: 'v1', kind: '', name: 'n', uid: 'u' }] }],
  ['other uid', 'patch', { uid: 'zz' }],
  ['bad base', 'patch', { generateName: 'A_' }],
  ['no metadata', 'patch', null],
];

interface Refusal {
  readonly message?: string;
  readonly details?: { readonly causes?: readonly { readonly field: string }[] };
}

function told({ status, body }: Seen): string {
  const { details } = body as Refusal;
  return [status, ...(details?.causes ?? []).map(({ field }) => field)].join(' ');
}

const contentType = 'application/merge-patch+json';

for (const { path, body, answers } of LINES) {
  test(`requests › metadata › ${path} › what is wrong is named as often as a real API server names it`, (t) => {
    const { ask } = createRoom();
    const own = `${path}/${body.metadata.name}`;
    const patch = (metadata: object | null, query = ''): Seen =>
      ask('PATCH', `${own}${query}`, { body: { metadata }, contentType });
    t.is(ask('POST', path, { body }).status, 201);
    for (const [name, how, metadata] of PROBES) {
      const made = { ...body, metadata: { ...body.metadata, ...metadata } };
      const seen = how === 'patch' ? patch(metadata, '?dryRun=All') : ask('POST', `${path}?dryRun=All`, { body: made });
      t.is(told(seen), answers[name] ?? '', name);
    }
    patch({ finalizers: ['a/b'] });
    ask('DELETE', own);
    t.is(told(patch({ finalizers: ['a/b', 'c/d'] }, '?dryRun=All')), answers['late finalizer'] ?? '');
    const again = ask('POST', path, { body });
    t.is(`${again.status} ${(again.body as Refusal).message}`, answers['again'] ?? '');
  });
}
