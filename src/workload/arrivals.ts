/**
 * Load over time: objects that are created at given moments of simulated time. It owns one timer at
 * a time, and sends its requests over a client like any other user; what becomes of the objects it
 * does not follow.
 */
import { Subject, type Observable } from 'rxjs';
import { requireKind } from '../api/kinds/known-kind.js';
import type { Draft, Kind } from '../api/objects/objects.js';
import type { Client } from '../bus/bus-types.js';
import type { Clock, Timer } from '../kernel/engine/clock.js';
import { ArrivalError } from './arrival-error.js';
import { findUnreadable } from '../kernel/unreadable.js';
import { printed } from './input-error.js';

/** An object and when it is to be created. */
export interface TimedDraft {
  /** Milliseconds after the start of the arrivals; must not fall from one to the next. */
  readonly atMs: number;
  readonly kind: Kind;
  readonly draft: Draft;
}

const FIELDS: readonly string[] = ['atMs', 'kind', 'draft'] satisfies readonly (keyof TimedDraft)[];

/** More of them at one moment, and they will never end. */
const MOST_AT_ONCE = 1_000_000;

/** How far the arrivals have come. */
export interface ArrivalProgress {
  /** Milliseconds of simulated time. */
  readonly atMs: number;
  /** Requests sent. */
  readonly sent: number;
  /** Requests that were answered with the object. */
  readonly created: number;
  /** Requests that were refused or lost. */
  readonly failed: number;
  /** Why the last one of those was. */
  readonly lastError: Error | undefined;
}

/** Arrivals that are under way. */
export interface Arrivals {
  /** Told after each moment of arrival and once all requests are answered, when it completes; slow subscribers as in `Cluster.watch`. */
  readonly progress$: Observable<ArrivalProgress>;
  readonly progress: ArrivalProgress;
  /** Whether every object was sent and every request answered. */
  readonly isDone: boolean;
  /** Sends no more; answers still count. */
  stop(): void;
}

/** So many drafts at the moments of a process. */
export function* timedDrafts(
  times: Iterable<number>,
  count: number,
  make: (index: number) => { readonly kind: Kind; readonly draft: Draft },
): Generator<TimedDraft, void> {
  if (count <= 0) return;
  let index = 0;
  for (const atMs of times) {
    yield { atMs, ...make(index) };
    index += 1;
    if (index >= count) return;
  }
}

/**
 * Begins to create the objects; the moments count from now. A list is looked at as a whole before the first object
 * is sent, what an iterator gives when it gives it.
 *
 * @throws ArrivalError; ApiError for a kind that is not known. The run of the clock throws it for what comes later
 */
export function startArrivals(options: {
  readonly clock: Clock;
  readonly client: Client;
  readonly arrivals: Iterable<TimedDraft>;
}): Arrivals {
  const { arrivals } = options;
  if (findUnreadable(arrivals, 1) !== undefined || !isIterable(arrivals)) {
    throw new ArrivalError(
      `arrivals must be a list or another iterable of {atMs, kind, draft}, got ${printed(arrivals)}`,
    );
  }
  if (Array.isArray(arrivals)) checkList(arrivals as readonly TimedDraft[]);
  return new RunningArrivals(options.clock, options.client, options.arrivals);
}

function isIterable(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Symbol.iterator in value;
}

function checkList(arrivals: readonly TimedDraft[]): void {
  let previousMs = 0;
  arrivals.forEach((arrival, index) => {
    previousMs = checked(arrival, index, previousMs).atMs;
  });
}

