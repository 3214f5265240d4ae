import type { KnownNode } from './known-node.js';
import type { NodeGroup } from './autoscaler-seams.js';

/** Of a group of the roster: none that is autoscaled. */
const NO_GROUP = 0;
const FIRST_CAPACITY = 64;

/** How a node is counted. */
export const NodeState = {
  /** No node stands in this place any more. */
  Hole: 0,
  /** Its machine is gone. */
  Deleted: 1,
  Ready: 2,
  /** Not ready: whether it is still about to start is a matter of time. */
  NotReady: 3,
} as const;

/**
 * What is asked of all nodes at each look, as arrays: to look at thousands of objects that are spread over the heap would
 * cost a microsecond each. Nodes stand in the order in which they came.
 */
export class NodeRoster {
  /** Places from 0 to here hold nodes, or holes. */
  end = 0;
  state = new Uint8Array(FIRST_CAPACITY);
  /** Whether a node is marked as one that is not needed at present. */
  isCandidate = new Uint8Array(FIRST_CAPACITY);
  /** Whether the planner of scale-downs finds that it is not needed. */
  isUnneeded = new Uint8Array(FIRST_CAPACITY);
  /** What that planner has found besides, in bits of its own; 0 where it is to look anew. */
  notes = new Uint8Array(FIRST_CAPACITY);
  #group = new Uint16Array(FIRST_CAPACITY);
  #known: (KnownNode | undefined)[] = [];
  #groups: (NodeGroup | undefined)[] = [undefined];
  readonly #indexOfGroup = new Map<NodeGroup, number>();
  #holes = 0;

  at(slot: number): KnownNode | undefined {
    return this.#known[slot];
  }

  groupAt(slot: number): NodeGroup | undefined {
    return this.#groups[this.#group[slot] as number];
  }

  /** A node is there anew, or has changed. @param before - the same node as it was */
  set(known: KnownNode, before: KnownNode | undefined): void {
    const slot = before?.slot ?? this.#append();
    known.slot = slot;
    this.#known[slot] = known;
    this.isCandidate[slot] = Number(known.isCandidate);
    this.noteMachine(known);
  }

  /** What a node's machine is like may have changed. */
  noteMachine({ slot, isReady, machine }: KnownNode): void {
    this.#group[slot] = this.#indexOf(machine.group);
    this.state[slot] = !machine.isThere ? NodeState.Deleted : isReady ? NodeState.Ready : NodeState.NotReady;
  }

  delete({ slot }: KnownNode): void {
    this.#known[slot] = undefined;
    this.state[slot] = NodeState.Hole;
    this.#group[slot] = NO_GROUP;
    this.#holes += 1;
    if (this.#holes * 2 > this.end && this.end > FIRST_CAPACITY) this.#compact();
  }

  #indexOf(group: NodeGroup | undefined): number {
    if (group === undefined) return NO_GROUP;
    let index = this.#indexOfGroup.get(group);
    if (index === undefined) {
      index = this.#groups.length;
      this.#groups.push(group);
      this.#indexOfGroup.set(group, index);
    }
    return index;
  }

  #append(): number {
    const slot = this.end;
    this.end += 1;
    if (this.end > this.state.length) {
      const capacity = this.state.length * 2;
      this.state = grown(this.state, new Uint8Array(capacity));
      this.isCandidate = grown(this.isCandidate, new Uint8Array(capacity));
      this.isUnneeded = grown(this.isUnneeded, new Uint8Array(capacity));
      this.notes = grown(this.notes, new Uint8Array(capacity));
      this.#group = grown(this.#group, new Uint16Array(capacity));
    }
    this.notes[slot] = 0;
    this.isUnneeded[slot] = 0;
    return slot;
  }

  #compact(): void {
    let end = 0;
    for (let slot = 0; slot < this.end; slot += 1) {
      const known = this.#known[slot];
      if (known === undefined) continue;
      known.slot = end;
      this.#known[end] = known;
      for (const column of [this.state, this.isCandidate, this.isUnneeded, this.notes, this.#group]) {
        column[end] = column[slot] as number;
      }
      end += 1;
    }
    this.#known.length = end;
    this.end = end;
    this.#holes = 0;
  }
}

function grown<A extends Uint8Array | Uint16Array>(array: A, larger: A): A {
  larger.set(array);
  return larger;
}
