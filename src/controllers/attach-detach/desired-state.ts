/** Which volumes should be attached to which nodes, and for which pods. Upstream: DesiredStateOfWorld. */
import type { AttachableVolume } from '../../api/volumes/attachable-volume.js';
import type { Pod } from '../../api/objects/objects.js';

/** A volume and a node, as one word. */
export type PairKey = string;

/** The word for a volume and a node. */
export function pairKey(nodeName: string, uniqueName: string): PairKey {
  return `${nodeName} ${uniqueName}`;
}

/** A volume that should be attached to a node. */
export interface DesiredPair {
  readonly key: PairKey;
  readonly nodeName: string;
  readonly volume: AttachableVolume;
  /** Pods that need it there, by uid. */
  readonly pods: Map<string, Pod>;
  /** How often attaching it was begun. */
  attempts: number;
  /** Its pods have been told that another node has the volume. */
  isMultiAttachReported: boolean;
}

/** See the file header. */
export class DesiredState {
  readonly #pairs = new Map<PairKey, DesiredPair>();
  readonly #byVolume = new Map<string, Map<PairKey, DesiredPair>>();
  readonly #byPod = new Map<string, Set<DesiredPair>>();

  get(key: PairKey): DesiredPair | undefined {
    return this.#pairs.get(key);
  }

  /** Everything that is desired of one volume. */
  ofVolume(uniqueName: string): Iterable<DesiredPair> {
    return this.#byVolume.get(uniqueName)?.values() ?? [];
  }

  /** What a pod needs. */
  ofPod(uid: string): Iterable<DesiredPair> {
    return this.#byPod.get(uid) ?? [];
  }

  /** A pod on a node needs a volume. */
  add(pod: Pod, nodeName: string, volume: AttachableVolume): DesiredPair {
    const key = pairKey(nodeName, volume.uniqueName);
    let pair = this.#pairs.get(key);
    if (pair === undefined) {
      pair = { key, nodeName, volume, pods: new Map(), attempts: 0, isMultiAttachReported: false };
      this.#pairs.set(key, pair);
      const pairs = this.#byVolume.get(volume.uniqueName);
      if (pairs === undefined) this.#byVolume.set(volume.uniqueName, new Map([[key, pair]]));
      else pairs.set(key, pair);
    }
    const { uid } = pod.metadata;
    pair.pods.set(uid, pod);
    const needs = this.#byPod.get(uid);
    if (needs === undefined) this.#byPod.set(uid, new Set([pair]));
    else needs.add(pair);
    return pair;
  }

  /** Drops the needs of a pod. @returns the pairs that no pod needs now */
  removePod(uid: string): readonly DesiredPair[] {
    const unneeded: DesiredPair[] = [];
    for (const pair of this.ofPod(uid)) {
      pair.pods.delete(uid);
      if (pair.pods.size === 0) {
        this.#remove(pair);
        unneeded.push(pair);
      }
    }
    this.#byPod.delete(uid);
    return unneeded;
  }

  #remove({ key, volume: { uniqueName } }: DesiredPair): void {
    this.#pairs.delete(key);
    const pairs = this.#byVolume.get(uniqueName);
    pairs?.delete(key);
    if (pairs?.size === 0) this.#byVolume.delete(uniqueName);
  }
}
