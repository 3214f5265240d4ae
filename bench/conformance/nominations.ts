import type { Pod } from '../../src/api/objects.js';
import type { Nominator } from '../../src/scheduler/cycle/nominated-filter.js';
import { PodInfo } from '../../src/scheduler/framework/pod-info.js';

/** Nominations, set as the recording says. */
export class Nominations implements Nominator {
  readonly #byNode = new Map<string, PodInfo[]>();

  get nominatedCount(): number {
    return this.#byNode.size;
  }

  nominatedPodsForNode(nodeName: string): readonly PodInfo[] {
    return this.#byNode.get(nodeName) ?? [];
  }

  nominate(pod: Pod, nodeName: string): void {
    this.forget(pod);
    this.#byNode.set(nodeName, [...this.nominatedPodsForNode(nodeName), new PodInfo(pod)]);
  }

  forget({ metadata }: Pod): void {
    for (const [node, pods] of this.#byNode) {
      const kept = pods.filter((each) => each.pod.metadata.uid !== metadata.uid);
      if (kept.length === 0) this.#byNode.delete(node);
      else this.#byNode.set(node, kept);
    }
  }
}
