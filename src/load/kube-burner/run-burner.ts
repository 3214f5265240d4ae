/**
 * A workload of kube-burner against a cluster of its own, in virtual time: its config, templates and user data, its
 * documents under the same names, its exit codes.
 */
import { dirname, isAbsolute, join } from 'node:path';
import { createCluster, type Cluster } from '../../cluster/cluster.js';
import type { ClusterOptions } from '../../cluster/options.js';
import { randomStream } from '../../kernel/random.js';
import { durationMs } from '../../options/durations.js';
import { LoadError } from '../input/load-error.js';
import { LoadFields, type Params } from '../input/load-fields.js';
import { nodesOption } from '../input/nodes-option.js';
import { LoadPlayer } from '../player/load-player.js';
import type { LoadStanding } from '../player/load-progress.js';
import { ENDED_BY_THRESHOLD, MeasuredLoad, type LoadMeasured, type LoadMeasuring } from '../player/measured-load.js';
import { sprigFunctions } from '../../templates/sprig/sprig.js';
import type { TemplateSettings } from '../../templates/template.js';
import type { BurnerConfig } from './burner-config.js';
import type { BurnerContext } from './burner-context.js';
import { burnerFunctions } from './burner-functions.js';
import { BurnerTemplates } from './burner-objects.js';
import type { HookRunner } from './job-hooks.js';
import type { LatencyQuantiles } from './measurements/latency-documents.js';
import { BurnerPlay } from './play-burner.js';
import { readBurner } from './read-burner.js';

/** What is to be played. */
export interface BurnerOptions extends LoadMeasuring {
  /** Path of the config; paths of templates are found below its folder, or from where the program runs. */
  readonly config: string;
  /** `KEY=VALUE` pairs over the config. */
  readonly set?: readonly string[];
  /** Path of a file with values for the config's template. */
  readonly userData?: string | undefined;
  /** Longest simulated time of the run, such as `4h`, in the place of the config's. */
  readonly timeout?: string | undefined;
  /** Keys that the config's template names and that there are not are empty. @defaultValue false */
  readonly allowMissing?: boolean;
  /** @defaultValue drawn from the seed */
  readonly uuid?: string | undefined;
  /** Nodes of the cluster, 1..100000. @defaultValue 10 */
  readonly nodes?: number;
  /** @defaultValue that of `createCluster` */
  readonly seed?: number | string | undefined;
  readonly environment?: Readonly<Record<string, string | undefined>>;
  readonly readFile: (path: string) => string;
  /**
   * Runs a command that a hook of a job, or a health check, names, while simulated time stands still; it rejects when the
   * command fails. @defaultValue they are not run, and named once
   */
  readonly runHook?: HookRunner | undefined;
  /** Told what happens, a line each. */
  readonly onMessage?: (message: string, cluster: Cluster) => void;
  /** Given where the load stands, before it begins: what is given can be read at any time. */
  readonly onProgress?: (standing: LoadStanding, cluster: Cluster) => void;
  /** Told once of each thing that the workload asks for and that is not simulated. */
  readonly onIgnored?: (what: string) => void;
  readonly signal?: AbortSignal | undefined;
  /** Further options of the cluster. */
  readonly cluster?: Omit<ClusterOptions, 'nodes' | 'seed'>;
}

/** What became of it. */
export interface BurnerResult extends LoadMeasured {
  /** 0 = all well, 1 = an error, 2 = the time was up, 4 = a latency above its threshold. */
  readonly exitCode: number;
  /** Those that are taken over among them. */
  readonly nodes: number;
  /** Jobs that ended, in order. */
  readonly jobs: readonly { readonly name: string; readonly isPassed: boolean; readonly endMs: number }[];
  readonly errors: readonly string[];
  readonly quantiles: readonly LatencyQuantiles[];
  /** Documents by the names of their files; an array each. */
  readonly files: readonly { readonly name: string; readonly text: string }[];
  /** Folders of the config's local indexers. */
  readonly directories: readonly string[];
  readonly ignored: readonly string[];
  readonly uuid: string;
  readonly seed: string;
  readonly traceHash: string;
  readonly virtualSeconds: number;
  readonly pods: number;
}

const DEFAULT_NODES = 10;

/**
 * See the file header.
 *
 * @throws LoadError for files that cannot be used; OptionError; AbortedError when the signal is raised
 */
export async function runBurner(options: BurnerOptions): Promise<BurnerResult> {
  const { nodes = DEFAULT_NODES, seed } = options;
  const measured = new MeasuredLoad(options);
  const cluster = createCluster({
    ...options.cluster,
    nodes: nodesOption(nodes, options.cluster?.from !== undefined),
    ...(seed === undefined ? {} : { seed }),
  });
  const ended = new AbortController();
  try {
    const player = new LoadPlayer(cluster, 'kube-burner');
    const uuid = options.uuid ?? uuidOf(cluster.seed, 'uuid');
    const templates = templateSettings(options, cluster);
    const config = readConfig(options, uuid, templates);
    measured.begin(cluster);
    return await play(cluster, player, { options, config, uuid, templates, measured, signal: ended.signal });
  } finally {
    ended.abort();
    await cluster.dispose();
  }
}

interface Plan {
  readonly options: BurnerOptions;
  readonly config: BurnerConfig;
  readonly uuid: string;
  readonly templates: TemplateSettings;
  readonly measured: MeasuredLoad;
  /** Raised at the end of all. */
  readonly signal: AbortSignal;
}

