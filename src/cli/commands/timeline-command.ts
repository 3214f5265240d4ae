import type { Command } from 'commander';
import type { Cluster, TimelineEntry } from '../../index.js';
import { NAMESPACE_OPTION, parsePodArgument } from '../input/pod-argument.js';
import { InterruptedError, runInterruptibly } from '../input/interruption.js';
import { durationFlag } from '../input/number-option.js';
import { planRun } from '../input/run-plan.js';
import { addSceneOptions, bringUp, createSceneCluster, type SceneFlags } from '../input/scene-options.js';
import { timelineText } from '../texts/timeline-text.js';
import { UsageError } from '../input/usage-error.js';

interface TimelineFlags extends SceneFlags {
  readonly namespace?: string;
  readonly for?: string;
  readonly delete?: string;
  readonly force?: true;
  readonly json?: true;
  readonly machines: boolean;
}

/** Adds `kubeloom timeline`; `finish` is told the exit code. */
export function addTimelineCommand(program: Command, finish: (exitCode: number) => void): void {
  const command = program
    .command('timeline')
    .description(
      'run a scene as `kubeloom run` does, silently, and print the story of a pod: writes, events, machine, processes',
    )
    .argument('<pod>', 'NAME, NAMESPACE/NAME or the beginning of a name: the story of every pod that fits');
  addSceneOptions(command)
    .option(...NAMESPACE_OPTION)
    .option(
      '--for <duration>',
      'simulated time to go on after the scene is up, such as 10m (default: 0s)',
      durationFlag('--for'),
    )
    .option(
      '--delete <duration>',
      'delete the pods that fit this long after the scene is up, such as 30s',
      durationFlag('--delete'),
    )
    .option('--force', 'delete at once, without waiting for the end of the processes')
    .option('--no-machines', 'leave out the steps of the state machines')
    .option('--json', 'print one JSON object for each entry')
    .allowExcessArguments(false)
    .action(async (pod: string, flags: TimelineFlags) => finish(await tellTimeline(pod, flags)));
}

async function tellTimeline(text: string, flags: TimelineFlags): Promise<number> {
  const { kind, namespace, name } = parsePodArgument(text, flags.namespace);
  if (flags.force === true && flags.delete === undefined) throw new UsageError('--force needs --delete');
  const plan = planRun(flags);
  const cluster = createSceneCluster(flags, plan);
  const entries: TimelineEntry[] = [];
  try {
    const namePrefix = kind === 'deployment' ? `${name}-` : name;
    const story = cluster
      .timeline({ namespace, namePrefix }, { machines: flags.machines })
      .subscribe((entry) => entries.push(entry));
    cluster.warnings$.subscribe(({ text: warning }) => process.stderr.write(`${warning}\n`));
    await bringUp(cluster, plan);
    await goOn(cluster, flags, { namespace, namePrefix });
    story.unsubscribe();
  } catch (error) {
    // What there was to tell until then.
    if (error instanceof InterruptedError) print(entries, flags);
    throw error;
  } finally {
    await cluster.dispose();
  }
  if (entries.length === 0) throw new UsageError(`pod ${JSON.stringify(text)} not found`);
  print(entries, flags);
  return 0;
}

function print(entries: readonly TimelineEntry[], { json }: TimelineFlags): void {
  process.stdout.write(
    json === true ? entries.map((entry) => `${JSON.stringify(entry)}\n`).join('') : timelineText(entries),
  );
}

/** What is to happen once the scene is up. */
async function goOn(
  cluster: Cluster,
  { for: duration, delete: deletion, force }: TimelineFlags,
  pods: { readonly namespace: string | undefined; readonly namePrefix: string },
): Promise<void> {
  if (deletion !== undefined) {
    await runInterruptibly(cluster, { limit: deletion });
    for (const { metadata } of cluster.list('Pod', { namespace: pods.namespace })) {
      if (metadata.name.startsWith(pods.namePrefix))
        cluster.delete('Pod', `${metadata.namespace ?? ''}/${metadata.name}`, { force: force === true });
    }
  }
  if (duration !== undefined) await runInterruptibly(cluster, { limit: duration });
}
