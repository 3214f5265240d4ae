/** A pod as the scheduler sees it: the object, and what is computed once for all pods of its shape. */
import { keyOf, type Pod } from '../../api/objects/objects.js';
import { hasStatusResources } from './pod-requests.js';
import { shapeOf, usageOf, type PodShape, type PodUsage } from './pod-shape.js';

/** See the file header. Mirrors kube-scheduler v1.34 `framework.PodInfo`. */
export class PodInfo {
  /** `namespace/name`. */
  readonly key: string;
  readonly shape: PodShape;
  /** What the pod takes from a node; differs from its shape's while it is being resized. */
  readonly usage: PodUsage;
  /** Pods without a priority count as 0. */
  readonly priority: number;
  /** When the pod started; absent = not yet. */
  readonly startTime: string | undefined;
  /** Put on its node by the scheduler's decision, not yet confirmed by the API server; the cache's to say. */
  isAssumed = false;

  /** @param same - the same pod in a state that counts for the same */
  constructor(
    readonly pod: Pod,
    same?: PodInfo,
  ) {
    this.priority = podPriority(pod);
    this.startTime = pod.status.startTime ?? undefined;
    this.key = same?.key ?? keyOf(pod);
    this.shape = same?.shape ?? shapeOf(pod);
    this.usage = same?.usage ?? (hasStatusResources(pod.status) ? usageOf(pod.spec, pod.status) : this.shape.usage);
  }

  /** The pod as it will be once it is bound to a node. */
  boundTo(nodeName: string): PodInfo {
    const { pod } = this;
    return new PodInfo({ ...pod, spec: { ...pod.spec, nodeName } }, this);
  }
}

/** The pod's priority; pods without one count as 0. */
export function podPriority(pod: Pod): number {
  return pod.spec.priority ?? 0;
}
