/** Which volumes of a pod are claims', and of which claim each. Pure. */
import { keyOf, type Pod } from '../objects/objects.js';
import type { PersistentVolumeClaim } from '../objects/storage-objects.js';

/** A volume of a pod that comes from a claim. */
export interface ClaimedVolume {
  /** Its name within the pod. */
  readonly name: string;
  readonly claimName: string;
  /** The claim is the pod's own, made for it and gone with it. */
  readonly isEphemeral: boolean;
}

const NONE: readonly ClaimedVolume[] = [];

/** The volumes of a pod that come from claims, in the order of its spec. Pods without any share one list. */
export function claimedVolumes({ metadata, spec: { volumes } }: Pod): readonly ClaimedVolume[] {
  if (volumes === undefined) return NONE;
  let found: ClaimedVolume[] | undefined;
  for (const { name, persistentVolumeClaim, ephemeral } of volumes) {
    if (persistentVolumeClaim !== undefined) {
      (found ??= []).push({ name, claimName: persistentVolumeClaim.claimName, isEphemeral: false });
    } else if (ephemeral !== undefined) {
      (found ??= []).push({ name, claimName: `${metadata.name}-${name}`, isEphemeral: true });
    }
  }
  return found ?? NONE;
}

/** Keys of the claims that a pod uses, each once. */
export function claimKeysOf(pod: Pod): readonly string[] {
  const volumes = claimedVolumes(pod);
  if (volumes.length === 0) return NO_KEYS;
  const { namespace = '' } = pod.metadata;
  return [...new Set(volumes.map(({ claimName }) => `${namespace}/${claimName}`))];
}

const NO_KEYS: readonly string[] = [];

/** Pods by the keys of the claims that they use: `byIndex('claim', 'default/data')`. */
export const PODS_BY_CLAIM = { claim: claimKeysOf };

/** Why an ephemeral volume's claim is not the pod's; `undefined` if it is. */
export function ownershipProblem(pod: Pod, claim: PersistentVolumeClaim): string | undefined {
  const owner = claim.metadata.ownerReferences?.find(({ controller }) => controller === true);
  if (owner?.uid === pod.metadata.uid) return undefined;
  return `PVC ${keyOf(claim)} was not created for pod ${keyOf(pod)} (pod is not owner)`;
}
