import type { CycleState } from '../framework/cycle-state.js';
import { MAX_NODE_SCORE, type ColumnScore, type FrameworkHandle, type ScorePlugin } from '../framework/interface.js';
import type { NodeColumns } from '../framework/node-columns.js';
import type { ImageStates, NodeInfo } from '../framework/node-info.js';
import type { PodInfo } from '../framework/pod-info.js';

/** Upstream's minThreshold: images that are smaller in sum give no score. */
const MIN_BYTES = 23 * 1024 * 1024;
/** Upstream's maxContainerThreshold: images that are larger, for each container, give the full score. */
const MAX_CONTAINER_BYTES = 1000 * 1024 * 1024;
const NO_IMAGES: ImageStates = new Map();

/** Prefers nodes that already have the pod's images. Upstream: plugin ImageLocality of kube-scheduler v1.34. */
export class ImageLocality implements ScorePlugin {
  readonly name = 'ImageLocality';
  readonly scoreScope = 'node';
  readonly goesByOutline = true;
  readonly #handle: FrameworkHandle;

  constructor(handle: FrameworkHandle) {
    this.#handle = handle;
  }

  score(_state: CycleState, { shape }: PodInfo, node: NodeInfo): number {
    return scoreOf(shape.images, node.imageStates, this.#handle.snapshot.size);
  }

  /** Judges each set of images once. */
  compileScore(_state: CycleState, { shape }: PodInfo, columns: NodeColumns): ColumnScore {
    const nodeCount = columns.nodeCount;
    const scores: number[] = [];
    return {
      score(slots, count, raw) {
        const { imageSet } = columns.arrays;
        const { imageSets } = columns.tables;
        for (let index = 0; index < count; index += 1) {
          const slot = slots[index] as number;
          const set = imageSet[slot] as number;
          raw[slot] = scores[set] ??= scoreOf(shape.images, imageSets[set] ?? NO_IMAGES, nodeCount);
        }
      },
    };
  }
}

/** Sizes of the images that are there, each scaled down by how few nodes have it, between two thresholds. */
function scoreOf(images: readonly string[], states: ImageStates, nodeCount: number): number {
  let sum = 0;
  if (states.size > 0) {
    for (const image of images) {
      const state = states.get(image);
      if (state !== undefined) sum += Math.trunc(state.sizeBytes * (state.nodeCount / nodeCount));
    }
  }
  const max = MAX_CONTAINER_BYTES * images.length;
  const clamped = Math.min(Math.max(sum, MIN_BYTES), max);
  return Math.trunc((MAX_NODE_SCORE * (clamped - MIN_BYTES)) / (max - MIN_BYTES));
}
