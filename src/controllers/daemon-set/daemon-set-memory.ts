import { isSameJson } from '../../api/values/canonical-json.js';
import { isPodReady } from '../../api/objects/conditions.js';
import { compileLabelSelector } from '../../api/selectors/labels.js';
import {
  keyOf,
  type ControllerRevision,
  type DaemonSet,
  type Node,
  type Pod,
  type PodSpec,
  type Taint,
} from '../../api/objects/objects.js';
import { controllerOf } from '../../api/objects/owners.js';
import type { Lister } from '../../bus/bus-types.js';
import { BY_NAMESPACE, BY_NODE, BY_OWNER } from '../../bus/object-index.js';
import { BY_ORPHANAGE } from '../shared/orphans.js';
import { podReadySince } from '../shared/pod-state.js';
import type { ControllerContext } from '../runtime/controller-definition.js';
import { Expectations } from '../runtime/expectations.js';
import { DaemonRoster } from './daemon-roster.js';
import { FailedPodBackOff } from './failed-pod-back-off.js';
import { NodeFitness } from './node-fitness.js';

/** Nodes that one sync looks at per simulated millisecond; events that come meanwhile wait for the next one. */
const NODES_PER_MS = 100;
/** Added to the time at which a pod becomes available, as upstream does lest clocks differ (updatePod). */
const SKEW_MS = 1000;

/**
 * A node's change passes two queues of the controller before a set is synced. The taint manager, which asks for a pod
 * and marks it before it deletes it, has begun by then.
 */
const NODE_REACTION_MS = 20;

/** The memory of a run of the daemon set controller: which events concern which daemon set. */
export class DaemonSetMemory {
  readonly expectations: Expectations;
  readonly failedPods = new FailedPodBackOff();
  readonly sets: Lister<'DaemonSet'>;
  readonly nodes: Lister<'Node'>;
  readonly #pods: Lister<'Pod'>;
  readonly #revisions: Lister<'ControllerRevision'>;
  readonly #queue: ControllerContext['queue'];
  readonly #fitness = new WeakMap<PodSpec, NodeFitness>();
  /** By uid; of the sets that were synced at least once. */
  readonly #rosters = new Map<string, DaemonRoster>();
  /** Keys of sets that are being worked on. */
  readonly #syncing = new Set<string>();
  /** Keys of sets with nodes that have changed since their last sync in ways that alone are no reason for another. */
  readonly #outdated = new Set<string>();
  /** Keys of sets without anything to adopt or release. */
  readonly #adopted = new Set<string>();

  constructor(context: ControllerContext) {
    this.#queue = context.queue;
    this.expectations = new Expectations(context.kernel.clock);
    this.sets = context.informer('DaemonSet', BY_NAMESPACE);
    this.nodes = context.informer('Node');
    this.#pods = context.informer('Pod', { ...BY_OWNER, ...BY_ORPHANAGE, ...BY_NODE });
    this.#revisions = context.informer('ControllerRevision', { ...BY_OWNER, ...BY_ORPHANAGE });
    context.watch('DaemonSet', {
      onAdd: (set) => this.#queue.add(keyOf(set)),
      onUpdate: (previous, set) => {
        if (previous.metadata.uid !== set.metadata.uid) this.#setDeleted(previous);
        if (isStatusOnly(previous, set)) this.#enqueue(set);
        else this.#queue.add(keyOf(set));
      },
      onDelete: (set) => this.#setDeleted(set),
    });
    context.watch('ControllerRevision', {
      onAdd: (revision) => {
        if (controllerOf(revision) === undefined) this.#orphanSeen(revision);
      },
      onUpdate: (previous, revision) => this.#revisionUpdated(previous, revision),
      onDelete: (revision) => this.#enqueue(this.#ownerOf(revision)),
    });
    context.watch('Pod', {
      onAdd: (pod) => {
        this.#rosterFor(pod)?.putPod(pod);
        this.#podAdded(pod);
      },
      onUpdate: (previous, pod) => this.#podUpdated(previous, pod),
      onDelete: (pod) => {
        this.#rosterFor(pod)?.removePod(pod);
        this.#podGone(pod);
      },
    });
    context.watch('Node', {
      onAdd: (node) => this.#nodeAdded(node),
      onUpdate: (previous, node) => this.#nodeUpdated(previous, node),
      onDelete: (node) => this.#nodeDeleted(node),
    });
  }

  /** Does the work of one sync; what changes meanwhile waits for the next one, and that for its time. */
  async during(key: string, work: () => Promise<void>): Promise<void> {
    this.#syncing.add(key);
    this.#outdated.delete(key);
    try {
      await work();
    } finally {
      this.#syncing.delete(key);
    }
  }

