/** A pod as the scheduler sees it: the object, and what is computed once for all pods of its shape. */
import type { Pod } from '../../api/objects.js';
import { hasStatusResources } from './pod-requests.js';
import { shapeOf, usageOf, type PodShape, type PodUsage } from './pod-shape.js';

/** See the file header. Mirrors kube-scheduler v1.34 `framework.PodInfo`. */
export class PodInfo {
  /** `namespace/name`. */
  readonly key: string;
  readonly shape: PodShape;
  /** What the pod takes from a node; differs from its shape's while it is being resized. */
  readonly usage: PodUsage;

  constructor(readonly pod: Pod) {
    this.key = `${pod.metadata.namespace ?? ''}/${pod.metadata.name}`;
    this.shape = shapeOf(pod);
    this.usage = hasStatusResources(pod.status) ? usageOf(pod.spec, pod.status) : this.shape.usage;
  }
}

/** The pod's priority; pods without one count as 0. */
export function podPriority(pod: Pod): number {
  return pod.spec.priority ?? 0;
}
