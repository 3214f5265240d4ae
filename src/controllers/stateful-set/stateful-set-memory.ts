import { keyOf, nameKey, type ControllerRevision, type Pod, type StatefulSet } from '../../api/objects/objects.js';
import { isPodReady } from '../../api/objects/conditions.js';
import { controllerOf } from '../../api/objects/owners.js';
import type { Indexers, Lister } from '../../bus/bus-types.js';
import { BY_OWNER } from '../../bus/object-index.js';
import { BY_ORPHANAGE } from '../shared/orphans.js';
import type { ControllerContext } from '../runtime/controller-definition.js';
import { selectorOf, setNameOf } from './identity.js';

/**
 * Pods per millisecond that must lie between two syncs of a set: upstream's sync looks at every pod, and
 * pods that change meanwhile wait for the next one. Sets of fewer than a hundred pods never wait.
 */
const PODS_PER_MS = 100;
/** Added to the time at which a pod becomes available, as upstream does lest clocks differ (updatePod). */
const SKEW_MS = 1000;

const NO_VALUES: readonly string[] = [];

/** Pods without a controller by the key of the set that their names say they are of. */
const BY_SET_NAME = {
  'orphan of set': (pod) => {
    if (controllerOf(pod) !== undefined) return NO_VALUES;
    const setName = setNameOf(pod);
    return setName === undefined ? NO_VALUES : [nameKey(pod.metadata.namespace, setName)];
  },
} satisfies Indexers<'Pod'>;

/** The memory of a run of the stateful set controller: caches, and which sets wait for the end of which claim. */
export class StatefulSetMemory {
  readonly sets: Lister<'StatefulSet'>;
  readonly claims: Lister<'PersistentVolumeClaim'>;
  readonly #pods: Lister<'Pod'>;
  readonly #revisions: Lister<'ControllerRevision'>;
  readonly #queue: ControllerContext['queue'];
  /** Keys of sets by the key of the claim that they wait for. */
  readonly #waiting = new Map<string, string>();
  /** Keys of large sets that are being brought in order, and whether something has changed meanwhile. */
  readonly #syncing = new Map<string, boolean>();

  constructor(context: ControllerContext) {
    this.#queue = context.queue;
    this.sets = context.informer('StatefulSet');
    this.#pods = context.informer('Pod', { ...BY_OWNER, ...BY_SET_NAME });
    this.#revisions = context.informer('ControllerRevision', { ...BY_OWNER, ...BY_ORPHANAGE });
    this.claims = context.watch('PersistentVolumeClaim', { onDelete: (claim) => this.#claimGone(keyOf(claim)) });
    const enqueue = (set: StatefulSet): void => this.#queue.add(keyOf(set));
    context.watch('StatefulSet', {
      onAdd: enqueue,
      onUpdate: (previous, set) => {
        const isStatusOnly = previous.metadata.generation === set.metadata.generation;
        if (isStatusOnly && previous.metadata.uid === set.metadata.uid) this.#enqueueSoon(set);
        else enqueue(set);
      },
      onDelete: enqueue,
    });
    context.watch('Pod', {
      onAdd: (pod) => {
        if (controllerOf(pod) === undefined) this.#orphanSeen(pod);
        else this.#ownedChanged(pod);
      },
      onUpdate: (previous, pod) => this.#podUpdated(previous, pod),
      onDelete: (pod) => this.#ownedChanged(pod),
    });
  }

  /** Pods controlled by that set, whatever their state and name. */
  podsOf({ metadata: { uid } }: StatefulSet): Pod[] {
    return ownedBy(uid, this.#pods.byIndex('owner', uid));
  }

  /** Pods without a controller that have names of the set. */
  orphansOf(set: StatefulSet): Iterable<Pod> {
    return this.#pods.byIndex('orphan of set', keyOf(set));
  }

  /** Revisions controlled by that set. */
  revisionsOf({ metadata: { uid } }: StatefulSet): ControllerRevision[] {
    return ownedBy(uid, this.#revisions.byIndex('owner', uid));
  }

  /** Revisions without a controller in a set's namespace. */
  orphanRevisionsOf({ metadata: { namespace = '' } }: StatefulSet): Iterable<ControllerRevision> {
    return this.#revisions.byIndex('orphan', namespace);
  }

  /** Says that a set is being brought in order. */
  begin(key: string, set: StatefulSet): void {
    if (gapMsOf(set) >= 1) this.#syncing.set(key, false);
  }

  /** Says that it no longer is; what has changed meanwhile waits for its time. */
  end(key: string, set: StatefulSet): void {
    if (this.#syncing.get(key) === true) this.#queue.addAfter(key, Math.floor(gapMsOf(set)));
    this.#syncing.delete(key);
  }

  /** Brings a set back once a claim is gone. */
  waitForClaim(claimKey: string, setKey: string): void {
    this.#waiting.set(claimKey, setKey);
  }

  #claimGone(claimKey: string): void {
    const setKey = this.#waiting.get(claimKey);
    if (setKey === undefined) return;
    this.#waiting.delete(claimKey);
    this.#queue.add(setKey);
  }

  #podUpdated(previous: Pod, pod: Pod): void {
    const [before, after] = [controllerOf(previous), controllerOf(pod)];
    if (before !== undefined && before.uid !== after?.uid) this.#ownedChanged(previous);
    if (after !== undefined) {
      this.#ownedChanged(pod);
      if (!isPodReady(previous) && isPodReady(pod)) this.#enqueueOnceAvailable(pod);
    } else if (before !== undefined || pod.metadata.labels !== previous.metadata.labels) this.#orphanSeen(pod);
  }

  #ownedChanged(pod: Pod): void {
    const set = this.#ownerOf(pod);
    if (set !== undefined) this.#enqueueSoon(set);
  }

  /** No event tells that a pod has been ready for long enough. */
  #enqueueOnceAvailable(pod: Pod): void {
    const set = this.#ownerOf(pod);
    const { minReadySeconds = 0 } = set?.spec ?? {};
    if (set !== undefined && minReadySeconds > 0) this.#queue.addAfter(keyOf(set), minReadySeconds * 1000 + SKEW_MS);
  }

  #ownerOf(pod: Pod): StatefulSet | undefined {
    const controller = controllerOf(pod);
    if (controller?.kind !== 'StatefulSet') return undefined;
    const set = this.sets.get({ namespace: pod.metadata.namespace, name: controller.name });
    return set?.metadata.uid === controller.uid ? set : undefined;
  }

  #enqueueSoon(set: StatefulSet): void {
    const key = keyOf(set);
    if (this.#syncing.has(key)) this.#syncing.set(key, true);
    else this.#queue.addSpaced(key, gapMsOf(set));
  }

  /** The set that the orphan is called after may adopt it. */
  #orphanSeen(pod: Pod): void {
    const { namespace, labels, deletionTimestamp } = pod.metadata;
    const name = setNameOf(pod);
    if (name === undefined || deletionTimestamp !== undefined) return;
    const set = this.sets.get({ namespace, name });
    if (set !== undefined && selectorOf(set).matches(labels)) this.#queue.add(keyOf(set));
  }
}

function gapMsOf({ spec, status }: StatefulSet): number {
  return Math.max(status.replicas, spec.replicas ?? 1) / PODS_PER_MS;
}

function ownedBy<T extends Pod | ControllerRevision>(uid: string, objects: Iterable<T>): T[] {
  const owned: T[] = [];
  for (const object of objects) if (controllerOf(object)?.uid === uid) owned.push(object);
  return owned;
}
