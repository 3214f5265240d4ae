/**
 * One candidate in the election of a leader: it takes a lease that is free, or that was not renewed for as
 * long as it lasts, renews it while it leads, and stops leading when it could not renew it for a while, which
 * is before another candidate may take it. It is independent of what is led, and never compares the lease's
 * times with its own clock: only how long it has seen no change counts.
 * Mirrors client-go v1.34 tools/leaderelection with kube-controller-manager's settings.
 *
 * A candidate that stands alone does not really renew: as long as it is in contact, and the lease has no other
 * writer, its renewals are computed when the lease is read.
 */
import { isApiError } from '../../api/errors/api-error.js';
import type { Lease } from '../../api/objects/objects.js';
import type { Renewals } from '../../api/objects/renewals.js';
import type { Connection, EventRecorder } from '../../bus/bus-types.js';
import type { Timer } from '../../kernel/engine/clock.js';
import type { Kernel } from '../../kernel/engine/kernel.js';
import type { RandomStream } from '../../kernel/random.js';
import { LeaseLock, type LeaseRecord } from './lease-lock.js';
import { RestingLease } from './resting-lease.js';

/** Defaults of --leader-elect-lease-duration and --leader-elect-renew-deadline. */
const LEASE_DURATION_SECONDS = 15;
const RENEW_DEADLINE_MS = 10_000;
/** Milliseconds between renewals, and at least between attempts to take the lease. */
const RETRY_PERIOD_MS = 2000;
/** client-go's JitterFactor: an attempt comes up to 1.2 periods late on top of its period. */
const JITTER_FACTOR = 1.2;

/** What a candidate is made of. */
export interface LeaderElectorOptions {
  readonly kernel: Kernel;
  /** Its way to the API server. */
  readonly connection: Connection;
  /** Name of the lease in kube-system, such as `kube-scheduler`. */
  readonly lease: string;
  /** Its name in the lease; no two candidates, and no two lives of one, may have the same. */
  readonly identity: string;
  /** Source of the events about the lease. */
  readonly component: string;
  /** Spreads the attempts to take the lease. */
  readonly random: RandomStream;
  /** It has no rival, so that its renewals need not be written. */
  readonly isAlone: boolean;
  /** It leads from its start, as there can have been no leader before; the lease follows. */
  readonly isFirst: boolean;
  /** Says how the lease is renewed from now on without being written; `undefined` = no longer. */
  renewLease(renewals: Renewals | undefined): void;
  onStartedLeading(): void;
  /** It leads no more and stands no more either: its process is expected to end. */
  onStoppedLeading(): void;
}

/** See the file header. */
export class LeaderElector {
  readonly #options: LeaderElectorOptions;
  readonly #lock: LeaseLock;
  readonly #recorder: EventRecorder;
  readonly #resting: RestingLease | undefined;
  /** The lease as it was when it last changed, and when that was seen. */
  #observed: { readonly record: LeaseRecord; readonly atMs: number } | undefined;
  /** The next attempt. */
  #next: Timer | undefined;
  /** When a leader that could not renew gives up. */
  #deadline: Timer | undefined;
  #state: 'idle' | 'standing' | 'leading' = 'idle';
  #hasAnnounced = false;

  constructor(options: LeaderElectorOptions) {
    const { kernel, connection, lease, component, isAlone } = options;
    this.#options = options;
    this.#lock = new LeaseLock(connection.client, kernel.clock, lease, RENEW_DEADLINE_MS / 2);
    this.#recorder = connection.recorder(component);
    if (isAlone) this.#resting = new RestingLease(options, RETRY_PERIOD_MS, () => this.#wake());
  }

  get isLeading(): boolean {
    return this.#state === 'leading';
  }

  /** Whether it leads or tries to. */
  get isStanding(): boolean {
    return this.#state !== 'idle';
  }

  /** Stands for election. */
  start(): void {
    if (this.#state !== 'idle') return;
    this.#state = 'standing';
    this.#resting?.start();
    if (this.#options.isFirst) this.#lead();
    else this.#acquire();
  }

  /** Ends at once, as its process does in a crash: without giving the lease back or calling `onStoppedLeading`. */
  stop(): void {
    this.#state = 'idle';
    this.#lock.forget();
    this.#resting?.stop();
    this.#cancelTimers();
  }

  /** Tries, again and again, to take the lease. */
  #acquire(): void {
    this.#attempt((isHeld) => {
      if (isHeld) return this.#lead();
      const delayMs = RETRY_PERIOD_MS * (1 + this.#options.random.unit() * JITTER_FACTOR);
      this.#schedule(delayMs, () => this.#acquire());
    });
  }

  #lead(): void {
    this.#state = 'leading';
    this.#options.onStartedLeading();
    if (this.#observed === undefined) this.#renew();
    else this.#rest();
  }

