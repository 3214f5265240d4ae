import { isPodTerminal } from '../../api/objects/conditions.js';
import type { Selector } from '../../api/selectors/labels.js';
import type { Node, Pod } from '../../api/objects/objects.js';
import { controllerOf } from '../../api/objects/owners.js';
import { targetNodeOf } from './daemon-pod.js';
import type { NodeFit, NodeFitness } from './node-fitness.js';

/** A node that a set knows of, with its pods there. */
export interface DaemonNode {
  readonly name: string;
  /** Whether the node fits the set; absent while the node is not there. */
  readonly fit: NodeFit | undefined;
  /** The set's pods that are on the node or meant for it; those that are over and being deleted do not count. */
  readonly pods: readonly Pod[];
}

interface Slot extends DaemonNode {
  node: Node | undefined;
  fit: NodeFit | undefined;
  pods: Pod[];
}

const NO_PODS: Pod[] = [];

/**
 * The pods of one daemon set by node. It follows the cache event by event: grouping thousands of pods anew
 * in each sync, as upstream does, would cost more than all the rest of it.
 */
export class DaemonRoster {
  readonly #uid: string;
  readonly #selector: Selector;
  #fitness: NodeFitness;
  readonly #slots = new Map<string, Slot>();
  /** Names of the nodes under which pods are filed, by uid. */
  readonly #targets = new Map<string, string>();

  constructor(uid: string, selector: Selector, fitness: NodeFitness) {
    this.#uid = uid;
    this.#selector = selector;
    this.#fitness = fitness;
  }

  /** Every node that is there, and every name of another that pods are on or meant for. */
  get nodes(): Iterable<DaemonNode> {
    return this.#slots.values();
  }

  /** Judges nodes anew if the set's template has changed. */
  refit(fitness: NodeFitness): void {
    if (fitness === this.#fitness) return;
    this.#fitness = fitness;
    for (const slot of this.#slots.values()) slot.fit = slot.node === undefined ? undefined : fitness.of(slot.node);
  }

  putNode(node: Node): void {
    const slot = this.#slotOf(node.metadata.name);
    slot.node = node;
    slot.fit = this.#fitness.of(node);
  }

  removeNode({ metadata: { name } }: Node): void {
    const slot = this.#slots.get(name);
    if (slot === undefined) return;
    slot.node = undefined;
    slot.fit = undefined;
    this.#dropIfEmpty(slot);
  }

  /** A pod as it is now; one that is not the set's is not kept. */
  putPod(pod: Pod): void {
    const { uid, labels, deletionTimestamp } = pod.metadata;
    const target = targetNodeOf(pod);
    const isOver = deletionTimestamp !== undefined && isPodTerminal(pod);
    const isOwn = controllerOf(pod)?.uid === this.#uid && this.#selector.matches(labels);
    if (target === undefined || isOver || !isOwn) return this.removePod(pod);
    const former = this.#targets.get(uid);
    if (former !== undefined && former !== target) this.removePod(pod);
    const slot = this.#slotOf(target);
    const index = slot.pods.findIndex(({ metadata }) => metadata.uid === uid);
    slot.pods = index === -1 ? [...slot.pods, pod] : slot.pods.with(index, pod);
    this.#targets.set(uid, target);
  }

  removePod({ metadata: { uid } }: Pod): void {
    const target = this.#targets.get(uid);
    if (target === undefined) return;
    this.#targets.delete(uid);
    const slot = this.#slotOf(target);
    slot.pods = slot.pods.filter(({ metadata }) => metadata.uid !== uid);
    this.#dropIfEmpty(slot);
  }

  #slotOf(name: string): Slot {
    let slot = this.#slots.get(name);
    if (slot === undefined) this.#slots.set(name, (slot = { name, node: undefined, fit: undefined, pods: NO_PODS }));
    return slot;
  }

  #dropIfEmpty({ name, node, pods }: Slot): void {
    if (node === undefined && pods.length === 0) this.#slots.delete(name);
  }
}
