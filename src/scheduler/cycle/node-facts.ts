import type { ColumnArrays } from '../framework/node-columns.js';
import { WrittenSlots } from '../framework/written-slots.js';

/** Numbers per node: labels, taints, images, cordon. */
const FACTS = 4;

/** Notices which nodes become others in what is not about their pods, for those who keep something by it. */
export class NodeFacts {
  /** Positions of nodes that have become others; who is behind its beginning, or knows another `epoch`, looks at all. */
  readonly changed = new WrittenSlots();
  /** Rises when every position may hold another node. */
  epoch = 0;
  /** By position, as last seen. */
  #facts = new Int32Array(0);

  /** Every position may hold another node now. */
  begin(size: number): void {
    this.epoch += 1;
    if (this.#facts.length < size * FACTS) this.#facts = new Int32Array(size * FACTS);
  }

  /** Looks at the node in a slot. */
  look({ labelSet, taintSet, imageSet, unschedulable }: ColumnArrays, at: number, slot: number): void {
    const facts = this.#facts;
    const first = at * FACTS;
    const labels = labelSet[slot] as number;
    const taints = taintSet[slot] as number;
    const images = imageSet[slot] as number;
    const cordon = unschedulable[slot] as number;
    if (
      facts[first] === labels &&
      facts[first + 1] === taints &&
      facts[first + 2] === images &&
      facts[first + 3] === cordon
    ) {
      return;
    }
    facts[first] = labels;
    facts[first + 1] = taints;
    facts[first + 2] = images;
    facts[first + 3] = cordon;
    this.changed.note(at);
  }
}
