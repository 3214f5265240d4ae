/** What the controllers of replica sets and replication controllers promise of the pods that they make. */
import { isDisrupted, isPodTerminal } from '../../api/objects/conditions.js';
import { keyOf, type Kind, type Pod, type ReplicaSet } from '../../api/objects/objects.js';
import { controllerOf } from '../../api/objects/owners.js';
import type { Lister } from '../../bus/bus-types.js';
import type { Invariant, World, Write } from './invariant.js';
import type { KnownPod } from '../registers/pod-register.js';

const MANAGER = 'kube-controller-manager';
/** A manager that runs a controller once more, by mistake. */
const SECOND_INSTANCE = /^kube-controller-manager\/\d+$/;
/** Kinds that keep a number of pods, and their controllers. */
const KEEPERS: Readonly<Record<string, string>> = {
  ReplicaSet: 'replicaset-controller',
  ReplicationController: 'replicationcontroller-controller',
};
/** Pods are taken away within that time, 20 a second at least. */
const DECIDED_MS = 60_000;
/** A controller waits no longer than that for pods that it has made. */
const EXPECTED_MS = 5 * 60_000;
/** A cache that is led back to an older state leaves out what came within that time before. */
const LED_BACK_MS = 2 * 60_000;

/**
 * Expectations. Judged is what one run of a controller knows for sure: pods that its cache shows, and pods that it
 * has made and had the answer to. Pods that were made before, by others, or with an answer that may have been lost
 * are no fault.
 */
const replicasExpected: Invariant = {
  name: 'replicas-expected',
  promise: 'a controller that does not see the pods it has made yet makes no more than are missing beside them',
  onWrite: {
    Pod: ({ type, object: pod, by }, world) => {
      if (type !== 'ADDED' || !by.startsWith(MANAGER)) return undefined;
      const owner = controllerOf(pod);
      const keeper = owner === undefined ? undefined : KEEPERS[owner.kind];
      if (owner === undefined || keeper === undefined) return undefined;
      const pods = world.podsOf(owner.uid);
      // Nearly always, and cheap to see: no cache shows more than all that there are.
      const stored = world.find(owner.kind as Kind, { namespace: pod.metadata.namespace, name: owner.name });
      if (pods.size <= ((stored as ReplicaSet | undefined)?.spec.replicas ?? 1)) return undefined;
      const set = setSeenBy(world, by, pod, owner);
      const sinceMs = judgedSinceMs(world, by, keeper);
      if (set === undefined || sinceMs === undefined) return undefined;
      const made = countMade(pods, { world, by, sinceMs });
      const { replicas = 1 } = set.spec;
      if (made === undefined || made.seen + made.unseen <= replicas || !isAlone(world)) return undefined;
      const text = `wants ${replicas} pods, and ${by} makes another one beside ${made.seen} that it sees and ${made.unseen - 1} that it has made before`;
      return { object: `${owner.kind} ${keyOf(set)}`, text };
    },
  },
};

/** The same of pods that it has taken away: what the manager does to pods for another reason, it says. */
const deletionsExpected: Invariant = {
  name: 'deletions-expected',
  promise: 'a controller that still sees the pods it has taken away takes no more than are too many without them',
  onWrite: {
    Pod: (write, world) => {
      const { object: pod, by } = write;
      if (!isTaken(write) || !by.startsWith(MANAGER)) return undefined;
      const owner = controllerOf(pod);
      const keeper = owner === undefined ? undefined : KEEPERS[owner.kind];
      if (owner === undefined || keeper === undefined || isPodTerminal(pod)) return undefined;
      if (isDisrupted(pod)) return undefined;
      const { namespace } = pod.metadata;
      const stored = world.find(owner.kind as Kind, { namespace, name: owner.name });
      const place = world.find('Namespace', { name: namespace ?? '' });
      const isGoing = [stored, place].some((each) => each?.metadata.deletionTimestamp !== undefined);
      if (stored?.metadata.uid !== owner.uid || isGoing) return undefined;
      const set = cacheOf(world, by, owner.kind as Kind)?.get({ namespace, name: owner.name }) as
        | ReplicaSet
        | undefined;
      // What it is at was decided for the scale before, where that was asked for a moment ago, or for pods of which
      // another took one away meanwhile.
      const changedMs = Math.max(world.written(owner.uid)?.askedBeforeMs ?? 0, world.takenByOthersMs(owner.uid) ?? 0);
      if (set?.metadata.uid !== owner.uid || world.nowMs - changedMs < DECIDED_MS) return undefined;
      const sinceMs = judgedSinceMs(world, by, keeper);
      const shown = cacheOf(world, by, 'Pod')?.list(namespace) as readonly Pod[] | undefined;
      if (sinceMs === undefined || shown === undefined) return undefined;
      const isOwnTaking = ({ metadata: { uid } }: Pod): boolean => {
        const taking = world.taking(uid);
        return taking?.isChosen === true && taking.by === by && taking.atMs > sinceMs;
      };
      const left = shown.filter((each) => {
        const isOwned = controllerOf(each)?.uid === owner.uid && each.metadata.uid !== pod.metadata.uid;
        return isOwned && isActive(each) && !isOwnTaking(each);
      });
      const { replicas = 1 } = set.spec;
      if (left.length >= replicas || !isAlone(world)) return undefined;
      const text = `wants ${replicas} pods, and ${by} takes ${pod.metadata.name} away and leaves ${left.length}`;
      return { object: `${owner.kind} ${keyOf(set)}`, text };
    },
  },
};

