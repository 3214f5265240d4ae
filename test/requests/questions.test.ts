/**
 * What a kube-apiserver v1.34.2 answered to requests whose paths, methods and options are often wrong
 * (`questions.jsonl`, recorded by `npm run questions`): status, type, warning and body, which must be the same up to
 * names, times and versions.
 */
import { readFileSync } from 'node:fs';
import test from 'ava';
import { BEGINNING, type Question } from '../../bench/questions/draw-question.js';
import type { Json } from '../../bench/conformance/recorded-lines.js';
import { maskedBody } from '../../bench/conformance/wire/masks.js';
import { createRoom } from './ask.js';

interface Recorded extends Question {
  readonly status: number;
  readonly warning?: string;
  readonly contentType: string;
  readonly answer: Json;
}

const RECORDED = readFileSync('test/requests/questions.jsonl', 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Recorded);

function here(text: string): string {
  return text.replaceAll('SPACE', 'space');
}

test('requests › questions › what an API server answers to odd requests is answered in its words', (t) => {
  const { ask } = createRoom();
  const userAgent = 'questions/1';
  const create = (path: string, object: object): void => {
    const { status } = ask('POST', here(path), { body: here(JSON.stringify(object)), userAgent });
    t.is(status, 201, path);
  };
  create('/api/v1/namespaces', { metadata: { name: 'SPACE' } });
  create('/api/v1/namespaces/SPACE/serviceaccounts', { metadata: { name: 'default' } });
  for (const [path, object] of BEGINNING) create(path, object);
  for (const { method, path, accept, type, body, status, warning, contentType, answer } of RECORDED) {
    const seen = ask(method, here(path), {
      accept: accept ?? 'application/json',
      userAgent,
      ...(type === undefined ? {} : { contentType: type }),
      ...(body === undefined ? {} : { body }),
    });
    const what = `${method} ${path} ${body ?? ''}`;
    const { 'content-type': ownType = '', warning: ownWarning } = seen.headers;
    t.deepEqual([seen.status, ownType, ownWarning?.toString()], [status, contentType, warning], what);
    if (method !== 'HEAD')
      t.deepEqual(maskedBody((seen.body ?? '') as Json), JSON.parse(here(JSON.stringify(answer))), what);
  }
  t.true(RECORDED.length > 300);
});
