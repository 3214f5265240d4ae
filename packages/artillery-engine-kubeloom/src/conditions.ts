/** Whether workloads have come to what a user waits for, as kubectl judges it. */
import type { Kind } from 'kubeloom';

/** What is read of a workload. */
export interface Workload {
  readonly metadata: { readonly generation?: number };
  readonly spec?: { readonly replicas?: number };
  readonly status?: {
    readonly observedGeneration?: number;
    readonly replicas?: number;
    readonly updatedReplicas?: number;
    readonly availableReplicas?: number;
    readonly desiredNumberScheduled?: number;
    readonly updatedNumberScheduled?: number;
    readonly numberAvailable?: number;
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  };
}

export function isConditionTrue({ status }: Workload, type: string): boolean {
  return status?.conditions?.some((each) => each.type === type && each.status === 'True') === true;
}

/** `kubectl rollout status` (kubectl/pkg/polymorphichelpers/rollout_status.go). */
export function isRolledOut(kind: Kind, { metadata, spec, status = {} }: Workload): boolean {
  if ((status.observedGeneration ?? 0) < (metadata.generation ?? 1)) return false;
  if (kind === 'DaemonSet') {
    const wanted = status.desiredNumberScheduled ?? 0;
    return (status.updatedNumberScheduled ?? 0) >= wanted && (status.numberAvailable ?? 0) >= wanted;
  }
  const wanted = spec?.replicas ?? 1;
  const updated = status.updatedReplicas ?? 0;
  return updated >= wanted && (status.replicas ?? 0) <= updated && (status.availableReplicas ?? 0) >= updated;
}
