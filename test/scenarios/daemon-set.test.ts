/** Daemon sets with real kubelets and the scheduler, through the public door. */
import test from 'ava';
import { createCluster, type Cluster, type DrainEvent, type DrainOptions, type Pod } from '../../src/index.js';

const RUNTIME = { imagePull: 0, sandbox: 0, containerStart: 0, shutdown: 1000 };
const LABELS = { app: 'agent' };
const AGENT = { namespace: 'default', name: 'agent' };

async function scene(nodes: number): Promise<Cluster> {
  const cluster = createCluster({ nodes, seed: 'daemons', runtime: RUNTIME });
  await cluster.ready();
  cluster.create('DaemonSet', {
    metadata: { name: 'agent' },
    spec: { selector: { matchLabels: LABELS }, template: template('agent:1') },
  });
  await settled(cluster, nodes);
  return cluster;
}

/** Runs until so many nodes have an updated and available pod. */
async function settled(cluster: Cluster, nodes: number): Promise<void> {
  const isSettled = (): boolean => {
    const { metadata, status } = cluster.get('DaemonSet', AGENT);
    const { observedGeneration, updatedNumberScheduled, numberAvailable } = status;
    return observedGeneration === metadata.generation && updatedNumberScheduled === nodes && numberAvailable === nodes;
  };
  await cluster.run({ until: isSettled, limit: '5m' });
}

function template(image: string): object {
  const resources = { requests: { cpu: '100m' } };
  return { metadata: { labels: LABELS }, spec: { containers: [{ name: 'c', image, resources }] } };
}

/** Node and image of each pod of the set. */
function daemons(cluster: Cluster): string[] {
  return cluster
    .list('Pod', { labelSelector: 'app=agent' })
    .map(({ spec }: Pod) => `${spec.nodeName} ${spec.containers[0]?.image}`)
    .sort();
}

/** One pod of the image on each node. */
function oneEach(nodes: number, image: string): string[] {
  return Array.from({ length: nodes }, (_, index) => `node-${index} ${image}`);
}

interface Outcome {
  readonly texts: readonly string[];
  readonly message: string | undefined;
}

async function drain(cluster: Cluster, node: string, options: DrainOptions): Promise<Outcome> {
  const events: DrainEvent[] = [];
  let message: string | undefined;
  let isOver = false;
  cluster.drain(node, options).subscribe({
    next: (event) => events.push(event),
    error: (reason: Error) => {
      message = reason.message;
      isOver = true;
    },
    complete: () => {
      isOver = true;
    },
  });
  await cluster.run({ until: () => isOver, limit: '10m' });
  return { texts: events.map(({ text }) => text), message };
}

test('7.4.2 › the scheduler binds each pod to the node that it is meant for, and a node that comes gets one', async (t) => {
  const cluster = await scene(5);
  t.deepEqual(daemons(cluster), oneEach(5, 'agent:1'));
  t.is(cluster.get('DaemonSet', AGENT).status.numberAvailable, 5);
  cluster.addNodes([{ count: 1, namePrefix: 'late-' }]);
  await settled(cluster, 6);
  t.deepEqual(daemons(cluster), ['late-0 agent:1', ...oneEach(5, 'agent:1')]);
  await cluster.dispose();
});

test('7.4.4 › a new template reaches every node, one after the other', async (t) => {
  const cluster = await scene(4);
  let fewest = 4;
  cluster.watch('DaemonSet').subscribe(() => {
    fewest = Math.min(fewest, cluster.readyPods);
  });
  cluster.patch('DaemonSet', AGENT, { spec: { template: template('agent:2') } });
  await settled(cluster, 4);
  t.deepEqual(daemons(cluster), oneEach(4, 'agent:2'));
  t.is(fewest, 3);
  await cluster.dispose();
});

test('drain › pods of a daemon set stop it or stay, as kubectl says, and come again on a cordoned node', async (t) => {
  const cluster = await scene(2);
  const [pod] = cluster.list('Pod', { fieldSelector: 'spec.nodeName=node-0' });
  const name = `default/${pod?.metadata.name}`;
  t.deepEqual(await drain(cluster, 'node-0', {}), {
    texts: ['node/node-0 cordoned'],
    message: `unable to drain node "node-0" due to error: cannot delete DaemonSet-managed Pods (use --ignore-daemonsets to ignore): ${name}`,
  });
  t.deepEqual(await drain(cluster, 'node-0', { ignoreDaemonSets: true }), {
    texts: ['node/node-0 already cordoned', `Warning: ignoring DaemonSet-managed Pods: ${name}`, 'node/node-0 drained'],
    message: undefined,
  });
  t.deepEqual(daemons(cluster), ['node-0 agent:1', 'node-1 agent:1']);
  cluster.delete('Pod', pod?.metadata ?? AGENT);
  await cluster.run({ limit: '10s' });
  t.deepEqual(daemons(cluster), ['node-0 agent:1', 'node-1 agent:1']);
  t.not(cluster.list('Pod', { fieldSelector: 'spec.nodeName=node-0' })[0]?.metadata.name, pod?.metadata.name);
  await cluster.dispose();
});

test('drain › a pod whose daemon set is gone is deleted by force only', async (t) => {
  const cluster = await scene(1);
  cluster.delete('DaemonSet', AGENT, { propagationPolicy: 'Orphan' });
  await cluster.run({ limit: '10s' });
  const [pod] = cluster.list('Pod', { labelSelector: 'app=agent' });
  const { name = '', uid = '' } = pod?.metadata ?? {};
  const owner = { apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'agent', uid, controller: true };
  cluster.faults.stopController('garbage-collector-controller');
  cluster.patch('Pod', { namespace: 'default', name }, { metadata: { ownerReferences: [owner] } });
  t.is(
    (await drain(cluster, 'node-0', { ignoreDaemonSets: true })).message,
    `unable to drain node "node-0" due to error: cannot delete daemonsets.apps "agent" not found: default/${name}`,
  );
  t.deepEqual((await drain(cluster, 'node-0', { force: true })).texts, [
    'node/node-0 already cordoned',
    `evicting pod default/${name}`,
    `pod/${name} evicted`,
    'node/node-0 drained',
  ]);
  await cluster.dispose();
});

test('7.4.3 › a controller that runs twice by mistake ends with one pod on each node', async (t) => {
  const cluster = createCluster({ nodes: 8, seed: 'twice', runtime: RUNTIME });
  await cluster.ready();
  const twice = cluster.faults.runTwice('daemonset-controller');
  cluster.create('DaemonSet', {
    metadata: { name: 'agent' },
    spec: { selector: { matchLabels: LABELS }, template: template('agent:1') },
  });
  await cluster.run({ limit: '1m' });
  t.deepEqual(daemons(cluster), oneEach(8, 'agent:1'));
  cluster.patch('DaemonSet', AGENT, { spec: { template: template('agent:2') } });
  await cluster.run({ limit: '10m' });
  t.deepEqual(daemons(cluster), oneEach(8, 'agent:2'));
  t.is(cluster.list('ControllerRevision').length, 2);
  twice.heal();
  await cluster.dispose();
});
