import type { Node } from '../../api/objects/objects.js';
import { NO_IMAGES, type ImageStates, type ImageStateSummary } from '../framework/node-info.js';

interface ImageState {
  readonly sizeBytes: number;
  readonly nodes: Set<string>;
}

interface NodeImages {
  readonly source: Node['status']['images'];
  /** Image name to the size that this node reports. */
  readonly sizes: ReadonlyMap<string, number>;
}

/** What a cache asks about images. */
export type ImageCounts = Pick<ImageRegistry, 'revision' | 'setNode' | 'removeNode' | 'summaryOf'>;

/** Of caches that nothing is scored by. */
export const NO_IMAGE_COUNTS: ImageCounts = {
  // That of nodes that were never frozen.
  revision: -1,
  setNode: () => undefined,
  removeNode: () => undefined,
  summaryOf: () => NO_IMAGES,
};

/**
 * Which nodes have which images. An image's size is the one recorded when its name was first seen;
 * the entry goes when no node has it. Mirrors the image part of kube-scheduler v1.34 `cacheImpl`.
 */
export class ImageRegistry {
  readonly #states = new Map<string, ImageState>();
  readonly #byNode = new Map<string, NodeImages>();
  #revision = 0;

  /** Rises whenever some image gains or loses a node. */
  get revision(): number {
    return this.#revision;
  }

  setNode(node: Node): void {
    const { name } = node.metadata;
    const source = node.status.images;
    const present = this.#byNode.get(name);
    if (present === undefined ? source === undefined : present.source === source && this.#isSettled(present)) return;
    this.removeNode(name);
    const sizes = new Map<string, number>();
    for (const image of source ?? []) {
      for (const imageName of image.names ?? []) {
        if (sizes.has(imageName)) continue;
        sizes.set(imageName, image.sizeBytes ?? 0);
        this.#add(imageName, name, image.sizeBytes ?? 0);
      }
    }
    this.#byNode.set(name, { source, sizes });
  }

  /** An update takes a node's images away and adds them again, so that a sole owner's own size counts from then on. */
  #isSettled({ sizes }: NodeImages): boolean {
    for (const [imageName, sizeBytes] of sizes) {
      const state = this.#states.get(imageName);
      if (state?.nodes.size === 1 && state.sizeBytes !== sizeBytes) return false;
    }
    return true;
  }

  removeNode(nodeName: string): void {
    const images = this.#byNode.get(nodeName);
    if (images === undefined) return;
    this.#byNode.delete(nodeName);
    for (const imageName of images.sizes.keys()) {
      const state = this.#states.get(imageName);
      if (state?.nodes.delete(nodeName) !== true) continue;
      this.#revision += 1;
      if (state.nodes.size === 0) this.#states.delete(imageName);
    }
  }

  /** The images of a node with the number of nodes that have them now. */
  summaryOf(nodeName: string): ImageStates {
    const { sizes } = this.#byNode.get(nodeName) ?? {};
    if (sizes === undefined || sizes.size === 0) return NO_IMAGES;
    const summary = new Map<string, ImageStateSummary>();
    for (const imageName of sizes.keys()) {
      const state = this.#states.get(imageName);
      if (state !== undefined) summary.set(imageName, { sizeBytes: state.sizeBytes, nodeCount: state.nodes.size });
    }
    return summary;
  }

  #add(imageName: string, nodeName: string, sizeBytes: number): void {
    let state = this.#states.get(imageName);
    if (state === undefined) {
      state = { sizeBytes, nodes: new Set() };
      this.#states.set(imageName, state);
    }
    if (state.nodes.has(nodeName)) return;
    state.nodes.add(nodeName);
    this.#revision += 1;
  }
}
