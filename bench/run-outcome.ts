import type { AttemptTimes } from './attempt-times.js';

/** What either way of playing a workload comes to. */
export interface RunOutcome {
  readonly times: AttemptTimes;
  /** Measured pods by what became of them. */
  readonly outcomes: Readonly<Record<string, number>>;
  readonly placementHash: string;
  readonly traceHash: string | null;
}
