import type { QueuedPodInfo, QueueSortPlugin } from '../framework/interface.js';
import { podPriority } from '../framework/pod-info.js';

/** Higher priority first, then the longer wait. Upstream: plugin PrioritySort of kube-scheduler v1.34. */
export class PrioritySort implements QueueSortPlugin {
  readonly name = 'PrioritySort';

  less(a: QueuedPodInfo, b: QueuedPodInfo): boolean {
    const difference = podPriority(a.podInfo.pod) - podPriority(b.podInfo.pod);
    return difference > 0 || (difference === 0 && a.timestampMs < b.timestampMs);
  }
}
