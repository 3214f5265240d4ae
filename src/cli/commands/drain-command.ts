import type { Command } from 'commander';
import { BudgetWatch, DrainError, type Cluster, type DrainEvent } from '../../index.js';
import { durationFlag, integerFlag } from '../input/number-option.js';
import { interruption } from '../input/interruption.js';
import { selectorFlag } from '../input/manifest-files.js';
import { planRun } from '../input/run-plan.js';
import { addSceneOptions, bringUp, createSceneCluster, type SceneFlags } from '../input/scene-options.js';
import { UsageError } from '../input/usage-error.js';

interface DrainFlags extends SceneFlags {
  readonly force?: true;
  readonly ignoreDaemonsets?: true;
  readonly deleteEmptydirData?: true;
  readonly disableEviction?: true;
  readonly gracePeriod: number;
  readonly timeout: string;
  readonly podSelector?: string;
  readonly json?: true;
}

/** Simulated time that a drain without a timeout may take. */
const LONGEST_DRAIN = '24h';

/** Adds `kubeloom drain`; `finish` is told the exit code. */
export function addDrainCommand(program: Command, finish: (exitCode: number) => void): void {
  const command = program
    .command('drain')
    .description(
      'run a scene as `kubeloom run` does, silently, then drain a node as kubectl drain does, budgets included',
    )
    .argument('<node>', 'name of the node');
  addSceneOptions(command)
    .option('--force', 'also delete pods that declare no controller')
    .option('--ignore-daemonsets', 'leave pods of DaemonSets where they are')
    .option('--delete-emptydir-data', 'also delete pods with emptyDir volumes')
    .option('--disable-eviction', 'delete instead of evicting: no budget is asked')
    .option(
      '--grace-period <seconds>',
      "negative = each pod's own",
      integerFlag('--grace-period', -1, 2_147_483_647),
      -1,
    )
    .option(
      '--timeout <duration>',
      'simulated time after which to give up; 0s = a day',
      durationFlag('--timeout'),
      '0s',
    )
    .option('--pod-selector <selector>', 'only pods with these labels', selectorFlag('--pod-selector'))
    .option('--json', 'print one JSON object for each thing that happens, and one for the summary')
    .allowExcessArguments(false)
    .action(async (node: string, flags: DrainFlags) => finish(await drain(node, flags)));
}

async function drain(node: string, flags: DrainFlags): Promise<number> {
  const plan = planRun(flags);
  const cluster = createSceneCluster(flags, plan);
  try {
    await bringUp(cluster, plan);
    if (!cluster.list('Node').some(({ metadata }) => metadata.name === node)) {
      throw new UsageError(`node ${JSON.stringify(node)} not found`);
    }
    return await drainScene(cluster, node, flags);
  } finally {
    await cluster.dispose();
  }
}

async function drainScene(cluster: Cluster, node: string, flags: DrainFlags): Promise<number> {
  const budgets = new BudgetWatch(cluster);
  const events: DrainEvent[] = [];
  const startMs = cluster.nowMs;
  let error: Error | undefined;
  let isOver = false;
  cluster.drain(node, optionsOf(flags)).subscribe({
    next: (event) => {
      events.push(event);
      write(flags.json === true ? JSON.stringify(event) : `${clock(event.atMs - startMs)}  ${event.text}`);
    },
    error: (reason: Error) => {
      error = reason;
      isOver = true;
    },
    complete: () => {
      isOver = true;
    },
  });
  await cluster.run({ until: () => isOver, limit: LONGEST_DRAIN, signal: interruption.signal });
  budgets.close();
  if (error !== undefined && !(error instanceof DrainError)) throw error;
  if (error !== undefined) process.stderr.write(`error: ${error.message}\n`);
  else if (!isOver && !interruption.isRaised)
    process.stderr.write(`error: node ${JSON.stringify(node)} was not drained within ${LONGEST_DRAIN}\n`);
  const isDrained = isOver && error === undefined;
  write(summary(events, { isDrained, seconds: (cluster.nowMs - startMs) / 1000, budgets }, flags.json === true));
  return isDrained ? 0 : 1;
}

function optionsOf(flags: DrainFlags) {
  return {
    force: flags.force ?? false,
    ignoreDaemonSets: flags.ignoreDaemonsets ?? false,
    deleteEmptyDirData: flags.deleteEmptydirData ?? false,
    disableEviction: flags.disableEviction ?? false,
    gracePeriodSeconds: flags.gracePeriod,
    timeout: flags.timeout,
    podSelector: flags.podSelector ?? '',
  };
}

interface Ending {
  readonly isDrained: boolean;
  /** Simulated. */
  readonly seconds: number;
  readonly budgets: BudgetWatch;
}

function summary(events: readonly DrainEvent[], { isDrained, seconds, budgets }: Ending, asJson: boolean): string {
  const evicted = events.filter(({ type }) => type === 'evicted').length;
  const refused = events.filter(({ type }) => type === 'refused').length;
  const { watched, broken } = budgets;
  if (asJson)
    return JSON.stringify({ type: 'summary', isDrained, seconds, evicted, refused, budgets: watched, broken });
  const kept = broken.length === 0 ? 'none was ever broken' : `broken: ${broken.join(', ')}`;
  return (
    `${evicted} pods removed in ${seconds.toFixed(3)} s of simulated time; a budget said no ${refused} times; ` +
    `${watched} budgets watched, ${kept}`
  );
}

function clock(ms: number): string {
  return `${(ms / 1000).toFixed(3).padStart(9)}s`;
}

function write(line: string): void {
  process.stdout.write(`${line}\n`);
}
