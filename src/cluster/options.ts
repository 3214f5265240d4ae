import { isOptionalKind, kindsIn, OPTIONAL_VERSIONS } from '../api/kinds/optional-kinds.js';
import type { Draft } from '../api/objects/objects.js';
import { defaultWorkers } from '../assembly/default-workers.js';
import type { Latency } from '../bus/bus-types.js';
import type { ClientLimits } from '../bus/client-limits.js';
import { autoscalerSettingsOf } from '../options/autoscaler-options.js';
import { DEFAULT_CONTROLLER_SETTINGS, type ControllerSettings } from '../controllers/runtime/controller-settings.js';
import type { RateLimit } from '../kernel/token-bucket.js';
import type { ClientConnection, SchedulerConfiguration } from '../scheduler/config/configuration.js';
import { readSchedulerConfig } from '../options/scheduler-config.js';
import type { Stopwatch } from '../scheduler/scheduler.js';
import type { PluginFactory } from '../scheduler/framework/interface.js';
import type { KubeletConfiguration } from '../kubelet/configuration/kubelet-configuration.js';
import { resolveRuntimeProfile, RuntimeProfileError, type RuntimeProfile } from '../kubelet/scripts/runtime-profile.js';
import { ScriptError } from '../kubelet/scripts/script-error.js';
import { parseScriptRules, type ParsedScriptRule, type ScriptRule } from '../kubelet/scripts/script-rules.js';
import type { Stage } from '../stages/stage.js';
import { readStages } from '../stages/stage-files.js';
import { InputError } from '../workload/input-error.js';
import { findUnplain } from '../workload/plain-data.js';
import { checkNode, DEFAULT_NODE_GROUP } from '../workload/node-groups.js';
import { epochOf, latencyOf, seedOf, speedOf } from '../options/clock-options.js';
import { webhooksOf, type ResolvedWebhooks, type WebhookOptions } from './webhook-options.js';
import { holdWarningMs } from './long-hold.js';
import { pictureFrom } from '../transfer/import/read-from.js';
import type { ClusterPicture } from '../transfer/import/picture.js';
import { kubeletSettings, type NodeDescription } from '../options/node-description.js';
import { nodeMonitorSettingsOf, type ControllerManagerSettings } from '../options/node-monitor-options.js';
import { clientLimitsOf, managerLimitsOf, schedulerLimitOf } from '../options/client-limit-options.js';
import { clusterAutoscalerOf, type ClusterAutoscalerOptions } from '../options/cluster-autoscaler-options.js';
import type { AutoscalerSettings } from '../controllers/cluster-autoscaler/autoscaler-settings.js';
import {
  featuresOf,
  type FeatureGates,
  type ResolvedFeatures,
  type RuntimeConfig,
} from '../options/feature-options.js';
import { resolveFencing, type FencingOptions, type ResolvedFencing } from '../options/fencing-options.js';
import type { Duration } from '../options/durations.js';
import type { Invariant } from '../observers/invariants/invariant.js';
import { invariantsOf } from '../observers/invariants/read-invariants.js';
import { checkValue, FUNCTION, isMapping, withFields, orAbsent, type Check } from '../options/option-checks.js';
import { checkReadable, flagOption, integerOption, OptionError, refuseUnknown } from '../options/option-error.js';

/** Components of the cluster that may be left out. */
export type Component = (typeof COMPONENTS)[number];

const COMPONENTS = ['kube-scheduler', 'kube-controller-manager', 'metrics-server'] as const;

