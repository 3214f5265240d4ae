/**
 * How many requests a served cluster answers in a second, and how long the slowest of a hundred takes: one object, a
 * list of 500, creations, and the changes that reach many watches. Client and server share the machine.
 */
import { setTimeout } from 'node:timers/promises';
import { startServer } from './server-process.js';
import type { WireClient } from './wire-client.js';

/** What is asked. */
export interface RateOptions {
  readonly nodes: number;
  readonly tell: (line: string) => void;
}

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';
/** Requests that are under way at a time. */
const AT_ONCE = 16;
const GETS = 4000;
const LISTS = 200;
const CREATES = 2000;
const WATCHES = 100;
const CHANGES = 200;
const LIST_LIMIT = 500;
const RARE = 0.99;
/** Real time that watches have to be told. */
const LONGEST_FANOUT_MS = 60_000;

/** See the file header. */
export async function runRequestRates({ nodes, tell }: RateOptions): Promise<void> {
  const server = await startServer(['--nodes', String(nodes), '--pods', '0']);
  const { client } = server;
  try {
    const text = 'y'.repeat(500);
    const named = (name: string): object => ({ metadata: { name }, data: { text } });
    tell(await rated('create', CREATES, (index) => client.text('POST', CONFIG_MAPS, named(`c-${index}`))));
    tell(await rated('get', GETS, (index) => client.text('GET', `${CONFIG_MAPS}/c-${index % CREATES}`)));
    tell(await rated(`list of ${LIST_LIMIT}`, LISTS, () => client.text('GET', `${CONFIG_MAPS}?limit=${LIST_LIMIT}`)));
    tell(await fanOut(client));
    tell(`memory of the server: ${Math.round(server.residentBytes() / 1024 / 1024)} MiB`);
  } finally {
    await server.end();
  }
}

/** Does it so often, some at a time. */
async function rated(what: string, count: number, ask: (index: number) => Promise<unknown>): Promise<string> {
  const tookMs: number[] = [];
  let next = 0;
  const beganMs = performance.now();
  const work = async (): Promise<void> => {
    for (let index = next; index < count; index = next) {
      next += 1;
      const atMs = performance.now();
      await ask(index);
      tookMs.push(performance.now() - atMs);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  const seconds = (performance.now() - beganMs) / 1000;
  return `${what}: ${Math.round(count / seconds)} a second, p99 ${quantile(tookMs, RARE).toFixed(1)} ms (${count}, ${AT_ONCE} at once)`;
}

async function fanOut(client: WireClient): Promise<string> {
  const { metadata } = await client.list(`${CONFIG_MAPS}?limit=1`);
  const path = `${CONFIG_MAPS}?watch=true&resourceVersion=${metadata.resourceVersion}`;
  const heard = { lines: 0 };
  const watches = await Promise.all(Array.from({ length: WATCHES }, () => client.open('GET', path)));
  for (const watch of watches) {
    watch.on('error', () => undefined);
    watch.on('data', (chunk: Buffer) => {
      for (const byte of chunk) if (byte === NEWLINE) heard.lines += 1;
    });
  }
  const beganMs = performance.now();
  for (let index = 0; index < CHANGES; index += 1) {
    await client.text('POST', CONFIG_MAPS, { metadata: { name: `w-${index}` } });
  }
  const wanted = WATCHES * CHANGES;
  while (heard.lines < wanted && performance.now() - beganMs < LONGEST_FANOUT_MS) await setTimeout(1);
  const seconds = (performance.now() - beganMs) / 1000;
  for (const watch of watches) watch.destroy();
  return `watch fan-out: ${Math.round(heard.lines / seconds)} frames a second (${heard.lines} of ${wanted}, ${WATCHES} watches)`;
}

const NEWLINE = 0x0a;

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}
