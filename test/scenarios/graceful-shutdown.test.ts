/** A node is shut down: what its pods, the API and the controllers of pods make of it. */
import { readFileSync } from 'node:fs';
import test, { type ExecutionContext } from 'ava';
import {
  createCluster,
  hostCluster,
  parseScenario,
  runScenario,
  type Cluster,
  type ClusterOptions,
  type Draft,
} from '../../src/index.js';

const NODE = 'node-1';
const PERIODS = { shutdownGracePeriod: '30s', shutdownGracePeriodCriticalPods: '10s' } as const;

async function createScene(
  t: ExecutionContext,
  kubelet: NonNullable<ClusterOptions['kubelet']> = PERIODS,
): Promise<{ readonly cluster: Cluster; readonly lines: string[] }> {
  const runtime = { imagePull: 0, sandbox: 0, containerStart: 0, shutdown: 0 };
  const cluster = createCluster({ nodes: 3, seed: 3, latency: 1, runtime, kubelet });
  t.teardown(() => cluster.dispose());
  await cluster.ready();
  const lines: string[] = [];
  return { cluster, lines };
}

/** A pod on the node that takes that long to obey. */
function add(cluster: Cluster, name: string, shutdown: string, spec: Draft = {}): void {
  cluster.create('Pod', {
    metadata: { name, annotations: { 'kubeloom.dev/shutdown': shutdown } },
    spec: { nodeName: NODE, containers: [{ name: 'c', image: 'busybox' }], ...spec },
  });
}

/** Tells, from now on, of the pods' phases and the node's readiness, to the second. */
function listen(cluster: Cluster, lines: string[]): void {
  const startMs = cluster.nowMs;
  const shown = new Map<string, string>();
  const tell = (atMs: number, name: string, state: string): void => {
    if (shown.get(name) === state) return;
    shown.set(name, state);
    lines.push(`${Math.floor((atMs - startMs) / 1000)} ${name} ${state}`);
  };
  cluster.watch('Pod').subscribe((event) => {
    const { metadata, status } = event.object;
    const { reason } = status;
    tell(event.atMs, metadata.name, `${status.phase}${reason === undefined ? '' : ` ${reason}`}`);
  });
  cluster.watch('Node', { fieldSelector: `metadata.name=${NODE}` }).subscribe((event) => {
    const ready = event.object.status.conditions?.find(({ type }) => type === 'Ready');
    tell(event.atMs, NODE, `Ready=${ready?.status} ${ready?.message}`);
  });
  cluster.events$.subscribe(({ atMs, event: { reason, message } }) => {
    if (reason === 'Shutdown') lines.push(`${Math.floor((atMs - startMs) / 1000)} event ${message}`);
  });
}

/** Listens, and forgets what there was already. */
async function listenFromNow(cluster: Cluster, lines: string[]): Promise<void> {
  listen(cluster, lines);
  await cluster.run({ limit: 10 });
  lines.length = 0;
}

test('6.24 6.25 6.26 › the node says so at once, plain pods end first, critical ones after them, then the machine is off', async (t) => {
  const { cluster, lines } = await createScene(t);
  add(cluster, 'plain', '7s');
  add(cluster, 'stubborn', 'ignore');
  add(cluster, 'critical', '4s', { priorityClassName: 'system-node-critical' });
  await cluster.run({ until: { readyPods: 3 }, limit: '10s' });
  await listenFromNow(cluster, lines);
  const fault = cluster.faults.shutDown(NODE);
  await cluster.run({ limit: '1s' });
  add(cluster, 'late', '1s');
  await cluster.run({ limit: '1m' });
  t.deepEqual(lines, [
    '0 event Shutdown manager detected shutdown event',
    '0 node-1 Ready=False node is shutting down',
    '1 late Pending',
    '1 late Failed NodeShutdown',
    '7 plain Failed Terminated',
    '20 stubborn Failed Terminated',
    '24 critical Failed Terminated',
  ]);
  t.deepEqual([cluster.truth.isOn(NODE), cluster.truth.processes()], [false, []]);
  const { message, conditions = [] } = cluster.get('Pod', 'plain').status;
  t.is(message, 'Pod was terminated in response to imminent node shutdown.');
  t.deepEqual(
    conditions.flatMap(({ type, status, reason }) => (type === 'DisruptionTarget' ? [status, reason] : [])),
    ['True', 'TerminationByKubelet'],
  );
  fault.heal();
  await cluster.run({ limit: '10s' });
  t.is(lines.at(-1)?.replace(/^\d+ /, ''), 'node-1 Ready=True kubelet is posting ready status');
  t.deepEqual([...cluster.faults.tally.counts], [['shutDown', { injected: 1, tookEffect: 1, effects: 2 }]]);
});