  /** Which nodes fit a set. */
  fitnessOf({ spec: { template } }: DaemonSet): NodeFitness {
    let fitness = this.#fitness.get(template.spec);
    if (fitness === undefined) this.#fitness.set(template.spec, (fitness = new NodeFitness(template.spec)));
    return fitness;
  }

  /** The pods of a set by node; made from the cache when there is none yet. */
  rosterOf(set: DaemonSet): DaemonRoster {
    const { uid } = set.metadata;
    const fitness = this.fitnessOf(set);
    let roster = this.#rosters.get(uid);
    if (roster === undefined) {
      roster = new DaemonRoster(uid, compileLabelSelector(set.spec.selector), fitness);
      for (const node of this.nodes.list()) roster.putNode(node);
      for (const pod of this.podsOf(set)) roster.putPod(pod);
      this.#rosters.set(uid, roster);
    }
    roster.refit(fitness);
    return roster;
  }

  /** Pods controlled by that set, whatever their labels and state. */
  *podsOf({ metadata: { uid } }: DaemonSet): Iterable<Pod> {
    for (const pod of this.#pods.byIndex('owner', uid)) if (controllerOf(pod)?.uid === uid) yield pod;
  }

  /** Pods without a controller in a namespace. */
  orphansIn(namespace: string | undefined): Iterable<Pod> {
    return this.#pods.byIndex('orphan', namespace ?? '');
  }

  /** Revisions controlled by that set. */
  revisionsOf({ metadata: { uid } }: DaemonSet): ControllerRevision[] {
    return [...this.#revisions.byIndex('owner', uid)].filter((revision) => controllerOf(revision)?.uid === uid);
  }

  /** Revisions without a controller in a namespace. */
  orphanRevisionsIn(namespace: string | undefined): Iterable<ControllerRevision> {
    return this.#revisions.byIndex('orphan', namespace ?? '');
  }

  /** Whether there may be something to adopt or release. */
  needsAdoption(key: string): boolean {
    return !this.#adopted.has(key);
  }

  /** Notes whether everything is adopted and released. */
  setAdopted(key: string, isAdopted: boolean): void {
    if (isAdopted) this.#adopted.add(key);
    else this.#adopted.delete(key);
  }

  forget(key: string): void {
    this.expectations.drop(key);
    this.#adopted.delete(key);
    this.#outdated.delete(key);
    this.#queue.drop(key);
  }

  #setDeleted(set: DaemonSet): void {
    const key = keyOf(set);
    this.#rosters.delete(set.metadata.uid);
    this.expectations.drop(key);
    this.#adopted.delete(key);
    this.#queue.add(key);
  }

  #enqueue(set: DaemonSet | undefined): void {
    if (set === undefined) return;
    const key = keyOf(set);
    const gapMs = Math.floor(this.nodes.size / NODES_PER_MS);
    if (this.#syncing.has(key)) this.#queue.addAfter(key, gapMs);
    else this.#queue.addSpaced(key, gapMs);
  }

  #podAdded(pod: Pod): void {
    if (pod.metadata.deletionTimestamp !== undefined) return this.#podGone(pod);
    if (controllerOf(pod) === undefined) return this.#orphanSeen(pod);
    const set = this.#ownerOf(pod);
    if (set === undefined) return undefined;
    this.expectations.creationObserved(keyOf(set));
    return this.#enqueue(set);
  }

  #podUpdated(previous: Pod, pod: Pod): void {
    if (pod.metadata.ownerReferences !== previous.metadata.ownerReferences) this.#rosterFor(previous)?.removePod(pod);
    this.#rosterFor(pod)?.putPod(pod);
    if (!isNews(previous, pod) && !this.#isOutdated(pod)) return undefined;
    if (pod.metadata.deletionTimestamp !== undefined) return this.#podGone(pod);
    const hasNewOwner = controllerOf(previous)?.uid !== controllerOf(pod)?.uid;
    const hasNewLabels = previous.metadata.labels !== pod.metadata.labels;
    if (hasNewOwner) this.#enqueue(this.#ownerOf(previous));
    if (controllerOf(pod) === undefined) {
      if (hasNewOwner || hasNewLabels) this.#orphanSeen(pod);
      return undefined;
    }
    const set = this.#ownerOf(pod);
    if (set === undefined) return undefined;
    if (hasNewOwner || hasNewLabels) this.#adopted.delete(keyOf(set));
    this.#enqueue(set);
    if (!isPodReady(previous) && isPodReady(pod)) this.#enqueueOnceAvailable(set);
    return undefined;
  }

