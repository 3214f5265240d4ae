/**
 * Where the requests of one client wait until they may go out: each takes a token of the client's bucket when it
 * arrives, and goes out when that token is there, in order of arrival. It costs nothing while tokens are there, and
 * one entry of the clock however many requests wait. Mirrors `tryThrottle` of client-go (v1.34 rest/request.go).
 */
import type { Clock } from '../kernel/engine/clock.js';
import { TokenBucket, type RateLimit } from '../kernel/token-bucket.js';
import { Lane, type LaneItem } from './lane.js';

/** What may have to wait. */
export interface Throttled extends LaneItem {
  /** How many requests of the real client it stands for. @defaultValue 1 */
  readonly tokens?: number;
  /** Told once it may go out: at once, or later. */
  go(): void;
}

/** Where requests wait. */
export interface Gate {
  /** Lets a request go out as soon as it may. */
  pass(request: Throttled): void;
  /** What waits never goes out. */
  forget(): void;
}

const go = (request: Throttled): void => request.go();

/** See the file header. */
export class Throttle implements Gate {
  readonly #clock: Clock;
  readonly #limit: RateLimit | undefined;
  #bucket: TokenBucket | undefined;
  #waiting: Lane<Throttled> | undefined;

  /** @param limit - `undefined` = nothing ever waits */
  constructor(clock: Clock, limit: RateLimit | undefined) {
    this.#clock = clock;
    this.#limit = limit;
  }

  pass(request: Throttled): void {
    if (this.#limit === undefined) return request.go();
    this.#bucket ??= new TokenBucket(this.#limit);
    const nowMs = this.#clock.now();
    const dueMs = this.#bucket.reserve(nowMs, request.tokens);
    if (dueMs <= nowMs && (this.#waiting === undefined || this.#waiting.size === 0)) return request.go();
    this.#waiting ??= new Lane(this.#clock, go);
    this.#waiting.push(request, dueMs);
  }

  /** The process has ended: what waits never goes out, and the one that follows has a full bucket. */
  forget(): void {
    this.#waiting?.drain();
    this.#bucket = undefined;
  }
}

/** Requests that wait behind one another; client-go's queue of events holds as many and drops the rest. */
const LONGEST_TURN_QUEUE = 1000;

/** Lets one request at a time wait at a gate that others use as well. */
export class TurnQueue implements Gate {
  readonly #gate: Gate;
  #behind: Throttled[] = [];
  /** The request that waits at the gate. */
  #first: object | undefined;

  constructor(gate: Gate) {
    this.#gate = gate;
  }

  pass(request: Throttled): void {
    if (this.#first === undefined) this.#wait(request);
    else if (this.#behind.length < LONGEST_TURN_QUEUE) this.#behind.push(request);
  }

  forget(): void {
    this.#first = undefined;
    this.#behind = [];
  }

  #wait(request: Throttled): void {
    const turn = {
      dueMs: 0,
      tokens: request.tokens ?? 1,
      go: (): void => {
        if (this.#first !== turn) return;
        this.#first = undefined;
        request.go();
        const next = this.#behind.shift();
        if (next !== undefined) this.#wait(next);
      },
    };
    this.#first = turn;
    this.#gate.pass(turn);
  }
}
