/** What one container does of the requests that go to its pod, from its joining until it has worked off the rest. */
import type { RequestServer, SharedWork } from '../kubelet/containers/request-work.js';
import type { EndpointCohort } from './endpoint-cohort.js';

/** How it stood when it got its last request. */
interface Leaving {
  readonly atMs: number;
  readonly served: number;
  readonly refused: number;
  readonly inSystem: number;
}

/** What it has done until a moment. */
export interface ShareState {
  readonly served: number;
  readonly refused: number;
  readonly inSystem: number;
}

const NOTHING: ShareState = { served: 0, refused: 0, inSystem: 0 };

/** See the file header. */
export class EndpointShare {
  /** Absent = requests cost the pod nothing. */
  readonly server: RequestServer | undefined;
  readonly #cohort: EndpointCohort;
  readonly #joinedMs: number;
  /** What the cohort had done before. */
  readonly #before: ShareState;
  #left: Leaving | undefined;

  constructor(cohort: EndpointCohort, server: RequestServer | undefined, nowMs: number) {
    this.#cohort = cohort;
    this.server = server;
    this.#joinedMs = nowMs;
    this.#before = cohort.at(nowMs);
  }

  get isOpen(): boolean {
    return this.#left === undefined;
  }

  /** Requests that it could work off in a millisecond. */
  get perMs(): number {
    return this.#cohort.speed.perMs;
  }

  at(atMs: number): ShareState {
    if (atMs <= this.#joinedMs) return NOTHING;
    const left = this.#left;
    if (left !== undefined && atMs >= left.atMs) {
      if (left.inSystem === 0) return left;
      const done = Math.min(left.inSystem, this.perMs * (atMs - left.atMs));
      return { served: left.served + done, refused: left.refused, inSystem: left.inSystem - done };
    }
    const { served, refused, inSystem } = this.#cohort.at(atMs);
    return { served: served - this.#before.served, refused: refused - this.#before.refused, inSystem };
  }

  /** No request comes any more. @param endsNow - nor is one worked off: its process has ended. @returns what is lost by that */
  leave(nowMs: number, endsNow: boolean): number {
    const { served, refused, inSystem } = this.at(nowMs);
    if (this.#left === undefined) this.#cohort.leave();
    const rest = endsNow ? 0 : inSystem;
    this.#left = { atMs: nowMs, served, refused, inSystem: rest };
    return inSystem - rest;
  }

  /** What all of its cohort do, if it has been one of them since then. */
  sharedSince(sinceMs: number): SharedWork | undefined {
    if (this.server === undefined || this.#left !== undefined || this.#joinedMs > sinceMs) return undefined;
    return { requests: this.#cohort.since(sinceMs), cpuMs: this.server.cpuMs };
  }

  /** Whether it has been done since then. */
  isOver(sinceMs: number): boolean {
    const left = this.#left;
    return left !== undefined && left.atMs + left.inSystem / this.perMs < sinceMs;
  }
}