/** Every invariant of replicas. */
export const REPLICA_INVARIANTS: readonly Invariant[] = [replicasExpected, deletionsExpected];

/** Whether a write is the first that says that a pod is to go. */
function isTaken({ type, object, previous }: Write<'Pod'>): boolean {
  if (previous?.metadata.deletionTimestamp !== undefined) return false;
  return type === 'DELETED' || (type === 'MODIFIED' && object.metadata.deletionTimestamp !== undefined);
}

function isActive(pod: Pod): boolean {
  return !isPodTerminal(pod) && pod.metadata.deletionTimestamp === undefined;
}

/** The owner as the controller's cache shows it, if the controller has observed its latest generation. */
function setSeenBy(
  world: World,
  by: string,
  { metadata: { namespace } }: Pod,
  owner: { readonly kind: string; readonly name: string; readonly uid: string },
): ReplicaSet | undefined {
  const set = cacheOf(world, by, owner.kind as Kind)?.get({ namespace, name: owner.name }) as ReplicaSet | undefined;
  if (set?.metadata.uid !== owner.uid) return undefined;
  const { generation = 1 } = set.metadata;
  return generation === 1 || set.status.observedGeneration === generation ? set : undefined;
}

/** Since when nothing has happened to the controller or its link that could make it lose sight of what it has made. */
function judgedSinceMs(world: World, by: string, keeper: string): number | undefined {
  const steadyMs = world.steadySinceMs(by);
  const workingMs = world.workingSinceMs(keeper);
  if (steadyMs === undefined || workingMs === undefined) return undefined;
  return Math.max(steadyMs, workingMs, world.nowMs - EXPECTED_MS);
}

/** Two that work at once know nothing of each other's pods, nor of what the other has seen to already. */
function isAlone(world: World): boolean {
  return !world.caches().some(({ party }) => SECOND_INSTANCE.test(party));
}

interface Judged {
  readonly world: World;
  readonly by: string;
  readonly sinceMs: number;
}

/** Pods that the controller sees, and those that it has made and does not see yet. */
function countMade(
  pods: Iterable<KnownPod>,
  { world, by, sinceMs }: Judged,
): { readonly seen: number; readonly unseen: number } | undefined {
  const cache = cacheOf(world, by, 'Pod');
  if (cache === undefined) return undefined;
  let seen = 0;
  let unseen = 0;
  for (const { pod, createdBy, createdMs } of pods) {
    // One that has ended before it was seen takes the place of another in what is expected.
    if (isPodTerminal(pod)) return undefined;
    // Its maker may have been there beside this one, which decided before it saw the pod.
    if (createdBy !== by && createdMs > sinceMs) return undefined;
    const shown = cache.get(pod.metadata) as Pod | undefined;
    if (shown?.metadata.uid === pod.metadata.uid) {
      // It had been seen, was hidden by an older state of the cache, and may have come back since that was decided.
      if (createdMs <= sinceMs && createdMs > sinceMs - LED_BACK_MS) continue;
      if (!isPodTerminal(shown) && shown.metadata.deletionTimestamp === undefined) seen += 1;
    } else if (createdBy === by && createdMs > sinceMs) unseen += 1;
  }
  return { seen, unseen };
}

function cacheOf(world: World, party: string, wanted: Kind): Lister<Kind> | undefined {
  return world.caches(party).find(({ kind }) => kind === wanted)?.objects;
}