  /** No event tells that a pod has been ready for long enough, and the old one beside it waits for that. */
  #enqueueOnceAvailable(set: DaemonSet): void {
    const { minReadySeconds = 0 } = set.spec;
    if (minReadySeconds > 0) this.#queue.addAfter(keyOf(set), minReadySeconds * 1000 + SKEW_MS);
  }

  /** For expectations a pod is gone as soon as it is marked for deletion. */
  #podGone(pod: Pod): void {
    const set = this.#ownerOf(pod);
    if (set === undefined) return;
    this.expectations.deletionObserved(keyOf(set), keyOf(pod));
    this.#enqueue(set);
  }

  #revisionUpdated(previous: ControllerRevision, revision: ControllerRevision): void {
    const hasNewOwner = controllerOf(previous)?.uid !== controllerOf(revision)?.uid;
    const hasNewLabels = previous.metadata.labels !== revision.metadata.labels;
    if (hasNewOwner) this.#enqueue(this.#ownerOf(previous));
    if (controllerOf(revision) === undefined) {
      if (hasNewOwner || hasNewLabels) this.#orphanSeen(revision);
      return;
    }
    const set = this.#ownerOf(revision);
    if (set !== undefined && (hasNewOwner || hasNewLabels)) this.#adopted.delete(keyOf(set));
    this.#enqueue(set);
  }

  /** Every set that selects the orphan may adopt it. */
  #orphanSeen({ metadata: { namespace, labels } }: Pod | ControllerRevision): void {
    for (const set of this.sets.byIndex('namespace', namespace ?? '')) {
      if (!compileLabelSelector(set.spec.selector).matches(labels)) continue;
      this.#adopted.delete(keyOf(set));
      this.#enqueue(set);
    }
  }

  #nodeAdded(node: Node): void {
    for (const roster of this.#rosters.values()) roster.putNode(node);
    this.#nodeChanged(node);
  }

  #nodeUpdated(previous: Node, node: Node): void {
    for (const roster of this.#rosters.values()) roster.putNode(node);
    if (isSameJson(previous.metadata.labels, node.metadata.labels) && isSameJson(taintsOf(previous), taintsOf(node)))
      return;
    this.#nodeChanged(node);
  }

  /** Syncs the sets that have something to do on a node, as syncNodeUpdate does; status alone waits for other news. */
  #nodeChanged(node: Node): void {
    const scheduled = this.#setsOn(node.metadata.name);
    for (const set of this.sets.list()) {
      const { shouldRun, shouldContinue } = this.fitnessOf(set).of(node);
      const isActedOn = scheduled.has(set.metadata.uid)
        ? !shouldContinue || set.status.numberMisscheduled > 0
        : shouldRun;
      if (isActedOn) this.#queue.addAfter(keyOf(set), NODE_REACTION_MS);
      else this.#outdated.add(keyOf(set));
    }
  }

  /** Uids of the sets that have a pod on a node, whatever has become of it. */
  #setsOn(node: string): ReadonlySet<string> {
    const uids = new Set<string>();
    for (const pod of this.#pods.byIndex('node', node)) {
      const controller = controllerOf(pod);
      if (controller?.kind === 'DaemonSet') uids.add(controller.uid);
    }
    return uids;
  }

  /** What a deleted node leaves behind is seen when its pods go. */
  #nodeDeleted(node: Node): void {
    for (const roster of this.#rosters.values()) roster.removeNode(node);
    for (const set of this.sets.list()) this.#outdated.add(keyOf(set));
  }

  /** Whether any sync of a pod's set would tell something new. */
  #isOutdated(pod: Pod): boolean {
    if (this.#outdated.size === 0) return false;
    const set = this.#ownerOf(pod);
    return set !== undefined && this.#outdated.has(keyOf(set));
  }

  #rosterFor(pod: Pod): DaemonRoster | undefined {
    const controller = controllerOf(pod);
    return controller?.kind === 'DaemonSet' ? this.#rosters.get(controller.uid) : undefined;
  }

  #ownerOf(object: Pod | ControllerRevision): DaemonSet | undefined {
    const controller = controllerOf(object);
    if (controller?.kind !== 'DaemonSet') return undefined;
    const set = this.sets.get({ namespace: object.metadata.namespace, name: controller.name });
    return set?.metadata.uid === controller.uid ? set : undefined;
  }
}

function taintsOf({ spec }: Node): readonly Taint[] {
  return spec.taints ?? [];
}

/** Whether only the status differs, of which a sync makes nothing new but, at times, another name for a revision. */
function isStatusOnly(previous: DaemonSet, set: DaemonSet): boolean {
  return previous.metadata.generation === set.metadata.generation && previous.spec === set.spec;
}

/** Whether a change of a pod is one that a daemon set could act on or tell of. */
function isNews(previous: Pod, pod: Pod): boolean {
  return (
    previous.metadata.labels !== pod.metadata.labels ||
    previous.metadata.ownerReferences !== pod.metadata.ownerReferences ||
    previous.metadata.deletionTimestamp !== pod.metadata.deletionTimestamp ||
    previous.spec.nodeName !== pod.spec.nodeName ||
    previous.status.phase !== pod.status.phase ||
    podReadySince(previous) !== podReadySince(pod)
  );
}
