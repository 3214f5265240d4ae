import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { AbortedError, runLoadTests } from '../../index.js';
import { addFromOption, fromOptions } from '../input/from-option.js';
import { InterruptedError, interruption } from '../input/interruption.js';
import { addMeasurementOptions, isMeasured, type MeasurementFlags } from '../input/measurement-options.js';
import { integerFlag } from '../input/number-option.js';
import { readInput } from '../input/read-input.js';
import { UsageError } from '../input/usage-error.js';
import { prepareReports, writeReports } from '../input/write-reports.js';
import { FollowedProgress, type Standing } from '../texts/followed-progress.js';
import { loadChecks, loadSummary, standingOf, stepText } from '../texts/load-text.js';
import { areMet, thresholdLines, writeResults } from '../texts/run-results.js';

interface LoadFlags extends MeasurementFlags {
  readonly testconfig?: readonly string[];
  readonly testsuite?: string;
  readonly testoverrides?: readonly string[];
  readonly nodes?: number;
  readonly from?: string;
  readonly seed?: string;
  readonly reportDir?: string;
  readonly registryK8sRepo?: string;
  readonly kubeApiQps: number;
  readonly json?: true;
  readonly provider?: string;
  readonly kubeconfig?: string;
}

const MOST_NODES = 100_000;
const DEFAULT_NODES = 100;
const MOST_QPS = 1_000_000;

/** Adds `kubeloom load`; `finish` is told the exit code. */
export function addLoadCommand(program: Command, finish: (exitCode: number) => void): void {
  const command = program
    .command('load')
    .description(
      'play tests of clusterloader2 in virtual time: its configs, overrides and modules, its files of results',
    );
  addFromOption(command);
  addMeasurementOptions(command)
    .option('--testconfig <file>', 'a config of a test; may be given several times', collected)
    .option('--testsuite <file>', 'a suite of tests instead')
    .option('--testoverrides <file>', 'values for the templates; may be given several times, the later win', collected)
    .option(
      '--nodes <number>',
      'nodes of the cluster (default: 100; with --from none beside its own)',
      integerFlag('--nodes', 0, MOST_NODES),
    )
    .option('--seed <seed>', 'what everything random comes from')
    .option('--report-dir <folder>', 'where the files of results go')
    .option('--registry-k8s-repo <registry>', "registry of upstream's images", 'registry.k8s.io')
    .option(
      '--kube-api-qps <number>',
      'requests a second of the controller manager and of the scheduler, each, and as many at once',
      integerFlag('--kube-api-qps', 1, MOST_QPS),
      100,
    )
    .option('--json', 'print the outcome as one JSON object')
    .option('--provider <name>', 'taken and ignored: the cluster is simulated')
    .option('--kubeconfig <file>', 'taken and ignored: the cluster is simulated')
    .allowExcessArguments(false)
    .action(async (flags: LoadFlags) => finish(await load(flags)));
}

function collected(file: string, files: readonly string[] = []): readonly string[] {
  return [...files, file];
}

async function load(flags: LoadFlags): Promise<number> {
  const { testconfig = [], testsuite } = flags;
  if ((testconfig.length === 0) === (testsuite === undefined)) {
    const got = testsuite === undefined ? 'neither' : 'both';
    throw new UsageError(`one of --testconfig FILE and --testsuite FILE must be given, got ${got}`);
  }
  const { testoverrides = [], reportDir } = flags;
  for (const file of testconfig) readInput('--testconfig', file);
  if (testsuite !== undefined) readInput('--testsuite', testsuite);
  for (const file of testoverrides) readInput('--testoverrides', file);
  if (reportDir !== undefined) prepareReports('--report-dir', reportDir);
  const { nodes, ...taken } = fromOptions(flags, DEFAULT_NODES);
  const started = performance.now();
  let standing: (() => Standing) | undefined;
  const progress = new FollowedProgress(process.stderr, () => standing?.());
  const result = await runLoadTests({
    configs: testconfig,
    suite: testsuite,
    overrides: testoverrides,
    ...taken,
    nodes,
    seed: flags.seed,
    kubeApiQps: flags.kubeApiQps,
    imageRegistry: flags.registryK8sRepo ?? '',
    environment: process.env,
    readFile: (path) => readFileSync(path, 'utf8'),
    signal: interruption.signal,
    thresholds: flags.threshold,
    measure: isMeasured(flags),
    onIgnored: (what) => progress.aside(() => process.stderr.write(`kubeloom: ${what} not simulated\n`)),
    onStep: (step, cluster) => progress.aside(() => process.stderr.write(stepText(step, cluster))),
    onProgress: (given, cluster) => {
      standing = () => standingOf(given, cluster);
    },
  })
    .catch((error: unknown) => {
      throw error instanceof AbortedError && interruption.isRaised ? new InterruptedError(progress.summary()) : error;
    })
    .finally(() => progress.end());
  if (reportDir !== undefined) writeReports('--report-dir', reportDir, result.files);
  const host = {
    wallSeconds: (performance.now() - started) / 1000,
    peakRssBytes: process.resourceUsage().maxRSS * 1024,
  };
  process.stdout.write(loadSummary(result, { ...host, nodes: result.nodes, reportDir }, flags.json === true));
  const { measured, thresholds, seed, traceHash, epochMs } = result;
  process.stderr.write(thresholdLines(thresholds));
  if (measured !== undefined) {
    const title = `kubeloom load: ${result.tests.map(({ name }) => name).join(', ')}, ${result.nodes} nodes`;
    const run = { title, kind: 'load', seed, traceHash, epochMs, checks: loadChecks(result), thresholds, host };
    await writeResults(flags, measured, run);
  }
  return result.failed === 0 && areMet(thresholds) ? 0 : 1;
}
