import type { Command } from 'commander';
import {
  createCluster,
  runScene,
  type Cluster,
  type ClusterOptions,
  type SceneResult,
  type SceneStage,
} from '../index.js';
import { integerFlag, positiveFlag } from './number-option.js';
import { createProgress, updateIntervalMs, type Progress } from './progress.js';
import { reportOf, summaryText } from './run-summary.js';
import { planRun, type PlanFlags, type RunPlan } from './run-plan.js';

interface RunFlags extends PlanFlags {
  readonly seed: string;
  readonly workers: number;
  readonly realtime?: number;
  readonly percentageOfNodesToScore: number;
  readonly json?: true;
}

/** Adds `kubeloom run`; `finish` is told the exit code. */
export function addRunCommand(program: Command, finish: (exitCode: number) => void): void {
  program
    .command('run')
    .description('run a scene to its goal: by default 5,000 nodes, 20,000 pods and a rolling update')
    .option('--nodes <n>', 'nodes (default: 5000)', integerFlag('--nodes', 0, 100_000))
    .option(
      '--pods <n>',
      'pods of the default scene; 0 = the manifests alone (default: 20000)',
      integerFlag('--pods', 0, 1_000_000),
    )
    .option('--manifest <file...>', 'Kubernetes YAML or JSON to apply as well')
    .option(
      '--trace <format-and-files...>',
      'openb NODES.csv PODS.csv: run a recorded trace instead of the default scene',
    )
    .option('--compress <factor>', 'divide all times of the trace by this', positiveFlag('--compress', 1e9), 1)
    .option(
      '--limit <duration>',
      'simulated time after which the run gives up, such as 30m (default: 1h, traces: none)',
    )
    .option('--seed <seed>', 'reproduces a run', '1')
    .option('--workers <n>', 'threads that evaluate pods for the scheduler', integerFlag('--workers', 0, 64), 0)
    .option('--realtime <speed>', 'follow real time, this many times as fast', positiveFlag('--realtime', 1_000_000))
    .option(
      '--percentage-of-nodes-to-score <n>',
      '0 = adaptive, as kube-scheduler',
      integerFlag('--percentage-of-nodes-to-score', 0, 100),
      0,
    )
    .option('--json', 'print the summary as one JSON object')
    .allowExcessArguments(false)
    .action(async (flags: RunFlags) => finish(await run(flags)));
}

async function run(flags: RunFlags): Promise<number> {
  const plan = planRun(flags);
  const started = performance.now();
  const cluster = createCluster(clusterOptions(flags, plan));
  const progress = createProgress(process.stderr);
  try {
    const result = await playWithProgress(cluster, plan, progress);
    const host = {
      wallSeconds: (performance.now() - started) / 1000,
      peakRssBytes: process.resourceUsage().maxRSS * 1024,
    };
    const report = reportOf(cluster, result, host);
    process.stdout.write(flags.json === true ? `${JSON.stringify(report)}\n` : summaryText(report, result, plan.notes));
    return result.isReached ? 0 : 1;
  } finally {
    progress.end();
    await cluster.dispose();
  }
}

function clusterOptions(flags: RunFlags, plan: RunPlan): ClusterOptions {
  const { seed, workers, realtime, percentageOfNodesToScore } = flags;
  return {
    seed,
    nodes: plan.nodes,
    workers,
    scheduler: { percentageOfNodesToScore },
    ...(realtime === undefined ? {} : { realtime }),
  };
}

/** Shows how far the scene has come while it plays; an interrupt ends it, and the summary says where. */
async function playWithProgress(cluster: Cluster, plan: RunPlan, progress: Progress): Promise<SceneResult> {
  const interrupt = new AbortController();
  const onInterrupt = (): void => interrupt.abort();
  process.once('SIGINT', onInterrupt);
  let stage: SceneStage | undefined;
  const show = (): void => {
    const stats = cluster.stats();
    if (stage !== undefined) progress.update(stage.done(), stats);
  };
  const timer = setInterval(show, updateIntervalMs(process.stderr));
  try {
    const result = await runScene(cluster, plan.scene, {
      ...(plan.limit === undefined ? {} : { limit: plan.limit }),
      onStage: (next) => {
        stage = next;
        progress.begin(next.title, next.total);
      },
      signal: interrupt.signal,
    });
    show();
    return result;
  } finally {
    clearInterval(timer);
    process.off('SIGINT', onInterrupt);
    progress.end();
  }
}
