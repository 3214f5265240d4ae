import { controllerOf } from '../../api/objects/owners.js';
import { getCondition, isPodReady, isPodTerminal } from '../../api/objects/conditions.js';
import type {
  AnyObject,
  DaemonSet,
  Deployment,
  Job,
  Kind,
  KindMap,
  ReplicaSet,
  ReplicationController,
  StatefulSet,
} from '../../api/objects/objects.js';
import { NodeFitness } from '../../controllers/daemon-set/node-fitness.js';
import type { Cluster } from '../../cluster/cluster.js';

/** What still keeps a cluster from having everything that its users asked for; empty when nothing does. */
export function missingWorkloads(cluster: Pick<Cluster, 'list'>): readonly string[] {
  const missing: string[] = [];
  for (const deployment of cluster.list('Deployment')) {
    if (!isDeploymentComplete(deployment))
      missing.push(describe('Deployment', deployment, deployment.status.availableReplicas));
  }
  for (const set of cluster.list('StatefulSet')) {
    if (!isStatefulSetComplete(set)) missing.push(describe('StatefulSet', set, set.status.availableReplicas));
  }
  for (const set of cluster.list('DaemonSet')) {
    if (!isDaemonSetComplete(set)) missing.push(describeDaemons(set));
  }
  for (const controller of cluster.list('ReplicationController')) {
    if (controllerOf(controller) === undefined && !isReplicaSetReady(controller)) {
      missing.push(describe('ReplicationController', controller, controller.status.readyReplicas));
    }
  }
  for (const job of cluster.list('Job')) if (isJobRunning(job)) missing.push(describeJob(job));
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

/** All replicas are there and available, and those from the partition on are updated, unless a user updates them. */
function isStatefulSetComplete({ metadata, spec, status }: StatefulSet): boolean {
  const replicas = spec.replicas ?? 1;
  const { type, rollingUpdate } = spec.updateStrategy ?? {};
  const toUpdate = type === 'OnDelete' ? 0 : Math.max(0, replicas - (rollingUpdate?.partition ?? 0));
  return (
    (status.observedGeneration ?? 0) >= (metadata.generation ?? 0) &&
    status.replicas === replicas &&
    (status.availableReplicas ?? 0) === replicas &&
    (status.updatedReplicas ?? 0) >= toUpdate
  );
}

/** As `kubectl rollout status` sees it: every node that should have a pod has one that is updated and available. */
function isDaemonSetComplete({ metadata, spec, status }: DaemonSet): boolean {
  const desired = status.desiredNumberScheduled;
  const toUpdate = spec.updateStrategy?.type === 'OnDelete' ? 0 : desired;
  return (
    (status.observedGeneration ?? 0) >= (metadata.generation ?? 0) &&
    (status.updatedNumberScheduled ?? 0) >= toUpdate &&
    (status.numberAvailable ?? 0) === desired
  );
}

/** Pods that the daemon sets want on the nodes that are there now. */
export function wantedDaemons(cluster: Pick<Cluster, 'list'>): number {
  return cluster.list('DaemonSet').reduce((sum, set) => sum + wantedDaemonsOf(set, cluster), 0);
}

/** Pods that one daemon set wants. */
export function wantedDaemonsOf({ spec }: DaemonSet, cluster: Pick<Cluster, 'list'>): number {
  const fitness = new NodeFitness(spec.template.spec);
  return cluster.list('Node').filter((node) => fitness.of(node).shouldRun).length;
}

function isReplicaSetReady({ metadata, spec, status }: ReplicaSet | ReplicationController): boolean {
  const isObserved = (status.observedGeneration ?? 0) >= (metadata.generation ?? 0);
  return isObserved && (status.readyReplicas ?? 0) === (spec.replicas ?? 1);
}

/** Whether a job is on its way: it has neither ended, well or not, nor been suspended. */
function isJobRunning({ spec, status }: Job): boolean {
  return spec.suspend !== true && !hasJob(status, 'Complete') && !hasJob(status, 'Failed');
}

function hasJob({ conditions }: Job['status'], type: string): boolean {
  return getCondition(conditions, type)?.status === 'True';
}

/** When a workload of a kind is complete. */
const COMPLETENESS = {
  Deployment: isDeploymentComplete,
  StatefulSet: isStatefulSetComplete,
  DaemonSet: isDaemonSetComplete,
  ReplicaSet: isReplicaSetReady,
  ReplicationController: isReplicaSetReady,
  Job: ({ status }: Job) => hasJob(status, 'Complete'),
} satisfies { readonly [K in Kind]?: (object: KindMap[K]) => boolean };

/** Kinds of which {@link isWorkloadComplete} knows. */
export const WORKLOAD_KINDS = Object.keys(COMPLETENESS) as readonly (keyof typeof COMPLETENESS)[];

/** Whether there is all of a workload that its user asked for; of other kinds, never. */
export function isWorkloadComplete(kind: Kind, object: AnyObject): boolean {
  if (!(kind in COMPLETENESS)) return false;
  return (COMPLETENESS[kind as keyof typeof COMPLETENESS] as (object: AnyObject) => boolean)(object);
}

function describe(
  kind: string,
  { metadata, spec }: Deployment | ReplicaSet | ReplicationController | StatefulSet,
  have: number | undefined,
): string {
  return `${kind} ${metadata.namespace}/${metadata.name}: ${have ?? 0} of ${spec.replicas ?? 1} replicas available`;
}

function describeDaemons({ metadata: { namespace, name }, status }: DaemonSet): string {
  const { numberAvailable = 0, desiredNumberScheduled } = status;
  return `DaemonSet ${namespace}/${name}: ${numberAvailable} of ${desiredNumberScheduled} pods available`;
}

function describeJob({ metadata: { namespace, name }, spec, status }: Job): string {
  const { succeeded = 0 } = status;
  return `Job ${namespace}/${name}: ${succeeded}${spec.completions === undefined ? '' : ` of ${spec.completions}`} pods succeeded`;
}
