import { spawnSync } from 'node:child_process';
import test from 'ava';
import { createCluster, hostCluster, hostFork } from '../../../src/index.js';

const INDEX = new URL('../../../src/index.js', import.meta.url).href;

test('a signal that is raised before or while a hosted cluster is built leaves no thread: the process ends', (t) => {
  const program = `
    import { hostCluster } from ${JSON.stringify(INDEX)};
    const reasons = [];
    const end = new AbortController();
    const failed = (error) => reasons.push(error.message);
    await hostCluster({ nodes: 2 }, AbortSignal.abort(new Error('before'))).catch(failed);
    const building = hostCluster({ nodes: 2 }, end.signal).catch(failed);
    end.abort(new Error('while'));
    await building;
    process.stdout.write(reasons.join());`;
  const args = ['--input-type=module', '--eval', program];
  const { stdout, status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  t.deepEqual([stdout, status], ['before,while', 0], stderr);
});

test('a signal gives up a future while it is built, and leaves no thread: the process ends', async (t) => {
  const program = `
    import { createCluster, hostFork } from ${JSON.stringify(INDEX)};
    const reasons = [];
    const end = new AbortController();
    const failed = (error) => reasons.push(error.message);
    const cluster = createCluster({ nodes: 2 });
    await hostFork(cluster, {}, AbortSignal.abort(new Error('before'))).catch(failed);
    const building = hostFork(cluster, {}, end.signal).catch(failed);
    setTimeout(() => end.abort(new Error('while')), 5);
    await building;
    await cluster.dispose();
    process.stdout.write(reasons.join());`;
  const args = ['--input-type=module', '--eval', program];
  const { stdout, status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  t.deepEqual([stdout, status], ['before,while', 0], stderr);
  const cluster = createCluster({ nodes: 1 });
  await t.throwsAsync(hostFork(cluster, {}, 5 as never), { message: 'signal must be an AbortSignal, got 5' });
  await cluster.dispose();
});

test('a signal ends the wait for nodes, here and on another thread', async (t) => {
  const end = new AbortController();
  for (const cluster of [createCluster({ nodes: 2, realtime: 1 }), await hostCluster({ nodes: 2, realtime: 1 })]) {
    t.is((await cluster.ready('1h', AbortSignal.abort())).end, 'aborted');
    await t.throwsAsync(async () => cluster.ready('1h', 5 as never), {
      message: 'signal must be an AbortSignal, got 5',
    });
    t.is((await cluster.ready('1h', end.signal)).end, 'done');
    await cluster.dispose();
  }
});

test('clusters on several threads run at the same time, each as it does alone', async (t) => {
  const play = async (seed: number): Promise<string> => {
    const cluster = await hostCluster({ nodes: 5, seed });
    await cluster.ready();
    const labels = { app: 'a' };
    const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } };
    const spec = { replicas: 50, selector: { matchLabels: labels }, template };
    await cluster.apply({ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'a' }, spec });
    t.is((await cluster.run({ until: { readyPods: 50 }, limit: '10m' })).end, 'done');
    const hash = await cluster.traceHash();
    await cluster.dispose();
    return hash;
  };
  const alone = [await play(1), await play(2), await play(3)];
  t.deepEqual(await Promise.all([play(1), play(2), play(3)]), alone);
});
