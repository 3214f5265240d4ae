import { writeFileSync } from 'node:fs';
import type { Command } from 'commander';
import { comparisonPage, differencesOf, METRICS, runPage, type Difference, type RunSummary } from '../../index.js';
import { fileFlag } from '../input/measurement-options.js';
import { fileProblem, readInput } from '../input/read-input.js';
import { UsageError } from '../input/usage-error.js';

interface ReportFlags {
  readonly compare?: readonly string[];
  readonly output?: string;
}

/** Adds `kubeloom report`. */
export function addReportCommand(program: Command): void {
  program
    .command('report')
    .description('make a page of the summary of a run, or compare the summaries of two')
    .argument('[file]', 'what --summary wrote')
    .option(
      '--compare <files...>',
      'two summaries; of several seeds a side, lists with commas: a1.json,a2.json b1.json,b2.json',
    )
    .option('--output <file>', 'the page to write; without it differences are printed', fileFlag('--output'))
    .allowExcessArguments(false)
    .action((file: string | undefined, flags: ReportFlags) => report(file, flags));
}

function report(file: string | undefined, { compare, output }: ReportFlags): void {
  if (compare === undefined) {
    if (file === undefined)
      throw new UsageError('report needs the file of a summary, or --compare with two, got neither');
    if (output === undefined) throw new UsageError('--output must name the page to write, got none');
    write(output, runPage(readSummary('FILE', file)));
    return;
  }
  if (file !== undefined) throw new UsageError(`--compare has its own files; got ${file} beside it`);
  const [before, after] = compare;
  if (before === undefined || after === undefined || compare.length > 2) {
    throw new UsageError(`--compare must name two files, or two lists with commas, got ${compare.length}`);
  }
  const [left, right] = [readAll(before), readAll(after)];
  if (output === undefined) process.stdout.write(differenceLines(differencesOf(left, right)));
  else write(output, comparisonPage(left, right));
}

function readAll(list: string): readonly RunSummary[] {
  return list.split(',').map((file) => readSummary('--compare', file));
}

/** @throws UsageError for what is no summary of a version that this program knows */
function readSummary(flag: string, file: string): RunSummary {
  let summary: Partial<RunSummary>;
  try {
    summary = JSON.parse(readInput(flag, file)) as Partial<RunSummary>;
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`${flag}: ${file} must be a summary in JSON: ${error instanceof Error ? error.message : ''}`);
  }
  const { schema, version } = summary ?? {};
  if (schema === 'kubeloom.dev/run-summary' && typeof version === 'string' && version.startsWith('1.'))
    return summary as RunSummary;
  throw new UsageError(
    `${flag}: ${file} must be of the form kubeloom.dev/run-summary, version 1, got ${JSON.stringify(schema)} ${typeof version === 'string' ? version : (JSON.stringify(version) ?? '')}`,
  );
}

function differenceLines(differences: readonly Difference[]): string {
  return differences
    .filter(({ before, after }) => before !== after)
    .map(({ metric, value, before, after, share, isBetter, chance }) => {
      const percent = share === undefined ? '' : ` (${share > 0 ? '+' : ''}${(share * 100).toFixed(1)} %)`;
      const verdict = isBetter === undefined ? '' : isBetter ? ', better' : ', worse';
      const likely = chance === undefined ? '' : `, by chance ${(chance * 100).toFixed(1)} %`;
      return `${metric} ${value}: ${before} → ${after} ${METRICS[metric].unit}${percent}${verdict}${likely}\n`;
    })
    .join('');
}

function write(file: string, text: string): void {
  try {
    writeFileSync(file, text);
  } catch (error) {
    throw new UsageError(`--output: cannot write ${file}: ${fileProblem(error)}`);
  }
}
