import type { Pod } from '../../../src/api/objects/objects.js';
import { PodInfo } from '../../../src/scheduler/framework/pod-info.js';
import type { QueuedPodInfo } from '../../../src/scheduler/framework/interface.js';

/** A pod as it comes out of the queue. @param attempts - attempts with the one that begins */
export function queued(pod: Pod, attempts: number): QueuedPodInfo {
  return {
    podInfo: new PodInfo(pod),
    timestampMs: 0,
    attempts,
    unschedulableCount: 0,
    consecutiveErrorsCount: 0,
    backoffExpirationMs: 0,
    initialAttemptTimestampMs: 0,
    unschedulablePlugins: new Set(),
    pendingPlugins: new Set(),
    gatingPlugin: undefined,
    gatingPluginEvents: [],
  };
}
