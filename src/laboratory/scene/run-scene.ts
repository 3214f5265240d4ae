/**
 * Plays a scene on a cluster: waits for its nodes, applies its objects, waits until all of them are up, rolls out its
 * updates, and lets its pods arrive over time. Drives the cluster through its public methods only.
 */
import { controllerOf } from '../../api/objects/owners.js';
import { isDeploymentComplete, missingWorkloads, wantedDaemons } from './workload-state.js';
import { auditTime, filter, merge } from 'rxjs';
import type { Draft } from '../../api/objects/objects.js';
import { getCondition, isPodTerminal } from '../../api/objects/conditions.js';
import type { TimedDraft } from '../../workload/arrivals.js';
import type { FieldValidation } from '../../workload/field-validation.js';
import type { ImageUpdate } from '../../workload/default-scene.js';
import type { NodeGroup } from '../../workload/node-groups.js';
import { Cluster } from '../../cluster/cluster.js';
import { durationMs, type Duration } from '../../options/durations.js';
import { isRef, REF_TEXT } from '../../options/object-ref.js';
import {
  checkedOptions,
  checkValue,
  DURATION,
  FUNCTION,
  MAPPINGS,
  SIGNAL,
  TEXT,
  wordOf,
  type Check,
  type Checks,
} from '../../options/option-checks.js';

/** A run as data. */
export interface ScenePlan {
  /** Applied first, all together. @defaultValue none */
  readonly objects?: readonly Draft[];
  /** Rolled out once everything is up. @defaultValue none */
  readonly updates?: readonly ImageUpdate[];
  /** Pods that arrive over time, once the objects are up. @defaultValue none */
  readonly arrivals?: readonly TimedDraft[];
  /** The nodes that a scene of `defaultScene` is meant for. Not looked at: the cluster was made with its own. */
  readonly nodeGroups?: readonly NodeGroup[];
}

/** A part of a scene that can be waited for. */
export interface SceneStage {
  readonly title: string;
  /** Nodes or pods that it is about. */
  readonly total: number;
  /** How many of them have come to its end so far; cheap. */
  done(): number;
}

/** How to play a scene. */
export interface SceneOptions {
  /** Simulated time that the whole scene may take. @defaultValue no limit */
  readonly limit?: Duration;
  /** Told when a stage begins. */
  readonly onStage?: (stage: SceneStage) => void;
  readonly signal?: AbortSignal;
  /** As for `cluster.apply`. @defaultValue strict */
  readonly validate?: FieldValidation;
}

/** What became of a scene. */
export interface SceneResult {
  readonly isReached: boolean;
  /** What was to be reached, in words. */
  readonly goal: string;
  /** What is missing, one line each; empty when the goal was reached. */
  readonly missing: readonly string[];
  /** `apiVersion kind` of objects that are not simulated, each once, sorted. */
  readonly ignoredKinds: readonly string[];
}

/** Simulated milliseconds between two looks at a goal that costs something to check. */
const CHECK_INTERVAL_MS = 100;

/** Kinds that make pods, and pods. */
const WORKLOADS = [
  'Pod',
  'Deployment',
  'ReplicaSet',
  'ReplicationController',
  'StatefulSet',
  'DaemonSet',
  'Job',
  'CronJob',
] as const;

const CLUSTER: Check = ['a cluster of createCluster', (value) => value instanceof Cluster];
const PLAN: Checks<ScenePlan> = { objects: MAPPINGS, updates: MAPPINGS, arrivals: MAPPINGS, nodeGroups: MAPPINGS };
const UPDATE: Checks<ImageUpdate> = { deployment: [REF_TEXT, isRef], container: TEXT, image: TEXT };
const OPTIONS: Checks<SceneOptions> = {
  limit: DURATION,
  onStage: FUNCTION,
  signal: SIGNAL,
  validate: wordOf('strict', 'warn', 'ignore'),
};

/**
 * See the file header.
 *
 * @throws OptionError for a plan or options that cannot be; ManifestError, ApiError for objects that are refused;
 * nothing is applied then
 */
