/**
 * Pods that were put on nodes of a picture, kept beside the cache: to write thousands of moves into the cache and to take
 * them back again costs more than to judge them. A node that pods were put on has a view, which is a copy of it with
 * these pods. Pods of which others may take notice on other nodes (affinity, spreading) do not belong here.
 */
import type { NodeInfo } from '../framework/node-info.js';
import type { PodInfo } from '../framework/pod-info.js';

/** A node as the cache has it. */
export type ThereNode = NodeInfo & { readonly node: NonNullable<NodeInfo['node']> };

interface View {
  readonly info: ThereNode;
  /** Pods that were put here. */
  count: number;
}

/** See the file header. */
export class LightMoves {
  readonly #views = new Map<string, View>();

  /** The node with the pods that were put on it. */
  of(info: ThereNode): ThereNode {
    return this.#views.size === 0 ? info : (this.#views.get(info.name)?.info ?? info);
  }

  /** The same where that differs from what the cache has. */
  viewOf(name: string): NodeInfo | undefined {
    return this.#views.size === 0 ? undefined : this.#views.get(name)?.info;
  }

  put(pod: PodInfo, node: ThereNode): void {
    let view = this.#views.get(node.name);
    if (view === undefined) {
      view = { info: node.clone() as ThereNode, count: 0 };
      this.#views.set(node.name, view);
    }
    view.info.addPod(pod);
    view.count += 1;
  }

  /** The last that was put on the node leaves it again. */
  takeBack(pod: PodInfo, name: string): void {
    const view = this.#views.get(name);
    if (view === undefined) return;
    view.info.removePod(pod.pod.metadata.uid);
    view.count -= 1;
    if (view.count === 0) this.#views.delete(name);
  }

  /** All of them are in the cache now. */
  clear(): void {
    this.#views.clear();
  }
}
