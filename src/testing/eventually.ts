import type { RunOptions, RunResult } from '../cluster/observed-run.js';
import { printedValue } from '../kernel/printed-value.js';
import {
  checkedOptions,
  checkValue,
  DURATION,
  FUNCTION,
  MAPPING,
  SIGNAL,
  type Checks,
} from '../options/option-checks.js';
import { durationMs, type Duration } from '../options/durations.js';

/** What lets simulated time pass: a cluster, or an operator that runs against one. */
export interface Passing {
  readonly nowMs: number;
  /** Of the store; rises with every write. */
  readonly version: number;
  run(
    options: Pick<RunOptions, 'signal'> & { readonly until: () => boolean; readonly limit: Duration },
  ): Promise<Pick<RunResult, 'end'>>;
}

/** How long it may take. */
export interface EventuallyOptions {
  /** Simulated time. @defaultValue 10m */
  readonly within?: Duration;
  readonly signal?: AbortSignal;
}

/** What was waited for did not come; the cause is the last failure of the check, if it threw. */
export class EventuallyError extends Error {
  override readonly name = 'EventuallyError';
}

const OPTIONS: Checks<EventuallyOptions> = { within: DURATION, signal: SIGNAL };
const DEFAULT_WITHIN = '10m';

/**
 * Lets simulated time pass until a check holds: one that returns something other than `false`, and does not throw, so
 * that assertions of any test runner may stand in it. It is asked at first, and again after whatever is written.
 *
 * @returns what the check returned
 * @throws EventuallyError when it does not hold within that time
 * @example `await eventually(cluster, () => assert.equal(cluster.readyPods, 3), { within: '1m' })`
 */
export async function eventually<T>(
  passing: Passing,
  check: () => T,
  options: EventuallyOptions = {},
): Promise<Exclude<T, false>> {
  checkValue('passing', passing, MAPPING);
  checkValue('check', check, FUNCTION);
  const { within = DEFAULT_WITHIN, signal } = checkedOptions('', options, OPTIONS);
  const trial = new Trial(check, () => passing.version);
  const limit = durationMs('within', within);
  const beganMs = passing.nowMs;
  const run = { until: () => trial.holds(), limit, ...(signal === undefined ? {} : { signal }) };
  if (!trial.holds()) await passing.run(run);
  if (!trial.holds(true)) {
    const passedMs = passing.nowMs - beganMs;
    const last = trial.error === undefined ? 'it was false' : messageOf(trial.error);
    throw new EventuallyError(`not so within ${passedMs} ms of simulated time: ${last}`, { cause: trial.error });
  }
  return trial.value as Exclude<T, false>;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : printedValue(error);
}

/** A check that is asked again when something was written. */
class Trial<T> {
  value: T | undefined;
  error: unknown;
  #seen: number | undefined;
  #holds = false;

  constructor(
    private readonly check: () => T,
    private readonly version: () => number,
  ) {}

  holds(isForced = false): boolean {
    const version = this.version();
    if (!isForced && (this.#holds || version === this.#seen)) return this.#holds;
    this.#seen = version;
    try {
      this.value = this.check();
      this.error = undefined;
      this.#holds = this.value !== false;
    } catch (error) {
      this.error = error;
      this.#holds = false;
    }
    return this.#holds;
  }
}
