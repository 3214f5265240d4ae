/**
 * A sweep: variants, each with many seeds, played by whatever executor there is; rows in a folder, and what they come
 * to. What is in the folder already is not played again. Rows follow from the plan and the program alone.
 */
import { createWriteStream, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import {
  checkedOptions,
  FUNCTION,
  integerIn,
  MAPPING,
  SIGNAL,
  TEXT,
  type Check,
  type Checks,
} from '../options/option-checks.js';
import { OptionError } from '../options/option-error.js';
import { dispatch, type Dispatch, type Work } from './dispatch.js';
import { Players } from './players.js';
import type { Executor } from './executors/executor.js';
import { localExecutor } from './executors/local-executor.js';
import type { SweepOrder } from './job.js';
import { readSweepPlan } from './plan/read-plan.js';
import type { SweepPlan } from './plan/sweep-plan.js';
import { programBuild } from './program-build.js';
import { VariantReducer, type VariantAggregate } from './results/aggregate.js';
import { RowStore } from './results/row-store.js';
import { openRowTable } from './results/row-table.js';
import type { Mismatch, SweepRow } from './results/row.js';
import { checkShard, type Shard } from './shard.js';

/** How a sweep is played. */
export interface SweepOptions {
  /** The file of the plan. */
  readonly plan: string;
  /** The folder of its rows; made where it is missing. */
  readonly out: string;
  /** Threads that play; 0 = this one. Not with `queue`. @defaultValue 0 */
  readonly workers?: number;
  /** `redis://…`, `rediss://…` or `postgres://…`: programs that serve this queue play. */
  readonly queue?: string;
  /** Its name there. @defaultValue "kubeloom" */
  readonly queueName?: string;
  /** The part that is played here. */
  readonly shard?: Shard;
  /** The share of runs that are played a second time, to see that they come out the same. @defaultValue 0.01 */
  readonly check?: number;
  /** A file that becomes a database of the rows. */
  readonly sqlite?: string;
  /** Told of runs as they come back, those that were there before among them. */
  readonly onRuns?: (done: number, total: number) => void;
  readonly signal?: AbortSignal;
}

/** What a sweep has come to. */
export interface SweepResult {
  readonly title: string;
  readonly program: string;
  readonly seeds: { readonly first: number; readonly count: number };
  readonly shard: Shard | null;
  /** Of which rows are there. */
  readonly runs: number;
  /** Of them those that were there before. */
  readonly kept: number;
  /** Runs that were played twice. */
  readonly checked: number;
  readonly mismatches: readonly Mismatch[];
  readonly variants: readonly VariantAggregate[];
}

const SHARE: Check = ['a number in 0..1', (value) => typeof value === 'number' && value >= 0 && value <= 1];
const OPTIONS: Checks<SweepOptions> = {
  plan: TEXT,
  out: TEXT,
  workers: integerIn(0, 1024),
  queue: TEXT,
  queueName: TEXT,
  shard: MAPPING,
  check: SHARE,
  sqlite: TEXT,
  onRuns: FUNCTION,
  signal: SIGNAL,
};

/** See the file header. @throws OptionError, SweepError, the errors of variants, QueueError, the signal's reason */
export async function runSweep(options: SweepOptions): Promise<SweepResult> {
  const given = checkedOptions('', options, OPTIONS, ['plan', 'out']);
  const { shard, check = 0.01, onRuns, signal } = given;
  checkShard(shard);
  const plan = readSweepPlan(given.plan);
  const program = programBuild();
  const hashes = plan.variants.map(({ hash }) => hash);
  const store = new RowStore(given.out, { hashes, firstSeed: plan.firstSeed, seeds: plan.seeds, program }, shard);
  const kept = store.count;
  const total = shardRuns(plan, shard);
  const tell = (): void => onRuns?.(store.count, total);
  const executor = await executorOf(given, plan);
  try {
    tell();
    const first = missingWork(plan, store, shard);
    const players = new Players(checkWork(plan, store, shard, check));
    const way: Dispatch = {
      executor,
      program,
      signal,
      onPlayed: ({ order }, job, { lines, execution }) => {
        const { hash } = order as SweepOrder;
        store.add(job, hash, lines, execution);
        players.note(hash, job.seeds, execution.machine);
        tell();
      },
    };
    await dispatch(first, way);
    await dispatch(players.again(), way);
    const variants = await reduce(plan, store, given);
    const { count: runs, checked, mismatches } = store;
    const seeds = { first: plan.firstSeed, count: plan.seeds };
    const result: SweepResult = {
      title: plan.title,
      program,
      seeds,
      shard: shard ?? null,
      runs,
      kept,
      checked,
      mismatches,
      variants,
    };
    if (shard === undefined) writeFileSync(join(given.out, 'summary.json'), `${JSON.stringify(result, null, 1)}\n`);
    return result;
  } finally {
    await executor.end();
    store.close();
  }
}

async function executorOf({ queue, queueName, workers = 0, signal }: SweepOptions, plan: SweepPlan): Promise<Executor> {
  if (queue === undefined) return localExecutor(workers, plan.contents, hostname(), signal);
  if (workers > 0) throw new OptionError('workers', '0 with a queue, whose own workers play', workers);
  const { queueExecutor } = await import('./executors/queue-executor.js');
  return queueExecutor({ url: queue, name: queueName, contents: plan.contents, jobMs: plan.jobMs, signal });
}

/** Runs are dealt out one by one, so that shards take equally long. */
function isOfShard(plan: SweepPlan, variant: number, seed: number, shard: Shard | undefined): boolean {
  if (shard === undefined) return true;
  return runNumber(plan, variant, seed) % shard.count === shard.index - 1;
}

function runNumber({ seeds, firstSeed }: SweepPlan, variant: number, seed: number): number {
  return variant * seeds + (seed - firstSeed);
}

function shardRuns({ variants, seeds }: SweepPlan, shard: Shard | undefined): number {
  const all = variants.length * seeds;
  return shard === undefined ? all : Math.floor((all - shard.index) / shard.count) + 1;
}

function seedsWhere({ firstSeed, seeds }: SweepPlan, isWanted: (seed: number) => boolean): readonly number[] {
  const found: number[] = [];
  for (let seed = firstSeed; seed < firstSeed + seeds; seed += 1) if (isWanted(seed)) found.push(seed);
  return found;
}

function workOf(
  plan: SweepPlan,
  index: number,
  seeds: readonly number[],
  key: string,
  shard: Shard | undefined,
): readonly Work[] {
  const variant = plan.variants[index];
  if (variant === undefined || seeds.length === 0) return [];
  const { title, hash, pack } = variant;
  const order: SweepOrder = { kind: 'sweep', title, hash, pack, metrics: plan.metrics };
  return [{ key: `${key} ${hash}`, order, seeds, stride: shard?.count ?? 1 }];
}

function missingWork(plan: SweepPlan, store: RowStore, shard: Shard | undefined): readonly Work[] {
  return plan.variants.flatMap((_, index) => {
    const seeds = seedsWhere(plan, (seed) => isOfShard(plan, index, seed, shard) && !store.has(index, seed));
    return workOf(plan, index, seeds, 'run', shard);
  });
}

/** Some of the runs that are played now, spread over all of them. */
function checkWork(plan: SweepPlan, store: RowStore, shard: Shard | undefined, share: number): readonly Work[] {
  if (share === 0) return [];
  const every = Math.max(1, Math.round(1 / share));
  return plan.variants.flatMap((_, index) => {
    const seeds = seedsWhere(plan, (seed) => {
      const isOwn = isOfShard(plan, index, seed, shard) && !store.has(index, seed);
      return isOwn && Math.floor(runNumber(plan, index, seed) / (shard?.count ?? 1)) % every === every - 1;
    });
    return workOf(plan, index, seeds, 'again', shard);
  });
}

/** All rows in the order of variants and seeds, once: into a file, a database, and what they come to. */
async function reduce(
  plan: SweepPlan,
  store: RowStore,
  { out, sqlite, shard }: SweepOptions,
): Promise<readonly VariantAggregate[]> {
  const table = sqlite === undefined ? undefined : await openRowTable(sqlite);
  const file = shard === undefined ? createWriteStream(join(out, 'results.ndjson')) : undefined;
  const aggregates: VariantAggregate[] = [];
  for (const [index, { title, hash, set }] of plan.variants.entries()) {
    const reducer = new VariantReducer();
    for (const seed of seedsWhere(plan, (each) => store.has(index, each))) {
      const line = store.line(index, seed) ?? '';
      const row = JSON.parse(line) as SweepRow;
      reducer.add(row);
      table?.add(row, set);
      if (file?.write(`${line}\n`) === false) await new Promise<void>((resolve) => file.once('drain', resolve));
    }
    aggregates.push(reducer.read(title, hash, set));
  }
  table?.end();
  if (file !== undefined) {
    file.end();
    await finished(file);
  }
  return aggregates;
}
