import { getCondition } from '../../api/objects/conditions.js';
import type { Pod, Service } from '../../api/objects/objects.js';

/**
 * The time of the change that a sync of a service answers to: the earliest of those that no sync has
 * seen before. Mirrors TriggerTimeTracker of k8s.io/endpointslice v1.34. Timestamps are of one format
 * and compare as texts.
 */
export class TriggerTimes {
  /** By name. */
  readonly #pods = new Map<string, string>();
  #service: string | undefined;

  /**
   * The timestamp for the annotation; `undefined` when nothing new is known.
   *
   * @param pods - pods that may have changed since the last time, by name; absent = it no longer belongs to the service
   * @param areAll - all others do not belong to it either
   */
  next(
    { metadata: { creationTimestamp } }: Service,
    pods: ReadonlyMap<string, Pod | undefined>,
    areAll: boolean,
  ): string | undefined {
    let earliest: string | undefined;
    for (const [name, pod] of pods) {
      const time = getCondition(pod?.status.conditions, 'Ready')?.lastTransitionTime;
      if (time !== undefined && time > (this.#pods.get(name) ?? '')) earliest = earlier(earliest, time);
      if (time === undefined) this.#pods.delete(name);
      else this.#pods.set(name, time);
    }
    if (areAll) for (const name of this.#pods.keys()) if (!pods.has(name)) this.#pods.delete(name);
    const former = this.#service;
    this.#service = creationTimestamp;
    // Of a service that is new its own time counts, however old its pods are.
    if (former === undefined) return creationTimestamp;
    return creationTimestamp > former ? earlier(earliest, creationTimestamp) : earliest;
  }
}

function earlier(a: string | undefined, b: string): string {
  return a === undefined || b < a ? b : a;
}
