/** `cluster.machines`: the states of pods, nodes and controllers, how they came there, and what they go through. */
import test from 'ava';
import {
  createCluster,
  defineController,
  type Cluster,
  type MachineSelection,
  type MachineStep,
} from '../../src/index.js';

const POD = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p' },
  spec: { containers: [{ name: 'c', image: 'busybox' }] },
};

const path = (steps: readonly MachineStep[]): string[] => steps.map(({ event, to }) => `${event}: ${to}`);

/** Where the machines stand, by name. */
function statesOf(cluster: Cluster, selection: MachineSelection): string[] {
  return cluster.machines.states(selection).map(({ name, by, state }) => `${name} in ${by}: ${state}`);
}

async function withPod(seed = 1): Promise<Cluster> {
  const cluster = createCluster({ nodes: 1, seed });
  await cluster.ready();
  cluster.apply(POD);
  await cluster.run({ until: { readyPods: 1 }, limit: '1m' });
  return cluster;
}

const STARTING = [
  'begin: spawned',
  'pod.begin: awaitingVolumes',
  'volumes.changed: creatingSandbox',
  'after stepEnd: startingContainers.pullingImage',
  'image.pulled: startingContainers.creating',
  'after stepEnd: idle',
];

test('machines › a pod has a history when it is first looked at, and each step of it is told from then on', async (t) => {
  const cluster = await withPod();
  const [reading] = cluster.machines.states({ name: 'p' });
  t.like(reading, { machine: 'pod', name: 'default/p', by: 'kubelet/node-0', state: 'idle', isOver: false });
  t.deepEqual(path(cluster.machines.history({ name: 'default/p' })), STARTING);
  const steps: MachineStep[] = [];
  cluster.machines.watch({ machine: 'pod' }).subscribe((step) => steps.push(step));
  await cluster.run({ limit: '1s' });
  cluster.delete('Pod', 'p');
  await cluster.run({ limit: '1m' });
  t.deepEqual(path(steps), [
    ...STARTING,
    'pod.ending: terminating.awaitingExit',
    'runtime.changed: terminating.reporting',
    'request.done: terminating.deleting',
    'pod.ending: finished',
  ]);
  t.deepEqual(steps.map(({ from }) => from).slice(1), steps.map(({ to }) => to).slice(0, -1));
  t.deepEqual([steps.at(-1)?.isOver, steps.at(-2)?.isOver], [true, false]);
  t.deepEqual(cluster.machines.states({ machine: 'pod' }), []);
  await cluster.dispose();
});

test('machines › looking changes nothing that happens, and a node keeps 16 steps at most', async (t) => {
  const seen = await withPod(3);
  seen.machines.watch().subscribe();
  const unseen = await withPod(3);
  for (const cluster of [seen, unseen]) await cluster.run({ limit: '30m' });
  t.is(seen.traceHash, unseen.traceHash);
  const [node] = unseen.machines.states({ machine: 'node' });
  t.deepEqual([node?.name, node?.state], ['node-0', 'ready']);
  t.true((node?.history.length ?? 17) <= 16);
  t.is(node?.history.at(-1)?.to, 'ready');
  await seen.dispose();
  await unseen.dispose();
});

test('machines › a node that is switched off stops, with its pods, where it stood', async (t) => {
  const cluster = await withPod();
  const steps: string[] = [];
  cluster.machines.watch({ by: 'kubelet/node-0' }).subscribe(({ machine, event, to, isOver }) => {
    if (isOver) steps.push(`${machine} ${event} in ${to}`);
  });
  await cluster.run({ limit: '1m' });
  cluster.faults.inject({ powerOff: { node: 'node-0' } });
  await cluster.run({ limit: '1s' });
  t.deepEqual(steps, ['node stop in ready', 'pod stop in idle']);
  t.deepEqual(cluster.machines.states({ by: 'kubelet/node-0' }), []);
  await cluster.dispose();
});