/** What a cluster is made of. Everything is optional. */
export interface ClusterOptions {
  /** Reproduces the run: same seed, options and version, same trace hash. @defaultValue 1 */
  readonly seed?: number | string;
  /** How many nodes of the default group, or groups of nodes in detail. 0..100000. @defaultValue 3 */
  readonly nodes?: number | readonly NodeDescription[];
  /**
   * What the cluster is taken over from: the objects of another one as text (YAML or JSON), as plain data (one, a list,
   * a `List`), as `readCluster` has read them from files, or as `cluster.export()` gave them. Its nodes, pods and
   * workloads go on from the newest time that they tell of; `nodes` come on top. @defaultValue nothing
   */
  readonly from?: string | object | readonly object[] | ClusterPicture;
  /**
   * Threads that evaluate pods for the scheduler, at most; 0 = all on the engine thread. They are started once
   * measuring says that they will save time, and decisions are the same with any number. 0..64.
   * @defaultValue a thread for each processor beside the engine's, at most 4; 0 for a cluster on another thread
   */
  readonly workers?: number;
  /** Seconds of simulated time per real second, in (0, 1000000]. @defaultValue absent: virtual time */
  readonly realtime?: number;
  /** RFC 3339 timestamp of simulated time 0. @defaultValue 2030-01-01T00:00:00Z */
  readonly epoch?: string;
  /** One-way latency of every link. @defaultValue 1..5 ms, fixed per link, drawn from the seed */
  readonly latency?: Latency;
  /**
   * How fast components may send requests where their own settings do not say: as upstream's components do, or
   * as fast as they can. It holds for the controllers, the scheduler and the kubelets, their events and their image
   * pulls. @defaultValue 'upstream'
   */
  readonly clientLimits?: ClientLimits;
  /** How webhooks of admission are reached, and what their calls take. @defaultValue by their URLs, in no time */
  readonly webhooks?: WebhookOptions;
  /**
   * Features beyond what Kubernetes does by default, as `--feature-gates` of kube-apiserver names them.
   * @defaultValue none; those that objects of a cluster that is taken over show
   */
  readonly featureGates?: FeatureGates;
  /** Versions of APIs beyond those that Kubernetes serves by default, as `--runtime-config` names them. @defaultValue none */
  readonly runtimeConfig?: RuntimeConfig;
  /** How long images, sandboxes and containers take where a pod's script is silent. */
  readonly runtime?: Partial<RuntimeProfile>;
  /** Configuration of all kubelets, under the names of upstream's KubeletConfiguration. */
  readonly kubelet?: KubeletConfiguration;
  /**
   * What containers do, by the labels of their pods. Every rule that matches counts, and of two that say the
   * same field the later one; a pod's own annotations win over all of them.
   */
  readonly scripts?: readonly ScriptRule[];
  /**
   * Stages of kwok (kwok.x-k8s.io/v1alpha1), as text or objects: what becomes of objects by themselves. Those of pods
   * are hints for what their containers do, which annotations and `scripts` win over.
   */
  readonly stages?: string | readonly Draft[];
  readonly scheduler?: SchedulerSettings;
  /**
   * A KubeSchedulerConfiguration (kubescheduler.config.k8s.io/v1) as text or object; takes the place of
   * all of `scheduler` but `cycleMs` and `minPrefetchWork`.
   */
  readonly schedulerConfig?: string | object | SchedulerConfiguration;
  /**
   * Scheduler plugins of your own by name. They run where `schedulerConfig` enables them, as the
   * built-in ones do.
   */
  readonly schedulerPlugins?: Readonly<Record<string, PluginFactory>>;
  /** Told around each attempt of the scheduler, for benches; must change nothing. */
  readonly stopwatch?: Stopwatch;
  /** Names of the controllers that run. @defaultValue all of {@link CONTROLLER_NAMES} */
  readonly controllers?: readonly string[];
  /**
   * Components that are left out: `kube-scheduler` and `kube-controller-manager`, where others take their place over
   * the network, and `metrics-server`, which tells autoscalers and `kubectl top` what pods use. @defaultValue none;
   * the metrics server where a cluster is taken over that tells what APIs it serves, and that is not among them
   */
  readonly without?: readonly Component[];
  /**
   * Replicas of the controller manager, 1..9. Of several one leads, by the lease `kube-controller-manager` in
   * kube-system, and the others stand by. @defaultValue 1
   */
  readonly controllerManagers?: number;
  /** Replicas of the scheduler, 1..9; of several one leads, by the lease `kube-scheduler`. @defaultValue 1 */
  readonly schedulers?: number;
  /** Settings of the controllers, under the names of kube-controller-manager's flags. */
  readonly controllerManager?: ControllerManagerSettings;
  /**
   * Promises that are checked while the cluster runs, in `cluster.invariants`: `true` = all of `INVARIANTS`, or
   * these. It changes nothing that happens. @defaultValue false
   */
  readonly invariants?: boolean | readonly Invariant[];
  /**
   * How the cluster autoscaler goes about it, under the names of cluster-autoscaler's flags. It runs once there is a
   * group of nodes, or a NodePool, with `autoscaling`; `false` = it never does. @defaultValue upstream's settings
   */
  readonly clusterAutoscaler?: boolean | ClusterAutoscalerOptions;
  /** A fencing controller for nodes without a sign of life; `true` = with its defaults. @defaultValue none */
  readonly fencing?: boolean | FencingOptions;
  /**
   * Whether each volume that one node alone may have has a record of which one has it, on its PersistentVolume,
   * changed by compare and swap alone: the lock that the pod safety proposal gives to storage without one, which
   * Kubernetes does not have. No volume is detached by force then while its node may use it. @defaultValue false
   */
  readonly attachRecords?: boolean;
  /**
   * Whether there is a storage class `standard` from the start, as kind and minikube have it: claims that name no
   * class get it, and their volumes are made once a pod that uses them has a node. @defaultValue true
   */
  readonly defaultStorageClass?: boolean;
  /** Watch events kept per kind, for watches that resume. 100..10000000. @defaultValue 16384 */
  readonly watchHistory?: number;
  /**
   * Real time after which a warning says what keeps simulated time from going on, see `Cluster.hold`; 1ms..24h.
   *
   * @defaultValue 5s
   */
  readonly holdWarningAfter?: Duration;
}