function checked(arrival: TimedDraft, index: number, previousMs: number): TimedDraft {
  const refuse = (field: string, allowed: string, got: unknown): never => {
    throw new ArrivalError(`arrivals[${index}]${field} must be ${allowed}, got ${printed(got)}`);
  };
  if (!isMapping(arrival)) return refuse('', 'an object with atMs, kind and draft', arrival);
  const unknown = Object.keys(arrival).find((field) => !FIELDS.includes(field));
  if (unknown !== undefined)
    throw new ArrivalError(`arrivals[${index}].${unknown} is not known; known are ${FIELDS.join(', ')}`);
  const { atMs, kind, draft } = arrival;
  if (typeof atMs !== 'number' || !Number.isFinite(atMs) || atMs < 0 || atMs > Number.MAX_SAFE_INTEGER) {
    return refuse('.atMs', 'milliseconds >= 0', atMs);
  }
  if (atMs < previousMs) return refuse('.atMs', `at least ${previousMs}, that of the arrival before it`, atMs);
  requireKind(kind);
  if (!isMapping(draft)) return refuse('.draft', 'an object', draft);
  return arrival;
}

function isMapping(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

class RunningArrivals implements Arrivals {
  readonly #clock: Clock;
  readonly #client: Client;
  readonly #rest: Iterator<TimedDraft>;
  readonly #startMs: number;
  readonly #subject = new Subject<ArrivalProgress>();
  #next: TimedDraft | undefined;
  #timer: Timer | undefined;
  #taken = 0;
  #sent = 0;
  #created = 0;
  #failed = 0;
  #lastError: Error | undefined;

  constructor(clock: Clock, client: Client, arrivals: Iterable<TimedDraft>) {
    this.#clock = clock;
    this.#client = client;
    this.#rest = arrivals[Symbol.iterator]();
    this.#startMs = clock.now();
    this.#advance();
    // Subscribers come after the constructor, so even an empty list ends in a later tick.
    this.#schedule(this.#next?.atMs ?? 0);
  }

  get progress$(): Observable<ArrivalProgress> {
    return this.#subject.asObservable();
  }

  get progress(): ArrivalProgress {
    return {
      atMs: this.#clock.now(),
      sent: this.#sent,
      created: this.#created,
      failed: this.#failed,
      lastError: this.#lastError,
    };
  }

  get isDone(): boolean {
    return this.#next === undefined && this.#created + this.#failed === this.#sent;
  }

  stop(): void {
    if (this.#timer !== undefined) this.#clock.cancel(this.#timer);
    this.#timer = undefined;
    this.#next = undefined;
    this.#completeIfDone();
  }

  #advance(): void {
    const next = this.#rest.next();
    const previousMs = this.#next?.atMs ?? 0;
    this.#next = next.done === true ? undefined : checked(next.value, this.#taken, previousMs);
    this.#taken += 1;
  }

  #schedule(atMs: number): void {
    const delayMs = Math.max(0, this.#startMs + atMs - this.#clock.now());
    this.#timer = this.#clock.schedule(delayMs, () => this.#arrive());
  }

  #arrive(): void {
    this.#timer = undefined;
    const nowMs = this.#clock.now() - this.#startMs;
    for (const { kind, draft } of this.#due(nowMs)) {
      this.#sent += 1;
      this.#client.create(kind, draft, this.#answer);
    }
    this.#subject.next(this.progress);
    if (this.#next !== undefined) this.#schedule(this.#next.atMs);
    this.#completeIfDone();
  }

  /** @throws ArrivalError when they never end */
  #due(nowMs: number): readonly TimedDraft[] {
    const due: TimedDraft[] = [];
    while (this.#next !== undefined && this.#next.atMs <= nowMs) {
      if (due.length === MOST_AT_ONCE) {
        throw new ArrivalError(
          `arrivals must be at most ${MOST_AT_ONCE} at one moment, got more at ${this.#next.atMs} ms`,
        );
      }
      due.push(this.#next);
      this.#advance();
    }
    return due;
  }

  readonly #answer = (error: Error | undefined): void => {
    if (error === undefined) {
      this.#created += 1;
    } else {
      this.#failed += 1;
      this.#lastError = error;
    }
    this.#completeIfDone();
  };

  #completeIfDone(): void {
    if (!this.isDone || this.#subject.closed) return;
    this.#subject.next(this.progress);
    this.#subject.complete();
  }
}
