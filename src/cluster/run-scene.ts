/**
 * Plays a scene on a cluster: waits for its nodes, applies its objects, waits until all of them are up, rolls out its
 * updates, and lets its pods arrive over time. Drives the cluster through its public methods only.
 */
import { isDeploymentComplete, missingWorkloads } from './workload-state.js';
import { auditTime, filter, merge } from 'rxjs';
import type { Draft } from '../api/objects.js';
import { getCondition, isPodTerminal } from '../api/conditions.js';
import type { TimedDraft } from '../workload/arrivals.js';
import type { ImageUpdate } from '../workload/default-scene.js';
import type { Cluster } from './cluster.js';
import { durationMs, type Duration } from './durations.js';

/** A run as data. */
export interface ScenePlan {
  /** Applied first, all together. @defaultValue none */
  readonly objects?: readonly Draft[];
  /** Rolled out once everything is up. @defaultValue none */
  readonly updates?: readonly ImageUpdate[];
  /** Pods that arrive over time, once the objects are up. @defaultValue none */
  readonly arrivals?: readonly TimedDraft[];
}

/** How to play a scene. */
export interface SceneOptions {
  /** Simulated time that the whole scene may take. @defaultValue no limit */
  readonly limit?: Duration;
  /** Told when a stage begins, with the number of pods that it is about. */
  readonly onStage?: (stage: string, pods: number) => void;
  readonly signal?: AbortSignal;
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

/** See the file header. @throws ManifestError, ApiError for objects that are refused; nothing is applied then */
export async function runScene(cluster: Cluster, plan: ScenePlan, options: SceneOptions = {}): Promise<SceneResult> {
  const { objects = [], updates = [], arrivals = [] } = plan;
  const { onStage, ...limits } = options;
  if (limits.limit !== undefined) durationMs('limit', limits.limit);
  cluster.apply(objects, { dryRun: true });
  onStage?.('nodes', cluster.wantedNodes);
  await cluster.ready(limits.limit);
  const ignored = new Set<string>();
  for (const applied of cluster.apply(objects)) {
    if (applied.action === 'ignored') ignored.add(`${applied.ignored.apiVersion} ${applied.ignored.kind}`);
  }
  const ignoredKinds = [...ignored].sort();
  onStage?.('pods ready', wantedPods(cluster));
  let isReached = await reach(cluster, limits, () => isSettled(cluster));
  let goal = 'every workload is up';
  if (isReached && updates.length > 0) {
    goal = 'every workload is up and updated';
    for (const { deployment, container, image } of updates) {
      cluster.patch('Deployment', deployment, {
        spec: { template: { spec: { containers: [{ name: container, image }] } } },
      });
    }
    onStage?.('rolling update', wantedPods(cluster));
    isReached = await reach(cluster, limits, () => isSettled(cluster));
  }
  if (isReached && arrivals.length > 0) {
    goal = `all ${arrivals.length} pods of the trace are accounted for`;
    onStage?.('pods arriving', arrivals.length);
    const submitted = cluster.submit(arrivals);
    isReached = await reach(cluster, limits, () => submitted.isDone && isSpent(cluster));
    if (isReached && submitted.progress.failed > 0) {
      const { failed, lastError } = submitted.progress;
      return {
        isReached: false,
        goal,
        missing: [`${failed} pods were refused: ${lastError?.message ?? ''}`],
        ignoredKinds,
      };
    }
  }
  return { isReached, goal, missing: isReached ? [] : missingWorkloads(cluster), ignoredKinds };
}

/** Runs until `isMet`, which is asked once things have changed, at most once per interval of simulated time. */
async function reach(cluster: Cluster, limits: Omit<SceneOptions, 'onStage'>, isMet: () => boolean): Promise<boolean> {
  if (isMet()) return true;
  const changes$ = merge(
    cluster.watch('Node'),
    cluster.watch('Pod'),
    cluster.watch('Deployment'),
    cluster.watch('ReplicaSet'),
  );
  const until = changes$.pipe(auditTime(CHECK_INTERVAL_MS, cluster.scheduler), filter(isMet));
  const { end } = await cluster.run({ ...limits, until });
  return end === 'done' || isMet();
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
    return pod.status.phase === 'Running' && pod.metadata.annotations?.['kubeloom.dev/run-for'] === undefined;
  });
}

function wantedPods(cluster: Cluster): number {
  const ofDeployments = cluster.list('Deployment').reduce((sum, { spec }) => sum + (spec.replicas ?? 1), 0);
  return ofDeployments + cluster.list('Pod').filter(({ metadata }) => metadata.ownerReferences === undefined).length;
}
