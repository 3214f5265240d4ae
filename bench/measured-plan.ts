/** The workload of a case, over as many pods as it is compared over. */
import { readWorkloads } from '../src/cli/bench/bench-files.js';
import type { BenchCase } from '../src/cli/bench/bench-result.js';
import type { PerfPlan, PerfWorkload } from '../src/index.js';
import type { PerfOperation } from '../src/workload/scheduler-perf/operations.js';
import { findAnchorRow, type AnchorRow } from './anchor-rows.js';

/** See the file header. */
export interface MeasuredPlan extends PerfPlan {
  readonly workload: PerfWorkload;
  readonly anchor: AnchorRow | undefined;
}

/** The size that the real scheduler was measured on. */
const ANCHORED = 'performance';

/** Reads the workload of a case. @throws SchedulerPerfError */
export function measuredPlan(given: BenchCase): MeasuredPlan {
  const { file, templates, workload: name, mode, percentageOfNodesToScore, pods } = given;
  const workload = readWorkloads(file, templates).find((each) => each.name === name);
  if (workload === undefined) throw new RangeError(`${file} has no workload ${name}`);
  const plan = workload.plan();
  const anchor = workload.labels.includes(ANCHORED)
    ? findAnchorRow(workload.anchor, mode, percentageOfNodesToScore)
    : undefined;
  // Cost grows with the pods that are placed already: a figure compares over the same number only.
  const limit = pods ?? anchor?.pods;
  const operations = limit === undefined ? plan.operations : plan.operations.map((each) => limited(each, limit));
  return { ...plan, operations, workload, anchor };
}

function limited(operation: PerfOperation, pods: number): PerfOperation {
  if (operation.opcode !== 'createPods' || !operation.collectMetrics || operation.count <= pods) return operation;
  return { ...operation, count: pods };
}
