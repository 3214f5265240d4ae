import { controllerOf } from '../api/owners.js';
import { isPodReady, isPodTerminal } from '../api/conditions.js';
import type { Deployment, ReplicaSet } from '../api/objects.js';
import type { Cluster } from './cluster.js';

/** What still keeps a cluster from having everything that its users asked for; empty when nothing does. */
export function missingWorkloads(cluster: Pick<Cluster, 'list'>): readonly string[] {
  const missing: string[] = [];
  for (const deployment of cluster.list('Deployment')) {
    if (!isDeploymentComplete(deployment))
      missing.push(describe('Deployment', deployment, deployment.status.availableReplicas));
  }
  for (const replicaSet of cluster.list('ReplicaSet')) {
    if (controllerOf(replicaSet) === undefined && !isReplicaSetReady(replicaSet)) {
      missing.push(describe('ReplicaSet', replicaSet, replicaSet.status.readyReplicas));
    }
  }
  for (const pod of cluster.list('Pod')) {
    const { namespace, name, deletionTimestamp } = pod.metadata;
    if (deletionTimestamp !== undefined) missing.push(`Pod ${namespace}/${name}: still terminating`);
    if (controllerOf(pod) !== undefined || isPodReady(pod) || isPodTerminal(pod)) continue;
    missing.push(`Pod ${namespace}/${name}: ${pod.status.phase}, not Ready`);
  }
  return missing;
}

/** As `kubectl rollout status` sees it: observed, all replicas updated and available, no old ones left. */
export function isDeploymentComplete({ metadata, spec, status }: Deployment): boolean {
  const replicas = spec.replicas ?? 1;
  return (
    (status.observedGeneration ?? 0) >= (metadata.generation ?? 0) &&
    (status.updatedReplicas ?? 0) === replicas &&
    (status.replicas ?? 0) === replicas &&
    (status.availableReplicas ?? 0) === replicas
  );
}

function isReplicaSetReady({ metadata, spec, status }: ReplicaSet): boolean {
  const isObserved = (status.observedGeneration ?? 0) >= (metadata.generation ?? 0);
  return isObserved && (status.readyReplicas ?? 0) === (spec.replicas ?? 1);
}

function describe(kind: string, { metadata, spec }: Deployment | ReplicaSet, have: number | undefined): string {
  return `${kind} ${metadata.namespace}/${metadata.name}: ${have ?? 0} of ${spec.replicas ?? 1} replicas available`;
}
