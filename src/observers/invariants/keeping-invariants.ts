/**
 * What controllers promise that keep a number of pods: within seconds there are as many as are wanted, and their
 * statuses tell of what there is. Judged is what has stood still for as long, while nothing was in a controller's way.
 */
import { getCondition, isPodReady, isPodTerminal } from '../../api/objects/conditions.js';
import {
  keyOf,
  parseKey,
  type DaemonSet,
  type Job,
  type Pod,
  type ReplicaSet,
  type StatefulSet,
} from '../../api/objects/objects.js';
import { controllerOf } from '../../api/objects/owners.js';
import { EXPECTATIONS_TIMEOUT_MS } from '../../controllers/runtime/expectations.js';
import { claimKeys } from '../../controllers/stateful-set/claim-templates.js';
import { findUntolerated } from '../../api/selectors/tolerations.js';
import { serves } from '../registers/pod-register.js';
import type { Finding, Invariant, World } from './invariant.js';

/** Writes are limited to 20 a second, and what has failed is tried again soon. */
const KEPT_MS = 30_000;

/** An object that has pods, and counts them. */
type Owner = ReplicaSet | StatefulSet | DaemonSet | Job;

/** What is wrong with an owner of each kind; `undefined` = nothing. */
interface Judges {
  readonly replicas: (owner: ReplicaSet, pods: readonly Pod[]) => string | undefined;
  readonly stateful: (owner: StatefulSet, pods: readonly Pod[], world: World) => string | undefined;
  readonly daemons: (owner: DaemonSet, pods: readonly Pod[], world: World) => string | undefined;
  readonly job: (owner: Job, pods: readonly Pod[]) => string | undefined;
}

/** Kinds that keep pods, with their keepers. */
const KEPT_KINDS = [
  { kind: 'ReplicaSet', keeper: 'replicaset-controller', by: 'replicas' },
  { kind: 'ReplicationController', keeper: 'replicationcontroller-controller', by: 'replicas' },
  { kind: 'StatefulSet', keeper: 'statefulset-controller', by: 'stateful' },
  { kind: 'DaemonSet', keeper: 'daemonset-controller', by: 'daemons' },
  { kind: 'Job', keeper: 'job-controller', by: 'job' },
] as const;

/** Looked at with each change of a pod or a node, and at rest. */
function keptPromise(name: string, promise: string, judges: Judges): Invariant {
  const look = (world: World): Finding | undefined => {
    for (const { kind, keeper, by } of KEPT_KINDS) {
      const calmMs = world.calmSinceMs(keeper);
      if (calmMs === undefined || world.nowMs - calmMs < KEPT_MS + world.disturbedMs(keeper)) continue;
      const judge = judges[by] as (owner: Owner, pods: readonly Pod[], world: World) => string | undefined;
      for (const owner of world.list(kind) as readonly Owner[]) {
        if (!isStill(owner, world) || isExpecting(owner, world, calmMs - world.disturbedMs(keeper), calmMs)) continue;
        const pods = [...world.podsOf(owner.metadata.uid)].map(({ pod }) => pod).filter((pod) => isOf(pod, owner));
        const text = judge(owner, pods, world);
        if (text !== undefined) return { object: `${kind} ${keyOf(owner)}`, text };
      }
    }
    return undefined;
  };
  return {
    name,
    promise,
    onWrite: { Pod: (_write, world) => look(world), Node: (_write, world) => look(world) },
    *atRest(world) {
      const finding = look(world);
      if (finding !== undefined) yield finding;
    },
  };
}

/** Neither too few nor too many. */
const replicasKept = keptPromise(
  'replicas-kept',
  'a controller that nothing is in the way of has the pods within seconds that it is asked for',
  {
    replicas: ({ spec: { replicas = 1 } }, pods) => {
      const active = pods.filter(isActive).length;
      return active === replicas ? undefined : `wants ${replicas} pods, and has ${active}`;
    },
    stateful: vacancy,
    daemons: misplaced,
    job: idleness,
  },
);

