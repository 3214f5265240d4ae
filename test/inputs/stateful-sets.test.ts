/** The stateful sets among the manifests of well-known applications, with a budget for each, through their life. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { createCluster, isPodReady, type Cluster, type Pod, type StatefulSet } from '../../src/index.js';

const FOLDER = resolve(process.cwd(), '../shared/inputs/manifests');
const NODES = 6;

/** Runs until a set has what it asks for, all of it of its newest template. */
async function settled(t: ExecutionContext, cluster: Cluster, { metadata }: StatefulSet): Promise<void> {
  const isSettled = (): boolean => {
    const { metadata: now, spec, status } = cluster.get('StatefulSet', metadata);
    return (
      status.observedGeneration === now.generation &&
      status.replicas === spec.replicas &&
      (status.availableReplicas ?? 0) === spec.replicas &&
      status.currentRevision === status.updateRevision
    );
  };
  await cluster.run({ until: isSettled, limit: '1h' });
  t.true(isSettled(), `${metadata.name}: ${JSON.stringify(cluster.get('StatefulSet', metadata).status)}`);
}

function podsOf(cluster: Cluster, { metadata, spec }: StatefulSet): readonly Pod[] {
  const labels = Object.entries(spec.selector.matchLabels ?? {}).map(([key, value]) => `${key}=${value}`);
  return cluster.list('Pod', { namespace: metadata.namespace ?? '', labelSelector: labels.join(',') });
}

/** Names of the pods that can be counted on, in order of their ordinals. */
function available(cluster: Cluster, set: StatefulSet): string[] {
  return podsOf(cluster, set)
    .filter((pod) => isPodReady(pod) && pod.metadata.deletionTimestamp === undefined)
    .map(({ metadata }) => metadata.name)
    .sort((left, right) => Number(left.split('-').at(-1)) - Number(right.split('-').at(-1)));
}

function named({ metadata }: StatefulSet, count: number): string[] {
  return Array.from({ length: count }, (_, ordinal) => `${metadata.name}-${ordinal}`);
}

async function drainAndUncordon(t: ExecutionContext, cluster: Cluster, node: string): Promise<void> {
  let isOver = false;
  cluster.drain(node, { ignoreDaemonSets: true, deleteEmptyDirData: true }).subscribe({
    error: (error: Error) => t.fail(`${node}: ${error.message}`),
    complete: () => {
      isOver = true;
    },
  });
  await cluster.run({ until: () => isOver, limit: '6h' });
  t.true(isOver, `${node} was not drained`);
  cluster.patch('Node', node, { spec: { unschedulable: false } });
}

/** Scales up and down, rolls out, and drains every node that has a pod, with never more than one pod missing. */
async function live(t: ExecutionContext, cluster: Cluster, set: StatefulSet): Promise<void> {
  const replicas = set.spec.replicas ?? 1;
  t.deepEqual(available(cluster, set), named(set, replicas));
  cluster.scale('StatefulSet', set.metadata, replicas + 2);
  await settled(t, cluster, set);
  t.deepEqual(available(cluster, set), named(set, replicas + 2));
  cluster.scale('StatefulSet', set.metadata, replicas);
  await settled(t, cluster, set);
  t.deepEqual(available(cluster, set), named(set, replicas));

  let fewest = replicas;
  const watching = cluster.watch('Pod').subscribe(() => {
    fewest = Math.min(fewest, available(cluster, set).length);
  });
  const before = new Map(podsOf(cluster, set).map(({ metadata }) => [metadata.name, metadata.uid]));
  const metadata = { annotations: { 'kubectl.kubernetes.io/restartedAt': '2030-01-01T00:00:00Z' } };
  cluster.patch('StatefulSet', set.metadata, { spec: { template: { metadata } } });
  await settled(t, cluster, set);
  t.deepEqual(available(cluster, set), named(set, replicas));
  t.true(podsOf(cluster, set).every((pod) => before.get(pod.metadata.name) !== pod.metadata.uid));

  for (const node of new Set(podsOf(cluster, set).map(({ spec }) => spec.nodeName ?? ''))) {
    await drainAndUncordon(t, cluster, node);
    await settled(t, cluster, set);
  }
  t.deepEqual(available(cluster, set), named(set, replicas));
  t.is(fewest, Math.max(0, replicas - 1));
  watching.unsubscribe();
}

test('manifests › stateful sets come up, scale, roll and are drained, and never break a budget', async (t) => {
  if (!existsSync(FOLDER)) {
    t.log(`skipped: ${FOLDER} is not there`);
    t.pass();
    return;
  }
  let sets = 0;
  for (const file of readdirSync(FOLDER).toSorted()) {
    const cluster = createCluster({ nodes: NODES, seed: file });
    await cluster.ready();
    cluster.apply(readFileSync(resolve(FOLDER, file), 'utf8'));
    for (const set of cluster.list('StatefulSet')) {
      const { name, namespace = 'default' } = set.metadata;
      cluster.create('PodDisruptionBudget', {
        metadata: { name, namespace },
        spec: { maxUnavailable: 1, selector: set.spec.selector },
      });
      await settled(t, cluster, set);
      await live(t, cluster, set);
      sets += 1;
    }
    await cluster.dispose();
  }
  t.true(sets > 0);
});
