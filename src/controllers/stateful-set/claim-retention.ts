/**
 * The owners of a claim, by which the garbage collector takes it along with the set or with a pod that was scaled
 * away, as `persistentVolumeClaimRetentionPolicy` says. Claims with another controller, and claims that an
 * earlier set or pod of the same name left behind, are not touched.
 */
import type { OwnerReference, Pod, StatefulSet } from '../../api/objects/objects.js';
import { isOwnedBy, controllerReference } from '../../api/objects/owners.js';
import type { PersistentVolumeClaim } from '../../api/objects/storage-objects.js';

/** What decides on a claim: the set, the pod, and whether the set is to keep a pod of that ordinal. */
export interface ClaimOwners {
  readonly set: StatefulSet;
  readonly pod: Pod;
  readonly isCondemned: boolean;
}

type Owner = StatefulSet | Pod;

function isRetained({ spec }: StatefulSet, when: 'whenDeleted' | 'whenScaled'): boolean {
  return spec.persistentVolumeClaimRetentionPolicy?.[when] !== 'Delete';
}

/** Whether claims of a set outlive pods that are scaled away. */
export function keepsScaledClaims(set: StatefulSet): boolean {
  return isRetained(set, 'whenScaled');
}

function isNamed(reference: OwnerReference, owner: Owner): boolean {
  return (
    reference.apiVersion === owner.apiVersion && reference.kind === owner.kind && reference.name === owner.metadata.name
  );
}

/** Whether a claim belongs to a pod of that name; while there is no such pod, to one that is gone. */
export function isOfPod({ metadata }: PersistentVolumeClaim, podName: string): boolean {
  return (metadata.ownerReferences ?? []).some(
    ({ apiVersion, kind, name }) => apiVersion === 'v1' && kind === 'Pod' && name === podName,
  );
}

/** Whether a claim names an owner that was there before, under the same name. */
function isStaleClaim({ metadata }: PersistentVolumeClaim, owner: Owner): boolean {
  const reference = metadata.ownerReferences?.find((candidate) => isNamed(candidate, owner));
  return reference !== undefined && reference.uid !== owner.metadata.uid;
}

/** Whether the policy is in vain, because the claim has another controller. */
export function hasUnexpectedController({ metadata }: PersistentVolumeClaim, { set, pod }: ClaimOwners): boolean {
  if (isRetained(set, 'whenDeleted') && isRetained(set, 'whenScaled')) return false;
  return (metadata.ownerReferences ?? []).some((reference) => {
    const owner = [set, pod].find((candidate) => isNamed(reference, candidate));
    return owner === undefined ? reference.controller === true : reference.uid !== owner.metadata.uid;
  });
}

/** Whether the owners of a claim are as the policy says, or not for this set to change. */
export function hasWantedOwners(claim: PersistentVolumeClaim, owners: ClaimOwners): boolean {
  const { set, pod } = owners;
  if (isStaleClaim(claim, set) || isStaleClaim(claim, pod)) return true;
  const [ofSet, ofPod] = [isOwnedBy(claim, set.metadata.uid), isOwnedBy(claim, pod.metadata.uid)];
  if (hasUnexpectedController(claim, owners)) return !ofSet && !ofPod;
  if (isOwnedWithoutControl(claim, owners)) return false;
  const wanted = wantedOwner(owners);
  return ofSet === (wanted === set) && ofPod === (wanted === pod);
}

/** The owner references of a claim as the policy wants them. */
export function wantedOwners(claim: PersistentVolumeClaim, owners: ClaimOwners): readonly OwnerReference[] {
  const { set, pod } = owners;
  const others = (claim.metadata.ownerReferences ?? []).filter(
    (reference) => !isNamed(reference, set) && !isNamed(reference, pod),
  );
  const wanted = wantedOwner(owners);
  if (wanted === undefined || hasUnexpectedController(claim, owners)) return others;
  return [...others, controllerReference(wanted)];
}

/** The pod of a condemned ordinal where scaling deletes claims, else the set where its end does. */
function wantedOwner({ set, pod, isCondemned }: ClaimOwners): Owner | undefined {
  if (!isRetained(set, 'whenScaled') && isCondemned) return pod;
  return isRetained(set, 'whenDeleted') ? undefined : set;
}

function isOwnedWithoutControl({ metadata }: PersistentVolumeClaim, { set, pod }: ClaimOwners): boolean {
  return (metadata.ownerReferences ?? []).some(
    ({ uid, controller }) => controller !== true && (uid === set.metadata.uid || uid === pod.metadata.uid),
  );
}
