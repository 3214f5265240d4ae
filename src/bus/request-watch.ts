import { Observable, type Observer } from 'rxjs';
import type { Kind } from '../api/objects/objects.js';
import type { RequestVerb } from './disturbance.js';

/** One request as its client saw it, told when it was over. */
export interface RequestFact {
  /** Simulated time of its end, ms. */
  readonly atMs: number;
  /** The link that it went over. */
  readonly party: string;
  readonly verb: RequestVerb;
  readonly kind: Kind;
  /** Whether it was about one object, about those of one namespace, or about all of a kind. */
  readonly scope: 'resource' | 'namespace' | 'cluster';
  readonly subresource: string | undefined;
  /** How long it waited for the client's limit before it went out, ms. */
  readonly waitedMs: number;
  /** From when it went out until its answer was there, ms; `undefined` where no answer was asked for. */
  readonly tookMs: number | undefined;
  /** The status of its answer; 0 = there was none in time. */
  readonly code: number;
}

/** The listeners of a bus' requests; clients tell nothing while there are none. */
export class RequestWatch {
  readonly #listeners = new Set<Observer<RequestFact>>();
  /** What ends from the moment of the subscription on, at once. Never completes. */
  readonly facts$ = new Observable<RequestFact>((subscriber) => {
    this.#listeners.add(subscriber);
    return () => this.#listeners.delete(subscriber);
  });

  get isListening(): boolean {
    return this.#listeners.size > 0;
  }

  tell(fact: RequestFact): void {
    for (const listener of this.#listeners) listener.next(fact);
  }
}
