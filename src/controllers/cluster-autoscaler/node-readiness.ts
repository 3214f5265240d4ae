/** Whether nodes are ready as the autoscaler sees it. Mirrors cluster-autoscaler v1.34 `utils/kubernetes/ready.go`. */
import type { Node } from '../../api/objects/objects.js';
import type { Timestamps } from '../../kernel/timestamps.js';
import type { AutoscalerSettings } from './autoscaler-settings.js';
import { isStartupTaint } from './autoscaler-taints.js';

const NOT_READY_TAINTS: ReadonlySet<string> = new Set([
  'node.kubernetes.io/not-ready',
  'node.kubernetes.io/disk-pressure',
  'node.kubernetes.io/network-unavailable',
]);
const PROBLEMS: ReadonlySet<string> = new Set(['DiskPressure', 'NetworkUnavailable']);

/** See the file header. */
export interface NodeReadiness {
  readonly isReady: boolean;
  /** When that last changed, ms; minus infinity = nothing is told of it. */
  readonly sinceMs: number;
}

export function readinessOf(node: Node, timestamps: Timestamps, settings: AutoscalerSettings): NodeReadiness {
  let isReady = true;
  let isTold = false;
  let sinceMs = Number.NEGATIVE_INFINITY;
  const note = (time: string | null | undefined): void => {
    if (time !== undefined && time !== null) sinceMs = Math.max(sinceMs, timestamps.toMs(time));
  };
  for (const { type, status, lastTransitionTime } of node.status.conditions ?? []) {
    if (type === 'Ready') {
      isTold = true;
      if (status !== 'True') isReady = false;
      note(lastTransitionTime);
    } else if (PROBLEMS.has(type)) {
      if (status === 'True') isReady = false;
      note(lastTransitionTime);
    }
  }
  for (const { key, timeAdded } of node.spec.taints ?? []) {
    if (isStartupTaint(key, settings)) isReady = false;
    if (!NOT_READY_TAINTS.has(key)) continue;
    isReady = false;
    note(timeAdded);
  }
  return { isReady: isReady && isTold, sinceMs };
}
