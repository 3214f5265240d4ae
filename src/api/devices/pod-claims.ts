/** Which claims a pod uses, and whether they are its own (dynamic-resource-allocation/resourceclaim, v1.34). */
import type { core, Pod } from '../objects/objects.js';
import type { ResourceClaim } from '../objects/device-objects.js';

/** The annotation of claims that are made for a pod: what the pod calls them. */
export const POD_CLAIM_NAME = 'resource.kubernetes.io/pod-claim-name';

type PodClaim = Pick<core.PodResourceClaim, 'name'> & {
  readonly resourceClaimName?: string;
  readonly resourceClaimTemplateName?: string;
};

/** What a pod's entry leads to: the name of a claim, nothing to be had, or why it is not known. */
export type ClaimReference =
  | { readonly name: string | undefined; readonly isGenerated: boolean }
  | { readonly problem: string; readonly isMissing: boolean };

/** The entries of a pod. */
export function podClaimsOf({ spec }: Pick<Pod, 'spec'>): readonly PodClaim[] {
  return (spec.resourceClaims as readonly PodClaim[] | undefined) ?? NO_CLAIMS;
}

const NO_CLAIMS: readonly PodClaim[] = [];

/** Follows an entry. */
export function referenceOf(
  pod: Pod,
  { name, resourceClaimName, resourceClaimTemplateName }: PodClaim,
): ClaimReference {
  if (resourceClaimName !== undefined) return { name: resourceClaimName, isGenerated: false };
  const shown = `pod "${pod.metadata.namespace ?? ''}/${pod.metadata.name}"`;
  if (resourceClaimTemplateName === undefined) {
    const problem = `${shown}, spec.resourceClaim ${JSON.stringify(name)}: none of the supported fields are set`;
    return { problem, isMissing: false };
  }
  const statuses = (pod.status.resourceClaimStatuses ?? []) as readonly { name: string; resourceClaimName?: string }[];
  const status = statuses.find((each) => each.name === name);
  if (status !== undefined) return { name: status.resourceClaimName, isGenerated: true };
  return { problem: `${shown}: ResourceClaim not created yet`, isMissing: true };
}

/** Why a claim is not one that was made for the pod; nothing when it is. */
export function strangerProblem(pod: Pod, claim: ResourceClaim): string | undefined {
  const owner = claim.metadata.ownerReferences?.find(({ controller }) => controller === true);
  if (claim.metadata.namespace === pod.metadata.namespace && owner?.uid === pod.metadata.uid) return undefined;
  const [theirs, ours] = [claim.metadata, pod.metadata].map(({ namespace = '', name }) => `${namespace}/${name}`);
  return `ResourceClaim ${theirs ?? ''} was not created for pod ${ours ?? ''} (pod is not owner)`;
}

/** Whether a claim is kept for a pod. */
export function isReservedFor(pod: Pick<Pod, 'metadata'>, { status }: ResourceClaim): boolean {
  return status.reservedFor?.some(({ uid }) => uid === pod.metadata.uid) === true;
}
