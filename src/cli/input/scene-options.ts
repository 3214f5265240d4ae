import type { Command } from 'commander';
import {
  createCluster,
  parseSchedulerConfig,
  parseScriptFile,
  parseStages,
  runScene,
  type SchedulerConfiguration,
  type ClientLimits,
  type Cluster,
  type ClusterOptions,
  type FieldValidation,
  type SceneResult,
  type SceneStage,
} from '../../index.js';
import { endIfInterrupted, interruption } from './interruption.js';
import { featureGatesFlag, featuresIn, runtimeConfigFlag } from './feature-flags.js';
import { addFromOption } from './from-option.js';
import { selectorFlag } from './manifest-files.js';
import { durationFlag, integerFlag, positiveFlag } from './number-option.js';
import { readInput } from './read-input.js';
import { UsageError } from './usage-error.js';
import type { PlanFlags, RunPlan } from './run-plan.js';

/** The options of every command that plays a scene. */
export interface SceneFlags extends PlanFlags {
  readonly seed: string;
  readonly clientLimits?: ClientLimits;
  readonly workers?: number;
  readonly realtime?: number;
  readonly percentageOfNodesToScore?: number;
  readonly schedulerConfig?: string;
  readonly scripts?: string;
  readonly stages?: readonly string[];
}

/** What a command does where its options are silent. */
interface SceneDefaults {
  readonly nodes: number;
  readonly pods: number;
  /** The command follows real time in a way of its own. */
  readonly isRealTime: boolean;
}

/** Declares the options of {@link SceneFlags}. */
export function addSceneOptions(
  command: Command,
  { nodes, pods, isRealTime }: SceneDefaults = { nodes: 5000, pods: 20_000, isRealTime: false },
): Command {
  command
    .option(
      '--nodes <n>',
      `nodes (default: ${nodes}); of a trace, the first so many of its own`,
      integerFlag('--nodes', 0, 100_000),
    )
    .option(
      '--pods <n>',
      `pods of the default scene; 0 = the manifests alone (default: ${pods})`,
      integerFlag('--pods', 0, 1_000_000),
    )
    .option(
      '-f, --manifest <file...>',
      'Kubernetes YAML or JSON to apply as well: files, folders, - for standard input',
    )
    .option('-R, --recursive', 'of --manifest: folders within folders as well')
    .option(
      '-l, --selector <query>',
      'of --manifest: only objects with these labels, such as app=web',
      selectorFlag('--selector'),
    );
  addFromOption(command, '; no default scene then')
    .option(
      '--validate <mode>',
      'unknown and duplicate fields of manifests: strict (or true) refuses them, warn, ignore (or false)',
      validationFlag,
      'strict',
    )
    .option(
      '--trace <format-and-files...>',
      'openb NODES.csv PODS.csv: run a recorded trace instead of the default scene',
    )
    .option('--compress <factor>', 'divide all times of the trace by this', positiveFlag('--compress', 1e9), 1)
    .option(
      '--limit <duration>',
      'simulated time after which the run gives up, such as 30m (default: 1h, traces: none)',
      durationFlag('--limit'),
    )
    .option('--seed <seed>', 'reproduces a run', '1')
    .option(
      '--client-limits <word>',
      'how fast components may send: upstream (as client-go lets them) or unlimited (default: unlimited for the default scene, upstream with manifests, a trace or --from)',
      clientLimitsFlag,
    )
    .option(
      '--workers <n>',
      'threads that may evaluate pods for the scheduler (default: one for each other processor, started where they save time)',
      integerFlag('--workers', 0, 64),
    )
    .option(
      '--percentage-of-nodes-to-score <n>',
      '0 = adaptive, as kube-scheduler (default: 0)',
      integerFlag('--percentage-of-nodes-to-score', 0, 100),
    )
    .option(
      '--feature-gates <gates>',
      'turn on what Kubernetes has off, such as MutatingAdmissionPolicy=true',
      featureGatesFlag,
    )
    .option(
      '--runtime-config <versions>',
      'serve versions that Kubernetes has off, such as admissionregistration.k8s.io/v1beta1=true',
      runtimeConfigFlag,
    )
    .option('--scheduler-config <file>', 'a KubeSchedulerConfiguration (kubescheduler.config.k8s.io/v1)')
    .option('--scripts <file>', 'YAML rules of what containers do, by the labels of their pods')
    .option('--stages <file...>', 'stages of kwok: hints for pods and nodes, and the lives of custom resources');
  if (isRealTime) return command;
  return command.option(
    '--realtime <speed>',
    'follow real time, this many times as fast',
    positiveFlag('--realtime', 1_000_000),
  );
}

