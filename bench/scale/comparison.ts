/** Runs of a case side by side: medians, and what they are to each other. */
import Table from 'cli-table3';
import type { ScaleResult } from './scale-case.js';

/** All runs of one case. */
export interface Comparison {
  readonly name: string;
  readonly ours: readonly ScaleResult[];
  /** Of the build that this one is compared with; empty where there is none. */
  readonly theirs: readonly ScaleResult[];
}

/** The medians of one stage; ratios are theirs to ours, so that more is better. */
export interface ComparisonRow {
  readonly name: string;
  readonly stage: string;
  readonly cpuSeconds: number;
  readonly seconds: number;
  /** Processor time for one pod, or whatever the stage counts. */
  readonly cpuMicrosecondsPerUnit: number;
  readonly peakRssBytes: number;
  readonly cpuRatio: number | undefined;
  readonly secondsRatio: number | undefined;
  readonly memoryRatio: number | undefined;
  readonly traceHash: string | undefined;
}

/** One row for each stage. */
export function comparisonRows({ name, ours, theirs }: Comparison): ComparisonRow[] {
  const hasTheirs = theirs.length > 0;
  return (ours[0]?.stages ?? []).map(({ stage, units }, index) => {
    const cpu = (runs: readonly ScaleResult[]): number => median(runs.map((run) => run.stages[index]?.cpuSeconds ?? 0));
    const real = (runs: readonly ScaleResult[]): number => median(runs.map((run) => run.stages[index]?.seconds ?? 0));
    return {
      name,
      stage,
      cpuSeconds: cpu(ours),
      seconds: real(ours),
      cpuMicrosecondsPerUnit: (cpu(ours) / units) * 1e6,
      peakRssBytes: peakOf(ours),
      cpuRatio: hasTheirs ? cpu(theirs) / cpu(ours) : undefined,
      secondsRatio: hasTheirs ? real(theirs) / real(ours) : undefined,
      memoryRatio: hasTheirs ? peakOf(ours) / peakOf(theirs) : undefined,
      traceHash: ours[0]?.traceHash,
    };
  });
}

/** The rows of cases for people. */
export function comparisonText(comparisons: readonly Comparison[]): string {
  const table = new Table({
    head: ['case', 'stage', 'cpu s', 's', 'cpu µs each', 'peak MiB', 'cpu ×', 's ×', 'memory ×', 'trace'],
    style: { head: [], border: [] },
  });
  for (const row of comparisons.flatMap(comparisonRows)) {
    table.push([
      row.name,
      row.stage,
      row.cpuSeconds.toFixed(2),
      row.seconds.toFixed(2),
      row.cpuMicrosecondsPerUnit.toFixed(0),
      (row.peakRssBytes / (1 << 20)).toFixed(0),
      ratioText(row.cpuRatio),
      ratioText(row.secondsRatio),
      ratioText(row.memoryRatio),
      row.traceHash?.slice(0, 8) ?? '',
    ]);
  }
  return `${table.toString()}\n`;
}

/** The value in the middle; of two, the lower one. */
export function median(values: readonly number[]): number {
  const ordered = values.toSorted((a, b) => a - b);
  return ordered[Math.floor((ordered.length - 1) / 2)] ?? 0;
}

function peakOf(runs: readonly ScaleResult[]): number {
  return median(runs.map(({ peakRssBytes }) => peakRssBytes));
}

function ratioText(value: number | undefined): string {
  return value?.toFixed(2) ?? '';
}
