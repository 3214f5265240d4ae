import type { Subscription } from 'rxjs';
import type { Lease } from '../../api/objects/objects.js';
import { lastRenewalMs, type Renewals } from '../../api/objects/renewals.js';
import type { Connection, Informer } from '../../bus/bus-types.js';
import type { Clock } from '../../kernel/engine/clock.js';
import type { Kernel } from '../../kernel/engine/kernel.js';
import { LOCK_NAMESPACE, type LeaseRecord } from './lease-lock.js';

/** What this needs of its elector. */
interface RestingOptions {
  readonly kernel: Kernel;
  readonly connection: Connection;
  readonly lease: string;
  renewLease(renewals: Renewals | undefined): void;
}

/** A rest that has begun. */
interface Rest {
  readonly record: LeaseRecord;
  readonly beganMs: number;
  readonly renewals: Renewals;
}

/**
 * The lease of a leader without a rival. While its link is steady and the lease has no other writer, each renewal
 * would succeed: readers see the renew time that it would have by now, and nothing is sent. It says when that
 * is over.
 */
export class RestingLease {
  readonly #options: RestingOptions;
  readonly #clock: Clock;
  readonly #renewIntervalMs: number;
  readonly #onWake: () => void;
  #informer: Informer<'Lease'> | undefined;
  #links: Subscription | undefined;
  #rest: Rest | undefined;

  /** @param onWake - told once when a rest cannot go on */
  constructor(options: RestingOptions, renewIntervalMs: number, onWake: () => void) {
    this.#options = options;
    this.#clock = options.kernel.clock;
    this.#renewIntervalMs = renewIntervalMs;
    this.#onWake = onWake;
  }

  start(): void {
    const { connection, lease } = this.#options;
    this.#informer = connection.select('Lease', { namespace: LOCK_NAMESPACE, fieldSelector: `metadata.name=${lease}` });
    const look = ({ spec }: Lease): void => {
      if (this.#rest !== undefined && !isSameTerm(spec, this.#rest.record)) this.#onWake();
    };
    this.#informer.addHandler({
      onAdd: look,
      onUpdate: (_previous, object) => look(object),
      onDelete: () => this.#onWake(),
    });
    this.#informer.start();
    this.#links = connection.link.steadiness$.subscribe((isSteady) => {
      if (!isSteady) this.#onWake();
    });
  }

  stop(): void {
    this.end();
    this.#links?.unsubscribe();
    this.#informer?.stop();
  }

  /** Begins a rest after a renewal that was just written. @returns false if it cannot rest now */
  begin(record: LeaseRecord): boolean {
    if (!this.#options.connection.link.isSteady) return false;
    const beganMs = this.#clock.now();
    const renewals = { firstMs: beganMs + this.#renewIntervalMs, periodMs: this.#renewIntervalMs };
    this.#rest = { record, beganMs, renewals };
    this.#options.renewLease(renewals);
    return true;
  }

  /** Ends a rest. @returns when the last renewal was; undefined if there was no rest */
  end(): number | undefined {
    if (this.#rest === undefined) return undefined;
    const { beganMs, renewals } = this.#rest;
    this.#rest = undefined;
    this.#options.renewLease(undefined);
    return lastRenewalMs(renewals, this.#clock.now()) ?? beganMs;
  }
}

/** Whether all but the time of the last renewal is the same. */
function isSameTerm(left: LeaseRecord = {}, right: LeaseRecord): boolean {
  return (
    left.holderIdentity === right.holderIdentity &&
    left.acquireTime === right.acquireTime &&
    left.leaseTransitions === right.leaseTransitions &&
    left.leaseDurationSeconds === right.leaseDurationSeconds
  );
}
