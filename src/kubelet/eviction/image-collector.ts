/**
 * Removes unused images from a disk that fills up: every five minutes down to the low threshold if
 * the high one is reached, and all of them when the disk is short. Mirrors pkg/kubelet/images/image_gc_manager.go
 * (v1.34); unlike it, it removes images in the order in which they came, not by their last use.
 */
import type { NodeContext } from '../node/node-context.js';
import { fullReference } from '../images/image-store.js';

/** Upstream collects that often, counted from the start of the kubelet. */
export const COLLECTION_INTERVAL_MS = 300_000;

/** See the file header. */
export class ImageCollector {
  readonly #context: NodeContext;
  readonly #diskBytes: number;
  #failures = 0;

  constructor(context: NodeContext, diskBytes: number) {
    this.#context = context;
    this.#diskBytes = diskBytes;
  }

  /** Use of the disk at which a collection begins to remove something. */
  get highBytes(): number {
    return this.#diskBytes * this.#context.settings.imageGC.highShare;
  }

  /** @param usedBytes - of the disk, images included */
  collect(usedBytes: number): void {
    if (usedBytes < this.highBytes) return;
    const { lowShare, minimumAgeMs } = this.#context.settings.imageGC;
    const wanted = Math.trunc(usedBytes - this.#diskBytes * lowShare);
    const freed = this.#remove(wanted, minimumAgeMs);
    if (freed >= wanted) {
      this.#failures = 0;
      return;
    }
    const attempt = `Attempted to free ${wanted} bytes, but only found ${freed} bytes eligible to free.`;
    const message = `Failed to garbage collect required amount of images. ${attempt}`;
    const { nodeEvents } = this.#context;
    nodeEvents.tell('Warning', 'FreeDiskSpaceFailed', message);
    this.#failures += 1;
    if (this.#failures > 1) nodeEvents.tell('Warning', 'ImageGCFailed', message);
  }

  /** Removes all unused images. */
  collectAll(): void {
    this.#remove(Infinity, 0);
  }

  #remove(wantedBytes: number, minimumAgeMs: number): number {
    const { images, kernel, runtime, onImageKept } = this.#context;
    const inUse = new Set<string>();
    for (const { slots } of runtime.sandboxes) {
      for (const { current } of slots) if (current !== undefined) inUse.add(fullReference(current.image));
    }
    let freed = 0;
    for (const image of images.unused(inUse)) {
      if (freed >= wantedBytes) break;
      if (kernel.clock.now() - image.keptMs < minimumAgeMs) continue;
      images.remove(image);
      freed += image.sizeBytes;
    }
    if (freed > 0) onImageKept();
    return freed;
  }
}
