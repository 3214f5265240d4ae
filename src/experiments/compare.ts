/**
 * Compares variants: each is played with the same seeds, and each but the first is held against the first: what
 * differs, by how much and how surely, which pods were placed elsewhere, and why. What is told follows from the files
 * and the seeds alone, however many threads play.
 */
import type { Piscina } from 'piscina';
import { nextTurn } from '../kernel/engine/turn.js';
import { programFile } from '../kernel/program-file.js';
import { checkedOptions, COUNT, FUNCTION, SIGNAL, TEXT, TEXTS, type Checks } from '../options/option-checks.js';
import { OptionError } from '../options/option-error.js';
import { differencesOf, valuesOf } from '../report/page/comparison-page.js';
import type { RunSummary } from '../report/run-summary.js';
import { effectOf, significant } from './effect.js';
import { explainMove, placementChange } from './placements.js';
import { playVariant, type PlayOrder, type VariantRun } from './play-variant.js';
import { readVariant, type Variant } from './read-variant.js';
import { verdictOf, type Compared, type Verdict } from './verdict.js';

/** What is compared how. */
export interface CompareOptions {
  /** Files of two or more variants. */
  readonly variants: readonly string[];
  /** How many. @defaultValue 10 */
  readonly seeds?: number;
  /** The first one; the others follow. @defaultValue 1 */
  readonly firstSeed?: number;
  /** Threads that play; 0 = this one. @defaultValue 0 */
  readonly workers?: number;
  /** Version of the program, for the summaries. */
  readonly program: string;
  /** Told of each run that is done. */
  readonly onRun?: (done: number, total: number) => void;
  readonly signal?: AbortSignal;
}

/** One variant against the first. */
export interface Comparison extends Compared {
  /** Which side is better, by how much, and why. */
  readonly verdict: Verdict;
}

/** What a comparison has come to. */
export interface CompareResult {
  readonly seeds: readonly number[];
  /** By variant, then by seed. */
  readonly summaries: readonly (readonly RunSummary[])[];
  readonly comparisons: readonly Comparison[];
}

/** A task of a thread. */
export interface VariantTask extends PlayOrder {
  readonly variant: string;
}

const OPTIONS: Checks<CompareOptions> = {
  variants: TEXTS,
  seeds: COUNT,
  firstSeed: COUNT,
  workers: COUNT,
  program: TEXT,
  onRun: FUNCTION,
  signal: SIGNAL,
};
const EXPLAINED_MOVES = 5;

/** See the file header. @throws OptionError, VariantError and the errors of what a variant names */
export async function compareVariants(options: CompareOptions): Promise<CompareResult> {
  const given = checkedOptions('', options, OPTIONS, ['variants', 'program']);
  const { variants: files, seeds: count = 10, firstSeed = 1, workers = 0, program, onRun, signal } = given;
  if (files.length < 2) throw new OptionError('variants', 'two files or more', files);
  const seeds = Array.from({ length: count }, (_, index) => firstSeed + index);
  const variants = files.map((file) => readVariant(file));
  const player = workers > 0 ? await threads(workers) : { play: playHere(variants), end: () => Promise.resolve() };
  try {
    const tasks = variants.flatMap(({ source }) => seeds.map((seed) => ({ variant: source, seed, program })));
    let done = 0;
    const runs = await inLanes(Math.max(1, workers), tasks, signal, async (task) => {
      const run = await player.play(task);
      done += 1;
      onRun?.(done, tasks.length);
      return run;
    });
    signal?.throwIfAborted();
    const groups = variants.map((_, index) => runs.slice(index * count, (index + 1) * count));
    const comparisons: Comparison[] = [];
    for (let index = 1; index < variants.length; index += 1) {
      comparisons.push(await compared(variants, groups, index, player.play, { seed: firstSeed, program }));
    }
    return { seeds, summaries: groups.map((group) => group.map(({ summary }) => summary)), comparisons };
  } finally {
    await player.end();
  }
}

type Play = (task: VariantTask) => Promise<VariantRun>;

function playHere(variants: readonly Variant[]): Play {
  const bySource = new Map(variants.map((variant) => [variant.source, variant]));
  return ({ variant: source, ...order }) => playVariant(bySource.get(source) ?? readVariant(source), order);
}

/** Piscina is loaded when threads are asked for. */
async function threads(count: number): Promise<{ readonly play: Play; readonly end: () => Promise<void> }> {
  const { Piscina: Pool } = await import('piscina');
  const filename = programFile('workers/play-variant.js').href;
  const pool: Piscina<VariantTask, VariantRun> = new Pool({ filename, minThreads: count, maxThreads: count });
  return { play: (task) => pool.run(task), end: () => pool.destroy() };
}

/** So many at a time, in the order of the tasks. */
async function inLanes<T, R>(
  lanes: number,
  tasks: readonly T[],
  signal: AbortSignal | undefined,
  work: (task: T) => Promise<R>,
): Promise<readonly R[]> {
  const results: R[] = [];
  let next = 0;
  const lane = async (): Promise<void> => {
    for (let index = next++; index < tasks.length; index = next++) {
      signal?.throwIfAborted();
      results[index] = await work(tasks[index] as T);
      // Runs on this thread need not wait for anything: a signal of the host is heard between two of them.
      await nextTurn();
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return results;
}

async function compared(
  variants: readonly Variant[],
  groups: readonly (readonly VariantRun[])[],
  index: number,
  play: Play,
  order: PlayOrder,
): Promise<Comparison> {
  const [first, other] = [groups[0] ?? [], groups[index] ?? []];
  const [left, right] = [first.map(({ summary }) => summary), other.map(({ summary }) => summary)];
  const changes = first.flatMap((run, at) => {
    const twin = other[at];
    return twin === undefined ? [] : [placementChange(run, twin)];
  });
  const told = (changes[0]?.moved ?? []).slice(0, EXPLAINED_MOVES);
  const sources = [variants[0]?.source ?? '', variants[index]?.source ?? ''];
  const explained = told.map(({ pod }) => pod);
  // A run comes out the same again: this time the pods are asked about.
  const again =
    told.length === 0 ? [] : await Promise.all(sources.map((variant) => play({ variant, ...order, explained })));
  const [before, after] = again;
  const differences = differencesOf(left, right);
  const sure = significant(differences.map(({ before: was, after: is, chance }) => (was === is ? undefined : chance)));
  const comparison = {
    before: variants[0]?.title ?? '',
    after: variants[index]?.title ?? '',
    values: differences.map((difference, at) => ({
      ...difference,
      ...effectOf(
        valuesOf(left, difference.metric, difference.value),
        valuesOf(right, difference.metric, difference.value),
      ),
      isSure: sure[at] === true,
    })),
    placements: {
      common: changes.reduce((sum, { common }) => sum + common, 0),
      moved: changes.reduce((sum, { moved }) => sum + moved.length, 0),
    },
    moves: before === undefined || after === undefined ? [] : told.map((move) => explainMove(move, before, after)),
  };
  return { ...comparison, verdict: verdictOf(comparison, [left, right]) };
}
