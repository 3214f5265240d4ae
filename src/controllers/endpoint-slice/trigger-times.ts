import { getCondition } from '../../api/conditions.js';
import type { Pod, Service } from '../../api/objects.js';

/**
 * The time of the change that a sync of a service answers to: the earliest of those that no sync has
 * seen before. Mirrors TriggerTimeTracker of k8s.io/endpointslice v1.34. Timestamps are of one format
 * and compare as texts.
 */
export class TriggerTimes {
  #pods: ReadonlyMap<string, string> = new Map();
  #service: string | undefined;

  /** The timestamp for the annotation; `undefined` when nothing new is known. */
  next({ metadata: { creationTimestamp } }: Service, pods: Iterable<Pod>): string | undefined {
    const seen = new Map<string, string>();
    let earliest: string | undefined;
    for (const pod of pods) {
      const time = getCondition(pod.status.conditions, 'Ready')?.lastTransitionTime;
      if (time === undefined) continue;
      seen.set(pod.metadata.name, time);
      if (time > (this.#pods.get(pod.metadata.name) ?? '')) earliest = earlier(earliest, time);
    }
    const former = this.#service;
    this.#pods = seen;
    this.#service = creationTimestamp;
    // Of a service that is new its own time counts, however old its pods are.
    if (former === undefined) return creationTimestamp;
    return creationTimestamp > former ? earlier(earliest, creationTimestamp) : earliest;
  }
}

function earlier(a: string | undefined, b: string): string {
  return a === undefined || b < a ? b : a;
}
