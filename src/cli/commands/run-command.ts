import type { Command } from 'commander';
import type { Cluster, SceneResult, SceneStage } from '../../index.js';
import { createProgress, updateIntervalMs, type Progress } from '../texts/progress.js';
import { reportOf, summaryText } from '../texts/run-summary.js';
import { planRun, type RunPlan } from '../input/run-plan.js';
import {
  addSceneOptions,
  clientLimitsIn,
  createSceneCluster,
  playScene,
  type SceneFlags,
} from '../input/scene-options.js';

interface RunFlags extends SceneFlags {
  readonly json?: true;
}

/** Adds `kubeloom run`; `finish` is told the exit code. */
export function addRunCommand(program: Command, finish: (exitCode: number) => void): void {
  const command = program
    .command('run')
    .description('run a scene to its goal: by default 5,000 nodes, 20,000 pods and a rolling update');
  addSceneOptions(command)
    .option('--json', 'print the summary as one JSON object')
    .allowExcessArguments(false)
    .action(async (flags: RunFlags) => finish(await run(flags)));
}

async function run(flags: RunFlags): Promise<number> {
  const plan = planRun(flags);
  const started = performance.now();
  const cluster = createSceneCluster(flags, plan);
  const progress = createProgress(process.stderr);
  try {
    const result = judged(await playWithProgress(cluster, plan, progress), plan);
    const host = {
      wallSeconds: (performance.now() - started) / 1000,
      peakRssBytes: process.resourceUsage().maxRSS * 1024,
    };
    const report = reportOf(cluster, result, host);
    process.stdout.write(
      flags.json === true
        ? `${JSON.stringify(report)}\n`
        : summaryText(report, result, plan.notes, clientLimitsIn(flags)),
    );
    return result.isReached ? 0 : 1;
  } finally {
    progress.end();
    await cluster.dispose();
  }
}

/** Manifests of which nothing is simulated have not been run, whatever else has. */
function judged(result: SceneResult, { isAllIgnored }: RunPlan): SceneResult {
  if (!result.isReached || !isAllIgnored) return result;
  const { ignoredKinds } = result;
  return { ...result, isReached: false, missing: ignoredKinds.map((kind) => `${kind}: not simulated, ignored`) };
}

/** Shows how far the scene has come while it plays. */
async function playWithProgress(cluster: Cluster, plan: RunPlan, progress: Progress): Promise<SceneResult> {
  let stage: SceneStage | undefined;
  const show = (): void => {
    const stats = cluster.stats();
    if (stage !== undefined) progress.update(stage.done(), stats);
  };
  const timer = setInterval(show, updateIntervalMs(process.stderr));
  try {
    const result = await playScene(cluster, plan, (next) => {
      stage = next;
      progress.begin(next.title, next.total);
    });
    show();
    return result;
  } finally {
    clearInterval(timer);
    progress.end();
  }
}
