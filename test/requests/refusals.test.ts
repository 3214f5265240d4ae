/**
 * What a kube-apiserver v1.34.2 refused, and in which words: `refusals.jsonl`, one line each with the path of a
 * creation, its body, and what was answered; and `update-refusals.jsonl`, objects by a name of their own, each followed
 * by the updates of it that were refused: the field that was set, to which value, and what was answered. The words must
 * be the same, whatever is wrong.
 */
import { readFileSync } from 'node:fs';
import test from 'ava';
import { createRoom } from './ask.js';

interface Refusal {
  readonly path: string;
  readonly body: unknown;
  readonly status: number;
  readonly reason: string;
  readonly message: string;
}

const REFUSALS = readFileSync('test/requests/refusals.jsonl', 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Refusal);

test('requests › refusals › what an API server refuses is refused in its words', (t) => {
  const { ask } = createRoom();
  for (const { path, body, status, reason, message } of REFUSALS) {
    const seen = ask('POST', path, { body });
    const { reason: ownReason, message: ownMessage } = seen.body as Partial<Refusal>;
    t.deepEqual([seen.status, ownReason, ownMessage], [status, reason, message], JSON.stringify(body));
  }
  t.true(REFUSALS.length > 150);
});

interface Base {
  readonly base: string;
  readonly path: string;
  readonly body: { readonly metadata: { readonly name: string } };
}

interface UpdateRefusal extends Omit<Refusal, 'path' | 'body'> {
  readonly of: string;
  /** The subresource, with its slash. @defaultValue '' */
  readonly sub?: string;
  /** Path of the field, parts separated by dots. */
  readonly set: string;
  /** `null` takes the field away. */
  readonly value: unknown;
  /** How many causes are told: strategies that look twice tell each of them twice. @defaultValue any number */
  readonly causes?: number;
}

const UPDATES = readFileSync('test/requests/update-refusals.jsonl', 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Base | UpdateRefusal);

type Fields = Record<string, unknown>;

function changed(object: Fields, path: string, value: unknown): Fields {
  const result = structuredClone(object);
  const parts = path.split('.');
  let parent = result;
  for (const part of parts.slice(0, -1)) parent = (parent[part] ??= {}) as Fields;
  const last = parts.at(-1) ?? '';
  if (value === null) Reflect.deleteProperty(parent, last);
  else parent[last] = value;
  return result;
}

test('requests › refusals › updates that an API server refuses are refused in its words', (t) => {
  const { ask } = createRoom();
  const paths = new Map<string, string>();
  let count = 0;
  for (const line of UPDATES) {
    if ('base' in line) {
      t.is(ask('POST', line.path, { body: line.body }).status, 201, line.base);
      paths.set(line.base, `${line.path}/${line.body.metadata.name}`);
      continue;
    }
    const path = paths.get(line.of) ?? '';
    const stored = ask('GET', path).body as Fields;
    const body = changed(stored, line.set, line.value);
    const seen = ask('PUT', `${path}${line.sub ?? ''}?dryRun=All`, { body });
    const { reason, message, details } = seen.body as Partial<Refusal> & { details?: { causes?: unknown[] } };
    const what = `${line.of} ${line.set} ${JSON.stringify(line.value)}`;
    t.deepEqual([seen.status, reason, message], [line.status, line.reason, line.message], what);
    if (line.causes !== undefined) t.is(details?.causes?.length, line.causes, what);
    count += 1;
  }
  t.true(count > 350);
});

test('requests › refusals › what a node or a driver was given once stays', (t) => {
  const { ask } = createRoom();
  const messageOf = (path: string, patch: unknown): unknown =>
    (ask('PATCH', path, { body: patch, contentType: 'application/merge-patch+json' }).body as Partial<Refusal>).message;
  ask('POST', '/api/v1/nodes', {
    body: { metadata: { name: 'n' }, spec: { podCIDR: '10.9.0.0/24', providerID: 'a://b' } },
  });
  ask('POST', '/apis/storage.k8s.io/v1/csidrivers', { body: { metadata: { name: 'd.x' }, spec: {} } });
  t.is(
    messageOf('/api/v1/nodes/n', { spec: { podCIDR: '10.8.0.0/24' } }),
    'Node "n" is invalid: spec.podCIDRs: Forbidden: node updates may not change podCIDR except from "" to valid',
  );
  t.is(
    messageOf('/api/v1/nodes/n', { spec: { providerID: 'z' } }),
    'Node "n" is invalid: spec.providerID: Forbidden: node updates may not change providerID except from "" to valid',
  );
  t.is(
    messageOf('/apis/storage.k8s.io/v1/csidrivers/d.x', { spec: { attachRequired: false } }),
    'CSIDriver.storage.k8s.io "d.x" is invalid: spec.attachedRequired: Invalid value: false: field is immutable',
  );
});
