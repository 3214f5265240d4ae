/** Calls that open a connection or a watch of their own leave none behind. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import test from 'ava';
import type { Observable } from 'rxjs';
import { createCluster, type Cluster } from '../../../src/index.js';

const CALLS = 10_000;
/** Far below what a connection with its client takes. */
const MOST_BYTES_A_CALL = 200;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Bytes that stay behind of each call, on average. */
async function bytesLeft(cluster: Cluster, call: () => void): Promise<number> {
  const many = async (): Promise<number> => {
    for (let index = 0; index < CALLS; index += 1) call();
    await cluster.run({ limit: '1m' });
    collectGarbage();
    return process.memoryUsage().heapUsed;
  };
  const before = await many();
  return ((await many()) - before) / CALLS;
}

test.serial('connections › 10,000 submissions leave nothing behind', async (t) => {
  const cluster = createCluster({ nodes: 0 });
  const bytes = await bytesLeft(cluster, () => void cluster.submit([]));
  t.true(bytes < MOST_BYTES_A_CALL, `${bytes} bytes a call`);
  await cluster.dispose();
});

test.serial('connections › 10,000 drains leave nothing behind, finished or not even begun', async (t) => {
  const cluster = createCluster({ nodes: 0 });
  let failed = 0;
  const bytes = await bytesLeft(cluster, () => {
    cluster.drain('nowhere');
    cluster.drain('nowhere').subscribe({ error: () => (failed += 1) });
  });
  t.is(failed, 2 * CALLS);
  t.true(bytes < MOST_BYTES_A_CALL, `${bytes} bytes a call`);
  await cluster.dispose();
});

test.serial('connections › 10,000 subscriptions that end leave nothing behind', async (t) => {
  const cluster = createCluster({ nodes: 0 });
  const bytes = await bytesLeft(cluster, () => {
    const streams: readonly Observable<unknown>[] = [
      cluster.watch('Pod'),
      cluster.timeline(),
      cluster.stats$,
      cluster.truth.facts$,
    ];
    for (const stream$ of streams) {
      stream$.subscribe().unsubscribe();
    }
  });
  t.true(bytes < MOST_BYTES_A_CALL, `${bytes} bytes a call`);
  await cluster.dispose();
});

test.serial('connections › a watch of a connection that ends is told nothing more, and completes', async (t) => {
  const cluster = createCluster({ nodes: 1 });
  let completions = 0;
  let heard = 0;
  cluster.watch('Node').subscribe({ next: () => (heard += 1), complete: () => (completions += 1) });
  await cluster.ready();
  await cluster.dispose();
  const atEnd = heard;
  cluster.watch('Node').subscribe({ next: () => (heard += 1), complete: () => (completions += 1) });
  t.true(atEnd > 0);
  t.deepEqual([heard, completions], [atEnd, 2]);
});
