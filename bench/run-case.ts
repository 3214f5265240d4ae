import { parseSchedulerConfig, type SchedulerConfiguration } from '../src/index.js';
import type { AnchorFigures, BenchCase, BenchResult, WarmFigures } from '../src/cli/bench/bench-result.js';
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
  const first = await play(plan, given);
  const peakRssBytes = process.resourceUsage().maxRSS * 1024;
  const rounds = [first];
  while (rounds.length < given.rounds) rounds.push(await play(plan, given));
  for (const [index, { placementHash }] of rounds.entries()) {
    if (placementHash === first.placementHash) continue;
    throw new Error(`round ${index + 1} of ${plan.workload.name} placed pods otherwise than the first`);
  }
  const { times, outcomes, placementHash, traceHash } = first;
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
    warm: warmFigures(rounds, anchor),
    roundsPodsPerSecond: rounds.map((round) => round.times.podsPerSecond),
    p50Us: times.quantileUs(0.5),
    p99Us: times.quantileUs(0.99),
    wallSeconds: performance.now() / 1000,
    peakRssBytes,
    placementHash,
    traceHash,
    threshold: workload.threshold ?? null,
    featureGates: workload.featureGates,
    anchor: anchor === undefined ? null : figuresOf(anchor),
    ratio: anchor === undefined ? null : podsPerSecond / anchor.podsPerSecond,
  };
}

function warmFigures(rounds: readonly RunOutcome[], anchor: AnchorRow | undefined): WarmFigures | null {
  const last = rounds.slice(Math.ceil(rounds.length / 2)).map(({ times }) => times);
  const middle = last.toSorted((a, b) => a.podsPerSecond - b.podsPerSecond)[Math.floor((last.length - 1) / 2)];
  if (middle === undefined) return null;
  const { podsPerSecond } = middle;
  const ratio = anchor === undefined ? null : podsPerSecond / anchor.podsPerSecond;
  return { podsPerSecond, p50Us: middle.quantileUs(0.5), p99Us: middle.quantileUs(0.99), ratio };
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
