import { compileLabelSelector } from '../../api/selectors/labels.js';
import { keyOf, type Pod, type ReplicaSet } from '../../api/objects/objects.js';
import { BY_NAMESPACE, BY_OWNER } from '../../bus/object-index.js';
import type { Lister } from '../../bus/bus-types.js';
import { controllerOf } from '../../api/objects/owners.js';
import { BY_ORPHANAGE } from '../shared/orphans.js';
import { isPodActive } from '../shared/pod-state.js';
import type { ControllerContext } from '../runtime/controller-definition.js';
import { assert } from '../../kernel/assert.js';
import { Expectations } from '../runtime/expectations.js';
import { PodLedger } from './pod-ledger.js';
import { Crowd, PodRoster, TimeReader } from './pod-roster.js';
import type { ReplicaKind, ReplicaKindName, ReplicaLister } from './replica-kind.js';

/**
 * Active pods per millisecond that must lie between two syncs which only report: upstream's sync looks
 * at every pod, and pods that change meanwhile wait for the next one.
 */
const PODS_PER_MS = 100;

/** The memory of a run of the replica set controller, over one kind. */
export class ReplicaSetMemory {
  readonly expectations: Expectations;
  /** What owns the pods. */
  readonly kind: ReplicaKindName;
  readonly replicaSets: ReplicaLister;
  readonly pods: Lister<'Pod'>;
  readonly #queue: ControllerContext['queue'];
  readonly #times: TimeReader;
  readonly #ledgers = new Map<string, PodLedger>();

  constructor(context: ControllerContext, kind: ReplicaKind) {
    this.kind = kind.name;
    this.expectations = new Expectations(context.kernel.clock);
    this.#times = new TimeReader(context.kernel.timestamps);
    this.#queue = context.queue;
    this.replicaSets = kind.informer(context, { ...BY_NAMESPACE, ...BY_OWNER });
    this.pods = context.informer('Pod', { ...BY_OWNER, ...BY_ORPHANAGE });
    kind.watch(context, {
      onAdd: (replicaSet) => this.#queue.add(keyOf(replicaSet)),
      onUpdate: (previous, replicaSet) => this.#replicaSetUpdated(previous, replicaSet),
      onDelete: (replicaSet) => this.#replicaSetDeleted(replicaSet),
    });
    context.watch('Pod', {
      onAdd: (pod) => this.#podAdded(pod),
      onUpdate: (previous, pod) => this.#podUpdated(previous, pod),
      onDelete: (pod) => this.#podDeleted(pod),
    });
  }

  /** The counts of a replica set's pods; made from the cache when there are none yet. */
  ledgerOf(replicaSet: ReplicaSet): PodLedger {
    const { uid } = replicaSet.metadata;
    let ledger = this.#ledgers.get(uid);
    if (ledger === undefined || !ledger.isFor(replicaSet)) {
      ledger = new PodLedger(replicaSet);
      for (const pod of this.podsOf(uid)) ledger.add(pod);
      this.#ledgers.set(uid, ledger);
      this.#dropRosters(replicaSet);
    }
    return ledger;
  }

  /** Pods controlled by that replica set, whatever their state. */
  *podsOf(uid: string): Iterable<Pod> {
    for (const pod of this.pods.byIndex('owner', uid)) if (controllerOf(pod)?.uid === uid) yield pod;
  }

  /** Pods without a controller in a namespace. */
  orphansIn(namespace: string | undefined): Iterable<Pod> {
    return this.pods.byIndex('orphan', namespace ?? '');
  }

  /**
   * The pods that one may be chosen of. All replica sets with one controller keep theirs together,
   * since their pods crowd each other's nodes.
   */
  rosterOf(replicaSet: ReplicaSet): PodRoster {
    const ledger = this.ledgerOf(replicaSet);
    if (ledger.roster === undefined) {
      const controller = controllerOf(replicaSet);
      if (controller === undefined) this.#keepRoster(ledger, undefined);
      else {
        const crowd = new Crowd();
        // A ledger that is made anew drops the rosters of all: first all of them, then the rosters. The replica set
        // itself may have left the cache since its sync began.
        const siblings = Array.from(this.#siblings(controller.uid), (sibling) => this.ledgerOf(sibling));
        for (const each of new Set([ledger, ...siblings])) this.#keepRoster(each, crowd);
      }
    }
    assert(ledger.roster !== undefined, `replica set ${replicaSet.metadata.name} must have its pods in a roster`);
    return ledger.roster;
  }

  forget(key: string): void {
    this.expectations.drop(key);
    this.#queue.drop(key);
  }

  #replicaSetUpdated(previous: ReplicaSet, replicaSet: ReplicaSet): void {
    if (previous.metadata.uid !== replicaSet.metadata.uid) this.#replicaSetDeleted(previous);
    const isStatusOnly =
      previous.spec === replicaSet.spec &&
      previous.metadata.deletionTimestamp === replicaSet.metadata.deletionTimestamp;
    if (isStatusOnly) this.#report(keyOf(replicaSet), this.#ledgers.get(replicaSet.metadata.uid));
    else this.#queue.add(keyOf(replicaSet));
  }

