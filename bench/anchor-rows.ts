/** What the real scheduler did, from bench/workloads/anchor/rows.yaml. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import type { BenchMode } from '../src/cli/bench/bench-result.js';
import { WORKLOAD_FOLDER } from '../src/cli/bench/bench-files.js';

/** One measurement of the real scheduler. */
export interface AnchorRow {
  /** Name of the measurement, which workloads refer to. */
  readonly anchor: string;
  readonly mode: BenchMode;
  /** percentageOfNodesToScore. */
  readonly percentage: number;
  /** Pods that it decided; absent = all of the workload. */
  readonly pods?: number;
  readonly podsPerSecond: number;
  readonly p50Us?: number;
  readonly p99Us?: number;
}

/** The measurement that a case repeats, if there is one. */
export function findAnchorRow(
  anchor: string | undefined,
  mode: BenchMode,
  percentageOfNodesToScore: number,
): AnchorRow | undefined {
  if (anchor === undefined) return undefined;
  const rows = parse(readFileSync(path.join(WORKLOAD_FOLDER, 'anchor', 'rows.yaml'), 'utf8')) as readonly AnchorRow[];
  return rows.find((row) => row.anchor === anchor && row.mode === mode && row.percentage === percentageOfNodesToScore);
}
