import type { Command } from 'commander';
import { parseThreshold, thresholdText, type Threshold, type ThresholdResult } from '../../index.js';

/** The options of every command that measures a run. */
export interface MeasurementFlags {
  readonly threshold: readonly Threshold[];
}

/** Declares the options of {@link MeasurementFlags}. */
export function addMeasurementOptions(command: Command): Command {
  return command.option(
    '--threshold <metric-and-expression>',
    'a bound that the run must keep, such as "pod_startup_ms: p(99)<5000"; may be given several times',
    (text: string, before: readonly Threshold[]) => [...before, parseThreshold(text, '--threshold')],
    [],
  );
}

/** Whether the run has to be measured at all. */
export function isMeasured({ threshold }: MeasurementFlags): boolean {
  return threshold.length > 0;
}

/** What became of thresholds, a line each. */
export function thresholdLines(results: readonly ThresholdResult[]): string {
  return results.map((result) => `${thresholdText(result)}\n`).join('');
}

/** Whether each of them holds. */
export function areMet(results: readonly ThresholdResult[]): boolean {
  return results.every(({ ok }) => ok);
}
