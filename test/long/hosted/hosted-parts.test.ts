/** What a cluster on another thread has besides objects: drains, stories, promises, metrics, controllers by module. */
import test from 'ava';
import { firstValueFrom, lastValueFrom, take, toArray } from 'rxjs';
import { createCluster, hostCluster, type Cluster, type HostedCluster } from '../../../src/index.js';

const LABELLER = new URL('./labelling-controller.js', import.meta.url);

function deployment(replicas: number): object {
  const labels = { app: 'web' };
  const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'web' }] } };
  return {
    metadata: { name: 'web', namespace: 'default' },
    spec: { replicas, selector: { matchLabels: labels }, template },
  };
}

async function withWeb(hosted: HostedCluster | Cluster): Promise<void> {
  await hosted.ready();
  await hosted.create('Deployment', deployment(6) as never);
  await hosted.run({ until: { readyPods: 6 }, limit: '5m' });
}

test('hostCluster › drains a node as the same cluster does in this thread, and completes', async (t) => {
  const options = { nodes: 3, seed: 'drained' };
  const local = createCluster(options);
  await withWeb(local);
  const expected = lastValueFrom(local.drain('node-1').pipe(toArray()));
  await local.run({ limit: '5m' });
  const hosted = await hostCluster(options);
  await withWeb(hosted);
  const events = lastValueFrom(hosted.drain('node-1').pipe(toArray()));
  await hosted.run({ limit: '5m' });
  t.deepEqual(await events, await expected);
  t.is(await hosted.traceHash(), local.traceHash);
  await hosted.dispose();
  await local.dispose();
});

test('hostCluster › hands the failure of a drain over, and refuses its options', async (t) => {
  const hosted = await hostCluster({ nodes: 1 });
  await hosted.ready();
  const missing = t.throwsAsync(lastValueFrom(hosted.drain('nowhere')), {
    name: 'ApiError',
    message: /"nowhere" not found/,
  });
  await hosted.run({ limit: '1m' });
  await missing;
  await t.throwsAsync(lastValueFrom(hosted.drain('node-0', { grace: 3 } as never)), { name: 'OptionError' });
  await hosted.dispose();
});

test('hostCluster › evicts as far as the budget lets pods go', async (t) => {
  const hosted = await hostCluster({ nodes: 2 });
  await withWeb(hosted);
  await hosted.create('PodDisruptionBudget', {
    metadata: { name: 'web', namespace: 'default' },
    spec: { minAvailable: 5, selector: { matchLabels: { app: 'web' } } },
  });
  await hosted.run({ limit: '5s' });
  const [first, second] = await hosted.list('Pod');
  await hosted.evict(first?.metadata as never);
  await t.throwsAsync(hosted.evict(second?.metadata as never), { name: 'ApiError', message: /disruption budget/ });
  await hosted.dispose();
});

test('hostCluster › tells the story of a pod, events, promises and metrics', async (t) => {
  const hosted = await hostCluster({ nodes: 2, invariants: true });
  const story = firstValueFrom(hosted.timeline({ namePrefix: 'web-' }).pipe(take(3), toArray()));
  const event = firstValueFrom(hosted.events$);
  await withWeb(hosted);
  t.deepEqual((await story).map(({ source }) => source)[0], 'api');
  t.true(((await event).event.reason ?? '').length > 0);
  t.deepEqual(await hosted.invariants.violations(), []);
  t.deepEqual(await hosted.invariants.checkAtRest(), []);
  const decisions = (await hosted.metrics.samples()).filter(
    ({ name }) => name === 'kubeloom_scheduler_decisions_total',
  );
  t.is(
    decisions.reduce((sum, { value }) => sum + value, 0),
    6,
  );
  t.regex(await hosted.metrics.text(), /^# HELP /m);
  await hosted.dispose();
});

test('hostCluster › runs a controller out of a module, which can crash and start again', async (t) => {
  const hosted = await hostCluster({ nodes: 2 });
  const labeller = await hosted.addController(LABELLER, { label: 'seen' });
  await withWeb(hosted);
  await hosted.run({ limit: '5s' });
  const labels = async (): Promise<unknown[]> =>
    (await hosted.list('Pod')).map(({ metadata }) => metadata.labels?.['seen']);
  t.deepEqual(
    await labels(),
    Array.from({ length: 6 }, () => 'yes'),
  );
  t.true(await labeller.isRunning());
  await labeller.crash();
  t.false(await labeller.isRunning());
  await hosted.scale('Deployment', 'web', 7);
  await hosted.run({ limit: '10s' });
  t.is((await labels()).filter((label) => label === undefined).length, 1);
  await labeller.start();
  await hosted.run({ limit: '10s' });
  t.is((await labels()).filter((label) => label === undefined).length, 0);
  await hosted.dispose();
});

test('hostCluster › refuses modules that are none, and names them', async (t) => {
  const hosted = await hostCluster({ nodes: 1 });
  await t.throwsAsync(hosted.addController('./labeller.js'), {
    name: 'OptionError',
    message: 'module must be a file: URL or an absolute path, got "./labeller.js"',
  });
  await t.throwsAsync(hosted.addController(new URL('../cluster/nothing.js', import.meta.url)), {
    name: 'OptionError',
    message: /^module file:.*nothing\.js cannot be loaded: /,
  });
  await t.throwsAsync(hosted.addController(new URL('../../../src/index.js', import.meta.url)), { name: 'OptionError' });
  await hosted.dispose();
});

test('hostCluster › completes its streams when it is disposed of', async (t) => {
  const hosted = await hostCluster({ nodes: 1 });
  const watched = lastValueFrom(hosted.watch('Pod').pipe(toArray()));
  const counted = lastValueFrom(hosted.stats$.pipe(toArray()));
  await hosted.run({ limit: '1s' });
  await hosted.dispose();
  t.deepEqual(await watched, []);
  t.true((await counted).length > 0);
  t.deepEqual(await lastValueFrom(hosted.watch('Pod').pipe(toArray())), []);
});

test('hostCluster › shows the machines as the same cluster does in this thread, and tells their steps', async (t) => {
  const options = { nodes: 2, seed: 'machines' };
  const local = createCluster(options);
  const hosted = await hostCluster(options);
  const steps = lastValueFrom(hosted.machines.watch({ machine: 'pod' }).pipe(toArray()));
  const expected = lastValueFrom(local.machines.watch({ machine: 'pod' }).pipe(toArray()));
  await withWeb(local);
  await withWeb(hosted);
  t.deepEqual(await hosted.machines.states(), local.machines.states());
  await t.throwsAsync(hosted.machines.states({ machine: 'x' as never }), { name: 'OptionError' });
  await hosted.dispose();
  await local.dispose();
  const told = await steps;
  t.true(told.length >= 6 * 5);
  t.deepEqual(told, await expected);
});
