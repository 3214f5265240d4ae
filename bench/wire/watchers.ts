/**
 * Many watches of all pods while a Deployment is rolled: each has to tell every change in its order. What they tell is
 * compared line by line, as a chain of the versions of its objects.
 */
import { createHash } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { loadDeployment } from './load.js';
import { megabytes } from './scale.js';
import { startServer, type ServerProcess } from './server-process.js';

/** How many. */
export interface WatcherOptions {
  readonly nodes: number;
  readonly pods: number;
  readonly watchers: number;
  readonly limitSeconds: number;
  readonly tell: (line: string) => void;
}

interface Watcher {
  /** Versions of what was told since the mark, in order. */
  readonly versions: number[];
  bytes: number;
  isOver: boolean;
}

const DEPLOYMENT = '/apis/apps/v1/namespaces/default/deployments/web';
const LOOK_EVERY_MS = 500;
/** Nothing more is told for so long: all have heard all. */
const QUIET_MS = 3000;
const BYTES_PER_GIBIBYTE = 1024 ** 3;

/** @returns whether every watch told the same changes, each once and in order */
export async function runWatchers({
  nodes,
  pods,
  watchers: count,
  limitSeconds,
  tell,
}: WatcherOptions): Promise<boolean> {
  const server = await startServer(['--nodes', String(nodes), '--client-limits', 'unlimited']);
  try {
    await server.client.create(loadDeployment('web', pods), 'default');
    await rolled(server, pods, limitSeconds);
    const { metadata } = await server.client.list('/api/v1/pods?limit=1');
    const path = `/api/v1/pods?watch=1&resourceVersion=${metadata.resourceVersion}`;
    const watchers = await Promise.all(Array.from({ length: count }, () => watch(server, path)));
    tell(`${count} watches of ${pods} pods on ${nodes} nodes, ${megabytes(server)} MiB`);
    const beganMs = performance.now();
    await server.client.text('PATCH', DEPLOYMENT, rollout(), 'application/merge-patch+json');
    let most = 0;
    const memory = setInterval(() => (most = Math.max(most, Number(megabytes(server)))), LOOK_EVERY_MS);
    await rolled(server, pods, limitSeconds);
    const seconds = (performance.now() - beganMs) / 1000;
    await quiet(watchers);
    clearInterval(memory);
    const heardSeconds = (performance.now() - beganMs - QUIET_MS) / 1000;
    const chains = new Set(watchers.map(chainOf));
    const isOrdered = watchers.every(({ versions }) =>
      versions.every((version, index) => version > (versions[index - 1] ?? 0)),
    );
    const gibibytes = watchers.reduce((sum, { bytes }) => sum + bytes, 0) / BYTES_PER_GIBIBYTE;
    tell(
      `rolled after ${seconds.toFixed(1)} s, all heard after ${heardSeconds.toFixed(1)} s, ${gibibytes.toFixed(2)} GiB told`,
    );
    const changes = watchers[0]?.versions.length ?? 0;
    const cut = watchers.filter(({ isOver }) => isOver).length;
    tell(
      `${changes} changes each, ${chains.size} different stories, in order: ${isOrdered}, cut off: ${cut}, at most ${most} MiB`,
    );
    return chains.size === 1 && isOrdered && cut === 0;
  } finally {
    await server.end();
  }
}

function rollout(): object {
  return { spec: { template: { spec: { containers: [{ name: 'app', image: 'nginx:2' }] } } } };
}

/** Until the Deployment is whole and all of its pods are of its present template. */
async function rolled({ client }: ServerProcess, pods: number, limitSeconds: number): Promise<void> {
  const endsMs = performance.now() + limitSeconds * 1000;
  for (;;) {
    const { status, metadata } = JSON.parse(await client.text('GET', DEPLOYMENT)) as {
      readonly metadata: { readonly generation: number };
      readonly status?: Readonly<Record<string, number>>;
    };
    const counts = ['replicas', 'updatedReplicas', 'readyReplicas'].map((field) => status?.[field]);
    if (status?.['observedGeneration'] === metadata.generation && counts.every((each) => each === pods)) return;
    if (performance.now() > endsMs)
      throw new Error(`the Deployment is not whole after ${limitSeconds} s: ${JSON.stringify(status)}`);
    await setTimeout(LOOK_EVERY_MS);
  }
}

/** Reads a watch line by line; of each the version alone, which is cheap to find. */
async function watch({ client }: ServerProcess, path: string): Promise<Watcher> {
  const watcher: Watcher = { versions: [], bytes: 0, isOver: false };
  const answer = await client.open('GET', path);
  let rest = '';
  answer.setEncoding('utf8');
  answer.on('data', (chunk: string) => {
    watcher.bytes += chunk.length;
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) watcher.versions.push(Number(/"resourceVersion":"(\d+)"/.exec(line)?.[1]));
  });
  answer.on('close', () => (watcher.isOver = true));
  return watcher;
}

async function quiet(watchers: readonly Watcher[]): Promise<void> {
  let before = -1;
  for (;;) {
    const heard = watchers.reduce((sum, { versions }) => sum + versions.length, 0);
    if (heard === before) return;
    before = heard;
    await setTimeout(QUIET_MS);
  }
}

function chainOf({ versions }: Watcher): string {
  return createHash('sha256').update(versions.join(',')).digest('hex');
}
