/** What a kubelet never writes of containers. Mirrors checkContainerStateTransition of its status manager (v1.34). Pure. */
import type { ContainerStatus, PodSpec } from '../../api/objects/objects.js';
import { initRole } from './restart-policy.js';

/** Statuses of the containers of a pod. */
export interface ContainerStatuses {
  readonly initStatuses: readonly ContainerStatus[];
  readonly statuses: readonly ContainerStatus[];
}

/** Whether a container would come back that had ended for good; such a status is not written at all. */
export function isIllegalTransition(
  { restartPolicy, initContainers = [] }: Pick<PodSpec, 'restartPolicy' | 'initContainers'>,
  before: ContainerStatuses,
  next: ContainerStatuses,
): boolean {
  if (restartPolicy !== 'OnFailure' && restartPolicy !== 'Never') return false;
  const comesBack = (old: ContainerStatus, statuses: readonly ContainerStatus[]): boolean => {
    const { terminated } = old.state ?? {};
    if (terminated === undefined || (terminated.exitCode !== 0 && restartPolicy === 'OnFailure')) return false;
    return statuses.some(({ name, state }) => name === old.name && state?.terminated === undefined);
  };
  const isSidecar = ({ name }: ContainerStatus): boolean =>
    initContainers.some((container) => container.name === name && initRole(container) === 'sidecar');
  return (
    before.statuses.some((old) => comesBack(old, next.statuses)) ||
    before.initStatuses.some((old) => !isSidecar(old) && comesBack(old, next.initStatuses))
  );
}
