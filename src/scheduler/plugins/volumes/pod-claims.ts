/** The claims that the volumes of a pod refer to. Upstream: component-helpers' storage/ephemeral and the listers' texts, v1.34. */
import { controllerOf } from '../../../api/objects/owners.js';
import type { core, Pod } from '../../../api/objects/objects.js';
import type { PersistentVolumeClaim } from '../../../api/objects/storage-objects.js';

/** A volume that stands for a claim. */
export interface ClaimUse {
  readonly claimName: string;
  /** The claim is made for the pod, and must belong to it. */
  readonly isEphemeral: boolean;
}

const NO_VOLUMES: readonly core.Volume[] = [];

/** The volumes of a pod. */
export function volumesOf({ spec }: Pick<Pod, 'spec'>): readonly core.Volume[] {
  return spec.volumes ?? NO_VOLUMES;
}

/** The claim behind a volume, if there is one. */
export function claimUseOf(pod: Pod, { name, persistentVolumeClaim, ephemeral }: core.Volume): ClaimUse | undefined {
  if (persistentVolumeClaim !== undefined) return { claimName: persistentVolumeClaim.claimName, isEphemeral: false };
  if (ephemeral !== undefined) return { claimName: `${pod.metadata.name}-${name}`, isEphemeral: true };
  return undefined;
}

/** The claims behind a pod's volumes, in their order; a claim that is mounted twice comes twice. */
export function claimUsesOf(pod: Pod): ClaimUse[] {
  const { volumes } = pod.spec;
  return volumes === undefined ? [] : volumes.flatMap((volume) => claimUseOf(pod, volume) ?? []);
}

/** Whether a claim in the pod's namespace is one of those that the pod refers to. */
export function refersToClaim(pod: Pod, { metadata }: PersistentVolumeClaim): boolean {
  if (pod.metadata.namespace !== metadata.namespace) return false;
  return claimUsesOf(pod).some(({ claimName }) => claimName === metadata.name);
}

/** {@link refersToClaim}, but for the claims that were made for the pod. */
export function namesClaim(pod: Pod, { metadata }: PersistentVolumeClaim): boolean {
  if (pod.metadata.namespace !== metadata.namespace) return false;
  return volumesOf(pod).some(({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName === metadata.name);
}

/** What is wrong with a claim that should have been made for the pod: one of another owner has its name. */
export function ownershipProblem({ metadata: pod }: Pod, claim: PersistentVolumeClaim): string | undefined {
  if (controllerOf(claim)?.uid === pod.uid) return undefined;
  const { namespace = '', name } = claim.metadata;
  return `PVC ${namespace}/${name} was not created for pod ${pod.namespace ?? ''}/${pod.name} (pod is not owner)`;
}

/** Upstream's text for a claim that is not there. */
export function claimNotFound(name: string): string {
  return `persistentvolumeclaim "${name}" not found`;
}
