/** Where the objects of each node are: storage keys by node name, so that a kubelet's list costs what it holds. */
import { nameKey, type Kind, type KindMap } from '../../api/objects/objects.js';

/** See the file header. */
export class NodeIndex<K extends Kind> {
  readonly #nodeNameOf: (object: KindMap[K]) => string;
  readonly #keysByNode = new Map<string, Set<string>>();

  constructor(nodeNameOf: (object: KindMap[K]) => string) {
    this.#nodeNameOf = nodeNameOf;
  }

  /** Keys (`namespace/name`) of the objects of a node, in order. */
  keys(node: string): string[] {
    return [...(this.#keysByNode.get(node) ?? [])].sort();
  }

  /** An object has come, changed or gone; `undefined` stands for absent. */
  move(previous: KindMap[K] | undefined, object: KindMap[K] | undefined): void {
    const before = previous === undefined ? undefined : this.#nodeNameOf(previous);
    const after = object === undefined ? undefined : this.#nodeNameOf(object);
    if (before === after) return;
    const { metadata } = object ?? previous ?? {};
    if (metadata === undefined) return;
    const key = nameKey(metadata.namespace, metadata.name);
    if (before !== undefined) this.#drop(before, key);
    if (after === undefined) return;
    const keys = this.#keysByNode.get(after);
    if (keys === undefined) this.#keysByNode.set(after, new Set([key]));
    else keys.add(key);
  }

  #drop(node: string, key: string): void {
    const keys = this.#keysByNode.get(node);
    if (keys === undefined) return;
    keys.delete(key);
    if (keys.size === 0) this.#keysByNode.delete(node);
  }
}
