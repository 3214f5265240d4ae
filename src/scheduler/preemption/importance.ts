import type { Pod } from '../../api/objects.js';
import type { Timestamps } from '../../kernel/timestamps.js';
import { podPriority, type PodInfo } from '../framework/pod-info.js';

/** Timestamps whose milliseconds are remembered; pods that start together share theirs. */
const MAX_KNOWN_TIMES = 8192;

/** Reads when pods started. */
export class StartTimes {
  readonly #timestamps: Pick<Timestamps, 'toMs'>;
  readonly #known = new Map<string, number>();

  constructor(timestamps: Pick<Timestamps, 'toMs'>) {
    this.#timestamps = timestamps;
  }

  /** Simulated time of a pod's start; a pod that has not started counts as starting now. */
  of(pod: Pod, nowMs: number): number {
    const { startTime } = pod.status;
    if (startTime === undefined || startTime === null) return nowMs;
    const known = this.#known.get(startTime);
    if (known !== undefined) return known;
    if (this.#known.size >= MAX_KNOWN_TIMES) this.#known.clear();
    const startMs = this.#timestamps.toMs(startTime);
    this.#known.set(startTime, startMs);
    return startMs;
  }
}

/**
 * Sorts pods in place, most important first: higher priority, then longer running. Pods that are equal
 * in both keep their order. Upstream: `MoreImportantPod` of kube-scheduler v1.34.
 */
export function sortByImportance(pods: PodInfo[], startTimes: StartTimes, nowMs: number): void {
  if (pods.length < 2) return;
  pods.sort((a, b) => {
    const byPriority = podPriority(b.pod) - podPriority(a.pod);
    return byPriority === 0 ? startTimes.of(a.pod, nowMs) - startTimes.of(b.pod, nowMs) : byPriority;
  });
}