/** Settings of the scheduler. */
export interface SchedulerSettings {
  /** Percentage of nodes to find feasible before scoring; 0 = adaptive, as upstream. 0..100. @defaultValue 0 */
  readonly percentageOfNodesToScore?: number;
  /** First back-off of an unschedulable pod, seconds, 1..86400. @defaultValue 1 */
  readonly podInitialBackoffSeconds?: number;
  /** Longest back-off, seconds, 1..86400, at least the initial one. @defaultValue 10 */
  readonly podMaxBackoffSeconds?: number;
  /**
   * How fast bindings and statuses, and apart from them events, may follow each other. @defaultValue 50 a second,
   * 100 at once, as upstream
   */
  readonly clientConnection?: ClientConnection;
  /** Simulated milliseconds that one decision takes, 0..60000. @defaultValue 0 */
  readonly cycleMs?: number;
  /**
   * With `workers`: the work, in new pod shapes × nodes that a scan looks at, from which the next 64 pods
   * are handed to the worker threads; 1 = whenever possible, 1000000000 = never. Results are the same with
   * any value. 1..1000000000. @defaultValue absent: measured while the cluster runs, and the threads are
   * used where they save time
   */
  readonly minPrefetchWork?: number;
}

/** The options with every default filled in. */
export interface ResolvedOptions {
  readonly seed: string;
  /** What the cluster is taken over from. */
  readonly from: ClusterPicture | undefined;
  readonly nodeDescriptions: readonly NodeDescription[];
  readonly workers: number;
  readonly speed: number | undefined;
  readonly epoch: string | undefined;
  readonly latency: Latency | undefined;
  readonly clientLimits: ClientLimits;
  readonly runtime: RuntimeProfile;
  readonly kubelet: KubeletConfiguration;
  readonly scripts: readonly ParsedScriptRule[];
  readonly stages: readonly Stage[];
  readonly scheduler: ResolvedSchedulerSettings;
  readonly schedulerConfig: SchedulerConfiguration | undefined;
  /** Of the scheduler's client; `undefined` = none. */
  readonly schedulerLimit: RateLimit | undefined;
  readonly schedulerPlugins: Readonly<Record<string, PluginFactory>>;
  readonly stopwatch: Stopwatch | undefined;
  readonly controllers: readonly string[] | undefined;
  readonly without: readonly Component[];
  readonly controllerManagers: number;
  readonly schedulers: number;
  readonly controllerManager: ControllerSettings;
  readonly invariants: readonly Invariant[];
  readonly fencing: ResolvedFencing | undefined;
  /** `undefined` = none. */
  readonly clusterAutoscaler: AutoscalerSettings | undefined;
  readonly defaultStorageClass: boolean;
  readonly watchHistory: number;
  readonly holdWarningMs: number;
  readonly webhooks: ResolvedWebhooks;
  readonly features: ResolvedFeatures;
}

type ResolvedSchedulerSettings = Required<Omit<SchedulerSettings, 'minPrefetchWork' | 'clientConnection'>> & {
  readonly minPrefetchWork: number | undefined;
};

