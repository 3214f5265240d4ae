import type { Command } from 'commander';
import {
  openLivePage,
  saveCluster,
  type Cluster,
  type LivePage,
  type Measurement,
  type SceneResult,
  type SceneStage,
} from '../../index.js';
import { untilInterrupted } from '../input/interruption.js';
import { createProgress, updateIntervalMs, type Progress } from '../texts/progress.js';
import { areMet, thresholdLines, writeResults } from '../texts/run-results.js';
import { reportOf, summaryText } from '../texts/run-summary.js';
import { addMeasurementOptions, fileFlag, isMeasured, type MeasurementFlags } from '../input/measurement-options.js';
import { planRun, type RunPlan } from '../input/run-plan.js';
import {
  addSceneOptions,
  clientLimitsIn,
  createSceneCluster,
  playScene,
  type SceneFlags,
} from '../input/scene-options.js';

interface RunFlags extends SceneFlags, MeasurementFlags {
  readonly json?: true;
  readonly save?: string;
  readonly page?: true;
}

/** Simulated seconds per real second that can be followed with the eye. */
const WATCHED_SPEED = 10;

/** Adds `kubeloom run`; `finish` is told the exit code. */
export function addRunCommand(program: Command, finish: (exitCode: number) => void): void {
  const command = program
    .command('run')
    .description('run a scene to its goal: by default 5,000 nodes, 20,000 pods and a rolling update');
  addMeasurementOptions(addSceneOptions(command))
    .option(
      '--save <file>',
      'write the cluster as it is at the end, for --from; a name that ends in .gz has it compressed',
      fileFlag('--save'),
    )
    .option('--json', 'print the summary as one JSON object')
    .option(
      '--page',
      `serve a page on which the run can be watched, paused and disturbed, until the command is interrupted; 10 times as fast as real time unless --realtime says otherwise`,
    )
    .allowExcessArguments(false)
    .action(async (flags: RunFlags) => finish(await run(flags)));
}

async function run(given: RunFlags): Promise<number> {
  const flags = given.page === true ? { ...given, realtime: given.realtime ?? WATCHED_SPEED } : given;
  const plan = planRun(flags);
  const started = performance.now();
  const cluster = createSceneCluster(flags, plan);
  const measurement = isMeasured(flags) ? cluster.measure({ thresholds: flags.threshold }) : undefined;
  const progress = createProgress(process.stderr);
  const page = flags.page === true ? await openRunPage(cluster, flags.realtime ?? WATCHED_SPEED) : undefined;
  try {
    const result = judged(await playWithProgress(cluster, plan, progress, measurement), plan);
    if (flags.save !== undefined) saveCluster(cluster.export(), flags.save);
    const host = {
      wallSeconds: (performance.now() - started) / 1000,
      peakRssBytes: process.resourceUsage().maxRSS * 1024,
    };
    const thresholds = measurement?.check() ?? [];
    measurement?.stop();
    const report = reportOf(cluster, result, host, thresholds);
    process.stdout.write(
      flags.json === true
        ? `${JSON.stringify(report)}\n`
        : summaryText(report, result, plan.notes, clientLimitsIn(flags)),
    );
    // Standard output is one object then; what failed is told beside it as well.
    if (flags.json === true) process.stderr.write(thresholdLines(thresholds.filter(({ ok }) => !ok)));
    if (measurement !== undefined) {
      const goal = { name: result.goal, ok: result.isReached, problem: problemOf(result), atMs: null };
      const { seed, traceHash, epochMs } = cluster;
      const about = {
        title: titleOf(cluster),
        kind: 'run',
        seed,
        traceHash,
        epochMs,
        checks: [goal],
        thresholds,
        host,
      };
      await writeResults(flags, measurement.read(), about);
    }
    if (page !== undefined) await untilInterrupted();
    return result.isReached && areMet(thresholds) ? 0 : 1;
  } finally {
    progress.end();
    await page?.close();
    await cluster.dispose();
  }
}

async function openRunPage(cluster: Cluster, speed: number): Promise<LivePage> {
  const page = await openLivePage(cluster, { title: 'kubeloom run', speed });
  process.stderr.write(`kubeloom: page at ${page.url}\n`);
  return page;
}

/** Lines of what is missing that are told. */
const TOLD_MISSING = 10;

function problemOf({ isReached, missing }: SceneResult): string | null {
  if (isReached) return null;
  const rest = missing.length - TOLD_MISSING;
  return [...missing.slice(0, TOLD_MISSING), ...(rest > 0 ? [`and ${rest} more`] : [])].join('; ');
}

function titleOf(cluster: Cluster): string {
  const { nodes, podsCreated } = cluster.stats();
  return `kubeloom run: ${nodes.total} nodes, ${podsCreated} pods`;
}

/** Manifests of which nothing is simulated have not been run, whatever else has. */
function judged(result: SceneResult, { isAllIgnored }: RunPlan): SceneResult {
  if (!result.isReached || !isAllIgnored) return result;
  const { ignoredKinds } = result;
  return { ...result, isReached: false, missing: ignoredKinds.map((kind) => `${kind}: not simulated, ignored`) };
}

/** Shows how far the scene has come while it plays. */
async function playWithProgress(
  cluster: Cluster,
  plan: RunPlan,
  progress: Progress,
  measurement: Measurement | undefined,
): Promise<SceneResult> {
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
      measurement?.mark(`${next.title} (${next.total})`, { kind: 'step' });
    });
    show();
    return result;
  } finally {
    clearInterval(timer);
    progress.end();
  }
}
