import type { Container, PodSpec } from '../../api/objects/objects.js';
import { isSidecar } from '../../api/pods/pod-resources.js';
import type { ContainerInstance } from './container-runtime.js';

/** What a container is to its pod: they start, end and restart by different rules. */
export type ContainerRole = 'init' | 'sidecar' | 'app' | 'ephemeral';

/** Role of an entry of `initContainers`: those with restartPolicy Always are sidecars. */
export function initRole(container: Container): 'init' | 'sidecar' {
  return isSidecar(container) ? 'sidecar' : 'init';
}

/** Whether a container that ended with that code is to run again. */
export function shouldRestart(role: ContainerRole, policy: PodSpec['restartPolicy'], exitCode: number): boolean {
  if (role === 'sidecar') return true;
  if (exitCode === 0) return role === 'app' && policy !== 'OnFailure' && policy !== 'Never';
  return policy !== 'Never';
}

/** Whether a run has ended with exit code 0. */
export function hasSucceeded(instance: ContainerInstance | undefined): boolean {
  return instance?.exit?.code === 0;
}