test('machines › of two managers the controllers of one lead, those of the other stand until it is gone', async (t) => {
  const cluster = createCluster({ nodes: 1, seed: 5, controllerManagers: 2 });
  await cluster.run({ limit: '10s' });
  const states = (): string[] =>
    statesOf(cluster, { name: 'replicaset-controller' }).toSorted((a, b) => (a < b ? -1 : 1));
  const before = states();
  t.deepEqual(
    before.map((line) => line.replace(/.*: /, '')).toSorted((a, b) => (a < b ? -1 : 1)),
    ['leading.idle', 'standing'],
  );
  const leader = before.find((line) => line.endsWith('leading.idle'))?.replace(/.* in (.*):.*/, '$1') ?? '';
  const fault = cluster.faults.inject({ cut: { component: leader } });
  await cluster.run({ limit: '1m' });
  const [other] = states().filter((line) => !line.includes(`${leader}:`));
  t.regex(other ?? '', /leading.idle$/);
  const lost = cluster.machines.history({ name: 'replicaset-controller', by: leader });
  t.deepEqual(path(lost).slice(-2), ['process.gone: stopped', 'process.started: standing']);
  fault.heal();
  await cluster.dispose();
});

test('machines › a controller works, backs off after failures, and rests', async (t) => {
  const cluster = createCluster({ nodes: 0 });
  let failures = 2;
  cluster.addController(
    defineController({
      name: 'trier',
      setup: (context) => context.watch('ConfigMap', { onAdd: ({ metadata }) => context.queue.add(metadata.name) }),
      async reconcile({ api }, key) {
        if (key !== 'tried') return;
        await api.get('ConfigMap', { namespace: 'default', name: failures > 0 ? 'missing' : key });
        failures -= 1;
      },
    }),
  );
  await cluster.run({ limit: '1s' });
  const steps: string[] = [];
  cluster.machines.watch({ name: 'trier' }).subscribe(({ event, to }) => steps.push(`${event}: ${to}`));
  cluster.create('ConfigMap', { metadata: { name: 'tried', namespace: 'default' } });
  await cluster.run({ limit: '100ms' });
  failures = 0;
  await cluster.run({ limit: '1m' });
  t.deepEqual(steps.slice(0, 4), [
    'begin: stopped',
    'process.started: standing',
    'lead.won: leading.syncing',
    'caches.synced: leading.idle',
  ]);
  const failed = steps.indexOf('work.rested: leading.backingOff');
  t.deepEqual(steps.slice(failed - 1, failed + 2), [
    'work.begun: leading.working',
    'work.rested: leading.backingOff',
    'work.begun: leading.working',
  ]);
  t.deepEqual(steps.slice(-2), ['work.begun: leading.working', 'work.rested: leading.idle']);
  await cluster.dispose();
});

test('machines › a controller that crashes between two writes stops while it works; one that is asked to end drains', async (t) => {
  const cluster = createCluster({ nodes: 0 });
  const writer = cluster.addController(
    defineController({
      name: 'writer',
      setup: (context) => context.watch('ConfigMap', { onAdd: ({ metadata }) => context.queue.add(metadata.name) }),
      async reconcile({ api }, key) {
        if (!key.startsWith('do-')) return;
        for (const suffix of ['a', 'b']) {
          await api.create('ConfigMap', { metadata: { name: `${key.slice(3)}-${suffix}`, namespace: 'default' } });
        }
      },
    }),
  );
  await cluster.run({ limit: '1s' });
  const fault = cluster.faults.inject({ crashAfterWrites: { controller: 'writer', writes: 1 } });
  cluster.create('ConfigMap', { metadata: { name: 'do-one', namespace: 'default' } });
  await cluster.run({ limit: '1s' });
  const [crashed] = cluster.machines.history({ name: 'writer' }).slice(-1);
  t.like(crashed, { event: 'process.gone', from: 'leading.working', to: 'stopped' });
  t.throws(() => cluster.get('ConfigMap', 'one-b'));
  fault.heal();
  await cluster.run({ limit: '1s' });
  cluster.create('ConfigMap', { metadata: { name: 'do-two', namespace: 'default' } });
  await cluster.run({ limit: '5ms' });
  writer.stop();
  await cluster.run({ limit: '1s' });
  t.deepEqual(path(cluster.machines.history({ name: 'writer' })).slice(-4), [
    'work.begun: leading.working',
    'process.ending: leading.draining',
    'work.rested: leading.drained',
    'process.gone: stopped',
  ]);
  t.truthy(cluster.get('ConfigMap', 'two-b'));
  await cluster.dispose();
});

test('machines › a selection that is none is refused', async (t) => {
  const cluster = createCluster({ nodes: 0 });
  t.throws(() => cluster.machines.states({ machine: 'volume' as never }), {
    name: 'OptionError',
    message: 'machine must be one of pod, node, controller, got "volume"',
  });
  t.throws(() => cluster.machines.watch({ pod: 'p' } as never), { name: 'OptionError' });
  await cluster.dispose();
});
