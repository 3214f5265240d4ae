import test from 'ava';
import {
  createCluster,
  DrainError,
  OptionError,
  type Cluster,
  type DrainEvent,
  type DrainOptions,
} from '../../src/index.js';

/** Containers come up at once, so that times are those of the drain. */
const RUNTIME = { imagePull: 0, sandbox: 0, containerStart: 0, shutdown: 1000 };
const LABELS = { app: 'web' };

async function scene(replicas: number, maxUnavailable: number): Promise<Cluster> {
  const cluster = createCluster({ nodes: 2, seed: 'drain', runtime: RUNTIME, latency: 1 });
  await cluster.ready();
  const template = { metadata: { labels: LABELS }, spec: { containers: [{ name: 'c', image: 'web' }] } };
  cluster.create('Deployment', {
    metadata: { name: 'web' },
    spec: { replicas, selector: { matchLabels: LABELS }, template },
  });
  cluster.create('PodDisruptionBudget', {
    metadata: { name: 'web' },
    spec: { maxUnavailable, selector: { matchLabels: LABELS } },
  });
  await cluster.run({ until: () => cluster.readyPods === replicas, limit: '1m' });
  await cluster.run({ limit: '1s' });
  return cluster;
}

interface Outcome {
  readonly events: readonly DrainEvent[];
  readonly error: unknown;
}

async function drain(cluster: Cluster, node: string, options: DrainOptions = {}): Promise<Outcome> {
  const events: DrainEvent[] = [];
  let error: unknown;
  let isOver = false;
  cluster.drain(node, options).subscribe({
    next: (event) => events.push(event),
    error: (reason: unknown) => {
      error = reason;
      isOver = true;
    },
    complete: () => {
      isOver = true;
    },
  });
  await cluster.run({ until: () => isOver, limit: '10m' });
  return { events, error };
}

function onNode(cluster: Cluster, node: string): number {
  return cluster.list('Pod', { fieldSelector: `spec.nodeName=${node}` }).length;
}

test('drain › cordons, evicts what the budget lets go, asks again every five seconds, and ends with an empty node', async (t) => {
  const cluster = await scene(6, 1);
  const before = onNode(cluster, 'node-0');
  t.true(before >= 2);
  let fewest = 6;
  cluster.watch('Pod').subscribe(() => {
    fewest = Math.min(fewest, cluster.readyPods);
  });
  const { events, error } = await drain(cluster, 'node-0');
  t.is(error, undefined);
  t.is(onNode(cluster, 'node-0'), 0);
  t.true(cluster.get('Node', 'node-0').spec.unschedulable);
  t.true(fewest >= 5);
  t.is(events[0]?.text, 'node/node-0 cordoned');
  t.is(events.at(-1)?.text, 'node/node-0 drained');
  t.is(events.filter(({ type }) => type === 'evicted').length, before);
  const [refused] = events.filter(({ type }) => type === 'refused');
  t.regex(
    refused?.text ?? '',
    /^error when evicting pods\/"web-\w+-\w+" -n "default" \(will retry after 5s\): Cannot evict pod as it would violate the pod's disruption budget\.$/,
  );
  const asked = events.filter(({ type, pod }) => type === 'evicting' && pod === refused?.pod).map(({ atMs }) => atMs);
  t.is((asked[1] ?? 0) - (asked[0] ?? 0), 5002);
  await cluster.dispose();
});

test('drain › without eviction no budget is asked', async (t) => {
  const cluster = await scene(4, 0);
  const refused = await drain(cluster, 'node-0', { timeout: '12s' });
  t.true(refused.error instanceof DrainError);
  t.is(
    (refused.error as Error).message,
    'unable to drain node "node-0" due to error: drain did not complete within 12s',
  );
  const { events, error } = await drain(cluster, 'node-0', { disableEviction: true });
  t.is(error, undefined);
  t.is(events[0]?.text, 'node/node-0 already cordoned');
  t.is(
    events.some(({ type }) => type === 'refused'),
    false,
  );
  t.regex(events.find(({ type }) => type === 'evicted')?.text ?? '', /^pod\/web-\w+-\w+ deleted$/);
  await cluster.dispose();
});

test('drain › pods without a controller, with emptyDir or of a node itself stop it, go or stay as kubectl says', async (t) => {
  const containers = [{ name: 'c', image: 'web' }];
  const staticPods = [{ metadata: { name: 'static' }, spec: { containers } }];
  const cluster = createCluster({ nodes: [{ count: 1, staticPods }], runtime: RUNTIME, latency: 1 });
  await cluster.ready();
  cluster.create('Pod', { metadata: { name: 'bare' }, spec: { containers } });
  cluster.create('Pod', {
    metadata: { name: 'scratch' },
    spec: { containers, volumes: [{ name: 'v', emptyDir: {} }] },
  });
  await cluster.run({ until: () => cluster.readyPods === 3, limit: '1m' });
  const refused = await drain(cluster, 'node-0');
  t.is(
    (refused.error as Error).message,
    'unable to drain node "node-0" due to error: [' +
      'cannot delete Pods that declare no controller (use --force to override): default/bare, ' +
      'cannot delete Pods with local storage (use --delete-emptydir-data to override): default/scratch]',
  );
  t.is(onNode(cluster, 'node-0'), 3);
  const forced = await drain(cluster, 'node-0', { force: true, deleteEmptyDirData: true, gracePeriodSeconds: 1 });
  t.is(forced.error, undefined);
  t.is(
    forced.events.find(({ type }) => type === 'warning')?.text,
    'Warning: deleting Pods that declare no controller: default/bare, default/scratch',
  );
  t.deepEqual(
    cluster.list('Pod').map(({ metadata }) => metadata.name),
    ['static-node-0'],
  );
  await cluster.dispose();
});

test('drain › options that make no sense are refused before anything happens', async (t) => {
  const cluster = createCluster({ nodes: 1 });
  t.throws(() => cluster.drain('node-0', { gracePeriodSeconds: 1.5 }), {
    instanceOf: OptionError,
    message: 'gracePeriodSeconds must be a whole number of seconds, got 1.5',
  });
  t.throws(() => cluster.drain('node-0', { timeout: 'soon' }), { instanceOf: OptionError });
  await cluster.dispose();
});

test('drain › waits for the pods of a namespace on its way out, which takes no evictions', async (t) => {
  const cluster = createCluster({ nodes: 1, seed: 'drain', runtime: RUNTIME, latency: 1 });
  await cluster.ready();
  cluster.create('Namespace', { metadata: { name: 'x' } });
  const template = { metadata: { labels: LABELS }, spec: { containers: [{ name: 'c', image: 'web' }] } };
  cluster.create('Deployment', {
    metadata: { name: 'web', namespace: 'x' },
    spec: { replicas: 3, selector: { matchLabels: LABELS }, template },
  });
  await cluster.run({ until: () => cluster.readyPods === 3, limit: '1m' });
  cluster.delete('Namespace', 'x');
  const { name = '' } = cluster.list('Pod')[0]?.metadata ?? {};
  t.throws(() => cluster.evict({ namespace: 'x', name }), { message: /in namespace x because it is being terminated/ });
  const { events, error } = await drain(cluster, 'node-0');
  t.is(error, undefined);
  t.is(onNode(cluster, 'node-0'), 0);
  t.true(events.some(({ text }) => text.includes('from terminating namespace "x" (will retry after 5s)')));
  await cluster.dispose();
});