const KNOWN: readonly (keyof ClusterOptions)[] = [
  'seed',
  'nodes',
  'workers',
  'from',
  'realtime',
  'epoch',
  'latency',
  'clientLimits',
  'runtime',
  'kubelet',
  'scripts',
  'stages',
  'scheduler',
  'schedulerConfig',
  'schedulerPlugins',
  'stopwatch',
  'controllers',
  'without',
  'controllerManagers',
  'schedulers',
  'controllerManager',
  'invariants',
  'fencing',
  'clusterAutoscaler',
  'attachRecords',
  'defaultStorageClass',
  'watchHistory',
  'holdWarningAfter',
  'webhooks',
  'featureGates',
  'runtimeConfig',
];

/**
 * Checks the options once, at the door.
 *
 * @throws OptionError that names the field, what it got and what is allowed
 */
export function resolveOptions(options: ClusterOptions, controllerNames: readonly string[]): ResolvedOptions {
  checkReadable('options', options, 1);
  refuseUnknown('', options, KNOWN);
  // What the cluster is taken over from may be half a gigabyte; it is looked at where it is read.
  for (const field of KNOWN) if (field !== 'from') checkReadable(`options.${field}`, options[field]);
  const clientLimits = clientLimitsOf(options.clientLimits);
  const schedulerConfig = schedulerConfigOf(options);
  const from = options.from === undefined ? undefined : pictureFrom(options.from);
  const features = featuresOf(options.featureGates, options.runtimeConfig, featuresIn(from));
  return {
    seed: seedOf(options.seed),
    from,
    nodeDescriptions: nodesOf(options.nodes ?? (from === undefined ? undefined : 0)),
    workers: integerOption('workers', options.workers, defaultWorkers(), 0, 64),
    speed: speedOf(options.realtime),
    epoch: epochOf(options.epoch),
    latency: latencyOf(options.latency),
    clientLimits,
    runtime: runtimeOf(options.runtime),
    kubelet: kubeletOf(options, clientLimits),
    scripts: scriptsOf(options.scripts),
    stages: stagesOf(options.stages),
    scheduler: schedulerOf(options.scheduler),
    schedulerConfig,
    schedulerLimit: schedulerLimitOf(options.scheduler, schedulerConfig, clientLimits),
    schedulerPlugins: pluginsOf(options.schedulerPlugins),
    stopwatch: stopwatchOf(options.stopwatch),
    controllers: controllersOf(options.controllers, controllerNames),
    without: componentsOf(options.without ?? (from?.hasMetrics === false ? ['metrics-server'] : [])),
    controllerManagers: integerOption('controllerManagers', options.controllerManagers, 1, 1, 9),
    schedulers: integerOption('schedulers', options.schedulers, 1, 1, 9),
    controllerManager: {
      ...controllerManagerOf(options.controllerManager, options.attachRecords, clientLimits),
      absentProvisioners: from?.absentProvisioners ?? [],
      discoveryFailure: from?.discoveryFailure ?? '',
      optionalKinds: kindsIn(features.versions),
    },
    invariants: invariantsOf(options.invariants),
    fencing: resolveFencing(options.fencing),
    clusterAutoscaler:
      options.clusterAutoscaler === false ? undefined : clusterAutoscalerOf(options.clusterAutoscaler, clientLimits),
    defaultStorageClass: flagOption('defaultStorageClass', options.defaultStorageClass, from === undefined),
    watchHistory: integerOption('watchHistory', options.watchHistory, 16_384, 100, 10_000_000),
    holdWarningMs: holdWarningMs(options.holdWarningAfter),
    webhooks: webhooksOf(options.webhooks),
    features,
  };
}

/** Objects of kinds that are off by default tell that they were on. */
function featuresIn(from: ClusterPicture | undefined): ResolvedFeatures {
  const hasMutatingPolicies = from?.objects.some(({ kind }) => isOptionalKind(kind)) === true;
  return { versions: hasMutatingPolicies ? OPTIONAL_VERSIONS : [], hasMutatingPolicies };
}

function componentsOf(names: unknown = []): readonly Component[] {
  if (!Array.isArray(names)) throw new OptionError('without', 'a list of components', names);
  return names.map((name: unknown) => {
    const found = COMPONENTS.find((each) => each === name);
    if (found === undefined) throw new OptionError('without', `among ${COMPONENTS.join(', ')}`, name);
    return found;
  });
}

