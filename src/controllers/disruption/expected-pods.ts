/**
 * How many pods a budget counts on: those that are there, or those that their controllers want. Mirrors
 * `getExpectedPodCount` and its finders, kube-controller-manager v1.34 pkg/controller/disruption.
 */
import { controllerOf } from '../../api/objects/owners.js';
import { kindRegistry, resolveKind } from '../../api/kinds/registry.js';
import { nameKey, type Deployment, type OwnerReference, type Pod, type ReplicaSet } from '../../api/objects/objects.js';
import type { PodDisruptionBudget, ReplicationController, StatefulSet } from '../../api/objects/workload-objects.js';
import { RetryError } from '../runtime/retry-error.js';

interface ByKey<T> {
  getByKey(key: string): T | undefined;
}

/** The workloads as the controller's caches show them. */
export interface Workloads {
  readonly replicaSets: ByKey<ReplicaSet>;
  readonly deployments: ByKey<Deployment>;
  readonly statefulSets: ByKey<StatefulSet>;
  readonly replicationControllers: ByKey<ReplicationController>;
}

/** What a budget demands, by the pods that it selects. */
export interface Expectation {
  readonly expected: number;
  readonly desiredHealthy: number;
  /** Pods without a controller, which a budget in percent, or with maxUnavailable, cannot count. */
  readonly unmanaged: readonly string[];
}

/** Workloads of Kubernetes that are not kept here and cannot be scaled. */
const UNSCALABLE: Readonly<Record<string, string>> = {
  'batch/v1, Job': 'jobs.batch',
};

/** @throws RetryError when the controller of a pod, or its scale, is unknown */
export function expectationOf({ spec }: PodDisruptionBudget, pods: readonly Pod[], workloads: Workloads): Expectation {
  const { minAvailable, maxUnavailable } = spec;
  if (maxUnavailable !== undefined) {
    const { expected, unmanaged } = expectedScale(pods, workloads);
    return { expected, desiredHealthy: Math.max(0, expected - roundedUp(maxUnavailable, expected)), unmanaged };
  }
  if (typeof minAvailable === 'number') return { expected: pods.length, desiredHealthy: minAvailable, unmanaged: [] };
  if (minAvailable === undefined) return { expected: 0, desiredHealthy: 0, unmanaged: [] };
  const { expected, unmanaged } = expectedScale(pods, workloads);
  return { expected, desiredHealthy: roundedUp(minAvailable, expected), unmanaged };
}

/** A number, or a percentage of `total` rounded up. */
function roundedUp(amount: number | string, total: number): number {
  return typeof amount === 'number' ? amount : Math.ceil((Number.parseInt(amount, 10) * total) / 100);
}

/** The sum of what the controllers of the pods want, each counted once. */
function expectedScale(pods: readonly Pod[], workloads: Workloads): Omit<Expectation, 'desiredHealthy'> {
  const scales = new Map<string, number>();
  const known = new Set<string>();
  const unmanaged: string[] = [];
  for (const pod of pods) {
    const controller = controllerOf(pod);
    if (controller === undefined) {
      unmanaged.push(pod.metadata.name);
      continue;
    }
    if (known.has(controller.uid)) continue;
    const found = findScale(controller, pod.metadata.namespace, workloads);
    if (found === undefined) throw new RetryError(`found no controllers for pod ${JSON.stringify(pod.metadata.name)}`);
    known.add(controller.uid);
    scales.set(found.uid, found.replicas);
  }
  let expected = 0;
  for (const replicas of scales.values()) expected += replicas;
  return { expected, unmanaged };
}

interface Scale {
  readonly uid: string;
  readonly replicas: number;
}

/** A replica set of a Deployment counts as the Deployment, so that a rolling update counts once. */
function findScale(reference: OwnerReference, namespace: string | undefined, workloads: Workloads): Scale | undefined {
  const { apiVersion, kind, name, uid } = reference;
  const key = nameKey(namespace, name);
  switch (`${apiVersion}, ${kind}`) {
    case 'v1, ReplicationController':
      return scaleOf(workloads.replicationControllers.getByKey(key), uid);
    case 'apps/v1, ReplicaSet': {
      const replicaSet = workloads.replicaSets.getByKey(key);
      return deploymentScale(replicaSet, uid, workloads) ?? scaleOf(replicaSet, uid);
    }
    case 'apps/v1, StatefulSet':
      return scaleOf(workloads.statefulSets.getByKey(key), uid);
    case 'apps/v1, Deployment':
      return scaleOf(workloads.deployments.getByKey(key), uid);
    default:
      throw new RetryError(unscalableText(apiVersion, kind));
  }
}

function deploymentScale(replicaSet: ReplicaSet | undefined, uid: string, workloads: Workloads): Scale | undefined {
  if (replicaSet?.metadata.uid !== uid) return undefined;
  const controller = controllerOf(replicaSet);
  if (controller?.kind !== 'Deployment' || !controller.apiVersion.startsWith('apps/')) return undefined;
  const key = nameKey(replicaSet.metadata.namespace, controller.name);
  return scaleOf(workloads.deployments.getByKey(key), controller.uid);
}

function scaleOf(
  workload: { readonly metadata: { readonly uid: string }; readonly spec: { readonly replicas?: number } } | undefined,
  uid: string,
): Scale | undefined {
  if (workload?.metadata.uid !== uid) return undefined;
  return { uid, replicas: workload.spec.replicas ?? 1 };
}

function unscalableText(apiVersion: string, kind: string): string {
  const kept = resolveKind(apiVersion, kind);
  const resource =
    kept === undefined
      ? UNSCALABLE[`${apiVersion}, ${kind}`]
      : [kindRegistry[kept].plural, kindRegistry[kept].group].filter((part) => part !== '').join('.');
  return resource === undefined
    ? `no matches for kind ${JSON.stringify(kind)} in version ${JSON.stringify(apiVersion)}`
    : `${resource} does not implement the scale subresource`;
}
