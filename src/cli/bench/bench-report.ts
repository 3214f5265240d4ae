import { cpus } from 'node:os';
import Table from 'cli-table3';
import type { BenchResult } from './bench-result.js';
import { medianOf, titleOf, type CaseFailure, type CaseResult } from './bench-runs.js';
import type { KnownWorkload } from './bench-selection.js';

/** Placements that differ though they must not. */
export interface PlacementDifference {
  readonly problem: string;
}

/** Everything that a bench found out. */
export interface BenchReport {
  readonly host: { readonly node: string; readonly cpu: string; readonly cores: number };
  readonly results: readonly CaseResult[];
  readonly failures: readonly CaseFailure[];
  readonly differences: readonly PlacementDifference[];
}

const MEASURED = `algorithm: from the snapshot to the assumption of each pod (or the choice and removal of its victims), without API server,
bus, queue and binding; objects are made before. full: from before the first pod is written until the last is seen on its node.
No client waits for a limit (clientLimits: unlimited). Every process starts cold. The workload is played several times over in it, each time from nothing: "cold" is the first round,
"warm" the median of the last ones, when the JavaScript engine has compiled what it runs. seconds and peak MB are of the first round,
p50 and p99 of one attempt, warm where there are warm rounds; a ratio is over the anchor's figure.
`;

/** @param results - every run of each case */
export function reportOf(results: readonly (readonly BenchResult[])[], failures: readonly CaseFailure[]): BenchReport {
  const processors = cpus();
  return {
    host: { node: process.version, cpu: processors[0]?.model ?? 'unknown', cores: processors.length },
    results: results.flatMap((runs) => medianOf(runs) ?? []),
    failures,
    differences: differencesAmong(results.flat()),
  };
}

/** The report for people. */
export function reportText({ results }: BenchReport): string {
  const table = new Table({
    head: [
      'workload',
      'mode',
      'nodes %',
      'workers',
      'pods',
      'seconds',
      'peak MB',
      'anchor pods/s',
      'cold pods/s',
      'ratio',
      'warm pods/s',
      'ratio',
      'p50 µs',
      'p99 µs',
      'placements',
    ],
    style: { head: [], border: [], compact: true },
    colAligns: ['left', 'left', ...Array.from({ length: 12 }, () => 'right' as const), 'left'],
  });
  for (const result of results) {
    const { workload, mode, percentageOfNodesToScore, workers, pods, anchor, ratio, warm, placementHash } = result;
    table.push([
      workload,
      mode,
      percentageOfNodesToScore === 0 ? 'adaptive' : percentageOfNodesToScore,
      workers,
      pods,
      result.seconds.toFixed(2),
      figure(result.peakRssBytes / 1e6),
      figure(anchor?.podsPerSecond ?? null, 1),
      figure(result.podsPerSecond),
      times(ratio),
      figure(warm?.podsPerSecond ?? null),
      times(warm?.ratio ?? null),
      figure((warm ?? result).p50Us, 1),
      figure((warm ?? result).p99Us, 1),
      placementHash.slice(0, 12),
    ]);
  }
  return `${table.toString()}\n${MEASURED}${notesText(results)}`;
}

/** The workloads that there are, with what keeps one from running. */
export function listText(known: readonly KnownWorkload[]): string {
  const table = new Table({
    head: ['workload', 'labels', 'threshold', ''],
    style: { head: [], border: [], compact: true },
  });
  for (const { workload } of known) {
    const { name, labels, threshold } = workload;
    table.push([name, labels.join(', '), threshold ?? '', obstacle(workload)]);
  }
  return `${table.toString()}\n`;
}

function obstacle(workload: KnownWorkload['workload']): string {
  try {
    workload.plan();
    return '';
  } catch (error) {
    return `cannot run: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/** What the workloads say of themselves: what is expected of upstream's scheduler, and feature gates. */
function notesText(results: readonly CaseResult[]): string {
  const lines = results.flatMap(({ workload, threshold, featureGates }) => {
    const gates = Object.entries(featureGates).map(([name, isOn]) => `${name}=${isOn}`);
    return [
      ...(threshold === null
        ? []
        : [`${workload}: upstream expects ${figure(threshold)} pods/s of its own scheduler\n`]),
      ...(gates.length === 0 ? [] : [`${workload} sets ${gates.join(', ')}: of no effect here\n`]),
    ];
  });
  return [...new Set(lines)].join('');
}

/** The number of threads, and the repetition of a run, must not change anything. */
function differencesAmong(results: readonly BenchResult[]): readonly PlacementDifference[] {
  const firsts = new Map<string, BenchResult>();
  const differences: PlacementDifference[] = [];
  for (const result of results) {
    const { workload, mode, percentageOfNodesToScore } = result;
    const key = JSON.stringify([workload, mode, percentageOfNodesToScore]);
    const first = firsts.get(key);
    if (first === undefined) firsts.set(key, result);
    else if (first.placementHash !== result.placementHash || first.traceHash !== result.traceHash)
      differences.push({ problem: `${titleOf(result)} placed pods otherwise than with ${first.workers} workers` });
  }
  return differences;
}

function times(ratio: number | null): string {
  return ratio === null ? '–' : `${figure(ratio, 1)}×`;
}

function figure(value: number | null, digits = 0): string {
  return value === null ? '–' : value.toFixed(digits).replaceAll(/\B(?=(\d{3})+(?!\d))/g, ',');
}
