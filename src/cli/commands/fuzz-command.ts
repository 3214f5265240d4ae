import { randomInt } from 'node:crypto';
import { mkdtempSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Command } from 'commander';
import {
  foundText,
  parseBase,
  parseBounds,
  search,
  searchParts,
  type Discovery,
  type PlanBase,
  type PlanBounds,
  type SearchSummary,
} from '../../index.js';
import { foundLines, summaryLines } from '../texts/fuzz-text.js';
import { interruption } from '../input/interruption.js';
import { integerFlag, positiveFlag } from '../input/number-option.js';
import { addDistributionOptions, type DistributionFlags } from '../input/queue-options.js';
import { fileProblem, readInput } from '../input/read-input.js';
import { SearchProgress } from '../texts/search-progress.js';
import { UsageError } from '../input/usage-error.js';
import { VERSION } from '../input/version.js';

/** Fresh seeds begin below this. */
const MAX_FRESH = 1_000_000_000;
const MINUTE_MS = 60_000;

interface FuzzFlags extends DistributionFlags {
  readonly seeds: number;
  readonly from: number;
  readonly fresh?: true;
  readonly plan?: string;
  readonly scenario?: string;
  readonly minutes?: number;
  readonly workers: number;
  readonly out: string;
  readonly json?: true;
}

/** Adds `kubeloom fuzz`; `finish` is told the exit code. */
export function addFuzzCommand(program: Command, finish: (exitCode: number) => void): void {
  const command = program
    .command('fuzz')
    .description(
      'search for a seed under which a promise of Kubernetes is broken: random clusters, workloads and faults',
    )
    .option('--seeds <n>', 'seeds to play', integerFlag('--seeds', 1, 100_000_000), 100)
    .option('--from <seed>', 'the first of them', integerFlag('--from', 0, Number.MAX_SAFE_INTEGER), 1)
    .option('--fresh', 'begin with a seed that nobody has chosen, and print it')
    .option('--plan <file>', 'bounds of what is drawn, in YAML: nodes, faults, kinds, minutes, …')
    .option('--scenario <file>', 'a scenario whose cluster, workloads and actions take the place of drawn ones')
    .option('--minutes <m>', 'begin no new seed after so much real time', positiveFlag('--minutes', 100_000))
    .option('--workers <n>', 'worker threads that play seeds at once', integerFlag('--workers', 0, 64), 0)
    .option('--out <folder>', 'where to write what is found', '.')
    .option('--json', 'print the summary as one JSON object');
  addDistributionOptions(command)
    .allowExcessArguments(false)
    .action(async (flags: FuzzFlags) => finish(await fuzz(flags)));
}

async function fuzz(options: FuzzFlags): Promise<number> {
  const { seeds, fresh, plan, scenario, minutes, workers, out, json, ...flags } = options;
  const bounds = plan === undefined ? {} : parseBounds(readInput('--plan', plan), plan);
  const base = scenario === undefined ? undefined : await readBase(scenario);
  checkFolder(out);
  const from = fresh === true ? randomInt(MAX_FRESH) : flags.from;
  process.stderr.write(`seeds ${from} to ${from + seeds - 1}\n`);
  const { shard, queue } = flags;
  if (queue !== undefined && workers > 0) {
    throw new UsageError('--workers cannot be given with --queue, whose workers play');
  }
  const progress = new SearchProgress(process.stderr, shard === undefined ? seeds : Math.ceil(seeds / shard.count));
  const startMs = performance.now();
  const where = { seeds, from, bounds, base, workers };
  const summary = await (shard === undefined && queue === undefined
    ? searchHere(where, minutes, progress)
    : searchThere({ ...where, ...flags }, minutes, progress));
  progress.end();
  const seconds = (performance.now() - startMs) / 1000;
  let problem: UsageError | undefined;
  for (const discovery of summary.discoveries) {
    const file = join(out, `kubeloom-seed-${discovery.seed}.yaml`);
    problem ??= write(file, discovery);
    if (json !== true) process.stdout.write(foundLines(discovery, file, VERSION));
  }
  process.stdout.write(
    json === true ? `${JSON.stringify(plainSummary(summary, seconds))}\n` : summaryLines(summary, seconds),
  );
  // What was found is told even where it cannot be kept.
  if (problem !== undefined) throw problem;
  return summary.discoveries.length === 0 ? 0 : 1;
}

interface Searched {
  readonly seeds: number;
  readonly from: number;
  readonly bounds: PlanBounds;
  readonly base: PlanBase | undefined;
  readonly workers: number;
}

function searchHere(what: Searched, minutes: number | undefined, progress: SearchProgress): Promise<SearchSummary> {
  const startMs = performance.now();
  const limitMs = minutes === undefined ? Number.POSITIVE_INFINITY : minutes * MINUTE_MS;
  return search({
    ...what,
    signal: interruption.signal,
    goesOn: () => performance.now() - startMs < limitMs,
    onSeed: (_seed, { virtualMs }) => progress.done(virtualMs),
  });
}

function searchThere(
  { shard, queue, queueName, ...what }: Searched & DistributionFlags,
  minutes: number | undefined,
  progress: SearchProgress,
): Promise<SearchSummary> {
  const { seeds, from, bounds, base, workers } = what;
  const limits = minutes === undefined ? [] : [AbortSignal.timeout(minutes * MINUTE_MS)];
  return searchParts({
    seeds,
    from,
    bounds,
    base,
    workers,
    ...(shard === undefined ? {} : { shard }),
    ...(queue === undefined ? {} : { queue, queueName }),
    signal: AbortSignal.any([interruption.signal, ...limits]),
    onSeeds: (count, virtualMs) => progress.done(virtualMs, count),
  });
}

/** A long search must not end with files that cannot be written. @throws UsageError */
function checkFolder(folder: string): void {
  try {
    rmdirSync(mkdtempSync(join(folder, '.kubeloom-')));
  } catch (error) {
    throw new UsageError(`--out: cannot write to ${folder}: ${fileProblem(error)}`);
  }
}

/** Files that a scenario names lie beside it. */
function readBase(file: string): Promise<PlanBase> {
  const folder = dirname(file);
  return parseBase(readInput('--scenario', file), file, (path) => readFileSync(resolve(folder, path), 'utf8'));
}

/** @returns what kept it from being written */
function write(file: string, discovery: Discovery): UsageError | undefined {
  try {
    writeFileSync(file, foundText(discovery, VERSION));
    return undefined;
  } catch (error) {
    return new UsageError(`--out: cannot write ${file}: ${fileProblem(error)}`);
  }
}

function plainSummary(summary: SearchSummary, seconds: number): object {
  const { actions, evaluated, faults, crashes, discoveries } = summary;
  return {
    ...summary,
    version: VERSION,
    seconds,
    actions: Object.fromEntries(actions),
    evaluated: Object.fromEntries(evaluated),
    faults: Object.fromEntries(faults),
    crashes: Object.fromEntries(crashes),
    discoveries: discoveries.map(({ seed, shrunk, shrunkOutcome }) => {
      return { seed, violation: shrunkOutcome.violations[0], traceHash: shrunkOutcome.traceHash, plan: shrunk };
    }),
  };
}
