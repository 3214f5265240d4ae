/** The options of commands whose runs may be played elsewhere. */
import type { Command } from 'commander';
import type { Shard } from '../../index.js';
import { UsageError } from './usage-error.js';

/** See the file header. */
export interface DistributionFlags {
  readonly shard?: Shard;
  readonly queue?: string;
  readonly queueName: string;
}

const MOST_SHARDS = 65_535;

/** Declares the options of {@link DistributionFlags}. */
export function addDistributionOptions(command: Command): Command {
  return addQueueName(
    command
      .option('--shard <i/n>', 'plays one part of n, such as 3/20', shardFlag)
      .option('--queue <url>', 'has workers of this queue play: redis://…, rediss://… or postgres://…'),
  );
}

/** Declares `--queue-name`. */
export function addQueueName(command: Command): Command {
  return command.option('--queue-name <name>', 'the name of the queue there', queueNameFlag, 'kubeloom');
}

function queueNameFlag(text: string): string {
  if (/^[A-Za-z0-9][\w.-]{0,100}$/.test(text)) return text;
  throw new UsageError(`--queue-name must be letters, digits, "-", "_" and ".", got ${JSON.stringify(text)}`);
}

function shardFlag(text: string): Shard {
  const [, first, second] = /^(\d+)\/(\d+)$/.exec(text) ?? [];
  const [index, count] = [Number(first), Number(second)];
  if (index >= 1 && index <= count && count <= MOST_SHARDS) return { index, count };
  throw new UsageError(
    `--shard must be i/n with 1 <= i <= n <= ${MOST_SHARDS}, such as 3/20, got ${JSON.stringify(text)}`,
  );
}
