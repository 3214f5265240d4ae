import type { ExecutionContext } from 'ava';
import { createCluster, type Cluster, type ClusterOptions } from '../../../src/index.js';

/** What a group has besides its machines of 4 cores and 16 GiB. */
export type Group = Partial<Exclude<Extract<ClusterOptions['nodes'], readonly unknown[]>[number], { name: string }>>;

export const CAPACITY = { cpu: '4', memory: '16Gi', pods: '110' };

/** A cluster of groups of machines that take 30 s to come. */
export function autoscaled(t: ExecutionContext, groups: readonly Group[], options: ClusterOptions = {}): Cluster {
  const nodes = groups.map((group) => ({
    count: 1,
    namePrefix: 'web-',
    capacity: CAPACITY,
    provisioningDelay: '30s',
    autoscaling: { min: 1, max: 5 },
    ...group,
  })) as unknown as NonNullable<ClusterOptions['nodes']>;
  const cluster = createCluster({ invariants: true, nodes, ...options });
  t.teardown(async () => {
    await cluster.dispose();
    const broken = cluster.invariants.faults.map(({ text }) => text);
    if (broken.length > 0) throw new Error(broken.join('\n'));
  });
  return cluster;
}

/** A deployment of pods that ask for so much of a core. */
export function deploy(cluster: Cluster, name: string, replicas: number, cpu: string, spec: object = {}): void {
  const labels = { app: name };
  const containers = [{ name: 'main', image: 'registry.example/web:1', resources: { requests: { cpu } } }];
  const template = { metadata: { labels }, spec: { containers, ...spec } };
  cluster.create('Deployment', { metadata: { name }, spec: { replicas, selector: { matchLabels: labels }, template } });
}

/** Names of the nodes that there are. */
export function nodesOf(cluster: Cluster): readonly string[] {
  return cluster
    .list('Node')
    .map(({ metadata }) => metadata.name)
    .toSorted();
}

/** Texts of events with one reason. */
export function told(cluster: Cluster, reason: string): readonly string[] {
  const events = cluster.list('Event').filter((event) => event.reason === reason);
  return [...new Set(events.map(({ message }) => message ?? ''))].toSorted();
}
