/**
 * Which nodes a daemon set wants a pod on. Mirrors NodeShouldRunDaemonPod, kube-controller-manager v1.34
 * pkg/controller/daemon. Conditions and resources play no part: a node that is full still wants its pod,
 * and the pod waits for room.
 */
import { requiredNodeAffinity, type CompiledNodeSelector } from '../../api/selectors/node-affinity.js';
import type { Node, PodSpec, Toleration } from '../../api/objects/objects.js';
import { findUntolerated } from '../../api/selectors/tolerations.js';
import { withDaemonTolerations } from './daemon-pod.js';

/** What a daemon set wants of a node. */
export interface NodeFit {
  /** A pod is created if there is none. */
  readonly shouldRun: boolean;
  /** A pod that is there already may stay. */
  readonly shouldContinue: boolean;
}

const RUN: NodeFit = { shouldRun: true, shouldContinue: true };
const STAY: NodeFit = { shouldRun: false, shouldContinue: true };
const LEAVE: NodeFit = { shouldRun: false, shouldContinue: false };

/** The verdicts of one pod template over nodes, each given once. */
export class NodeFitness {
  readonly #nodeName: string;
  readonly #affinity: CompiledNodeSelector | undefined;
  readonly #tolerations: readonly Toleration[];
  readonly #verdicts = new WeakMap<Node, NodeFit>();

  constructor(spec: PodSpec) {
    this.#nodeName = spec.nodeName ?? '';
    this.#affinity = requiredNodeAffinity(spec);
    this.#tolerations = withDaemonTolerations(spec);
  }

  of(node: Node): NodeFit {
    let fit = this.#verdicts.get(node);
    if (fit === undefined) this.#verdicts.set(node, (fit = this.#judge(node)));
    return fit;
  }

  #judge({ metadata: { name, labels }, spec: { taints } }: Node): NodeFit {
    if (this.#nodeName !== '' && this.#nodeName !== name) return LEAVE;
    if (this.#affinity?.matches(labels, name) === false) return LEAVE;
    if (findUntolerated(taints, this.#tolerations, ['NoExecute']) !== undefined) return LEAVE;
    return findUntolerated(taints, this.#tolerations, ['NoSchedule']) === undefined ? RUN : STAY;
  }
}
