/** What happens to processes on their machines: facts of the nodes, apart from what the API shows. */
import { Observable, type Observer } from 'rxjs';
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
  readonly #listeners = new Set<Observer<ProcessFact>>();
  /** What happens from the moment of the subscription on, at once. Never completes. */
  readonly facts$ = new Observable<ProcessFact>((subscriber) => {
    this.#listeners.add(subscriber);
    return () => this.#listeners.delete(subscriber);
  });

  get isListening(): boolean {
    return this.#listeners.size > 0;
  }

  tell(fact: ProcessFact): void {
    for (const listener of this.#listeners) listener.next(fact);
  }
}
