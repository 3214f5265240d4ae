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
