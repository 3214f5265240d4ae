/**
 * The last word on containers of a pod that is gone: one that cannot be found any more counts as
 * killed. Mirrors TerminatePod of the kubelet's status manager (v1.34). Pure.
 */
import type { ContainerStatus, PodSpec } from '../../api/objects/objects.js';
import { LOST_STATE } from './container-status.js';
import { initRole } from './restart-policy.js';

type Spec = Pick<PodSpec, 'containers' | 'initContainers'>;

/** Statuses of a pod after the end of all its containers. */
export function finalStatuses(
  spec: Spec,
  initStatuses: ContainerStatus[],
  statuses: ContainerStatus[],
): { readonly initStatuses: ContainerStatus[]; readonly statuses: ContainerStatus[] } {
  const started = startedPrefix(initStatuses);
  return {
    initStatuses: initStatuses.map((status, index) => (index < started ? asTerminated(status) : status)),
    statuses: hasInitialized(spec, initStatuses, statuses) ? statuses.map(asTerminated) : statuses,
  };
}

function asTerminated(status: ContainerStatus): ContainerStatus {
  return status.state?.terminated === undefined
    ? { ...status, state: LOST_STATE, ready: false, started: false }
    : status;
}

/** Init containers up to the last one that shows a start, and always the first. */
function startedPrefix(initStatuses: readonly ContainerStatus[]): number {
  const last = initStatuses.findLastIndex(
    ({ state, lastState }) =>
      state?.running !== undefined || state?.terminated !== undefined || lastState?.terminated !== undefined,
  );
  return Math.max(last + 1, Math.min(initStatuses.length, 1));
}

function hasInitialized(
  { initContainers = [] }: Spec,
  initStatuses: readonly ContainerStatus[],
  statuses: readonly ContainerStatus[],
): boolean {
  const last = initContainers.at(-1);
  if (last === undefined) return true;
  if (statuses.some(({ state, lastState }) => state?.waiting === undefined || lastState?.terminated !== undefined)) {
    return true;
  }
  const status = initStatuses.at(-1);
  if (status === undefined) return false;
  return initRole(last) === 'sidecar' ? status.started === true : status.state?.terminated?.exitCode === 0;
}
