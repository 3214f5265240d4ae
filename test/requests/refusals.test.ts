/**
 * What a kube-apiserver v1.34.2 refused, and in which words: `refusals.jsonl`, one line each with the path of a
 * creation, its body, and what was answered. The words must be the same, whatever is wrong.
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
