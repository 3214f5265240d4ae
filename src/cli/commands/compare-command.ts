import { writeFileSync } from 'node:fs';
import type { Command } from 'commander';
import { compareVariants, comparePage } from '../../index.js';
import { InterruptedError, interruption } from '../input/interruption.js';
import { fileFlag } from '../input/measurement-options.js';
import { integerFlag } from '../input/number-option.js';
import { UsageError } from '../input/usage-error.js';
import { VERSION } from '../input/version.js';
import { compareText } from '../texts/compare-text.js';
import { SweepProgress } from '../texts/sweep-progress.js';

interface CompareFlags {
  readonly seeds: number;
  readonly firstSeed: number;
  readonly workers: number;
  readonly json?: true;
  readonly report?: string;
}

const MOST_SEEDS = 100_000;

/** Adds `kubeloom compare`; `finish` is told the exit code. */
export function addCompareCommand(program: Command, finish: (exitCode: number) => void): void {
  program
    .command('compare')
    .description('play variants with the same seeds, and say what differs, by how much, how surely, and why')
    .argument('<files...>', 'variants: scenarios, or files with a field run; each is held against the first')
    .option('--seeds <n>', 'how many seeds', integerFlag('--seeds', 1, MOST_SEEDS), 10)
    .option('--first-seed <n>', 'the first of them', integerFlag('--first-seed', 1, Number.MAX_SAFE_INTEGER), 1)
    .option('--workers <n>', 'threads that play; 0 = none beside this one', integerFlag('--workers', 0, 64), 0)
    .option('--json', 'print the comparison as one JSON object')
    .option('--report <file>', 'writes a page with both courses and all differences', fileFlag('--report'))
    .allowExcessArguments(false)
    .action(async (files: readonly string[], flags: CompareFlags) => finish(await compare(files, flags)));
}

async function compare(
  files: readonly string[],
  { seeds, firstSeed, workers, json, report }: CompareFlags,
): Promise<number> {
  if (files.length < 2) throw new UsageError(`compare needs two files or more, got ${files.length}`);
  if (report !== undefined && files.length > 2)
    throw new UsageError('--report tells of two files, and cannot be given with more');
  const { signal } = interruption;
  const progress = new SweepProgress(process.stderr);
  let played = 0;
  try {
    const result = await compareVariants({
      variants: files,
      seeds,
      firstSeed,
      workers,
      program: VERSION,
      signal,
      onRun: (done, total) => {
        played = done;
        progress.update(done, total);
      },
    });
    progress.end();
    const { summaries, ...told } = result;
    const runs = summaries.map((group) => group.map(({ seed, traceHash, passed }) => ({ seed, traceHash, passed })));
    process.stdout.write(json === true ? `${JSON.stringify({ ...told, runs })}\n` : compareText(result));
    if (report !== undefined) writeFileSync(report, comparePage(result));
    return summaries.every((group) => group.every(({ passed }) => passed)) ? 0 : 1;
  } catch (error) {
    progress.end();
    if (signal.aborted) throw new InterruptedError(`after ${played} runs`);
    throw error;
  }
}
