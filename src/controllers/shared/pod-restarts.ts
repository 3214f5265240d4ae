/** How often a pod's containers were started again, as controllers compare it. Mirrors kube-controller-manager v1.34 maxContainerRestarts. */
import type { Pod } from '../../api/objects/objects.js';

/** Most restarts of a regular container, and of a sidecar; those of other init containers do not count. */
export interface PodRestarts {
  readonly restarts: number;
  readonly sidecarRestarts: number;
}

/** Of a pod. */
export function podRestarts(pod: Pod): PodRestarts {
  return {
    restarts: maxRestarts(pod.status.containerStatuses),
    sidecarRestarts: maxRestarts(sidecarStatuses(pod)),
  };
}

/** Negative when the left one has more. */
export function moreRestartsFirst(left: PodRestarts, right: PodRestarts): number {
  return right.restarts - left.restarts || right.sidecarRestarts - left.sidecarRestarts;
}

function maxRestarts(statuses: Pod['status']['containerStatuses']): number {
  let most = 0;
  if (statuses !== undefined) for (const { restartCount } of statuses) most = Math.max(most, restartCount);
  return most;
}

function sidecarStatuses({ spec, status }: Pod): Pod['status']['containerStatuses'] {
  const { initContainers } = spec;
  const { initContainerStatuses } = status;
  if (initContainers === undefined || initContainerStatuses === undefined) return undefined;
  const sidecars = new Set(
    initContainers.filter(({ restartPolicy }) => restartPolicy === 'Always').map(({ name }) => name),
  );
  return initContainerStatuses.filter(({ name }) => sidecars.has(name));
}
