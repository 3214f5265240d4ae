import { keyOf, type Pod } from '../../api/objects/objects.js';
import type { Placement } from './autoscaler-seams.js';
import { HopelessPods } from './similar-pods.js';

/** Where a pod was put in the picture. */
export interface PlacedPod {
  readonly pod: Pod;
  readonly node: string;
}

/**
 * Puts pods where they could go, first of all where they could go the last time. Mirrors cluster-autoscaler v1.34
 * `simulator/scheduling`.
 */
export class HintedPlacement {
  #hints = new Map<string, string>();
  #former = new Map<string, string>();

  /**
   * @param accepts - for all calls until another one is given; what it has not accepted once it never accepts again
   * @param stopsAtFailure - whether one pod without a place makes the others idle
   * @returns those that have one
   */
  place(
    placement: Placement,
    pods: readonly Pod[],
    accepts: (node: string) => boolean,
    stopsAtFailure: boolean,
  ): readonly PlacedPod[] {
    const hopeless = new HopelessPods();
    const placed: PlacedPod[] = [];
    for (const pod of pods) {
      const node = this.#byHint(placement, pod, accepts) ?? this.#anywhere(placement, pod, accepts, hopeless);
      if (node !== undefined) placed.push({ pod, node });
      else if (stopsAtFailure) break;
    }
    return placed;
  }

  /** Hints that were not used since the last call are forgotten. */
  forgetOld(): void {
    this.#former = this.#hints;
    this.#hints = new Map();
  }

  #byHint(placement: Placement, pod: Pod, accepts: (node: string) => boolean): string | undefined {
    const key = hintKeyOf(pod);
    const node = this.#hints.get(key) ?? this.#former.get(key);
    if (node === undefined || !accepts(node) || !placement.has(node)) return undefined;
    if (placement.schedule(pod, node) !== undefined) return undefined;
    this.#hints.set(key, node);
    return node;
  }

  #anywhere(
    placement: Placement,
    pod: Pod,
    accepts: (node: string) => boolean,
    hopeless: HopelessPods,
  ): string | undefined {
    if (hopeless.has(pod)) return undefined;
    const node = placement.search(pod, accepts);
    if (node === undefined) hopeless.add(pod);
    else this.#hints.set(hintKeyOf(pod), node);
    return node;
  }
}

function hintKeyOf(pod: Pod): string {
  return pod.metadata.uid === '' ? keyOf(pod) : pod.metadata.uid;
}
