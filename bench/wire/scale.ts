/** What a served cluster costs its clients at size: how soon it is ready, how long lists take, and what they hold up. */
import { setTimeout } from 'node:timers/promises';
import { loadDeployment } from './load.js';
import { startServer, type ServerProcess } from './server-process.js';

/** How large. */
export interface ScaleOptions {
  readonly nodes: number;
  readonly pods: number;
  readonly tell: (line: string) => void;
}

const LOOK_EVERY_MS = 1000;
const PODS_A_DEPLOYMENT = 5000;
const PROBE_EVERY_MS = 10;
const LISTS = 3;
/** Of kubectl's, where it is told nothing else. */
const PAGE = 500;
const BYTES_PER_MEBIBYTE = 1024 * 1024;
const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io';

/** How long `kubeloom serve` needs until it takes requests. */
export async function runReadiness({ nodes, tell }: ScaleOptions): Promise<void> {
  const server = await startServer(['--nodes', String(nodes)]);
  tell(`ready with ${nodes} nodes after ${server.readySeconds.toFixed(2)} s, ${megabytes(server)} MiB`);
  await server.end();
}

/** Lists of all pods, and how long small requests wait meanwhile. */
export async function runLists({ nodes, pods, tell }: ScaleOptions): Promise<void> {
  const server = await startServer(['--nodes', String(nodes), '--client-limits', 'unlimited']);
  try {
    tell(`ready with ${nodes} nodes after ${server.readySeconds.toFixed(2)} s`);
    for (let left = pods; left > 0; left -= PODS_A_DEPLOYMENT) {
      const replicas = Math.min(PODS_A_DEPLOYMENT, left);
      await server.client.create(loadDeployment(`load-${left}`, replicas), 'default');
    }
    await until(async () => (await readyPods(server)) >= pods);
    tell(`${pods} pods are ready, ${megabytes(server)} MiB`);
    for (let round = 0; round < LISTS; round += 1) {
      for (const [name, accept] of [
        ['objects', undefined],
        ['table', TABLE],
      ] as const) {
        const probe = probing(server);
        const beganMs = performance.now();
        const bytes = await server.client.count('/api/v1/pods', accept);
        const seconds = (performance.now() - beganMs) / 1000;
        const waits = await probe();
        tell(
          `list of ${pods} pods as ${name}: ${seconds.toFixed(2)} s, ${(bytes / BYTES_PER_MEBIBYTE).toFixed(0)} MiB; ` +
            `small requests beside it: ${waits.length}, p50 ${quantile(waits, 0.5)} ms, p99 ${quantile(waits, 0.99)} ms`,
        );
      }
      const beganMs = performance.now();
      const pages = await readPages(server);
      const seconds = (performance.now() - beganMs) / 1000;
      tell(`list of ${pods} pods as table in ${pages} pages of ${PAGE}: ${seconds.toFixed(2)} s`);
    }
  } finally {
    await server.end();
  }
}

/** All pods, as kubectl asks for them by default. @returns how many requests it took */
async function readPages({ client }: ServerProcess): Promise<number> {
  let from: string | undefined = '';
  let pages = 0;
  while (from !== undefined) {
    const more = from === '' ? '' : `&continue=${encodeURIComponent(from)}`;
    const text = await client.text('GET', `/api/v1/pods?limit=${PAGE}${more}`, undefined, undefined, TABLE);
    const { metadata } = JSON.parse(text) as { readonly metadata: { readonly continue?: string } };
    from = metadata.continue;
    pages += 1;
  }
  return pages;
}

/** As their Deployments count them: a list with a selector does not tell how many remain. */
async function readyPods({ client }: ServerProcess): Promise<number> {
  const { items } = await client.list('/apis/apps/v1/namespaces/default/deployments');
  let ready = 0;
  for (const { status } of items) ready += status?.readyReplicas ?? 0;
  return ready;
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await setTimeout(LOOK_EVERY_MS);
}

/** Small requests, one after the other. @returns what ends them, and gives how long each took, ms */
function probing({ client }: ServerProcess): () => Promise<readonly number[]> {
  const waits: number[] = [];
  const over = new AbortController();
  const probes = (async (): Promise<void> => {
    while (!over.signal.aborted) {
      const beganMs = performance.now();
      await client.text('GET', '/api/v1/namespaces/default');
      waits.push(performance.now() - beganMs);
      await setTimeout(PROBE_EVERY_MS);
    }
  })();
  return async () => {
    over.abort();
    await probes;
    return waits;
  };
}

function quantile(values: readonly number[], share: number): string {
  const sorted = values.toSorted((a, b) => a - b);
  return (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0).toFixed(1);
}

export function megabytes(server: ServerProcess): string {
  return (server.residentBytes() / BYTES_PER_MEBIBYTE).toFixed(0);
}
