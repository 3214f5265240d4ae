import type { EndpointSlice } from '../../api/objects/objects.js';

const EXPECTED_GONE = -1;

/**
 * What a controller has written of a service's slices, so that it neither trusts a cache that does not
 * show it yet nor takes its own writes for those of others. Mirrors EndpointSliceTracker of
 * k8s.io/endpointslice v1.34.
 */
export class SliceTracker {
  /** Generation by uid; {@link EXPECTED_GONE} after a deletion. */
  readonly #generations = new Map<string, number>();

  /** Slices of which a write is under way, and `undefined` for one that is being made. */
  readonly #underWay = new Set<string | undefined>();

  readonly #isToldFirst: boolean;

  /**
   * @param isToldFirst - a watch tells of a write before its answer is there, and the slice is taken for one that others
   *   have changed: of upstream's writes that comes to about every second
   */
  constructor(isToldFirst = false) {
    this.#isToldFirst = isToldFirst;
  }

  /** A write, and what comes of it: what is seen meanwhile is this write, unless watches tell first. */
  async write(uid: string | undefined, request: Promise<EndpointSlice>): Promise<void> {
    if (!this.#isToldFirst) this.#underWay.add(uid);
    try {
      this.noteWrite(await request);
    } finally {
      this.#underWay.delete(uid);
    }
  }

  noteWrite({ metadata: { uid, generation = 1 } }: EndpointSlice): void {
    this.#generations.set(uid, generation);
  }

  expectDeletion({ metadata: { uid } }: EndpointSlice): void {
    this.#generations.set(uid, EXPECTED_GONE);
  }

  /** A slice has vanished; `false` when this controller did not delete it. */
  noteDeletion({ metadata: { uid } }: EndpointSlice): boolean {
    const generation = this.#generations.get(uid);
    this.#generations.delete(uid);
    return generation === undefined || generation === EXPECTED_GONE;
  }

  /** Whether a slice is other than this controller wrote it. */
  isForeign({ metadata: { uid, generation = 1 } }: EndpointSlice): boolean {
    const written = this.#generations.get(uid);
    if (written === undefined) return !this.#underWay.has(undefined);
    return generation > written && !this.#underWay.has(uid);
  }

  /** Whether the cache misses something that was written. */
  isStale(slices: readonly EndpointSlice[]): boolean {
    const seen = new Set<string>();
    for (const { metadata } of slices) {
      const { uid, generation = 1 } = metadata;
      const written = this.#generations.get(uid);
      if (written === EXPECTED_GONE || (written !== undefined && written > generation)) return true;
      seen.add(uid);
    }
    for (const [uid, generation] of this.#generations) {
      if (generation !== EXPECTED_GONE && !seen.has(uid)) return true;
    }
    return false;
  }
}
