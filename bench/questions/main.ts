/**
 * `npm run questions -- [--server https://127.0.0.1:6443] [--token admin-token] [--count 2000] [--seed 1]
 * [--record FILE]`: asks a real API server and ours the same random requests, with paths, methods and options that are
 * often wrong, and prints what differs: status, headers that clients look at, and bodies up to names, times and
 * versions. No controllers may run beside the real one. `--record` appends what both refused alike, for test/requests.
 * Exit code 1 when anything differs, 2 for bad input.
 */
import { appendFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { parse } from 'yaml';
import { canonicalJson } from '../../src/api/values/canonical-json.js';
import { createCluster } from '../../src/index.js';
import { randomStream } from '../../src/kernel/random.js';
import type { Json } from '../conformance/recorded-lines.js';
import { maskedBody } from '../conformance/wire/masks.js';
import { programOptions, refuseInput } from '../program-options.js';
import { BEGINNING, drawQuestion, type Question } from './draw-question.js';

const MOST_SHOWN = 60;
const SHOWN_CHARS = 400;
/** Requests in a namespace before the next one. */
const ROUND = 20;
const TIMEOUT_MS = 10_000;
const HEADERS = ['content-type', 'warning', 'retry-after', 'cache-control', 'x-content-type-options', 'location'];

const { values } = programOptions('questions', {
  options: {
    server: { type: 'string', default: 'https://127.0.0.1:6443' },
    token: { type: 'string', default: 'admin-token' },
    count: { type: 'string', default: '2000' },
    seed: { type: 'string', default: '1' },
    record: { type: 'string' },
  },
});
const { server, token, seed, record } = values;
const count = Number(values.count);
if (!Number.isSafeInteger(count) || count < 1)
  refuseInput('questions', `--count must be an integer >= 1, got ${values.count}`);

interface Side {
  readonly server: string;
  readonly token: string;
}

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

const agent = new Agent({ keepAlive: true, rejectUnauthorized: false });

function ask(side: Side, { method, path, accept, type, body }: Question): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${side.token}`,
      accept: accept ?? 'application/json',
      'user-agent': 'questions/1',
      ...(type === undefined ? {} : { 'content-type': type }),
      ...(body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }),
    };
    const url = new URL(side.server);
    const place = { host: url.hostname, port: url.port, path, method, agent, headers, timeout: TIMEOUT_MS };
    const sent = request(place, (got) => {
      let text = '';
      got.setEncoding('utf8');
      got.on('data', (part: string) => (text += part));
      got.on('error', reject);
      got.on('end', () => {
        const told = HEADERS.map((name) => [name, String(got.headers[name] ?? '')] as const);
        resolve({ status: got.statusCode ?? 0, headers: Object.fromEntries(told), text });
      });
    });
    sent.on('timeout', () => sent.destroy(new Error(`${method} ${path} was not answered`)));
    sent.on('error', reject);
    sent.end(body);
  });
}

/** What is compared: the status line, the headers and the body, each as a text. */
function comparedParts({ status, headers, text }: Answer): readonly string[] {
  const lines = isWhole(text) ? [text] : text.split('\n').filter((line) => line !== '');
  const bodies = lines.map((line) => {
    try {
      return canonicalJson(maskedBody(JSON.parse(line) as Json) ?? null);
    } catch {
      return line;
    }
  });
  return [
    String(status),
    `indented: ${text.startsWith('{\n')}`,
    ...HEADERS.map((name) => `${name}: ${headers[name] ?? ''}`),
    ...bodies,
  ];
}

function isWhole(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Paths that tell of the whole server are compared by their status alone, and those that last not at all. */
function isOfServer({ path }: Question): boolean {
  return /^\/(?:$|\?|apis\/?(?:\?|$)|api\/?(?:\?|$)|version)/.test(path);
}

interface Sides {
  readonly real: Side;
  readonly own: Side;
}

async function begin({ real, own }: Sides, namespace: string): Promise<void> {
  for (const side of [real, own]) {
    const post = async (path: string, object: object): Promise<void> => {
      const body = JSON.stringify(object).replaceAll('SPACE', namespace);
      const sent = { method: 'POST', path: path.replaceAll('SPACE', namespace), type: 'application/json', body };
      const { status, text } = await ask(side, sent);
      if (status !== 201 && status !== 409) throw new Error(`${path}: ${status} ${text}`);
    };
    await post('/api/v1/namespaces', { metadata: { name: namespace } });
    await post('/api/v1/namespaces/SPACE/serviceaccounts', { metadata: { name: 'default' } });
    for (const [path, object] of BEGINNING) await post(path, object);
  }
}

/** A refusal that does not hang on what was asked before, as a line for test/requests. */
function noted(question: Question, { status, headers, text }: Answer): string | undefined {
  const answer = text.startsWith('{') ? maskedBody(JSON.parse(text) as Json) : text;
  const isOfPresent = status === 409 || /"name":"[abc]"/.test(text);
  if (status < 400 || isOfPresent || isOfServer(question) || /^[^?]*\/\./.test(question.path)) return undefined;
  const { warning, 'content-type': type } = headers;
  return JSON.stringify({ ...question, status, ...(warning === '' ? {} : { warning }), contentType: type, answer });
}

const cluster = createCluster({ nodes: 0 });
const served = await cluster.listen({ port: 0 });
const config = parse(served.kubeconfig) as { readonly users: readonly [{ readonly user: { readonly token: string } }] };
const sides: Sides = { real: { server, token }, own: { server: served.url, token: config.users[0].user.token } };
const random = randomStream(seed, 'questions');
const seen = new Set<string>();
let differences = 0;
let namespace = '';
for (let index = 0, left = 0; index < count; index += 1, left -= 1) {
  if (left === 0) {
    namespace = `q${seed}-${Math.floor(performance.timeOrigin)}-${index}`;
    await begin(sides, namespace);
    left = ROUND;
  }
  const drawn = drawQuestion(random);
  const question = { ...drawn, path: drawn.path.replaceAll('SPACE', namespace) };
  const [real, own] = await Promise.all([ask(sides.real, question), ask(sides.own, question)]);
  const [theirs, ours] = [comparedParts(real), comparedParts(own)];
  const isLong = isOfServer(question) && real.status < 300;
  const parts = theirs.flatMap((part, at) => (part === ours[at] || (isLong && at > 0) ? [] : [at]));
  if (parts.length === 0 && (isLong || theirs.length === ours.length)) {
    const text = record === undefined ? undefined : noted(drawn, real);
    const shown = text?.replaceAll(namespace, 'SPACE');
    if (record !== undefined && shown !== undefined && !seen.has(shown)) appendFileSync(record, `${shown}\n`);
    if (shown !== undefined) seen.add(shown);
    continue;
  }
  differences += 1;
  // What a request has changed on one side alone would be seen in those that follow.
  left = 1;
  const kind = parts.map((at) => `${theirs[at] ?? ''} | ${ours[at] ?? ''}`.slice(0, SHOWN_CHARS / 4)).join('\n');
  if (seen.has(kind) || seen.size > MOST_SHOWN * 100) continue;
  seen.add(kind);
  process.stdout.write(`${drawn.method} ${drawn.path} ${drawn.accept ?? ''} ${drawn.body ?? ''}\n`);
  for (const at of parts.length === 0 ? [theirs.length] : parts) {
    process.stdout.write(
      `  real ${(theirs[at] ?? '').slice(0, SHOWN_CHARS)}\n  ours ${(ours[at] ?? '').slice(0, SHOWN_CHARS)}\n`,
    );
  }
}
process.stdout.write(`seed ${seed}: ${count} requests, ${differences} differ\n`);
agent.destroy();
await served.close();
await cluster.dispose();
process.exitCode = differences === 0 ? 0 : 1;
