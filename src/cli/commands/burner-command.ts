import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { runHook } from '../input/run-hook.js';
import { AbortedError, runBurner, type BurnerOptions, type BurnerResult } from '../../index.js';
import { addFromOption, fromOptions } from '../input/from-option.js';
import { InterruptedError, interruption } from '../input/interruption.js';
import { addMeasurementOptions, isMeasured, type MeasurementFlags } from '../input/measurement-options.js';
import { durationFlag, integerFlag } from '../input/number-option.js';
import { readInput } from '../input/read-input.js';
import { prepareReports, writeReports } from '../input/write-reports.js';
import { FollowedProgress, type Standing } from '../texts/followed-progress.js';
import { standingOf } from '../texts/load-text.js';
import { burnerChecks, burnerSummary } from '../texts/burner-text.js';
import { areMet, thresholdLines, writeResults } from '../texts/run-results.js';

interface BurnerFlags extends MeasurementFlags {
  readonly config: string;
  readonly set?: readonly string[];
  readonly userData?: string;
  readonly uuid?: string;
  readonly timeout?: string;
  readonly allowMissing?: true;
  readonly nodes?: number;
  readonly from?: string;
  readonly seed?: string;
  readonly metricsDirectory?: string;
  readonly runHooks?: true;
  readonly json?: true;
  readonly kubeconfig?: string;
  readonly logLevel?: string;
}

const MOST_NODES = 100_000;
const DEFAULT_NODES = 10;

/** Adds `kubeloom burner init`; `finish` is told the exit code. */
export function addBurnerCommand(program: Command, finish: (exitCode: number) => void): void {
  const burner = program.command('burner').description('play workloads of kube-burner in virtual time');
  const command = burner
    .command('init')
    .description('play a workload: its config, templates and user data, its documents and exit codes');
  addFromOption(command);
  addMeasurementOptions(command)
    .requiredOption('-c, --config <file>', 'the config')
    .option(
      '--set <pairs>',
      'KEY=VALUE pairs over the config, such as jobs.0.qps=10; may be given several times',
      collected,
    )
    .option('--user-data <file>', "values for the config's template, in YAML or JSON")
    .option('--uuid <uuid>', 'identifies the run; drawn from the seed unless given')
    .option(
      '--timeout <duration>',
      'longest simulated time of the run; exit code 2 when it is up',
      durationFlag('--timeout'),
    )
    .option('--allow-missing', "take keys that the config's template names and that there are not for empty")
    .option(
      '--nodes <number>',
      'nodes of the cluster (default: 10; with --from none beside its own)',
      integerFlag('--nodes', 0, MOST_NODES),
    )
    .option('--seed <seed>', 'what everything random comes from')
    .option('--metrics-directory <folder>', "where documents go, beside the folders of the config's local indexers")
    .option(
      '--run-hooks',
      'run the commands that hooks of jobs name, on this machine, while simulated time stands still',
    )
    .option('--json', 'print the outcome as one JSON object')
    .option('--kubeconfig <file>', 'taken and ignored: the cluster is simulated')
    .option('--log-level <level>', 'taken and ignored')
    .allowExcessArguments(false)
    .action(async (flags: BurnerFlags) => finish(await init(flags)));
}

function collected(pairs: string, all: readonly string[] = []): readonly string[] {
  return [...all, pairs];
}

async function init(flags: BurnerFlags): Promise<number> {
  const { config, userData, metricsDirectory } = flags;
  readInput('--config', config);
  if (userData !== undefined) readInput('--user-data', userData);
  if (metricsDirectory !== undefined) prepareReports('--metrics-directory', metricsDirectory);
  const { nodes, ...taken } = fromOptions(flags, DEFAULT_NODES);
  const started = performance.now();
  let standing: (() => Standing) | undefined;
  const progress = new FollowedProgress(process.stderr, () => standing?.());
  const result = await play({
    ...flags,
    ...taken,
    nodes,
    environment: process.env,
    readFile: (path) => readFileSync(path, 'utf8'),
    signal: interruption.signal,
    onIgnored: (what) => progress.aside(() => process.stderr.write(`kubeloom: ${what} not simulated\n`)),
    onMessage: (message, cluster) =>
      progress.aside(() => process.stderr.write(`${(cluster.nowMs / 1000).toFixed(1)}s simulated · ${message}\n`)),
    onProgress: (given, cluster) => {
      standing = () => standingOf(given, cluster);
    },
  })
    .catch((error: unknown) => {
      throw error instanceof AbortedError && interruption.isRaised ? new InterruptedError(progress.summary()) : error;
    })
    .finally(() => progress.end());
  for (const folder of result.directories) writeReports('metricsDirectory', folder, result.files);
  if (metricsDirectory !== undefined) writeReports('--metrics-directory', metricsDirectory, result.files);
  process.stdout.write(
    burnerSummary(
      result,
      { wallSeconds: (performance.now() - started) / 1000, nodes: result.nodes },
      flags.json === true,
    ),
  );
  const { measured, thresholds, seed: played, traceHash, epochMs, exitCode } = result;
  process.stderr.write(thresholdLines(thresholds));
  if (measured !== undefined) {
    const title = `kubeloom burner: ${config}, ${result.nodes} nodes`;
    const run = { title, kind: 'burner', seed: played, traceHash, epochMs, checks: burnerChecks(result), thresholds };
    await writeResults(flags, measured, run);
  }
  return exitCode === 0 && !areMet(thresholds) ? 1 : exitCode;
}

function ignore(): void {
  /* nothing is told */
}

function play({
  config,
  set,
  userData,
  uuid,
  timeout,
  allowMissing,
  nodes = DEFAULT_NODES,
  cluster,
  seed,
  ...rest
}: BurnerFlags &
  Pick<
    BurnerOptions,
    'cluster' | 'environment' | 'readFile' | 'signal' | 'onIgnored' | 'onMessage' | 'onProgress'
  >): Promise<BurnerResult> {
  const { environment = {}, readFile, signal, onIgnored = ignore, onMessage = ignore, onProgress = ignore } = rest;
  const heard = { environment, readFile, signal, onIgnored, onMessage, onProgress };
  return runBurner({
    config,
    set: set ?? [],
    userData,
    uuid,
    timeout,
    allowMissing: allowMissing === true,
    nodes,
    ...(cluster === undefined ? {} : { cluster }),
    seed,
    thresholds: rest.threshold,
    measure: isMeasured(rest),
    ...(rest.runHooks === true ? { runHook } : {}),
    ...heard,
  });
}
