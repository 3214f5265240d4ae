/**
 * A kubelet's contact with the API server. While each request is sure to be answered, the lease is renewed by
 * itself and nothing is written twice. While requests may be lost or refused on their way, the kubelet writes
 * again what it wrote at each of the node's ten-second marks, and renews its lease in earnest. What a cut link
 * swallowed is written again once it is back; the API server sees no change where none was lost. Mirrors the
 * sync loop of the kubelet's status manager and retryUpdateLease of its lease controller (v1.34).
 */
import type { Subscription } from 'rxjs';
import type { Client, Connection } from '../../bus/bus-types.js';
import type { Timer } from '../../kernel/engine/clock.js';
import type { Kernel } from '../../kernel/engine/kernel.js';
import { LEASE_NAMESPACE, type NodeLease } from './node-lease.js';

/** Attempts at one renewal. */
const MOST_ATTEMPTS = 5;

/** What this needs of its kubelet. */
interface NodeContactParts {
  readonly connection: Connection;
  readonly heartbeat: Client;
  readonly lease: NodeLease;
  readonly context: { readonly kernel: Kernel; readonly nodeName: string };
}

/** What a kubelet does for its contact. */
export interface ContactDuties {
  /** Milliseconds until the node's next ten-second mark, at least 1. */
  untilNextStatusMs(): number;
  /** Writes what was written before. */
  writeAgain(): void;
}

/** See the file header. */
export class NodeContact {
  readonly #parts: NodeContactParts;
  readonly #duties: ContactDuties;
  #state: 'none' | 'shaky' | 'steady' = 'none';
  #changes: readonly Subscription[] = [];
  #timer: Timer | undefined;
  /** Of the mark at which a lease that is gone is made anew. */
  #renewalTimer: Timer | undefined;

  constructor(parts: NodeContactParts, duties: ContactDuties) {
    this.#parts = parts;
    this.#duties = duties;
  }

  begin(): void {
    const { link } = this.#parts.connection;
    this.#parts.lease.onGone = () => this.#makeAnewAtMark();
    const look = (): void => {
      const before = this.#state;
      this.#look();
      if (this.#state !== before && this.#state !== 'none') this.#duties.writeAgain();
    };
    this.#changes = [link.changes$.subscribe(look), link.steadiness$.subscribe(look)];
    this.#look();
  }

  end(): void {
    for (const changes of this.#changes) changes.unsubscribe();
    this.#parts.lease.onGone = () => undefined;
    if (this.#renewalTimer !== undefined) this.#parts.context.kernel.clock.cancel(this.#renewalTimer);
    this.#renewalTimer = undefined;
    this.#parts.lease.pause();
    this.#rest();
  }

  #look(): void {
    const { connection, lease } = this.#parts;
    const { isSteady, isUp } = connection.link;
    if (isSteady) this.#state = 'steady';
    else this.#state = isUp ? 'shaky' : 'none';
    if (isSteady) lease.resume();
    else lease.pause();
    if (this.#state === 'shaky') this.#waitForMark();
    else this.#rest();
  }

  #waitForMark(): void {
    if (this.#timer !== undefined) return;
    const { clock } = this.#parts.context.kernel;
    this.#timer = clock.schedule(this.#duties.untilNextStatusMs(), () => {
      this.#timer = undefined;
      this.#waitForMark();
      this.#renew(MOST_ATTEMPTS);
      this.#duties.writeAgain();
    });
  }

  /**
   * A renewal that finds no lease makes it anew, owned by the node, as long as there is one (sync of the lease
   * controller of component-helpers, and SetNodeOwnerFunc, v1.34).
   */
  #makeAnewAtMark(): void {
    const { heartbeat, lease, context } = this.#parts;
    if (this.#renewalTimer !== undefined) return;
    this.#renewalTimer = context.kernel.clock.schedule(this.#duties.untilNextStatusMs(), () => {
      this.#renewalTimer = undefined;
      // What is not sure to be answered is written again at each mark anyway.
      if (this.#state !== 'steady') return;
      heartbeat.get('Node', { name: context.nodeName }, (error, node) => {
        if (this.#state !== 'steady') return;
        if (error !== undefined || node === undefined) this.#makeAnewAtMark();
        else heartbeat.create('Lease', lease.draft(node.metadata.uid));
      });
    });
  }

  #rest(): void {
    if (this.#timer !== undefined) this.#parts.context.kernel.clock.cancel(this.#timer);
    this.#timer = undefined;
  }

  #renew(attempts: number): void {
    const { heartbeat, context } = this.#parts;
    const { kernel, nodeName } = context;
    const renewTime = kernel.timestamps.toMicroTime(kernel.clock.now());
    heartbeat.change(
      'Lease',
      { namespace: LEASE_NAMESPACE, name: nodeName },
      (lease) => ({ ...lease, spec: { ...lease.spec, renewTime } }),
      undefined,
      (error) => {
        if (error !== undefined && attempts > 1 && this.#state === 'shaky') this.#renew(attempts - 1);
      },
    );
  }
}
