/** Which changes of a log concern which node, so that a kubelet's watch resumes without a look at all others. */
import type { Kind, KindMap } from '../../api/objects/objects.js';

/** Of a kind of objects that are bound to nodes. Changes are numbered in order, from 0. */
export class NodeEvents<K extends Kind> {
  readonly #nodeNameOf: (object: KindMap[K]) => string;
  readonly #numbersByNode = new Map<string, number[]>();

  constructor(nodeNameOf: (object: KindMap[K]) => string) {
    this.#nodeNameOf = nodeNameOf;
  }

  /** Numbers of the changes of a node's objects, oldest first. */
  of(node: string): readonly number[] {
    return this.#numbersByNode.get(node) ?? [];
  }

  /** A change is logged under the next number. */
  add(number: number, object: KindMap[K], previous: KindMap[K] | undefined): void {
    for (const node of this.#nodesOf(object, previous)) {
      const numbers = this.#numbersByNode.get(node);
      if (numbers === undefined) this.#numbersByNode.set(node, [number]);
      else numbers.push(number);
    }
  }

  /** The oldest change is forgotten. */
  dropOldest(object: KindMap[K], previous: KindMap[K] | undefined): void {
    for (const node of this.#nodesOf(object, previous)) {
      const numbers = this.#numbersByNode.get(node);
      numbers?.shift();
      if (numbers?.length === 0) this.#numbersByNode.delete(node);
    }
  }

  clear(): void {
    this.#numbersByNode.clear();
  }

  /** Where the object is and where it was; one that is on no node concerns none. */
  #nodesOf(object: KindMap[K], previous: KindMap[K] | undefined): string[] {
    const node = this.#nodeNameOf(object);
    const before = previous === undefined ? node : this.#nodeNameOf(previous);
    const nodes = node === '' ? [] : [node];
    if (before !== node && before !== '') nodes.push(before);
    return nodes;
  }
}
