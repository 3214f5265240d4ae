import type { Pod } from '../../api/objects/objects.js';
import type { Nominator as NominatorView } from '../cycle/attempt/nominated-filter.js';
import type { PodInfo } from '../framework/interface.js';
import { ChangeLog } from '../framework/change-log.js';

const NO_PODS: readonly PodInfo[] = [];

function nominatedNodeName(pod: Pod): string {
  return pod.status.nominatedNodeName ?? '';
}

/**
 * Which pods wait for room on which node after a preemption, in order of nomination. Mirrors
 * kube-scheduler v1.34 `backend/queue/nominator.go`.
 */
export class Nominator implements NominatorView {
  readonly nominations = new ChangeLog();
  readonly #podsByNode = new Map<string, readonly PodInfo[]>();
  readonly #nodeByUid = new Map<string, string>();

  /** @param findPod - the newest known state of a pod by key: pods that are gone or bound are not nominated */
  constructor(private readonly findPod: ((key: string) => Pod | undefined) | undefined) {}

  /** Number of nominated pods. */
  get nominatedCount(): number {
    return this.#nodeByUid.size;
  }

  /** Names of the nodes to which pods are nominated. */
  nominatedNodes(): Iterable<string> {
    return this.#podsByNode.keys();
  }

  /** The node that a pod is nominated to. */
  nominatedNodeOf(uid: string): string | undefined {
    return this.#nodeByUid.get(uid);
  }

  /** The pods nominated to a node, in order of nomination. The array never changes. */
  nominatedPodsForNode(nodeName: string): readonly PodInfo[] {
    return this.#podsByNode.get(nodeName) ?? NO_PODS;
  }

  /**
   * Nominates a pod, which goes to the end; it has one nomination at most.
   *
   * @param nodeName - `''` takes the nomination back; absent = what the pod's status says
   */
  add(podInfo: PodInfo, nodeName = nominatedNodeName(podInfo.pod)): void {
    const { uid } = podInfo.pod.metadata;
    this.delete(uid);
    if (nodeName === '') return;
    if (this.findPod !== undefined) {
      const current = this.findPod(podInfo.key);
      if (current === undefined || (current.spec.nodeName ?? '') !== '') return;
    }
    this.#nodeByUid.set(uid, nodeName);
    this.#podsByNode.set(nodeName, [...this.nominatedPodsForNode(nodeName), podInfo]);
    this.nominations.note(nodeName);
  }

  /** The pod changed. A nomination that only the scheduler knows of outlives updates that know of none. */
  update(oldPod: Pod | undefined, podInfo: PodInfo): void {
    const isUnaware =
      (oldPod === undefined || nominatedNodeName(oldPod) === '') && nominatedNodeName(podInfo.pod) === '';
    const kept = isUnaware && oldPod !== undefined ? this.#nodeByUid.get(oldPod.metadata.uid) : undefined;
    if (oldPod !== undefined) this.delete(oldPod.metadata.uid);
    this.add(podInfo, kept);
  }

  delete(uid: string): void {
    const nodeName = this.#nodeByUid.get(uid);
    if (nodeName === undefined) return;
    this.#nodeByUid.delete(uid);
    const left = this.nominatedPodsForNode(nodeName).filter((podInfo) => podInfo.pod.metadata.uid !== uid);
    if (left.length === 0) this.#podsByNode.delete(nodeName);
    else this.#podsByNode.set(nodeName, left);
    this.nominations.note(nodeName);
  }

  clear(): void {
    for (const nodeName of this.#podsByNode.keys()) this.nominations.note(nodeName);
    this.#podsByNode.clear();
    this.#nodeByUid.clear();
  }
}