export async function runScene(cluster: Cluster, plan: ScenePlan, options: SceneOptions = {}): Promise<SceneResult> {
  checkValue('cluster', cluster, CLUSTER);
  const { updates = [] } = checkedOptions('plan.', plan, PLAN);
  for (const [index, update] of updates.entries()) {
    checkedOptions(`plan.updates[${index}].`, update, UPDATE, ['deployment', 'container', 'image']);
  }
  return new ScenePlay(cluster, checkedOptions('', options, OPTIONS)).play(plan);
}

class ScenePlay {
  readonly #cluster: Cluster;
  readonly #options: SceneOptions;
  readonly #deadlineMs: number;
  readonly #ignored = new Set<string>();

  constructor(cluster: Cluster, options: SceneOptions) {
    const { limit } = options;
    this.#cluster = cluster;
    this.#options = options;
    this.#deadlineMs = limit === undefined ? Number.POSITIVE_INFINITY : cluster.nowMs + durationMs('limit', limit);
  }

  async play({ objects = [], updates = [], arrivals = [] }: ScenePlan): Promise<SceneResult> {
    const cluster = this.#cluster;
    const { validate = 'strict' } = this.#options;
    cluster.apply(objects, { dryRun: true, validate });
    await this.#stage(
      'nodes',
      cluster.wantedNodes,
      () => cluster.stats().nodes.schedulable,
      () => cluster.nodesAreReady,
    );
    this.#apply(objects);
    if (!(await this.#stage('pods ready', wantedPods(cluster), () => upPods(cluster), isSettled))) {
      return this.#ended('every workload is up', missingWorkloads(cluster));
    }
    if (updates.length > 0 && !(await this.#rollOut(updates))) {
      return this.#ended('every workload is up and updated', missingWorkloads(cluster));
    }
    if (arrivals.length > 0) return this.#receive(arrivals);
    if (objects.length > 0 && WORKLOADS.every((kind) => cluster.list(kind).length === 0)) return this.#idle();
    return this.#ended(updates.length > 0 ? 'every workload is up and updated' : 'every workload is up', []);
  }

  #apply(objects: readonly Draft[]): void {
    // A second time nothing is told of the fields.
    for (const applied of this.#cluster.apply(objects, { validate: 'ignore' })) {
      if (applied.action !== 'ignored') continue;
      const { apiVersion, kind } = applied.ignored;
      this.#ignored.add(`${apiVersion} ${kind}`);
    }
  }

  /** That nothing is missing means nothing where nothing was to run. */
  #idle(): SceneResult {
    const ignored = [...this.#ignored].sort().map((kind) => `${kind}: not simulated, ignored`);
    return this.#ended('every workload is up', ['no object that was applied runs anything', ...ignored]);
  }