test('6.24 › without a period the machine goes dark at once, as if it was switched off', async (t) => {
  const { cluster } = await createScene(t, {});
  add(cluster, 'p', '7s');
  await cluster.run({ until: { readyPods: 1 }, limit: '10s' });
  cluster.faults.inject({ shutDown: { node: NODE }, for: '20s' });
  t.false(cluster.truth.isOn(NODE));
  await cluster.run({ limit: '19s' });
  t.is(cluster.get('Pod', 'p').status.phase, 'Running');
  await cluster.run({ limit: '10s' });
  t.is(cluster.get('Pod', 'p').status.containerStatuses?.[0]?.lastState?.terminated?.exitCode, 255);
});

test('6.24 › a shutdown that is called off: its pods end all the same, then the node takes others again', async (t) => {
  const { cluster, lines } = await createScene(t);
  add(cluster, 'plain', '7s');
  add(cluster, 'critical', '4s', { priorityClassName: 'system-node-critical' });
  await cluster.run({ until: { readyPods: 2 }, limit: '10s' });
  await listenFromNow(cluster, lines);
  const fault = cluster.faults.shutDown(NODE);
  await cluster.run({ limit: '2s' });
  fault.heal();
  await cluster.run({ limit: '30s' });
  t.deepEqual(lines.slice(0, 5), [
    '0 event Shutdown manager detected shutdown event',
    '0 node-1 Ready=False node is shutting down',
    '7 plain Failed Terminated',
    '11 event Shutdown manager detected shutdown cancellation',
    '11 critical Failed Terminated',
  ]);
  t.is(lines[5]?.replace(/^\d+ /, ''), 'node-1 Ready=True kubelet is posting ready status');
  t.true(cluster.truth.isOn(NODE));
  add(cluster, 'late', '1s');
  await cluster.run({ limit: '5s' });
  t.is(cluster.get('Pod', 'late').status.phase, 'Running');
  t.is(cluster.list('Event').filter(({ reason }) => reason === 'Rebooted').length, 0);
});

test('6.25 › a kubelet that ends lets go of the shutdown: the machine is off, whatever runs on it', async (t) => {
  const { cluster } = await createScene(t);
  add(cluster, 'plain', '15s');
  await cluster.run({ until: { readyPods: 1 }, limit: '10s' });
  const shutdown = cluster.faults.shutDown(NODE);
  await cluster.run({ limit: '2s' });
  const crash = cluster.faults.stopKubelet(NODE);
  await cluster.run({ limit: '1500ms' });
  t.false(cluster.truth.isOn(NODE));
  crash.heal();
  await cluster.run({ limit: '1m' });
  t.false(cluster.truth.isOn(NODE));
  shutdown.heal();
  await cluster.run({ limit: '1m' });
  t.deepEqual([cluster.truth.isOn(NODE), cluster.get('Pod', 'plain').status.phase], [true, 'Running']);
});

