import { openSync, writeSync } from 'node:fs';
import type { Command } from 'commander';
import { ownWorkloadFiles, readWorkloads } from './bench-files.js';
import { listText, reportOf, reportText, type BenchReport } from './bench-report.js';
import { runCases } from './bench-runs.js';
import { BENCH_MODES, casesOf, selectWorkloads, type BenchSettings, type KnownWorkload } from './bench-selection.js';
import type { BenchMode } from './bench-result.js';
import { interruption } from '../input/interruption.js';
import { integerFlag } from '../input/number-option.js';
import { fileProblem } from '../input/read-input.js';
import { UsageError } from '../input/usage-error.js';

interface BenchFlags extends BenchSettings {
  readonly config?: string;
  readonly templates?: string;
  readonly only?: readonly string[];
  readonly repeat: number;
  readonly list?: true;
  readonly json?: true | string;
}

/** Adds `kubeloom bench`; `finish` is told the exit code. */
export function addBenchCommand(program: Command, finish: (exitCode: number) => void): void {
  program
    .command('bench')
    .description('measure the scheduler under workloads in the form of scheduler_perf, each in a process of its own')
    .argument('[workloads...]', 'workloads, test cases or labels (default: those labelled performance, or else all)')
    .option('--config <file>', "a performance-config.yaml of scheduler_perf instead of the program's own workloads")
    .option('--templates <dir>', 'where the templates of --config are (default: the folder of the file)')
    .option('--only <workloads...>', 'only these workloads, test cases or labels, whatever else is named')
    .option('--mode <modes>', 'algorithm (decisions alone), full (the whole path), or both: algorithm,full', modes)
    .option(
      '--percentage <list>',
      'percentageOfNodesToScore, such as 0,100; 0 = adaptive (default: 0)',
      numbers('--percentage', 100),
    )
    .option('--workers <list>', 'threads of the scheduler, such as 0,2 (default: 0)', numbers('--workers', 64))
    .option('--all', 'percentages 0 and 100 with 0, 1 and 2 threads, where nothing else is said')
    .option('--repeat <n>', 'run each case so often and show the median', integerFlag('--repeat', 1, 1000), 1)
    .option(
      '--rounds <n>',
      'play a workload so often in one process, from cold to warm (default: 5, or 1 where nodes have kubelets)',
      integerFlag('--rounds', 1, 1000),
    )
    .option('--pods <n>', 'pods to measure, where the workload has more', integerFlag('--pods', 1, 10_000_000))
    .option('--seed <text>', 'seed of the runs', '1')
    .option('--list', 'list the workloads and run none')
    .option('--json [file]', 'print the results as one JSON object, or write them to a file beside the table')
    .action(async (words: readonly string[], flags: BenchFlags) => finish(await bench(words, flags)));
}

async function bench(words: readonly string[], flags: BenchFlags): Promise<number> {
  const known = knownWorkloads(flags);
  if (flags.list === true) {
    process.stdout.write(listText(known));
    return 0;
  }
  const only = flags.only?.flatMap((names) => names.split(','));
  const chosen = selectWorkloads(known, words);
  const cases = casesOf(only === undefined ? chosen : selectWorkloads(known, only), flags);
  const { json } = flags;
  const file = typeof json === 'string' ? openReport(json) : undefined;
  const { results, failures } = await runCases(cases, flags.repeat, tell, interruption.signal);
  const report = reportOf(results, failures);
  process.stdout.write(json === true ? `${JSON.stringify(report, undefined, 2)}\n` : reportText(report));
  if (typeof json === 'string' && file !== undefined) writeReport(file, json, report);
  for (const { problem } of [...failures, ...report.differences]) process.stderr.write(`kubeloom: ${problem}\n`);
  return failures.length > 0 || report.differences.length > 0 ? 1 : 0;
}

function tell(text: string): void {
  process.stderr.write(`${text}\n`);
}

function knownWorkloads({ config, templates }: BenchFlags): readonly KnownWorkload[] {
  if (config === undefined && templates !== undefined) throw new UsageError('--templates needs --config');
  const files = config === undefined ? ownWorkloadFiles() : [config];
  return files.flatMap((file) => readWorkloads(file, templates).map((workload) => ({ file, templates, workload })));
}

/** Opened beforehand: a long run must not end with a file that cannot be written. */
function openReport(file: string): number {
  try {
    return openSync(file, 'w');
  } catch (error) {
    throw new UsageError(`--json: cannot write ${file}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** After the report has been printed: it is not to be lost with the file. */
function writeReport(file: number, name: string, report: BenchReport): void {
  try {
    writeSync(file, `${JSON.stringify(report, undefined, 2)}\n`);
  } catch (error) {
    throw new UsageError(`--json: cannot write ${name}: ${fileProblem(error)}`);
  }
}

function modes(text: string): readonly BenchMode[] {
  return text.split(',').map((word) => {
    const mode = BENCH_MODES.find((each) => each === word);
    if (mode !== undefined) return mode;
    throw new UsageError(`--mode must be ${BENCH_MODES.join(', ')} or both with a comma, got ${JSON.stringify(text)}`);
  });
}

function numbers(flag: string, max: number): (text: string) => readonly number[] {
  return (text) => text.split(',').map(integerFlag(flag, 0, max));
}
