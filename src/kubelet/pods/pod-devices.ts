/**
 * How a pod gets the devices of its claims, before it gets its sandbox: the kubelet reads each claim, and has its driver
 * prepare it, which every driver here does at once. Mirrors PrepareResources of pkg/kubelet/cm/dra (v1.34).
 */
import { isReservedFor, podClaimsOf, referenceOf, strangerProblem } from '../../api/devices/pod-claims.js';
import type { ResourceClaim } from '../../api/objects/device-objects.js';
import type { Pod } from '../../api/objects/objects.js';
import type { PodWorker } from './pod-worker.js';

/** Whether the pod's devices have to be prepared for the sandbox that is to be made. */
export function mustPrepareDevices({ pod, plan, sandbox }: PodWorker): boolean {
  return pod.spec.resourceClaims !== undefined && plan.createsSandbox && !sandbox.isReady;
}

/** Reads the claims, one after the other. @param onEnd - told once, with what is wrong if something is */
export function prepareDevices({ node, pod }: PodWorker, onEnd: (problem: string | undefined) => void): void {
  const names: { readonly name: string; readonly isGenerated: boolean }[] = [];
  for (const entry of podClaimsOf(pod)) {
    const reference = referenceOf(pod, entry);
    if ('problem' in reference) {
      onEnd(reference.problem);
      return;
    }
    const { name, isGenerated } = reference;
    if (name !== undefined) names.push({ name, isGenerated });
  }
  const { namespace = '' } = pod.metadata;
  const readFrom = (index: number): void => {
    const wanted = names[index];
    if (wanted === undefined) {
      onEnd(undefined);
      return;
    }
    node.client.get('ResourceClaim', { namespace, name: wanted.name }, (error, claim) => {
      const problem =
        claim === undefined
          ? `fetch ResourceClaim ${wanted.name}: ${error?.message ?? ''}`
          : claimProblem(pod, claim, wanted.isGenerated);
      if (problem === undefined) readFrom(index + 1);
      else onEnd(problem);
    });
  };
  readFrom(0);
}

/** Why the pod may not have the claim. */
function claimProblem(pod: Pod, claim: ResourceClaim, isGenerated: boolean): string | undefined {
  const stranger = isGenerated ? strangerProblem(pod, claim) : undefined;
  if (stranger !== undefined) return stranger;
  const { name, uid } = claim.metadata;
  if (!isReservedFor(pod, claim)) {
    return `pod ${pod.metadata.name} (${pod.metadata.uid}) is not allowed to use ResourceClaim ${name} (${uid})`;
  }
  return claim.status.allocation === undefined ? `ResourceClaim ${name}: not allocated` : undefined;
}

/** Says why the devices are not there. */
export function failDevices({ node, pod, deviceProblem = '' }: PodWorker): void {
  const text = `Failed to prepare dynamic resources: prepare dynamic resources: ${deviceProblem}`;
  node.events.pod(pod, 'Warning', 'FailedPrepareDynamicResources', text);
}