/** Counted anew. */
const statusesFollow = keptPromise(
  'statuses-follow',
  'the status of what keeps pods tells within seconds how many there are, and how many of them are ready',
  {
    replicas: ({ status: { replicas, readyReplicas } }, pods) => {
      const active = pods.filter(isActive);
      return differ({ replicas, readyReplicas }, [active.length, active.filter(isPodReady).length]);
    },
    stateful: ({ status: { replicas, readyReplicas } }, pods) => {
      // Those on their way out count until they are gone, and it is not noted here when they turn unready.
      if (!pods.every(isActive)) return undefined;
      const ready = pods.filter((pod) => pod.status.phase === 'Running' && isPodReady(pod));
      return differ({ replicas, readyReplicas }, [pods.length, ready.length]);
    },
    daemons: readyDaemons,
    job: (job, pods) => {
      const { active, ready, failed = 0 } = job.status;
      if (hasEnded(job) || job.spec.suspend === true || failed > 0) return undefined;
      const present = pods.filter(isActive);
      return differ({ active, ready }, [present.length, present.filter(isPodReady).length]);
    },
  },
);

/** Every invariant of pods that are kept. */
export const KEEPING_INVARIANTS: readonly Invariant[] = [replicasKept, statusesFollow];

/** Whether a workload is not about to go, is seen to, and neither it nor its pods have changed of late. */
function isStill({ metadata, status }: Owner, world: World): boolean {
  const { uid, namespace, generation = 1, deletionTimestamp } = metadata;
  if (deletionTimestamp !== undefined) return false;
  const { observedGeneration = generation } = status as { readonly observedGeneration?: number };
  if (observedGeneration !== generation) return false;
  const changedMs = Math.max(world.written(uid)?.askedMs ?? 0, world.podsAlteredMs(uid) ?? 0);
  if (world.nowMs - changedMs < KEPT_MS) return false;
  const place = world.find('Namespace', { name: namespace ?? '' });
  return place === undefined || place.metadata.deletionTimestamp === undefined;
}

/**
 * Whether a controller may wait for a pod that came and went while its watch told of neither: nothing meets that
 * expectation, and once it has expired the owner is not looked at before something changes again (v1.34: the next
 * resync of the informers comes after 12 to 24 hours). Stateful sets expect nothing, but are looked at no sooner either.
 *
 * @param fromMs, untilMs - when something was last in the controller's way
 */
function isExpecting({ kind, metadata: { uid } }: Owner, world: World, fromMs: number, untilMs: number): boolean {
  const passed = world.podPassed(uid);
  if (passed === undefined || passed.fromMs < fromMs || passed.untilMs > untilMs) return false;
  const changedMs = Math.max(world.written(uid)?.askedMs ?? 0, world.podsAlteredMs(uid) ?? 0);
  return (
    changedMs - passed.fromMs <= (kind === 'StatefulSet' ? passed.untilMs - passed.fromMs : EXPECTATIONS_TIMEOUT_MS)
  );
}

function isOf(pod: Pod, { metadata: { uid } }: Owner): boolean {
  return controllerOf(pod)?.uid === uid;
}

function isActive(pod: Pod): boolean {
  return !isPodTerminal(pod) && pod.metadata.deletionTimestamp === undefined;
}

/** The first ordinal that waits for nothing and has no pod; a pod beyond the last one that waits for nothing. */
function vacancy(set: StatefulSet, pods: readonly Pod[], world: World): string | undefined {
  const { spec } = set;
  const { replicas = 1, ordinals, podManagementPolicy } = spec;
  const start = ordinals?.start ?? 0;
  const byOrdinal = new Map(pods.map((pod) => [ordinalOf(pod.metadata.name), pod]));
  for (let ordinal = start; ordinal < start + replicas; ordinal += 1) {
    const pod = byOrdinal.get(ordinal);
    if (pod === undefined && isClaimGoing(set, ordinal, world)) return undefined;
    if (pod === undefined) return `has no pod of ordinal ${ordinal}`;
    if (isPodTerminal(pod) && pod.metadata.deletionTimestamp === undefined)
      return `leaves ${pod.metadata.name} as it is`;
    if (podManagementPolicy !== 'Parallel' && !serves(pod)) return undefined;
  }
  const last = [...byOrdinal.keys()].sort((a, b) => b - a)[0] ?? 0;
  const surplus = byOrdinal.get(last);
  if (surplus === undefined || last < start + replicas || surplus.metadata.deletionTimestamp !== undefined)
    return undefined;
  return serves(surplus) ? `keeps ${surplus.metadata.name}, and wants ${replicas} pods` : undefined;
}

/**
 * No pod is made beside a claim of it that is on its way out: the sync fails (createPersistentVolumeClaims, v1.34) and
 * is put off by as long again as that has lasted, for no change of a claim brings it forward.
 */
