/** What happens to processes on their machines: facts of the nodes, apart from what the API shows. */
import type { Pod } from '../../api/objects/objects.js';

/** One thing that happened on a machine. */
export interface ProcessFact {
  /** Simulated time, ms. */
  readonly atMs: number;
  readonly node: string;
  /** The pod as its kubelet knew it. */
  readonly pod: Pod;
  /** Such as `process of container app started (run 2)`. */
  readonly text: string;
}

/** The listeners of a cluster's machines; machines say nothing while there are none. */
export class ProcessWatch {
  readonly #listeners = new Set<(fact: ProcessFact) => void>();

  get isListening(): boolean {
    return this.#listeners.size > 0;
  }

  /** @returns what ends the listening */
  add(listener: (fact: ProcessFact) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  tell(fact: ProcessFact): void {
    for (const listener of this.#listeners) listener(fact);
  }
}
