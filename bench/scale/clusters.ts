/**
 * Scenes of many nodes and pods. They ask of a build only what every build has: clusters, manifests, runs; the option
 * `clientLimits` is given to those that know it, since older ones have no limits.
 */
import type { Cluster, Draft } from '../../src/index.js';
import { runUntil } from '../full-path/run-until.js';
import type { Build, Laps, Library } from './scale-case.js';

const SEED = '1';
const PODS_PER_DEPLOYMENT = 5000;
const LIMIT = '24h';
const HOUR_MS = 3_600_000;
const MIB = 1 << 20;

/** How large a scene is. */
export interface ClusterSize {
  readonly nodes: number;
  readonly pods: number;
}

/** From nothing to every pod Ready. */
export async function startUp(build: Build, laps: Laps, { nodes, pods }: ClusterSize): Promise<string> {
  const cluster = createCluster(await build.load(), nodes);
  laps.restart();
  await cluster.ready();
  laps.end('nodes', nodes);
  await bringUp(cluster, deployments(pods, {}), pods);
  laps.end('pods', pods);
  return cluster.traceHash;
}

/** Every pod of one Deployment behind a Service is replaced; then all are deleted. */
export async function rollAndDelete(build: Build, laps: Laps, { nodes, pods }: ClusterSize): Promise<string> {
  const cluster = createCluster(await build.load(), nodes);
  await cluster.ready();
  const spec = { selector: { app: 'app' }, ports: [{ port: 80 }] };
  cluster.apply({ apiVersion: 'v1', kind: 'Service', metadata: { name: 'app' }, spec });
  laps.restart();
  await bringUp(cluster, [deployment('app', pods, {})], pods);
  laps.end('create', pods);
  cluster.patch('Deployment', 'app', { spec: { template: { metadata: { labels: { release: '2' } } } } });
  await runUntil(cluster, () => isRolledOut(cluster, pods), LIMIT, 'not every pod was replaced');
  laps.end('roll', pods);
  cluster.delete('Deployment', 'app');
  await runUntil(cluster, () => cluster.pods.total === 0, LIMIT, 'not every pod went');
  laps.end('delete', pods);
  return cluster.traceHash;
}

/** Pods are created, stay for a virtual hour in which their probes succeed, and are deleted. */
export async function idleHour(build: Build, laps: Laps, { nodes, pods }: ClusterSize): Promise<string> {
  const cluster = createCluster(await build.load(), nodes);
  await cluster.ready();
  const probe = { httpGet: { port: 80 }, periodSeconds: 10 };
  laps.restart();
  await bringUp(cluster, deployments(pods, { readinessProbe: probe, livenessProbe: probe }), pods);
  await cluster.run({ limit: '10m' });
  laps.end('create', pods);
  await cluster.run({ limit: HOUR_MS });
  laps.end('idle hour', pods);
  for (const { metadata } of cluster.list('Deployment')) cluster.delete('Deployment', metadata.name);
  await runUntil(cluster, () => cluster.pods.total === 0, LIMIT, 'not every pod went');
  laps.end('delete', pods);
  return cluster.traceHash;
}

/** What a test of a user's does: a small cluster comes up, and is disposed of. */
export async function smallCluster(build: Build, laps: Laps, { nodes, pods }: ClusterSize): Promise<string> {
  laps.restart();
  const library = await build.load();
  laps.end('import', 1);
  const cluster = createCluster(library, nodes);
  await cluster.ready();
  await bringUp(cluster, deployments(pods, {}), pods);
  await cluster.dispose();
  laps.end('cluster', 1);
  return cluster.traceHash;
}

/**
 * Clusters come and go; nothing of them may stay.
 *
 * @throws Error when the heap, as it is after a collection, grows by more than a MiB in the last half
 */
export async function comeAndGo(build: Build, laps: Laps, size: ClusterSize & { times: number }): Promise<undefined> {
  const library = await build.load();
  const heapMiB: number[] = [];
  laps.restart();
  for (let time = 0; time < size.times; time += 1) {
    const cluster = createCluster(library, size.nodes);
    await cluster.ready();
    await bringUp(cluster, deployments(size.pods, {}), size.pods);
    await cluster.dispose();
    globalThis.gc?.();
    heapMiB.push(process.memoryUsage().heapUsed / MIB);
  }
  laps.end('clusters', size.times);
  const grownMiB = (heapMiB.at(-1) ?? 0) - (heapMiB[Math.floor(size.times / 2)] ?? 0);
  if (globalThis.gc !== undefined && grownMiB > 1)
    throw new Error(`the heap must not grow with clusters that are gone, got ${grownMiB.toFixed(1)} MiB`);
  return undefined;
}

function createCluster(library: Library, nodes: number): Cluster {
  try {
    return library.createCluster({ seed: SEED, nodes, clientLimits: 'unlimited' });
  } catch (error) {
    if (!(error instanceof library.OptionError)) throw error;
    return library.createCluster({ seed: SEED, nodes });
  }
}

async function bringUp(cluster: Cluster, objects: readonly Draft[], pods: number): Promise<void> {
  cluster.apply(objects);
  await runUntil(cluster, () => cluster.readyPods === pods, LIMIT, 'not every pod became Ready');
}

function deployments(pods: number, container: object): Draft[] {
  const count = Math.ceil(pods / PODS_PER_DEPLOYMENT);
  return Array.from({ length: count }, (_, index) =>
    deployment(`app-${index}`, Math.min(PODS_PER_DEPLOYMENT, pods - index * PODS_PER_DEPLOYMENT), container),
  );
}

function deployment(name: string, replicas: number, container: object): Draft {
  const labels = { app: name };
  const resources = { requests: { cpu: '10m', memory: '16Mi' } };
  const containers = [{ name: 'app', image: 'app:1', resources, ...container }];
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name },
    spec: { replicas, selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers } } },
  };
}

function isRolledOut(cluster: Cluster, pods: number): boolean {
  const status = cluster.get('Deployment', 'app')?.status;
  const counts = [status?.replicas, status?.updatedReplicas, status?.availableReplicas];
  return counts.every((count) => count === pods) && status?.observedGeneration === 2;
}