function isClaimGoing(set: StatefulSet, ordinal: number, world: World): boolean {
  return claimKeys(set, ordinal).some((key) => {
    const claim = world.find('PersistentVolumeClaim', parseKey(key));
    if (claim !== undefined) return claim.metadata.deletionTimestamp !== undefined;
    const { fromMs, untilMs } = world.claimGoing(key) ?? {};
    return fromMs !== undefined && untilMs !== undefined && world.nowMs - untilMs < untilMs - fromMs + KEPT_MS;
  });
}

/** Nodes come and go, and what they are tainted with changes: judged are those that have been as they are. */
function misplaced({ spec }: DaemonSet, pods: readonly Pod[], world: World): string | undefined {
  const { nodeSelector, affinity, tolerations = [] } = spec.template.spec ?? {};
  if (nodeSelector !== undefined || affinity !== undefined) return undefined;
  const tolerated = [...tolerations, ...DAEMON_TOLERATIONS];
  for (const node of world.list('Node')) {
    const { name } = node.metadata;
    if (world.nowMs - (world.node(name)?.changedMs ?? world.nowMs) < KEPT_MS) continue;
    const own = pods.filter((pod) => nodeOf(pod) === name);
    const { taints } = node.spec;
    if (findUntolerated(taints, tolerated, ['NoExecute']) !== undefined) {
      // A change of a node counts for the pods that are bound to it (syncNodeUpdate, v1.34): one that still waits for
      // the scheduler is taken away with the next sync, whatever that comes from.
      const left = own.find((pod) => isActive(pod) && (pod.spec.nodeName ?? '') !== '');
      if (left !== undefined) return `keeps ${left.metadata.name} on ${name}, which it is not to run on`;
    } else if (findUntolerated(taints, tolerated, ['NoSchedule']) === undefined && own.length === 0) {
      return `has no pod on ${name}`;
    }
  }
  return undefined;
}

const DAEMON_TOLERATIONS = [
  ...['not-ready', 'unreachable'].map((name) => ({ name, effect: 'NoExecute' })),
  ...['disk-pressure', 'memory-pressure', 'pid-pressure', 'unschedulable'].map((name) => ({
    name,
    effect: 'NoSchedule',
  })),
].map(({ name, effect }) => ({ key: `node.kubernetes.io/${name}`, operator: 'Exists', effect }) as const);

/** Failed attempts are put off by more and more. */
function idleness(job: Job, pods: readonly Pod[]): string | undefined {
  const { completions, parallelism = 1, suspend } = job.spec;
  const { succeeded = 0, failed = 0, uncountedTerminatedPods } = job.status;
  if (hasEnded(job) || suspend === true || failed > 0 || completions === undefined) return undefined;
  if ((uncountedTerminatedPods?.failed ?? []).length > 0 || pods.some(({ status }) => status.phase === 'Failed'))
    return undefined;
  const wanted = Math.min(parallelism, completions - succeeded);
  // Those on their way out are waited for, where they have not ended.
  const present = pods.filter((pod) => !isPodTerminal(pod)).length;
  return present < wanted ? `has ${present} pods, and is to have ${wanted} at a time` : undefined;
}

function readyDaemons({ status }: DaemonSet, pods: readonly Pod[]): string | undefined {
  const nodes = new Set(pods.map(nodeOf));
  // Of two on one node the older one counts.
  if (nodes.size !== pods.length || pods.length !== status.desiredNumberScheduled || !pods.every(isActive))
    return undefined;
  const ready = pods.filter(isPodReady).length;
  return status.numberReady === ready ? undefined : `tells of ${status.numberReady} ready pods, and it is ${ready}`;
}

/** The first number of a status that is another one in truth. */
function differ(told: Readonly<Record<string, number | undefined>>, truth: readonly number[]): string | undefined {
  for (const [index, [field, number = 0]] of Object.entries(told).entries()) {
    if (number !== truth[index]) return `tells of ${number} ${field}, and it is ${truth[index]}`;
  }
  return undefined;
}

function hasEnded({ status }: Job): boolean {
  return ['Complete', 'Failed', 'SuccessCriteriaMet', 'FailureTarget'].some(
    (type) => getCondition(status.conditions, type)?.status === 'True',
  );
}

function nodeOf({ spec }: Pod): string | undefined {
  const terms = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
  return spec.nodeName ?? terms?.[0]?.matchFields?.[0]?.values?.[0];
}

function ordinalOf(name: string): number {
  return Number(name.slice(name.lastIndexOf('-') + 1));
}
