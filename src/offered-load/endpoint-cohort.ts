/**
 * Endpoints of one service that do equally: of equal speed, with as many requests in them. What comes of their requests
 * is worked out once for all of them.
 */
import type { ServedRequests } from '../kubelet/containers/request-work.js';
import { queueStep } from './request-queue.js';
import type { EntryReader, ServiceTraffic } from './service-traffic.js';

/** How fast a server is. */
export interface ServerSpeed {
  /** Requests that it works off in a millisecond; Infinity = they take no time. */
  readonly perMs: number;
  /** Requests that it holds at most. */
  readonly queue: number;
}

/** What one of them has done until a moment, counted from the beginning of the cohort. */
export interface CohortState {
  readonly served: number;
  readonly refused: number;
  readonly inSystem: number;
}

/** Cohorts become one when their requests differ by no more than that. */
const ALIKE = 0.01;
const NOTHING: CohortState = { served: 0, refused: 0, inSystem: 0 };

/** See the file header. */
export class EndpointCohort implements EntryReader, ServedRequests {
  readonly speed: ServerSpeed;
  /** Endpoints that are in it. */
  members = 1;
  readonly #traffic: ServiceTraffic;
  /** The first entry of `#states`. */
  #first: number;
  #states: CohortState[] = [NOTHING];
  /** No states come any more. */
  #isOver = false;
  /** What was asked for last. */
  #between = { fromMs: -1, toMs: -1, served: 0 };
  /** What it has become a part of, since when, and what it had done then beyond that. */
  #merged: { readonly into: EndpointCohort; readonly sinceMs: number; readonly ahead: CohortState } | undefined;

  /** Begins at the traffic's last entry, which must be the present. */
  constructor(traffic: ServiceTraffic, speed: ServerSpeed) {
    this.#traffic = traffic;
    this.speed = speed;
    this.#first = traffic.entries - 1;
    traffic.addReader(this);
  }

  /**
   * By the last entry until a moment.
   *
   * @param atMs - within the time for which entries are kept; the traffic is advanced to the present
   */
  at(atMs: number): CohortState {
    const merged = this.#merged;
    if (merged !== undefined && atMs >= merged.sinceMs) {
      const { served, refused, inSystem } = merged.into.at(atMs);
      const { ahead } = merged;
      return { served: served + ahead.served, refused: refused + ahead.refused, inSystem };
    }
    this.#extend();
    return this.#states[Math.max(0, this.#traffic.entryAt(atMs) - this.#first)] ?? NOTHING;
  }

  /** The cohort that it has been a part of since then. */
  since(sinceMs: number): EndpointCohort {
    const merged = this.#merged;
    return merged !== undefined && merged.sinceMs <= sinceMs ? merged.into.since(sinceMs) : this;
  }

  /** Of each endpoint; many ask for the same. */
  servedBetween(fromMs: number, toMs: number): number {
    const whole = this.since(fromMs);
    if (whole !== this) return whole.servedBetween(fromMs, toMs);
    const last = this.#between;
    if (last.fromMs === fromMs && last.toMs === toMs) return last.served;
    this.#traffic.advance(toMs);
    const served = this.at(toMs).served - this.at(fromMs).served;
    this.#between = { fromMs, toMs, served };
    return served;
  }

  /** Becomes a part of another one of its speed, if both have as many requests now. @returns whether it did */
  mergeInto(other: EndpointCohort, nowMs: number): boolean {
    const [own, theirs] = [this.at(nowMs), other.at(nowMs)];
    if (Math.abs(own.inSystem - theirs.inSystem) > ALIKE) return false;
    const ahead = { served: own.served - theirs.served, refused: own.refused - theirs.refused, inSystem: 0 };
    this.#merged = { into: other, sinceMs: nowMs, ahead };
    other.members += this.members;
    this.#isOver = true;
    this.#traffic.removeReader(this);
    return true;
  }

  /** An endpoint gets no requests any more. */
  leave(): void {
    if (this.#merged === undefined) this.members -= 1;
    else this.#merged.into.leave();
  }

  /** The present is not asked for any more. */
  end(): void {
    this.#extend();
    this.#isOver = true;
    this.#traffic.removeReader(this);
  }

  forget(oldest: number): void {
    this.#extend();
    if (oldest <= this.#first) return;
    this.#states = this.#states.slice(oldest - this.#first);
    this.#first = oldest;
  }

  #extend(): void {
    const traffic = this.#traffic;
    if (this.#isOver) return;
    for (let entry = this.#first + this.#states.length; entry < traffic.entries; entry += 1) {
      const arrived = traffic.arrivedUntil(entry) - traffic.arrivedUntil(entry - 1);
      const ms = traffic.timeOf(entry) - traffic.timeOf(entry - 1);
      this.#states.push(this.#next(this.#states.at(-1) ?? NOTHING, arrived, ms));
    }
  }

  #next({ served, refused, inSystem }: CohortState, arrived: number, ms: number): CohortState {
    const { perMs, queue } = this.speed;
    const step = queueStep(inSystem, arrived, perMs * ms, queue);
    return { served: served + step.served, refused: refused + step.refused, inSystem: step.inSystem };
  }
}
