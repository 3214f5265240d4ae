/** What a kubelet itself decides about a pod, whatever the pod's containers do. */

/** A condition by which a kubelet says that it ended a pod for the node's sake. */
export interface DisruptionTarget {
  readonly reason: string;
  readonly message: string;
}

/** A verdict of the kubelet itself on a pod, such as an eviction: it wins over what the containers say. */
export interface PodVerdict {
  readonly phase: 'Failed';
  readonly reason: string;
  readonly message: string;
  /** Written together with the phase. */
  readonly condition?: DisruptionTarget;
}

/** A kubelet's decision to end a pod for the node's sake. */
export interface Condemnation extends PodVerdict {
  /** Grace in place of the pod's, if that is longer; `undefined` = the pod's. */
  readonly graceSeconds: number | undefined;
}