async function play(
  cluster: Cluster,
  player: LoadPlayer,
  { options, config, uuid, templates, measured, signal }: Plan,
): Promise<BurnerResult> {
  const ignored = new Set<string>();
  const onIgnored = (what: string): void => {
    if (ignored.has(what)) return;
    ignored.add(what);
    options.onIgnored?.(what);
  };
  for (const what of config.ignored) onIgnored(what);
  if (options.runHook === undefined && config.jobs.some(({ hooks }) => hooks.length > 0)) onIgnored('hooks');
  const read = fileReader(options);
  const others = config.functionTemplates.map((name) => ({ name, text: read(name) }));
  const context: BurnerContext = {
    player,
    templates: new BurnerTemplates(read, { ...templates, others }),
    uuid,
    runid: uuidOf(cluster.seed, 'runid'),
    idOf: (name) => uuidOf(cluster.seed, name),
    hooks: options.runHook === undefined ? undefined : { cluster, run: options.runHook, signal },
    log: (message) => options.onMessage?.(message, cluster),
    jobBegins: (name) => measured.step(name),
    onIgnored,
  };
  // What is wrong with a template is told before anything is played.
  const variables = { UUID: uuid, RunID: context.runid };
  for (const job of config.jobs) {
    if (job.jobType === 'create') context.templates.objectsOf(job, { ...variables, JobName: job.name }, player.kinds);
  }
  const run = new BurnerPlay(context, config);
  options.onProgress?.(player.progress, cluster);
  try {
    await player.nodesReady(options.signal);
    await player.play(() => run.play(), options.signal);
  } catch (error) {
    if (measured.isEndedBy(error)) run.end(ENDED_BY_THRESHOLD);
  }
  const nodes = cluster.list('Node').length;
  player.dispose();
  return {
    exitCode: run.exitCode,
    nodes,
    jobs: run.jobs.map(({ name, isPassed, endMs }) => ({ name, isPassed, endMs })),
    errors: run.errors,
    quantiles: run.quantiles,
    files: filesOf(run, player, uuid),
    directories: config.metricsDirectories.map((directory) => directory.replaceAll(/\{\{\s*\.UUID\s*\}\}/g, uuid)),
    ignored: [...ignored],
    uuid,
    seed: cluster.seed,
    traceHash: cluster.traceHash,
    virtualSeconds: cluster.nowMs / 1000,
    pods: cluster.stats().podsCreated,
    ...measured.end(),
  };
}

function readConfig(options: BurnerOptions, uuid: string, templates: TemplateSettings): BurnerConfig {
  const { config: file, environment = {}, userData, timeout } = options;
  const values: Params = {
    ...environment,
    ...(userData === undefined ? {} : userValues(userData, options)),
    UUID: uuid,
  };
  const config = readBurner({
    file,
    text: textOf(file, options.readFile),
    values,
    assignments: options.set ?? [],
    templates: { ...templates, missingKey: options.allowMissing === true ? 'default' : 'error' },
  });
  return timeout === undefined ? config : { ...config, timeoutMs: durationMs('timeout', timeout) };
}

function userValues(file: string, { readFile }: BurnerOptions): Params {
  return LoadFields.ofText(textOf(file, readFile), file).plain;
}

function textOf(file: string, read: (path: string) => string): string {
  try {
    return read(file);
  } catch (error) {
    throw new LoadError(file, '', `cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function templateSettings(options: BurnerOptions, cluster: Cluster): TemplateSettings {
  const sprig = sprigFunctions({
    random: randomStream(cluster.seed, 'kube-burner/templates'),
    nowMs: () => cluster.epochMs + cluster.nowMs,
    environment: options.environment ?? {},
  });
  return { functions: { ...sprig, ...burnerFunctions(fileReader(options)) } };
}

/** Below the folder of the config, and then as the path stands. */
function fileReader({ config, readFile }: BurnerOptions): (path: string) => string {
  return (path) => {
    if (isAbsolute(path)) return readFile(path);
    try {
      return readFile(join(dirname(config), path));
    } catch {
      return readFile(path);
    }
  };
}

/** Of version 4, drawn from the seed. */
function uuidOf(seed: string, name: string): string {
  const random = randomStream(seed, `kube-burner/${name}`);
  const hex = Array.from({ length: 4 }, () => random.bits().toString(16).padStart(8, '0')).join('');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** `METRIC-JOB.json` and `jobSummary.json`. */
function filesOf(run: BurnerPlay, player: LoadPlayer, uuid: string): { name: string; text: string }[] {
  const summaries = run.jobs
    .filter(({ job }) => !job.skipIndexing)
    .map(({ job, startMs, endMs, churn, errors, isPassed, incrementalLoadUUID }) => ({
      timestamp: player.timestampOf(startMs),
      endTimestamp: player.timestampOf(endMs),
      ...(churn === undefined
        ? {}
        : {
            churnStartTimestamp: player.timestampOf(churn.startMs),
            churnEndTimestamp: player.timestampOf(churn.endMs),
          }),
      elapsedTime: Math.round((endMs - startMs) / 1000),
      uuid,
      ...(incrementalLoadUUID === undefined ? {} : { incrementalLoadUUID }),
      metricName: 'jobSummary',
      jobConfig: job.plain,
      version: 'kubeloom',
      passed: isPassed,
      ...(errors.length === 0 ? {} : { executionErrors: errors.join(', ') }),
    }));
  // The steps of a load that grows have a file together.
  const byName = new Map<string, unknown[]>();
  for (const { metricName, jobName, documents: each } of run.documents) {
    const name = `${metricName}-${jobName}.json`;
    byName.set(name, [...(byName.get(name) ?? []), ...each]);
  }
  const documents = [...byName].map(([name, each]) => ({ name, text: `${JSON.stringify(each, undefined, 2)}\n` }));
  return [...documents, { name: 'jobSummary.json', text: `${JSON.stringify(summaries, undefined, 2)}\n` }];
}
