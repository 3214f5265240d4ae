/**
 * The summary of a run: everything that reports are made of, as plain data with a version
 * (schemas/run-summary-1.json). A field that goes, or means something else, makes a new major version; one that comes
 * makes a minor one.
 */
import type { MeasurementReading } from '../measurements/measurement.js';
import type { ThresholdResult } from '../measurements/thresholds.js';

/** Version of the form. */
export const SUMMARY_VERSION = '1.0.0';

/** Something besides thresholds that a run had to come to: its goal, an expectation, an action that may not be refused. */
export interface RunCheck {
  readonly name: string;
  readonly ok: boolean;
  /** What was found instead; `null` = nothing to say. */
  readonly problem: string | null;
  /** Simulated time since the beginning of the measurement, ms; `null` = it has none of its own. */
  readonly atMs: number | null;
}

/** What a run measured on the host, beside what it simulated. */
export interface HostUse {
  readonly wallSeconds: number;
  readonly peakRssBytes: number;
}

/** What a measurement does not know of its run. */
export interface RunIdentity {
  /** Words for readers. */
  readonly title: string;
  /** What played it, such as `run` or `scenario`. */
  readonly kind: string;
  /** Version of the program. */
  readonly program: string;
  readonly seed: string;
  readonly traceHash: string;
  /** Simulated time 0 in milliseconds since 1970. */
  readonly epochMs: number;
  readonly checks: readonly RunCheck[];
  readonly thresholds: readonly ThresholdResult[];
  /** Absent where the summary is to be the same on every machine. */
  readonly host?: HostUse;
}

/** See the file header. */
export interface RunSummary extends RunIdentity, MeasurementReading {
  readonly schema: 'kubeloom.dev/run-summary';
  readonly version: string;
  /** Every check and every threshold came out well. */
  readonly passed: boolean;
}

/** Puts a measurement and what is known of its run together. */
export function summarize(reading: MeasurementReading, run: RunIdentity): RunSummary {
  const passed = run.checks.every(({ ok }) => ok) && run.thresholds.every(({ ok }) => ok);
  return { schema: 'kubeloom.dev/run-summary', version: SUMMARY_VERSION, passed, ...run, ...reading };
}