function nodesOf(nodes: ClusterOptions['nodes']): readonly NodeDescription[] {
  if (nodes === undefined || typeof nodes === 'number') {
    const count = integerOption('nodes', nodes, 3, 0, 100_000);
    return count === 0 ? [] : [{ ...DEFAULT_NODE_GROUP, count }];
  }
  if (!Array.isArray(nodes)) throw new OptionError('nodes', 'an integer in 0..100000 or a list of node groups', nodes);
  nodes.forEach((node: unknown, index) => checkNode(node, index));
  return nodes as readonly NodeDescription[];
}

function runtimeOf(profile: Partial<RuntimeProfile> | undefined): RuntimeProfile {
  try {
    return resolveRuntimeProfile(profile);
  } catch (error) {
    throw error instanceof RuntimeProfileError ? OptionError.of('runtime', error) : error;
  }
}

/** The nodes' own configurations are checked here, too. */
function kubeletOf({ kubelet = {}, nodes }: ClusterOptions, limits: ClientLimits): KubeletConfiguration {
  if (typeof kubelet !== 'object' || kubelet === null || Array.isArray(kubelet))
    throw new OptionError('kubelet', 'an object', kubelet);
  kubeletSettings(kubelet, undefined, 'kubelet', limits);
  if (!Array.isArray(nodes)) return kubelet;
  for (const [index, node] of (nodes as readonly NodeDescription[]).entries()) {
    if (node.kubelet !== undefined) kubeletSettings(kubelet, node.kubelet, `nodes[${index}].kubelet`, limits);
  }
  return kubelet;
}

function scriptsOf(rules: unknown = []): readonly ParsedScriptRule[] {
  try {
    return parseScriptRules(rules, 'scripts');
  } catch (error) {
    throw error instanceof ScriptError ? OptionError.of(error.field, error) : error;
  }
}

function stagesOf(given: unknown): readonly Stage[] {
  if (given === undefined) return [];
  if (typeof given !== 'string' && !Array.isArray(given))
    throw new OptionError('stages', 'a text of stages or a list of them', given);
  try {
    return readStages(given as string | readonly Draft[], 'stages');
  } catch (error) {
    throw error instanceof InputError ? OptionError.of('stages', error) : error;
  }
}

type DriverTime = 'volumeAttachMs' | 'volumeDetachMs' | 'volumeProvisionMs' | 'volumeDeleteMs' | 'volumeExpandMs';
type VolumeSettings = Pick<ControllerSettings, 'disableForceDetachOnTimeout' | DriverTime>;

function controllerManagerOf(
  settings: ControllerManagerSettings = {},
  attachRecords: unknown = false,
  clientLimits: ClientLimits,
): ControllerSettings {
  const {
    attachRecords: _ofCluster,
    absentProvisioners,
    discoveryFailure,
    staleApis,
    optionalKinds,
    ...known
  } = DEFAULT_CONTROLLER_SETTINGS;
  refuseUnknown('controllerManager.', settings, Object.keys(known));
  if (typeof attachRecords !== 'boolean') throw new OptionError('attachRecords', 'true or false', attachRecords);
  const { terminatedPodGCThreshold: threshold } = known;
  const field = 'controllerManager.terminatedPodGCThreshold';
  return {
    terminatedPodGCThreshold: integerOption(field, settings.terminatedPodGCThreshold, threshold, 0, 2_147_483_647),
    attachRecords,
    absentProvisioners,
    discoveryFailure,
    staleApis,
    optionalKinds,
    ...managerLimitsOf(settings, clientLimits),
    ...nodeMonitorSettingsOf(settings),
    ...autoscalerSettingsOf(settings),
    ...volumeSettingsOf(settings),
  };
}

const LONGEST_DRIVER_MS = 86_400_000;

function volumeSettingsOf(settings: ControllerManagerSettings): VolumeSettings {
  const { disableForceDetachOnTimeout: isDisabled } = settings;
  if (isDisabled !== undefined && typeof isDisabled !== 'boolean') {
    throw new OptionError('controllerManager.disableForceDetachOnTimeout', 'true or false', isDisabled);
  }
  const durationOf = (name: DriverTime): number => {
    const field = `controllerManager.${name}`;
    return integerOption(field, settings[name], DEFAULT_CONTROLLER_SETTINGS[name], 0, LONGEST_DRIVER_MS);
  };
  return {
    disableForceDetachOnTimeout: isDisabled ?? DEFAULT_CONTROLLER_SETTINGS.disableForceDetachOnTimeout,
    volumeAttachMs: durationOf('volumeAttachMs'),
    volumeDetachMs: durationOf('volumeDetachMs'),
    volumeProvisionMs: durationOf('volumeProvisionMs'),
    volumeDeleteMs: durationOf('volumeDeleteMs'),
    volumeExpandMs: durationOf('volumeExpandMs'),
  };
}

