/** Plays one job in this thread. What its lines say follows from the job alone; how long it took does not. */
import { hostname } from 'node:os';
import { setImmediate } from 'node:timers/promises';
import { playVariant } from '../experiments/play-variant.js';
import { parseVariant, type Variant } from '../experiments/read-variant.js';
import { filesOfPack, type Contents } from '../experiments/variant-files.js';
import { search } from '../laboratory/fuzz/search.js';
import { METRIC_NAMES } from '../measurements/metric-catalogue.js';
import { valuesOf, comparedValues } from '../report/page/comparison-page.js';
import type { RunSummary } from '../report/run-summary.js';
import { NO_SEARCH, searchLine, together } from './fuzz/search-line.js';
import type { Execution, FuzzOrder, Job, JobDone, SweepOrder } from './job.js';
import type { SweepRow } from './results/row.js';

/** The last variant that was read: jobs of one follow each other. */
let kept: { readonly hash: string; readonly variant: Variant } | undefined;

/**
 * See the file header.
 *
 * @param machine - what the executor calls this one
 * @throws AbortError when the signal is raised
 */
export async function playJob(
  { order, seeds, program }: Job,
  contents: Contents,
  { machine = hostname(), signal }: { readonly machine?: string; readonly signal?: AbortSignal | undefined } = {},
): Promise<JobDone> {
  const startMs = performance.now();
  const lines: string[] = [];
  if (order.kind === 'sweep') {
    const variant = variantOf(order, contents);
    for (const seed of seeds) {
      // Short runs leave the host no turn of its own, and no signal would be heard.
      await setImmediate();
      signal?.throwIfAborted();
      lines.push(JSON.stringify(await rowOf(order, variant, seed, program)));
    }
  } else {
    lines.push(await searched(order, seeds, signal));
  }
  const execution: Execution = { machine, node: process.version, seconds: (performance.now() - startMs) / 1000 };
  return { lines, execution };
}

function variantOf({ hash, pack }: SweepOrder, contents: Contents): Variant {
  if (kept?.hash !== hash) kept = { hash, variant: parseVariant(pack.text, pack.source, filesOfPack(pack, contents)) };
  return kept.variant;
}

/** A run that breaks is a row as well: others go on. */
async function rowOf({ title, hash, metrics }: SweepOrder, variant: Variant, seed: number, program: string) {
  const head = { variant: title, hash, seed, program };
  try {
    const { summary } = await playVariant(variant, { seed, program });
    const { passed, traceHash } = summary;
    return {
      ...head,
      passed,
      problem: problemOf(summary),
      traceHash,
      metrics: metricsOf(summary, metrics),
    } satisfies SweepRow;
  } catch (error) {
    const problem = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    return { ...head, passed: false, problem, traceHash: null, metrics: {} } satisfies SweepRow;
  }
}

function problemOf({ checks, thresholds }: RunSummary): string | null {
  const check = checks.find(({ ok }) => !ok);
  if (check !== undefined) return check.problem === null ? check.name : `${check.name}: ${check.problem}`;
  const threshold = thresholds.find(({ ok }) => !ok);
  if (threshold === undefined) return null;
  return `${threshold.metric}: ${threshold.expression}, got ${threshold.value ?? 'nothing'}`;
}

function metricsOf(summary: RunSummary, wanted: SweepOrder['metrics']): Readonly<Record<string, number>> {
  const all = wanted ?? METRIC_NAMES.flatMap((metric) => comparedValues(metric).map((value) => ({ metric, value })));
  return Object.fromEntries(
    all.flatMap(({ metric, value }) => {
      const [found] = valuesOf([summary], metric, value);
      return found === undefined ? [] : [[`${metric} ${value}`, found] as const];
    }),
  );
}

async function searched({ bounds, base }: FuzzOrder, seeds: readonly number[], signal: AbortSignal | undefined) {
  let all = NO_SEARCH;
  for (const seed of seeds) {
    const summary = await search({ seeds: 1, from: seed, bounds, base, ...(signal === undefined ? {} : { signal }) });
    signal?.throwIfAborted();
    all = together(all, summary);
  }
  return searchLine(all);
}