  #rollOut(updates: readonly ImageUpdate[]): Promise<boolean> {
    const cluster = this.#cluster;
    for (const { deployment, container, image } of updates) {
      cluster.patch('Deployment', deployment, {
        spec: { template: { spec: { containers: [{ name: container, image }] } } },
      });
    }
    const wanted = wantedPods(cluster);
    return this.#stage('rolling update', wanted, () => updatedPods(cluster, wanted), isSettled);
  }

  async #receive(arrivals: readonly TimedDraft[]): Promise<SceneResult> {
    const cluster = this.#cluster;
    const goal = `all ${arrivals.length} pods of the trace are accounted for`;
    const submitted = cluster.submit(arrivals);
    const isReached = await this.#stage(
      'pods arriving',
      arrivals.length,
      () => cluster.stats().podsCreated,
      () => submitted.isDone && isSpent(cluster),
    );
    const { sent, failed, lastError } = submitted.progress;
    if (failed > 0) return this.#ended(goal, [`${failed} pods were refused: ${lastError?.message ?? ''}`]);
    if (isReached) return this.#ended(goal, []);
    return this.#ended(goal, [`${arrivals.length - sent} pods have not arrived yet`, ...missingWorkloads(cluster)]);
  }

  /** Runs until `isMet`, which is asked once things have changed, at most once per interval of simulated time. */
  async #stage(
    title: string,
    total: number,
    done: () => number,
    isMet: (cluster: Cluster) => boolean,
  ): Promise<boolean> {
    const cluster = this.#cluster;
    const { onStage, signal } = this.#options;
    // More come than are wanted, in a rollout or of cron jobs.
    onStage?.({ title, total, done: () => Math.min(done(), total) });
    if (isMet(cluster)) return true;
    const kinds = [
      'Node',
      'Pod',
      'Deployment',
      'ReplicaSet',
      'ReplicationController',
      'StatefulSet',
      'DaemonSet',
      'Job',
    ] as const;
    const until = merge(...kinds.map((kind) => cluster.watch(kind))).pipe(
      auditTime(CHECK_INTERVAL_MS, cluster.scheduler),
      filter(() => isMet(cluster)),
    );
    const limit = this.#deadlineMs - cluster.nowMs;
    const { end } = await cluster.run({
      until,
      ...(Number.isFinite(limit) ? { limit: Math.max(0, limit) } : {}),
      ...(signal === undefined ? {} : { signal }),
    });
    return end === 'done' || isMet(cluster);
  }

  #ended(goal: string, missing: readonly string[]): SceneResult {
    const all = this.#options.signal?.aborted === true ? ['it was interrupted', ...missing] : missing;
    return { isReached: all.length === 0, goal, missing: all, ignoredKinds: [...this.#ignored].sort() };
  }
}

/** Whether every pod is Ready or has ended, and every Deployment is complete. */
function isSettled(cluster: Cluster): boolean {
  const { total, ready, byPhase } = cluster.pods;
  if (ready + byPhase.Succeeded + byPhase.Failed < total) return false;
  return cluster.list('Deployment').every(isDeploymentComplete) && missingWorkloads(cluster).length === 0;
}

/** Whether no pod will end, start or be scheduled any more, unless something else gives way. */
function isSpent(cluster: Cluster): boolean {
  return cluster.list('Pod').every((pod) => {
    if (isPodTerminal(pod)) return true;
    if (pod.spec.nodeName === undefined) return getCondition(pod.status.conditions, 'PodScheduled')?.status === 'False';
    return pod.status.phase === 'Running' && !cluster.endsByItself(pod);
  });
}

function upPods({ pods }: Cluster): number {
  return pods.ready + pods.byPhase.Succeeded;
}

/** Replicas that run their Deployment's present template and are available, and pods of no Deployment. */
function updatedPods(cluster: Cluster, wanted: number): number {
  let outdated = 0;
  for (const { spec, status } of cluster.list('Deployment')) {
    outdated += Math.max(
      0,
      (spec.replicas ?? 1) - Math.min(status.updatedReplicas ?? 0, status.availableReplicas ?? 0),
    );
  }
  return Math.max(0, wanted - outdated);
}

function wantedPods(cluster: Cluster): number {
  const kinds = ['Deployment', 'StatefulSet', 'ReplicationController'] as const;
  const workloads = kinds.flatMap((kind) => [...cluster.list(kind)]);
  const ofWorkloads = workloads.reduce((sum, { spec }) => sum + (spec.replicas ?? 1), wantedDaemons(cluster));
  const ofJobs = cluster.list('Job').reduce((sum, { spec }) => sum + (spec.completions ?? spec.parallelism ?? 1), 0);
  const ownSets = cluster.list('ReplicaSet').filter(({ metadata }) => controllerOf({ metadata }) === undefined);
  const ofSets = ownSets.reduce((sum, { spec }) => sum + (spec.replicas ?? 1), 0);
  const others = cluster.list('Pod').filter(({ metadata }) => !COUNTED.has(controllerOf({ metadata })?.kind ?? ''));
  return ofWorkloads + ofJobs + ofSets + others.length;
}

/** Kinds whose pods are counted by what the owner wants. */
const COUNTED: ReadonlySet<string> = new Set([
  'DaemonSet',
  'Job',
  'ReplicaSet',
  'ReplicationController',
  'StatefulSet',
]);