  #siblings(controllerUid: string): Iterable<ReplicaSet> {
    return this.replicaSets.byIndex('owner', controllerUid);
  }

  #keepRoster(ledger: PodLedger, crowd: Crowd | undefined): void {
    ledger.keepRoster(new PodRoster(crowd, this.#times), this.podsOf(ledger.uid));
  }

  /** A sibling came or went: nodes are counted anew when the next pod has to be chosen. */
  #dropRosters(replicaSet: ReplicaSet): void {
    const controller = controllerOf(replicaSet);
    if (controller === undefined) return;
    for (const { metadata } of this.#siblings(controller.uid)) this.#ledgers.get(metadata.uid)?.dropRoster();
  }

  #replicaSetDeleted(replicaSet: ReplicaSet): void {
    this.#ledgers.delete(replicaSet.metadata.uid);
    this.#dropRosters(replicaSet);
    this.expectations.drop(keyOf(replicaSet));
    this.#queue.add(keyOf(replicaSet));
  }

  #podAdded(pod: Pod): void {
    const controller = controllerOf(pod);
    if (controller?.kind === this.kind) {
      const key = `${pod.metadata.namespace}/${controller.name}`;
      if (pod.metadata.deletionTimestamp === undefined) this.expectations.creationObserved(key);
      else this.expectations.deletionObserved(key, keyOf(pod));
    }
    this.#podGained(pod);
  }

  /** A pod that is new, or has a new owner or none. */
  #podGained(pod: Pod): void {
    const controller = controllerOf(pod);
    if (controller === undefined) {
      if (isPodActive(pod)) this.#orphanSeen(pod);
    } else if (controller.kind === this.kind) {
      const ledger = this.#ledgers.get(controller.uid);
      ledger?.add(pod);
      this.#changed(`${pod.metadata.namespace}/${controller.name}`, ledger);
    }
  }

  #podUpdated(previous: Pod, pod: Pod): void {
    const controller = controllerOf(pod);
    const hasNewOwners = pod.metadata.ownerReferences !== previous.metadata.ownerReferences;
    const previousController = hasNewOwners ? controllerOf(previous) : controller;
    if (previousController?.uid !== controller?.uid) {
      if (previousController?.kind === this.kind) {
        this.#podLost(previous, previousController.uid, previousController.name);
      }
      this.#podGained(pod);
      return;
    }
    if (controller === undefined) {
      if (pod.metadata.labels !== previous.metadata.labels && isPodActive(pod)) this.#orphanSeen(pod);
      return;
    }
    if (controller.kind !== this.kind) return;
    const ledger = this.#ledgers.get(controller.uid);
    const isMarked = pod.metadata.deletionTimestamp !== undefined;
    if (ledger !== undefined && !ledger.replace(previous, pod) && !ledger.needsAdoption && !isMarked) return;
    const key = `${pod.metadata.namespace}/${controller.name}`;
    if (isMarked) this.expectations.deletionObserved(key, keyOf(pod));
    this.#changed(key, ledger);
  }

  #podDeleted(pod: Pod): void {
    const controller = controllerOf(pod);
    if (controller?.kind === this.kind) this.#podLost(pod, controller.uid, controller.name);
  }

  #podLost(pod: Pod, uid: string, name: string): void {
    const key = `${pod.metadata.namespace}/${name}`;
    const ledger = this.#ledgers.get(uid);
    ledger?.remove(pod);
    this.expectations.deletionObserved(key, keyOf(pod));
    this.#changed(key, ledger);
  }

  /**
   * Every replica set that selects the orphan may adopt it. No ledger is made here: a controller that starts
   * again is told of pods that the cache shows already, and would count them twice.
   */
  #orphanSeen(pod: Pod): void {
    for (const replicaSet of this.replicaSets.byIndex('namespace', pod.metadata.namespace ?? '')) {
      const ledger = this.#ledgers.get(replicaSet.metadata.uid);
      const selector = ledger?.selector ?? compileLabelSelector(replicaSet.spec.selector);
      if (!selector.matches(pod.metadata.labels)) continue;
      if (ledger !== undefined) ledger.needsAdoption = true;
      this.#queue.add(keyOf(replicaSet));
    }
  }

  /** At once if there is something to create or delete, else when it is time to report again. */
  #changed(key: string, ledger: PodLedger | undefined): void {
    const replicaSet = this.replicaSets.getByKey(key);
    if (replicaSet === undefined) return;
    const isShort = ledger === undefined || ledger.needsAdoption || ledger.active !== (replicaSet.spec.replicas ?? 1);
    if (isShort && this.expectations.isSatisfied(key)) this.#queue.add(key);
    else this.#report(key, ledger);
  }

  #report(key: string, ledger: PodLedger | undefined): void {
    this.#queue.addSpaced(key, (ledger?.active ?? 0) / PODS_PER_MS);
  }
}
