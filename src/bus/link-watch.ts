import { Observable } from 'rxjs';
import type { Kind } from '../api/objects/objects.js';
import type { Selection } from '../apiserver/store/server-types.js';
import type { Delivery } from './bus-types.js';
import type { Hearing } from './renewal-ledger.js';
import { WatchStream } from './watch-stream.js';
import type { Wire } from './wire.js';

/**
 * A watch over a link: what it tells as an Observable, each subscription with a stream of its own (watch-stream.ts),
 * and how the stream of the last subscription stands.
 */
export class LinkWatch<K extends Kind> implements Hearing {
  readonly wire: Wire;
  readonly selection: Selection;
  /** See `Watching.watch`. */
  readonly deliveries$: Observable<Delivery<K>>;
  #stream: WatchStream<K> | undefined;

  constructor(wire: Wire, kind: K, selection: Selection) {
    this.wire = wire;
    this.selection = selection;
    this.deliveries$ = new Observable((subscriber) => {
      if (wire.isDisposed) return subscriber.complete();
      const stream = new WatchStream(wire, kind, selection, subscriber);
      this.#stream = stream;
      stream.start();
      return () => {
        stream.stop();
        if (this.#stream === stream) this.#stream = undefined;
      };
    });
  }

  /** Version up to which everything was told; 0 before the first list, and after the end. */
  get version(): number {
    return Math.max(0, this.#stream?.version ?? 0);
  }

  /** Whether a watch is open and everything that it had to tell has arrived. */
  get isCurrent(): boolean {
    return this.#stream?.isCurrent === true;
  }

  get nowMs(): number {
    return this.wire.clock.now();
  }

  /** A latency that is drawn for each message counts as none. */
  get latencyMs(): number {
    const { latency } = this.wire.link;
    return typeof latency === 'number' ? latency : 0;
  }

  get openSinceMs(): number | undefined {
    return this.#stream?.openSinceMs;
  }

  get heardBeforeMs(): number {
    return this.#stream?.heardBeforeMs ?? 0;
  }
}
