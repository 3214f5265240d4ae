/**
 * The one source of time. Every timer, delivery and reconcile of a cluster is an entry (dueMs, seq)
 * in one event heap; entries that are due at the same millisecond run in the order in which they
 * were scheduled. Nothing here knows what the entries do.
 *
 * Times are whole milliseconds of simulated time since the start of the cluster.
 */
import type { EventHeap, Timer } from './event-heap.js';
import type { ExternalInput, PlannedInput } from './external-inputs.js';
import type { InstantObserver } from './standstill.js';
import type { HoldListener } from './hold-warnings.js';
import type { Strands } from './strands.js';

export type { Timer } from './event-heap.js';

/** What a component may do with time. */
export interface Clock {
  /** Milliseconds of simulated time since the cluster started; an integer that never falls. */
  now(): number;
  /**
   * Runs `task` after `delayMs` (rounded up to a whole millisecond, at least 0) of simulated time.
   * A delay of 0 runs after everything that is already due now.
   */
  schedule(delayMs: number, task: () => void): Timer;
  /** Forgets a timer; a timer that already ran, or was cancelled before, is left alone. */
  cancel(timer: Timer): void;
  /**
   * Keeps simulated time where it is until the engine's own `work` has settled: for work on other threads and
   * for promise chains that must end before the next tick. A rejection surfaces from the running loop, and
   * nothing but the end of all ends the wait.
   */
  hold(work: Promise<unknown>): void;
  /**
   * Has the loop run every pending promise reaction before the next tick. To be called by code that resolves a
   * promise inside a tick, so that virtual time never overtakes an `await`.
   */
  settle(): void;
}

/** Told of the moment that begins. */
export type PassageListener = (nextMs: number) => void;

/** When a run of the loop ends. */
export interface RunLimits {
  /** Last millisecond of which entries still run. @defaultValue no limit */
  readonly untilMs?: number;
  /** Asked after each tick; `true` ends the run. */
  readonly isDone?: () => boolean;
  /** Ends the run from outside, between two ticks. */
  readonly signal?: AbortSignal;
}

/** Why a run ended: its condition held, its time was up, nothing was left to do, or it was stopped. */
export type RunEnd = 'done' | 'limit' | 'idle' | 'aborted';

/** A clock that can be driven. */
export interface EngineClock extends Clock {
  /** Has instants observed that may go round in a circle; the observer before is let go. Real time always goes on. */
  observeInstants(observer: InstantObserver): void;
  /**
   * Told whenever time goes on, while {@link Clock.now} is still the moment that ends, of the moment that begins: all
   * that happened until then has happened. It must only look. @returns what ends that
   */
  onPassage(listener: PassageListener): () => void;
  /** Number of live entries. */
  readonly pending: number;
  /** How long what is due has been waiting, in simulated time, ms; 0 in virtual time. */
  readonly lagMs: number;
  /** Entries run so far. */
  readonly ticks: number;
  /** Runs the next entry, whatever its time; `false` when there is none. */
  step(): Promise<boolean>;
  /** Runs entries in order until a limit is met. With `untilMs`, time ends there even if idle. */
  run(limits?: RunLimits): Promise<RunEnd>;
  /**
   * Keeps simulated time where it is until `work` of the user's program has settled: see `Cluster.hold`.
   *
   * @param label - what it is, for a warning
   */
  keep<T>(work: PromiseLike<T>, label: string): Promise<T>;
  /** Asynchronous work of the user's program that lives in simulated time. */
  readonly strands: Strands;
  /**
   * Takes what comes from outside: it runs at the next opportunity, between two ticks, also while no run is under way,
   * at the simulated time of that moment; see external-inputs.ts.
   */
  admit(input: ExternalInput): void;
  /** Takes inputs of an earlier run at the places that they had there; real time cannot. */
  plan(inputs: readonly PlannedInput[]): void;
  /** Simulated seconds per real second from now on, > 0; of a clock in real time only. */
  setSpeed(speed: number): void;
  /**
   * From now on a run lets the host's input in every few milliseconds of real time, since others wait for answers,
   * and a run without a limit waits for input where nothing is left to do. @returns what ends that
   */
  attend(): () => void;
  /** From now on it hears of what keeps the clock, and of what should have. */
  listenToHolds(listener: HoldListener): void;
  /** Drops every entry and ends a run that is under way. */
  dispose(): void;
}

/** @internal shared by the clocks: how a delay becomes a due time. */
export function dueAt(heap: EventHeap, nowMs: number, delayMs: number, task: () => void): Timer {
  const wholeMs = delayMs > 0 ? Math.ceil(delayMs) : 0;
  return heap.push(nowMs + wholeMs, task);
}