function controllersOf(names: unknown, known: readonly string[]): readonly string[] | undefined {
  if (names === undefined) return undefined;
  if (!Array.isArray(names)) throw new OptionError('controllers', 'a list of controller names', names);
  return names.map((name: unknown) => {
    const found = known.find((each) => each === name);
    if (found === undefined) throw new OptionError('controllers', `among ${known.join(', ')}`, name);
    return found;
  });
}

function pluginsOf(plugins: unknown = {}): Readonly<Record<string, PluginFactory>> {
  if (typeof plugins !== 'object' || plugins === null || Array.isArray(plugins)) {
    throw new OptionError('schedulerPlugins', 'an object of functions that make plugins', plugins);
  }
  for (const [name, factory] of Object.entries(plugins) as readonly (readonly [string, unknown])[]) {
    if (typeof factory !== 'function') {
      throw new OptionError(`schedulerPlugins.${name}`, 'a function that makes a plugin', factory);
    }
  }
  return plugins as Readonly<Record<string, PluginFactory>>;
}

function stopwatchOf(stopwatch: unknown): Stopwatch | undefined {
  checkValue(
    'stopwatch',
    stopwatch,
    orAbsent(withFields('an object with start and stop', { start: FUNCTION, stop: FUNCTION })),
  );
  return stopwatch as Stopwatch | undefined;
}

/** Settings that a KubeSchedulerConfiguration does not have. */
const BESIDES_CONFIG: readonly string[] = ['cycleMs', 'minPrefetchWork'];

function schedulerConfigOf({ schedulerConfig, scheduler = {} }: ClusterOptions): SchedulerConfiguration | undefined {
  if (schedulerConfig === undefined) return undefined;
  const doubled = Object.keys(scheduler).find((name) => !BESIDES_CONFIG.includes(name));
  if (doubled !== undefined)
    throw new OptionError(`scheduler.${doubled}`, 'absent beside schedulerConfig, which says it', scheduler);
  checkValue('schedulerConfig', schedulerConfig, CONFIG);
  return isParsed(schedulerConfig) ? schedulerConfig : readSchedulerConfig(schedulerConfig, 'schedulerConfig');
}

/** Text, or what it is read into: mappings, lists and scalars. */
const CONFIG: Check = [
  'a KubeSchedulerConfiguration as text or plain data',
  (value) => typeof value === 'string' || (isMapping(value) && findUnplain(value) === undefined),
];

/** Only the parser's own result has a source. */
function isParsed(config: string | object): config is SchedulerConfiguration {
  return typeof config === 'object' && 'source' in config && 'profiles' in config && Array.isArray(config.profiles);
}

function schedulerOf(settings: SchedulerSettings = {}): ResolvedSchedulerSettings {
  refuseUnknown('scheduler.', settings, [
    'percentageOfNodesToScore',
    'podInitialBackoffSeconds',
    'podMaxBackoffSeconds',
    'clientConnection',
    'cycleMs',
    'minPrefetchWork',
  ]);
  const initial = integerOption('scheduler.podInitialBackoffSeconds', settings.podInitialBackoffSeconds, 1, 1, 86_400);
  return {
    percentageOfNodesToScore: integerOption(
      'scheduler.percentageOfNodesToScore',
      settings.percentageOfNodesToScore,
      0,
      0,
      100,
    ),
    podInitialBackoffSeconds: initial,
    podMaxBackoffSeconds: integerOption(
      'scheduler.podMaxBackoffSeconds',
      settings.podMaxBackoffSeconds,
      Math.max(10, initial),
      initial,
      86_400,
    ),
    cycleMs: integerOption('scheduler.cycleMs', settings.cycleMs, 0, 0, 60_000),
    minPrefetchWork:
      settings.minPrefetchWork === undefined
        ? undefined
        : integerOption('scheduler.minPrefetchWork', settings.minPrefetchWork, 1, 1, 1_000_000_000),
  };
}
