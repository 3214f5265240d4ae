/** What the controllers of deployments and stateful sets promise of the pods that they take away. */
import { isDisrupted, isPodTerminal } from '../../api/objects/conditions.js';
import { keyOf, type Deployment, type ReplicaSet } from '../../api/objects/objects.js';
import { controllerOf } from '../../api/objects/owners.js';
import { areCalm, isOfManager } from './calm.js';
import type { Invariant, World } from './invariant.js';
import { isMeantForFormer } from './released-node.js';
import type { KnownPod } from '../registers/pod-register.js';

const DESIRED_REPLICAS = 'deployment.kubernetes.io/desired-replicas';
/** Statuses tell within that time what pods are. */
const TOLD_MS = 30_000;
/** Caches show what statuses tell within that time, as a rule. */
const CACHED_MS = 2000;
const DELETERS = ['deployment-controller', 'replicaset-controller'];

/**
 * Judged is each replica set that is made smaller for an update: as many of its pods go as that, those first that do
 * not serve. Scaling by users is another matter, and pods that have just been lost may not have been told yet.
 */
const updatesKeepAvailable: Invariant = {
  name: 'updates-keep-available',
  promise: 'an update takes no available pod below what maxUnavailable leaves',
  onWrite: {
    ReplicaSet: ({ object, previous, by }, world) => {
      const [wanted, before] = [object, previous ?? object].map(({ spec }) => spec.replicas ?? 1) as [number, number];
      if (wanted >= before || !isOfManager(by)) return undefined;
      const deployment = updatedBy(previous ?? object, world);
      if (deployment === undefined || !areCalm(world, DELETERS, TOLD_MS)) return undefined;
      const sets = world
        .list('ReplicaSet', { namespace: object.metadata.namespace })
        .filter((set) => controllerOf(set)?.uid === deployment.metadata.uid);
      const isNews = sets.some(
        ({ metadata }) => world.nowMs - (world.servingLostMs(metadata.uid) ?? -TOLD_MS) < TOLD_MS,
      );
      if (isNews) return undefined;
      const availableOf = ({ metadata }: ReplicaSet): number => countAvailable(world.podsOf(metadata.uid));
      // The deployment's controller goes by statuses: these may come late, and later still to its cache.
      const isUntold = (set: ReplicaSet): boolean =>
        (set.status.availableReplicas ?? 0) > availableOf(set) ||
        world.nowMs - (world.servingGoneMs(set.metadata.uid) ?? -CACHED_MS) < CACHED_MS;
      if (sets.some(isUntold)) return undefined;
      const all = sets.reduce((sum, set) => sum + availableOf(set), 0);
      const taken = Math.max(0, before - wanted - (before - Math.min(before, availableOf(object))));
      const least = leastAvailable(deployment);
      if (taken === 0 || all - taken >= least) return undefined;
      const text = `has ${all} available pods and must keep ${least}, and ${object.metadata.name} gives up ${taken}`;
      return { object: `Deployment ${keyOf(deployment)}`, text };
    },
  },
};

/** Those with the highest ordinals go first, one after the other. */
const highestFirst: Invariant = {
  name: 'highest-first',
  promise: 'a stateful set in order takes the pod with the highest ordinal away first',
  onWrite: {
    Pod: ({ type, object, previous, by }, world) => {
      if (type !== 'MODIFIED' || !isOfManager(by) || object.metadata.deletionTimestamp === undefined) return undefined;
      if (previous?.metadata.deletionTimestamp !== undefined || isPodTerminal(object)) return undefined;
      // Taken for the sake of a node, by the taint manager or pod GC, which say so.
      if (isDisrupted(object) || isMeantForFormer(object, world)) return undefined;
      const owner = controllerOf(object);
      if (owner?.kind !== 'StatefulSet') return undefined;
      const set = world.find('StatefulSet', { namespace: object.metadata.namespace, name: owner.name });
      if (set?.metadata.uid !== owner.uid || set.spec.podManagementPolicy === 'Parallel') return undefined;
      // Of one that is deleted in the foreground the garbage collector takes the pods, in no order.
      if (set.metadata.deletionTimestamp !== undefined) return undefined;
      const end = (set.spec.ordinals?.start ?? 0) + (set.spec.replicas ?? 1);
      const ordinal = ordinalOf(object.metadata.name);
      if (ordinal < end) return undefined;
      const shown = world.caches(by).find(({ kind }) => kind === 'Pod')?.objects;
      for (const { pod } of world.podsOf(owner.uid)) {
        const { name, deletionTimestamp } = pod.metadata;
        // One that is on its way out has been taken away already, and one that the controller does not see cannot be.
        if (ordinalOf(name) <= ordinal || deletionTimestamp !== undefined || isPodTerminal(pod)) continue;
        if (shown?.get(pod.metadata)?.metadata.uid !== pod.metadata.uid) continue;
        return { object: `StatefulSet ${keyOf(set)}`, text: `gives up ${object.metadata.name} before ${name}` };
      }
      return undefined;
    },
  },
};

/** Every invariant of rollouts. */
export const ROLLOUT_INVARIANTS: readonly Invariant[] = [updatesKeepAvailable, highestFirst];

/** The deployment that makes a replica set smaller for its update; not for the sake of a new scale. */
function updatedBy(before: ReplicaSet, world: World): Deployment | undefined {
  const owner = controllerOf(before);
  if (owner?.kind !== 'Deployment') return undefined;
  const deployment = world.find('Deployment', { namespace: before.metadata.namespace, name: owner.name });
  if (deployment?.metadata.uid !== owner.uid || deployment.spec.strategy?.type === 'Recreate') return undefined;
  const { generation, annotations } = { ...deployment.metadata, ...before.metadata };
  if (annotations?.[DESIRED_REPLICAS] !== String(deployment.spec.replicas ?? 1)) return undefined;
  const isSeen = deployment.status.observedGeneration === deployment.metadata.generation;
  return isSeen && generation !== undefined ? deployment : undefined;
}

/** Those that are ready: for how long is told by their own clocks, which may be wrong. */
function countAvailable(pods: Iterable<KnownPod>): number {
  let available = 0;
  for (const { readySinceMs } of pods) if (readySinceMs !== undefined) available += 1;
  return available;
}

/** Of `25%` of 10 pods 2 may be missing; one, where neither that nor a surge is allowed. */
function leastAvailable({ spec: { replicas = 1, strategy } }: Deployment): number {
  const { maxSurge = '25%', maxUnavailable = '25%' } = strategy?.rollingUpdate ?? {};
  const unavailable = Math.floor(shareOf(maxUnavailable, replicas));
  const isStuck = unavailable === 0 && Math.ceil(shareOf(maxSurge, replicas)) === 0;
  return Math.max(0, replicas - (isStuck ? 1 : unavailable));
}

function shareOf(amount: number | string, total: number): number {
  return typeof amount === 'number' ? amount : (Number.parseInt(amount, 10) * total) / 100;
}

function ordinalOf(name: string): number {
  return Number(name.slice(name.lastIndexOf('-') + 1));
}
