/**
 * What an attempt costs with all ways of deciding a pod, and with one of them turned off: rounds of each take turns in
 * one process, so that what else happens on the machine hits all of them alike. Where pods go must be the same.
 */
import type { TakenWay } from '../../src/scheduler/cycle/attempt/way.js';
import { WAYS } from '../../src/scheduler/cycle/attempt/way.js';
import { runAlgorithm } from '../algorithm/algorithm-run.js';
import type { MeasuredPlan } from '../measured-plan.js';

/** Ways that are turned off together. */
export interface WaySwitch {
  readonly name: string;
  readonly ways: readonly TakenWay[];
}

/** The reference is what is left. */
export const SWITCHES: readonly WaySwitch[] = [
  { name: 'totals', ways: [WAYS.knownTotals] },
  { name: 'groups', ways: [WAYS.knownGroups] },
  { name: 'refusals', ways: [WAYS.knownRejections] },
  { name: 'walks', ways: [WAYS.shortWalk, WAYS.firstOfShape] },
];

/** A way that takes less of the attempts is not turned off: what it costs could not be told from noise. */
const MIN_SHARE = 0.01;

/** What a workload costs. */
export interface WayCosts {
  /** Attempts by way, as parts of all. */
  readonly shares: ReadonlyMap<TakenWay, number>;
  /** Processor time of an attempt, microseconds: the median of the warm rounds. */
  readonly attemptUs: number;
  /** How many times as much an attempt costs without the ways of a switch, by its name. */
  readonly without: ReadonlyMap<string, number>;
}

/** How a workload is measured. */
export interface WayCostsOptions {
  /** percentageOfNodesToScore; 0 = adaptive. */
  readonly percentage: number;
  /** How often it is played each way; the first half of them warms up. */
  readonly rounds: number;
  readonly seed: string;
}

/** One run. */
interface Round {
  readonly attemptUs: number;
  readonly placementHash: string;
  readonly shares: ReadonlyMap<TakenWay, number>;
}

/** Measures a workload. @throws Error when pods go elsewhere without a way */
export async function measureWays(
  { operations }: Pick<MeasuredPlan, 'operations'>,
  { percentage, rounds, seed }: WayCostsOptions,
): Promise<WayCosts> {
  const play = async (turnedOff: readonly TakenWay[]): Promise<Round> => {
    let shares: ReadonlyMap<TakenWay, number> = new Map();
    const options = { seed, percentageOfNodesToScore: percentage, workers: 0, withoutWays: new Set(turnedOff) };
    const { times, placementHash } = await runAlgorithm(operations, options, (algorithm) => {
      shares = sharesOf(algorithm.wayCounts());
    });
    return { attemptUs: (1e6 * times.cpuSeconds) / Math.max(times.pods, 1), placementHash, shares };
  };
  const first = await play([]);
  const switches = SWITCHES.filter(({ ways }) => shareOf(ways, first.shares) >= MIN_SHARE);
  const played = new Map<string, Round[]>([['', []], ...switches.map(({ name }): [string, Round[]] => [name, []])]);
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, list] of played) {
      const each = await play(SWITCHES.find((known) => known.name === name)?.ways ?? []);
      if (each.placementHash !== first.placementHash) throw new Error(`without ${name} pods go elsewhere`);
      list.push(each);
    }
  }
  const [attemptUs = 0, ...others] = [...played.values()].map(warmUs);
  const without = new Map(switches.map(({ name }, index) => [name, (others[index] ?? 0) / attemptUs]));
  return { shares: first.shares, attemptUs, without };
}

function sharesOf(counts: Iterable<readonly [taken: TakenWay, count: number]>): ReadonlyMap<TakenWay, number> {
  const entries = [...counts];
  const sum = entries.reduce((total, [, count]) => total + count, 0);
  return new Map(entries.map(([taken, count]) => [taken, count / sum]));
}

function shareOf(ways: readonly TakenWay[], shares: ReadonlyMap<TakenWay, number>): number {
  return ways.reduce((sum, way) => sum + (shares.get(way) ?? 0), 0);
}

function warmUs(rounds: readonly Round[]): number {
  const warm = rounds.slice(rounds.length >> 1).map(({ attemptUs }) => attemptUs);
  return warm.toSorted((a, b) => a - b)[warm.length >> 1] ?? 0;
}
