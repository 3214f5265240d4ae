/** The options of every command that measures a run: thresholds, and where its results go. */
import { accessSync, constants, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Command } from 'commander';
import { otlpUrl, parseThreshold, type Threshold } from '../../index.js';
import { fileProblem } from './read-input.js';
import { UsageError } from './usage-error.js';

/** See the file header. */
export interface MeasurementFlags {
  readonly threshold: readonly Threshold[];
  readonly report?: string;
  readonly summary?: string;
  readonly junit?: string;
  readonly openmetrics?: string;
  readonly otlp?: string;
}

/** Declares the options of {@link MeasurementFlags}. */
export function addMeasurementOptions(command: Command): Command {
  return command
    .option(
      '--threshold <metric-and-expression>',
      'a bound that the run must keep, such as "pod_startup_ms: p(99)<5000", or with {threshold: …, abortOnFail: true} one that ends it early; may be given several times',
      (text: string, before: readonly Threshold[]) => [...before, parseThreshold(text, '--threshold')],
      [],
    )
    .option('--report <file>', 'writes a page with charts of the run', fileFlag('--report'))
    .option('--summary <file>', 'writes everything that was measured as JSON', fileFlag('--summary'))
    .option('--junit <file>', 'writes checks and thresholds as JUnit XML', fileFlag('--junit'))
    .option(
      '--openmetrics <file>',
      'writes the course of the run as OpenMetrics text, in simulated time',
      fileFlag('--openmetrics'),
    )
    .option('--otlp <url>', 'sends the course of the run to an OTLP/HTTP receiver as JSON', urlFlag);
}

/** Whether the run has to be measured at all. */
export function isMeasured({ threshold, report, summary, junit, openmetrics, otlp }: MeasurementFlags): boolean {
  return threshold.length > 0 || [report, summary, junit, openmetrics, otlp].some((each) => each !== undefined);
}

/** Looks whether a file can be written before anything runs. */
export function fileFlag(flag: string): (file: string) => string {
  return (file) => {
    const problem = writingProblem(file);
    if (problem === undefined) return file;
    throw new UsageError(`${flag}: cannot write ${file}: ${problem}`);
  };
}

function writingProblem(file: string): string | undefined {
  try {
    const folder = dirname(file);
    accessSync(folder, constants.W_OK);
    if (!statSync(folder).isDirectory()) return `${folder} is no directory`;
    return statSync(file, { throwIfNoEntry: false })?.isDirectory() === true ? 'it is a directory' : undefined;
  } catch (error) {
    return fileProblem(error).replace('no such file', 'no such folder');
  }
}

function urlFlag(text: string): string {
  const isUrl = URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
  if (isUrl) return otlpUrl(text);
  throw new UsageError(`--otlp must be a URL such as http://localhost:4318, got ${JSON.stringify(text)}`);
}
