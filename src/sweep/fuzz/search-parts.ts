/**
 * A search whose seeds are played in parts: some of them here, or all of them by programs behind a queue. What each seed
 * comes to is the same as in a search in one piece.
 */
import { createHash } from 'node:crypto';
import { hostname } from 'node:os';
import type { PlanBase } from '../../laboratory/fuzz/plan-base.js';
import type { PlanBounds } from '../../laboratory/fuzz/plan-document.js';
import { checkBounds } from '../../laboratory/fuzz/read-bounds.js';
import type { SearchSummary } from '../../laboratory/fuzz/search.js';
import {
  checkedOptions,
  COUNT,
  FUNCTION,
  integerIn,
  MAPPING,
  SIGNAL,
  TEXT,
  type Checks,
} from '../../options/option-checks.js';
import { OptionError } from '../../options/option-error.js';
import { dispatch } from '../dispatch.js';
import type { Executor } from '../executors/executor.js';
import { localExecutor } from '../executors/local-executor.js';
import { programBuild } from '../program-build.js';
import { checkShard, type Shard } from '../shard.js';
import { NO_SEARCH, parseSearchLine, together } from './search-line.js';

/** What is searched, and where. */
export interface PartSearchOptions {
  /** How many seeds, before they are dealt out. */
  readonly seeds: number;
  /** The first one; the others follow. @defaultValue 1 */
  readonly from?: number;
  readonly bounds?: PlanBounds;
  /** See {@link SearchOptions}. */
  readonly base?: PlanBase | undefined;
  /** Threads that play; 0 = this one. Not with `queue`. @defaultValue 0 */
  readonly workers?: number;
  /** As of a sweep. */
  readonly queue?: string;
  /** Its name there. @defaultValue "kubeloom" */
  readonly queueName?: string;
  /** The part that is played. */
  readonly shard?: Shard;
  /** Told of seeds as they come back. */
  readonly onSeeds?: (seeds: number, virtualMs: number) => void;
  /** Ends the search with what has come back. */
  readonly signal?: AbortSignal;
}

const JOB_MS = 20_000;
const OPTIONS: Checks<PartSearchOptions> = {
  seeds: COUNT,
  from: COUNT,
  bounds: MAPPING,
  base: MAPPING,
  workers: integerIn(0, 1024),
  queue: TEXT,
  queueName: TEXT,
  shard: MAPPING,
  onSeeds: FUNCTION,
  signal: SIGNAL,
};

/** See the file header. @throws OptionError, QueueError */
export async function searchParts(options: PartSearchOptions): Promise<SearchSummary> {
  const given = checkedOptions('', options, OPTIONS, ['seeds']);
  const { seeds: count, from = 1, bounds = {}, base, shard, onSeeds, signal } = given;
  checkBounds(bounds);
  checkShard(shard);
  const stride = shard?.count ?? 1;
  const first = (shard?.index ?? 1) - 1;
  const seeds = Array.from({ length: Math.max(0, Math.ceil((count - first) / stride)) }, (_, index) => {
    return from + first + index * stride;
  });
  const order = { kind: 'fuzz', bounds, base } as const;
  const key = createHash('sha256').update(JSON.stringify(order)).digest('hex');
  const executor = await executorOf(given);
  let all = NO_SEARCH;
  try {
    await dispatch([{ key, order, seeds, stride }], {
      executor,
      program: programBuild(),
      signal,
      onPlayed: (_work, _job, { lines: [line = ''] }) => {
        const summary = parseSearchLine(line);
        all = together(all, summary);
        onSeeds?.(summary.seeds, summary.virtualMs);
      },
    });
  } catch (error) {
    if (signal?.aborted !== true) throw error;
  } finally {
    await executor.end();
  }
  return all;
}

async function executorOf({ queue, queueName, workers = 0, signal }: PartSearchOptions): Promise<Executor> {
  if (queue === undefined) return localExecutor(workers, new Map(), hostname(), signal);
  if (workers > 0) throw new OptionError('workers', '0 with a queue, whose own workers play', workers);
  const { queueExecutor } = await import('../executors/queue-executor.js');
  return queueExecutor({ url: queue, name: queueName, contents: new Map(), jobMs: JOB_MS, signal });
}
