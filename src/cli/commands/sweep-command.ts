import { mkdirSync, mkdtempSync, readFileSync, rmdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { Option, type Command } from 'commander';
import { readSweepPlan, runSweep, sweepJob, sweepMatrix } from '../../index.js';
import { InterruptedError, interruption } from '../input/interruption.js';
import { fileFlag } from '../input/measurement-options.js';
import { integerFlag } from '../input/number-option.js';
import { addDistributionOptions, type DistributionFlags } from '../input/queue-options.js';
import { fileProblem } from '../input/read-input.js';
import { UsageError } from '../input/usage-error.js';
import { VERSION } from '../input/version.js';
import { SweepProgress } from '../texts/sweep-progress.js';
import { sweepText } from '../texts/sweep-text.js';

interface SweepFlags extends DistributionFlags {
  readonly out?: string;
  readonly workers: number;
  readonly check: number;
  readonly sqlite?: string;
  readonly json?: true;
  readonly print?: 'job' | 'matrix';
  readonly shards: number;
  readonly image: string;
}

/** Most parts of a printed Job and of a printed workflow. */
const MOST_PARTS = { job: 65_535, matrix: 256 } as const;

/** Adds `kubeloom sweep`; `finish` is told the exit code. */
export function addSweepCommand(program: Command, finish: (exitCode: number) => void): void {
  const command = program
    .command('sweep')
    .description('play many variants with many seeds, here or on other machines, and say what each comes to')
    .argument('<plan>', 'variants, what of them varies, and how many seeds')
    .option('--out <folder>', 'where rows go; what is there already is not played again (default: beside the plan)')
    .option('--workers <n>', 'threads that play; 0 = none beside this one', integerFlag('--workers', 0, 64), 0)
    .option('--check <share>', 'how many runs of all are played twice, 0..1', shareFlag, 0.01)
    .option('--sqlite <file>', 'writes all rows as a database', fileFlag('--sqlite'))
    .option('--json', 'print what it comes to as one JSON object');
  addDistributionOptions(command)
    .addOption(new Option('--print <form>', 'prints the sweep in parts, and plays nothing').choices(['job', 'matrix']))
    .option('--shards <n>', 'of --print: how many parts', integerFlag('--shards', 1, MOST_PARTS.job), 20)
    .option('--image <name>', 'of --print job: an image with Node and npx', 'node:24')
    .allowExcessArguments(false)
    .action(async (plan: string, flags: SweepFlags) => finish(await sweep(plan, flags)));
}

async function sweep(plan: string, flags: SweepFlags): Promise<number> {
  const { workers, check, sqlite, json, queue, queueName, shard, print } = flags;
  if (queue !== undefined && workers > 0)
    throw new UsageError('--workers cannot be given with --queue, whose workers play');
  if (print !== undefined) return printed(plan, flags);
  const out = flags.out ?? plan.replace(/\.(?:ya?ml|json)$/, '') + '.sweep';
  readSweepPlan(plan);
  checkFolder(out);
  const progress = new SweepProgress(process.stderr);
  const { signal } = interruption;
  let told = 0;
  try {
    const result = await runSweep({
      plan,
      out,
      workers,
      check,
      signal,
      ...(sqlite === undefined ? {} : { sqlite }),
      ...(queue === undefined ? {} : { queue, queueName }),
      ...(shard === undefined ? {} : { shard }),
      onRuns: (done, total) => {
        told = done;
        progress.update(done, total);
      },
    });
    progress.end();
    const isAll = readSweepPlan(plan).metrics !== undefined;
    process.stdout.write(json === true ? `${JSON.stringify(result)}\n` : sweepText(result, isAll));
    const isPassed = result.variants.every(({ runs, passed }) => runs === passed);
    return isPassed && result.mismatches.length === 0 ? 0 : 1;
  } catch (error) {
    progress.end();
    if (signal.aborted)
      throw new InterruptedError(`after ${told} runs; their rows are in ${out}, and the same command goes on`);
    throw error;
  }
}

function printed(path: string, { print = 'job', shards, image }: SweepFlags): number {
  if (shards > MOST_PARTS[print]) {
    throw new UsageError(`--shards must be an integer in 1..${MOST_PARTS[print]} with --print ${print}, got ${shards}`);
  }
  const { files } = readSweepPlan(path);
  if (print === 'matrix') {
    process.stdout.write(sweepMatrix({ plan: path, shards, version: VERSION }));
    return 0;
  }
  const outside = files.find((file) => file.startsWith('..'));
  if (outside !== undefined)
    throw new UsageError(`--print job needs all files below the folder of the plan, got ${outside}`);
  const name = basename(path);
  const texts = Object.fromEntries(
    [name, ...files].map((file) => [file, readFileSync(join(dirname(path), file), 'utf8')]),
  );
  try {
    process.stdout.write(sweepJob({ plan: name, shards, version: VERSION, files: texts, image }));
    return 0;
  } catch (error) {
    throw error instanceof RangeError ? new UsageError(`--print job: ${error.message}`) : error;
  }
}

/** A long sweep must not end with rows that cannot be written. @throws UsageError */
function checkFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true });
    rmdirSync(mkdtempSync(join(folder, '.kubeloom-')));
  } catch (error) {
    throw new UsageError(`--out: cannot write to ${folder}: ${fileProblem(error)}`);
  }
}

function shareFlag(text: string): number {
  const value = Number(text);
  if (text.trim() !== '' && value >= 0 && value <= 1) return value;
  throw new UsageError(`--check must be a number in 0..1, got ${JSON.stringify(text)}`);
}