test('6.25 › groups do not wait for the API: a node that is cut off is off as soon', async (t) => {
  const { cluster } = await createScene(t);
  add(cluster, 'plain', '5s');
  await cluster.run({ until: { readyPods: 1 }, limit: '10s' });
  const partition = cluster.faults.cut({ node: NODE });
  cluster.faults.shutDown(NODE);
  await cluster.run({ limit: '5900ms' });
  t.true(cluster.truth.isOn(NODE));
  await cluster.run({ limit: '200ms' });
  t.false(cluster.truth.isOn(NODE));
  partition.heal();
  await cluster.run({ limit: '1m' });
  t.is(cluster.get('Pod', 'plain').status.phase, 'Running', 'nobody could be told');
});

test('6.25 › a group waits until the volumes of its pods are unmounted', async (t) => {
  const { cluster } = await createScene(t);
  cluster.apply([
    {
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { name: 'data' },
      spec: {
        capacity: { storage: '1Gi' },
        accessModes: ['ReadWriteOnce'],
        storageClassName: '',
        csi: { driver: 'd.example', volumeHandle: 'h' },
        claimRef: { namespace: 'default', name: 'data' },
      },
    },
    {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: 'data' },
      spec: {
        accessModes: ['ReadWriteOnce'],
        storageClassName: '',
        volumeName: 'data',
        resources: { requests: { storage: '1Gi' } },
      },
    },
  ]);
  await cluster.run({ limit: '5s' });
  add(cluster, 'plain', '5s', {
    volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }],
    containers: [{ name: 'c', image: 'busybox', volumeMounts: [{ name: 'data', mountPath: '/data' }] }],
  });
  t.is((await cluster.run({ until: { readyPods: 1 }, limit: '1m' })).end, 'done');
  const slow = cluster.faults.inject({ failVolume: { node: NODE, operation: 'unmount', by: '6s' } });
  cluster.faults.shutDown(NODE);
  await cluster.run({ limit: '10s' });
  t.deepEqual([cluster.truth.isOn(NODE), cluster.truth.mounts().length], [true, 1]);
  await cluster.run({ limit: '4s' });
  t.deepEqual([cluster.truth.isOn(NODE), cluster.truth.mounts().length], [false, 0]);
  slow.heal();
});

test('shutDown › faults that overlap keep the machine off until the last of them is healed', async (t) => {
  const { cluster } = await createScene(t);
  add(cluster, 'plain', '5s');
  await cluster.run({ until: { readyPods: 1 }, limit: '10s' });
  const faults = [cluster.faults.shutDown(NODE), cluster.faults.shutDown(NODE), cluster.faults.powerOff(NODE)];
  await cluster.run({ limit: '10s' });
  for (const fault of faults) {
    t.false(cluster.truth.isOn(NODE));
    fault.heal();
  }
  t.true(cluster.truth.isOn(NODE));
  await cluster.run({ limit: '10s' });
  t.is(cluster.readyPods, 1);
});

test('shutDown › of a cluster on another thread', async (t) => {
  const hosted = await hostCluster({ nodes: 3, kubelet: PERIODS });
  t.teardown(() => hosted.dispose());
  await hosted.ready();
  const fault = await hosted.faults.shutDown(NODE);
  await hosted.run({ limit: '1s' });
  const { conditions = [] } = (await hosted.get('Node', NODE)).status;
  t.is(conditions.find(({ type }) => type === 'Ready')?.message, 'node is shutting down');
  await fault.heal();
});

for (const seed of ['1', '2', '3']) {
  test(`6.25 › seed ${seed} › examples/scenarios/node-shutdown.yaml › groups end by priority, and the machine comes back`, async (t) => {
    const file = 'examples/scenarios/node-shutdown.yaml';
    const scenario = parseScenario(readFileSync(file, 'utf8'), file, () => '');
    const { refusals, expectations } = await runScenario(scenario, { seed });
    t.deepEqual([refusals, expectations.filter(({ isMet }) => !isMet), expectations.length], [[], [], 8]);
  });
}
