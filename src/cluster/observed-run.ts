import { isObservable, type Observable, type Subscription } from 'rxjs';
import type { EngineClock, RunEnd } from '../kernel/engine/clock.js';
import { durationMs, type Duration } from '../options/durations.js';
import { OptionError, refuseUnknown } from '../options/option-error.js';
import type { RunGoal } from '../options/run-goal.js';

/** When a run of a cluster ends. Without any of them it ends when nothing is left to do. */
export interface RunOptions {
  /** Ends the run once it says `true` (asked after each tick, so keep it cheap), once it emits, or once the goal is met. */
  readonly until?: (() => boolean) | Observable<unknown> | RunGoal;
  /** Simulated time after which the run ends in any case: milliseconds or text such as `10m`. */
  readonly limit?: Duration;
  /** Ends the run from outside. */
  readonly signal?: AbortSignal;
}

/** How a run ended. */
export interface RunResult {
  /**
   * `done`: `until` was met; `limit`: the time was up, or the year 9999 at its end; `idle`: nothing was left to do; `aborted`: it
   * was paused, aborted or disposed.
   */
  readonly end: RunEnd;
  /** Simulated time at the end, milliseconds since the start of the cluster. */
  readonly nowMs: number;
}

/** What ends runs of a cluster before their time: `pause`, and measurements that hold a broken threshold. */
export class RunEnds {
  #pause = new AbortController();
  readonly #measurements = new Set<{ readonly isAborted: boolean }>();

  /** A run begins. @returns what ends it: raised at once while a measurement says so */
  begin(): AbortSignal {
    this.#pause = new AbortController();
    if ([...this.#measurements].some(({ isAborted }) => isAborted)) this.#pause.abort();
    return this.#pause.signal;
  }

  /** Ends the run that is under way. */
  pause(): void {
    this.#pause.abort();
  }

  /** Runs end at once while this measurement is aborted. @returns what ends that */
  follow(measurement: { readonly isAborted: boolean }): () => void {
    this.#measurements.add(measurement);
    return () => void this.#measurements.delete(measurement);
  }
}

/**
 * Drives the clock until the options say so. An error of an `until` Observable is thrown.
 *
 * @param lastMs - the end of time: no limit goes beyond it
 */
export async function observedRun(
  clock: EngineClock,
  lastMs: number,
  options: RunOptions,
  goalTest: (goal: RunGoal) => () => boolean,
  pause: AbortSignal,
): Promise<RunResult> {
  refuseUnknown('', options, ['until', 'limit', 'signal']);
  const { until, limit, signal } = options;
  if (signal !== undefined && !(signal instanceof AbortSignal)) {
    throw new OptionError('signal', 'an AbortSignal', signal);
  }
  const untilMs = limit === undefined ? undefined : Math.min(clock.now() + durationMs('limit', limit), lastMs);
  const watcher = isObservable(until) ? new Emission(until) : undefined;
  let isDone = watcher === undefined ? undefined : (): boolean => watcher.hasEmitted;
  if (typeof until === 'function') isDone = until;
  else if (until !== undefined && !isObservable(until)) isDone = goalTest(until);
  const stop = new EitherSignal(signal, pause);
  try {
    const end = await clock.run({
      ...(untilMs === undefined ? {} : { untilMs }),
      ...(isDone === undefined ? {} : { isDone }),
      signal: stop.signal,
    });
    if (watcher?.error !== undefined) throw watcher.error;
    return { end, nowMs: clock.now() };
  } finally {
    watcher?.stop();
    stop.forget();
  }
}

/**
 * What the end of either of two signals aborts. It is asked before each tick, and a signal of `AbortSignal.any` takes
 * 60 ns for an answer (Node 26), one of a controller 3 ns.
 */
class EitherSignal {
  readonly signal: AbortSignal;
  readonly #sources: readonly AbortSignal[];
  readonly #controller = new AbortController();
  readonly #abort = (): void => this.#controller.abort();

  constructor(given: AbortSignal | undefined, own: AbortSignal) {
    this.#sources = given === undefined ? [] : [given, own];
    this.signal = given === undefined ? own : this.#controller.signal;
    for (const source of this.#sources) {
      if (source.aborted) this.#abort();
      else source.addEventListener('abort', this.#abort);
    }
  }

  /** Lets go of the signals. */
  forget(): void {
    for (const source of this.#sources) source.removeEventListener('abort', this.#abort);
  }
}

/** Notes the first emission, or the failure, of an Observable. */
class Emission {
  hasEmitted = false;
  error: Error | undefined;
  readonly #subscription: Subscription;

  constructor(source: Observable<unknown>) {
    this.#subscription = source.subscribe({
      next: () => {
        this.hasEmitted = true;
      },
      error: (error: unknown) => {
        this.error = error instanceof Error ? error : new Error(String(error));
        this.hasEmitted = true;
      },
    });
  }

  stop(): void {
    this.#subscription.unsubscribe();
  }
}