  /** Renews the lease, or gives up after {@link RENEW_DEADLINE_MS}. */
  #renew(): void {
    const { clock } = this.#options.kernel;
    this.#deadline = clock.schedule(RENEW_DEADLINE_MS, () => {
      this.stop();
      this.#options.onStoppedLeading();
    });
    const poll = (): void => {
      const beganMs = clock.now();
      this.#attempt((isHeld) => {
        if (isHeld) return this.#rest();
        this.#schedule(Math.max(0, beganMs + RETRY_PERIOD_MS - clock.now()), poll);
      });
    };
    poll();
  }

  /** Until the next renewal. */
  #rest(): void {
    this.#cancelTimers();
    if (!this.#hasAnnounced) this.#announce();
    if (this.#observed !== undefined && this.#resting?.begin(this.#observed.record) === true) return;
    this.#schedule(RETRY_PERIOD_MS, () => this.#renew());
  }

  /** Something may keep the leader from renewing: from the next renewal on they are real ones. */
  #wake(): void {
    const renewedMs = this.#resting?.end();
    if (renewedMs === undefined || this.#observed === undefined) return;
    this.#observed = { ...this.#observed, atMs: renewedMs };
    const { clock } = this.#options.kernel;
    this.#schedule(Math.max(0, renewedMs + RETRY_PERIOD_MS - clock.now()), () => this.#renew());
  }

  #announce(): void {
    const { lease } = this.#lock;
    if (lease === undefined) return;
    this.#hasAnnounced = true;
    const message = `${this.#options.identity} became leader`;
    this.#recorder.record(lease, 'Normal', 'LeaderElection', message);
  }

  /** One attempt to take or renew the lease; `done` is told whether it is held now. */
  #attempt(done: (isHeld: boolean) => void): void {
    const nowMs = this.#options.kernel.clock.now();
    const { lease } = this.#lock;
    if (lease === undefined || !this.#isHolder || !this.#isValid(nowMs)) return this.#look(nowMs, done);
    // A lease that is held has no other writer: most renewals need no look at it.
    this.#write(lease, this.#record(nowMs, this.#observed?.record), (isWritten) => {
      if (isWritten) done(true);
      else this.#look(nowMs, done);
    });
  }

  #look(nowMs: number, done: (isHeld: boolean) => void): void {
    this.#lock.read((error, lease) => {
      if (isApiError(error, 'NotFound')) {
        const record = this.#record(nowMs, undefined);
        this.#lock.create(record, (failure) => {
          if (failure === undefined) this.#observe(record);
          done(failure === undefined);
        });
        return;
      }
      if (lease === undefined) return done(false);
      const record = lease.spec ?? {};
      if (this.#observed === undefined || !isSame(record, this.#observed.record)) this.#observe(record);
      if ((record.holderIdentity ?? '') !== '' && this.#isValid(nowMs) && !this.#isHolder) return done(false);
      this.#write(lease, this.#record(nowMs, record), done);
    });
  }

  #write(lease: Lease, record: LeaseRecord, done: (isWritten: boolean) => void): void {
    this.#lock.update(lease, record, (error) => {
      if (error === undefined) this.#observe(record);
      done(error === undefined);
    });
  }

  /** What this candidate writes; a holder goes on, a new one counts a transition. */
  #record(nowMs: number, former: LeaseRecord | undefined): LeaseRecord {
    const { identity, kernel } = this.#options;
    const now = kernel.timestamps.toMicroTime(nowMs);
    const isHolder = former?.holderIdentity === identity;
    const transitions = former?.leaseTransitions ?? 0;
    return {
      holderIdentity: identity,
      leaseDurationSeconds: LEASE_DURATION_SECONDS,
      acquireTime: (isHolder ? former.acquireTime : undefined) ?? now,
      renewTime: now,
      leaseTransitions: former === undefined || isHolder ? transitions : transitions + 1,
    };
  }

  get #isHolder(): boolean {
    return this.#observed?.record.holderIdentity === this.#options.identity;
  }

  #isValid(nowMs: number): boolean {
    if (this.#observed === undefined) return false;
    const { record, atMs } = this.#observed;
    return atMs + (record.leaseDurationSeconds ?? 0) * 1000 > nowMs;
  }

  #observe(record: LeaseRecord): void {
    this.#observed = { record, atMs: this.#options.kernel.clock.now() };
  }

  #schedule(delayMs: number, task: () => void): void {
    this.#next = this.#options.kernel.clock.schedule(delayMs, task);
  }

  #cancelTimers(): void {
    const { clock } = this.#options.kernel;
    if (this.#next !== undefined) clock.cancel(this.#next);
    if (this.#deadline !== undefined) clock.cancel(this.#deadline);
    this.#next = undefined;
    this.#deadline = undefined;
  }
}

function isSame(left: LeaseRecord, right: LeaseRecord): boolean {
  return (
    left.holderIdentity === right.holderIdentity &&
    left.renewTime === right.renewTime &&
    left.acquireTime === right.acquireTime &&
    left.leaseTransitions === right.leaseTransitions &&
    left.leaseDurationSeconds === right.leaseDurationSeconds
  );
}
