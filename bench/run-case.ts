import { parseSchedulerConfig, type SchedulerConfiguration } from '../src/index.js';
import type { AnchorFigures, BenchCase, BenchResult } from '../src/cli/bench-result.js';
import { runAlgorithm } from './algorithm/algorithm-run.js';
import type { AnchorRow } from './anchor-rows.js';
import { runFullPath } from './full-path/full-path-run.js';
import { measuredPlan, type MeasuredPlan } from './measured-plan.js';
import type { RunOutcome } from './run-outcome.js';

/**
 * Runs a case in this process.
 *
 * @throws UnmetBarrierError when pods that must be scheduled are not
 */
export async function runCase(given: BenchCase): Promise<BenchResult> {
  const plan = measuredPlan(given);
  const outcome = await play(plan, given);
  const { times, outcomes, placementHash, traceHash } = outcome;
  const { workload, anchor } = plan;
  const { podsPerSecond } = times;
  return {
    workload: workload.name,
    mode: given.mode,
    percentageOfNodesToScore: given.percentageOfNodesToScore,
    workers: given.workers,
    pods: times.pods,
    outcomes,
    seconds: times.seconds,
    cpuSeconds: times.cpuSeconds,
    podsPerSecond,
    laterHalfPodsPerSecond: times.laterHalfPodsPerSecond,
    p50Us: times.quantileUs(0.5),
    p99Us: times.quantileUs(0.99),
    wallSeconds: performance.now() / 1000,
    peakRssBytes: process.resourceUsage().maxRSS * 1024,
    placementHash,
    traceHash,
    threshold: workload.threshold ?? null,
    featureGates: workload.featureGates,
    anchor: anchor === undefined ? null : figuresOf(anchor),
    ratio: anchor === undefined ? null : podsPerSecond / anchor.podsPerSecond,
  };
}

function play(plan: MeasuredPlan, given: BenchCase): Promise<RunOutcome> {
  const { percentageOfNodesToScore, workers, seed } = given;
  const configuration =
    plan.schedulerConfig === undefined ? undefined : configurationOf(plan.schedulerConfig, percentageOfNodesToScore);
  if (given.mode === 'algorithm')
    return runAlgorithm(plan.operations, { seed, percentageOfNodesToScore, workers, configuration });
  return runFullPath(plan.operations, {
    seed,
    workers,
    scheduler: { percentageOfNodesToScore },
    ...(configuration === undefined ? {} : { schedulerConfig: configuration }),
  });
}

/** The test case's own configuration; a percentage that was asked for takes the place of its own. */
function configurationOf(text: string, percentageOfNodesToScore: number): SchedulerConfiguration {
  const configuration = parseSchedulerConfig(text, 'schedulerConfigPath');
  return percentageOfNodesToScore === 0 ? configuration : { ...configuration, percentageOfNodesToScore };
}

function figuresOf({ anchor, podsPerSecond, p50Us, p99Us }: AnchorRow): AnchorFigures {
  return { anchor, podsPerSecond, p50Us: p50Us ?? null, p99Us: p99Us ?? null };
}