function clientLimitsFlag(word: string): ClientLimits {
  if (word === 'upstream' || word === 'unlimited') return word;
  throw new UsageError(`--client-limits must be upstream or unlimited, got ${JSON.stringify(word)}`);
}

const VALIDATIONS: ReadonlyMap<string, FieldValidation> = new Map([
  ['strict', 'strict'],
  ['true', 'strict'],
  ['warn', 'warn'],
  ['ignore', 'ignore'],
  ['false', 'ignore'],
]);

function validationFlag(text: string): FieldValidation {
  const found = VALIDATIONS.get(text);
  if (found !== undefined) return found;
  const known = [...VALIDATIONS.keys()].join(', ');
  throw new UsageError(`--validate must be one of ${known}, got ${JSON.stringify(text)}`);
}

/** The default scene shows the engine's own pace; what users bring takes the time that it takes in a real cluster. */
export function clientLimitsIn({ clientLimits, manifest, trace, from }: SceneFlags): ClientLimits {
  return (
    clientLimits ?? (manifest === undefined && trace === undefined && from === undefined ? 'unlimited' : 'upstream')
  );
}

/** The cluster that a scene is played on; equal flags give equal clusters. */
export function createSceneCluster(
  flags: SceneFlags,
  plan: RunPlan,
  more: Pick<ClusterOptions, 'kubelet' | 'epoch' | 'without'> = {},
): Cluster {
  const { seed, workers, realtime, percentageOfNodesToScore, scripts, stages } = flags;
  return createCluster({
    seed,
    clientLimits: clientLimitsIn(flags),
    ...more,
    ...featuresIn(flags),
    nodes: plan.nodes,
    ...(plan.from === undefined ? {} : { from: plan.from }),
    ...(workers === undefined ? {} : { workers }),
    ...(percentageOfNodesToScore === undefined ? {} : { scheduler: { percentageOfNodesToScore } }),
    ...schedulerConfigOf(flags),
    ...(scripts === undefined ? {} : { scripts: parseScriptFile(readInput('--scripts', scripts), scripts) }),
    ...(stages === undefined
      ? {}
      : { stages: stages.flatMap((file) => parseStages(readInput('--stages', file), file)) }),
    ...(realtime === undefined ? {} : { realtime }),
  });
}

/** The configuration file; what it says and has no effect here is told on standard error. */
function schedulerConfigOf(flags: SceneFlags): { readonly schedulerConfig?: SchedulerConfiguration } {
  const { schedulerConfig: file, percentageOfNodesToScore } = flags;
  if (file === undefined) return {};
  if (percentageOfNodesToScore !== undefined) {
    throw new UsageError('--percentage-of-nodes-to-score cannot be given with --scheduler-config, which says it');
  }
  const configuration = parseSchedulerConfig(readInput('--scheduler-config', file), file);
  for (const field of configuration.ignored) process.stderr.write(`${file}: ${field} has no effect here\n`);
  return { schedulerConfig: configuration };
}

/** Plays the scene; an interruption ends it where it is. */
export function playScene(
  cluster: Cluster,
  plan: RunPlan,
  onStage?: (stage: SceneStage) => void,
): Promise<SceneResult> {
  return runScene(cluster, plan.scene, {
    ...(plan.limit === undefined ? {} : { limit: plan.limit }),
    ...(onStage === undefined ? {} : { onStage }),
    signal: interruption.signal,
    // The plan was made of fields that have been judged, where their lines were known.
    validate: 'ignore',
  });
}

/** Plays the scene for what comes after it. @throws InterruptedError */
export async function bringUp(cluster: Cluster, plan: RunPlan): Promise<void> {
  await playScene(cluster, plan);
  endIfInterrupted(cluster);
}
