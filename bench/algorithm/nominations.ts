import type { Nominator as NominatorView } from '../../src/scheduler/cycle/attempt/nominated-filter.js';
import type { PodInfo } from '../../src/scheduler/framework/interface.js';
import { Nominator } from '../../src/scheduler/queue/nominator.js';

/** The queue's nominations, without the queue. */
export class Nominations implements NominatorView {
  readonly #nominator = new Nominator(undefined);

  get nominatedCount(): number {
    return this.#nominator.nominatedCount;
  }

  nominatedNodes(): Iterable<string> {
    return this.#nominator.nominatedNodes();
  }

  nominatedPodsForNode(nodeName: string): readonly PodInfo[] {
    return this.#nominator.nominatedPodsForNode(nodeName);
  }

  nominatedNodeOf(uid: string): string | undefined {
    return this.#nominator.nominatedNodeOf(uid);
  }

  get nominations(): NominatorView['nominations'] {
    return this.#nominator.nominations;
  }

  /** @param nodeName - empty takes the nomination away */
  set(podInfo: PodInfo, nodeName: string): void {
    this.#nominator.add(podInfo, nodeName);
  }

  delete(uid: string): void {
    if (this.#nominator.nominatedCount > 0) this.#nominator.delete(uid);
  }
}
