/** Which pods a kubelet never ends for the node's sake. Mirrors pkg/kubelet/types/pod_update.go (v1.34). */
import type { Pod } from '../../api/objects/objects.js';
import { CRITICAL_PRIORITY } from './kubelet-configuration.js';

/** On a mirror pod: the hash of the static pod that it shows. */
export const MIRROR_ANNOTATION = 'kubernetes.io/config.mirror';
/** On a static pod: where it comes from, which is not the API. */
export const SOURCE_ANNOTATION = 'kubernetes.io/config.source';

export function isStatic({ metadata }: Pick<Pod, 'metadata'>): boolean {
  const source = metadata.annotations?.[SOURCE_ANNOTATION];
  return source !== undefined && source !== 'api';
}

export function isMirror({ metadata }: Pick<Pod, 'metadata'>): boolean {
  return metadata.annotations?.[MIRROR_ANNOTATION] !== undefined;
}

/** Static and mirror pods, and those of the system's priorities. */
export function isCritical(pod: Pick<Pod, 'metadata' | 'spec'>): boolean {
  return isStatic(pod) || isMirror(pod) || (pod.spec.priority ?? 0) >= CRITICAL_PRIORITY;
}
