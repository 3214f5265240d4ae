/** Writes what a measured run came to where the options want it. */
import { writeFileSync } from 'node:fs';
import {
  junitText,
  openMetricsText,
  otlpRequests,
  runPage,
  summarize,
  thresholdText,
  type MeasurementReading,
  type RunIdentity,
  type ThresholdResult,
} from '../../index.js';
import type { MeasurementFlags } from '../input/measurement-options.js';
import { fileProblem } from '../input/read-input.js';
import { UsageError } from '../input/usage-error.js';
import { VERSION } from '../input/version.js';

/** Real time that a receiver may take for one request, ms. */
const SENDING_MS = 30_000;

/** What became of thresholds, a line each. */
export function thresholdLines(results: readonly ThresholdResult[]): string {
  return results.map((result) => `${thresholdText(result)}\n`).join('');
}

/** Whether each of them holds. */
export function areMet(results: readonly ThresholdResult[]): boolean {
  return results.every(({ ok }) => ok);
}

/** Writes every file that was asked for. @throws UsageError for what cannot be written or sent */
export async function writeResults(
  flags: MeasurementFlags,
  reading: MeasurementReading,
  run: Omit<RunIdentity, 'program'>,
): Promise<void> {
  const summary = summarize(reading, { program: VERSION, ...run });
  if (flags.report !== undefined) write('--report', flags.report, runPage(summary));
  if (flags.summary !== undefined) write('--summary', flags.summary, `${JSON.stringify(summary)}\n`);
  if (flags.junit !== undefined) write('--junit', flags.junit, junitText(summary));
  if (flags.openmetrics !== undefined) write('--openmetrics', flags.openmetrics, openMetricsText(summary));
  if (flags.otlp === undefined) return;
  for (const request of otlpRequests(summary)) await send(flags.otlp, request);
}

function write(flag: string, file: string, text: string): void {
  try {
    writeFileSync(file, text);
  } catch (error) {
    throw new UsageError(`${flag}: cannot write ${file}: ${fileProblem(error)}`);
  }
}

async function send(url: string, body: object): Promise<void> {
  const headers = { 'Content-Type': 'application/json' };
  const request = { method: 'POST', headers, body: JSON.stringify(body), signal: AbortSignal.timeout(SENDING_MS) };
  let answer: Response;
  try {
    answer = await fetch(url, request);
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error);
    throw new UsageError(`--otlp: cannot send to ${url}: ${cause}`);
  }
  const text = await answer.text();
  if (!answer.ok) throw new UsageError(`--otlp: ${url} answered ${answer.status}: ${text.slice(0, 200)}`);
}
