import { createCluster, type Cluster } from '../../../src/index.js';
import type { ClusterOptions } from '../../../src/cluster/options.js';

/** A cluster with a Deployment `web`, whose containers use CPU by a script of their own. */
export function autoscaled(
  cpu: string,
  {
    replicas = 2,
    request = '100m',
    options = {},
  }: { replicas?: number; request?: string; options?: ClusterOptions } = {},
): Cluster {
  const cluster = createCluster({ nodes: 4, ...options });
  cluster.create('Deployment', {
    metadata: { name: 'web' },
    spec: {
      replicas,
      selector: { matchLabels: { app: 'web' } },
      template: {
        metadata: { labels: { app: 'web' }, annotations: { 'kubeloom.dev/cpu': cpu } },
        spec: { containers: [{ name: 'main', image: 'web:1', resources: { requests: { cpu: request } } }] },
      },
    },
  });
  return cluster;
}

/** An autoscaler of `web`. */
export function autoscaler(spec: object = {}, name = 'web'): Parameters<Cluster['create']>[1] {
  const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' };
  return { metadata: { name }, spec: { maxReplicas: 10, scaleTargetRef, ...spec } };
}

/** A target in percent of what is requested. */
export function percentOfCpu(averageUtilization: number): object {
  return { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization } } };
}

/** The replicas that the Deployment asks for. */
export function wanted(cluster: Cluster): number {
  return (cluster.get('Deployment', 'web').spec as { replicas: number }).replicas;
}

/** What an autoscaler says of itself. */
export interface ToldStatus {
  readonly currentReplicas?: number;
  readonly desiredReplicas?: number;
  readonly currentMetrics?: readonly object[] | null;
  readonly conditions?: readonly { type: string; status: string; reason: string; message: string }[];
}

/** The status of an autoscaler. */
export function statusOf(cluster: Cluster, name = 'web'): ToldStatus {
  return cluster.get('HorizontalPodAutoscaler', name).status ?? {};
}

/** Its conditions in short. */
export function conditionsOf(cluster: Cluster, name = 'web'): readonly string[] {
  return (statusOf(cluster, name).conditions ?? []).map(({ type, status, reason }) => `${type}=${status} ${reason}`);
}

/** What it has told in Events. */
export function toldBy(cluster: Cluster, name = 'web'): readonly string[] {
  return cluster
    .list('Event')
    .filter(({ involvedObject }) => involvedObject.kind === 'HorizontalPodAutoscaler' && involvedObject.name === name)
    .map(({ type, reason, message }) => `${type} ${reason}: ${message}`);
}
