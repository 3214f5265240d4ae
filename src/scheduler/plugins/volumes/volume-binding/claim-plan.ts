/**
 * The part of volume binding that does not depend on the node: which of the pod's claims have their
 * volumes, and what the others could get.
 */
import { compareQuantities } from '../../../../api/values/quantity.js';
import { compileLabelSelector, type Selector } from '../../../../api/selectors/labels.js';
import type { core, Pod } from '../../../../api/objects/objects.js';
import type {
  CSIStorageCapacity,
  PersistentVolume,
  PersistentVolumeClaim,
} from '../../../../api/objects/storage-objects.js';
import {
  claimClass,
  isFullyBound,
  NO_PROVISIONER,
  requestedStorage,
  SELECTED_NODE,
  volumeCandidates,
  volumeClass,
} from '../../../../api/volumes/volume-rules.js';
import { knownQuantity, value } from '../../../../api/values/quantity.js';
import { sortAsGo } from '../../../../kernel/go-sort.js';
import { claimNotFound, claimUsesOf, ownershipProblem } from '../pod-claims.js';
import type { VolumeListers } from '../volume-listers.js';
import type { AssumeCache } from './assume-cache.js';
import { CandidateTable } from './candidate-table.js';

/** Claims and volumes with what is assumed of them. */
export interface BindingCaches {
  readonly claims: AssumeCache<PersistentVolumeClaim>;
  readonly volumes: AssumeCache<PersistentVolume>;
}

/** Where a claim's volume could be provisioned. */
export interface Provisioning {
  /** Whether there is a provisioner for volumes of the claim's class. */
  readonly isPossible: boolean;
  readonly allowedTopologies: readonly core.TopologySelectorTerm[];
  /** Nodes from which enough storage can be reached; absent = the driver does not tell. */
  readonly capacities: readonly Selector[] | undefined;
}

/** A claim that gets its volume when its pod is placed. */
export interface UnboundClaim {
  readonly claim: PersistentVolumeClaim;
  /** The node for which the volume is being provisioned already. */
  readonly selectedNode: string | undefined;
  /** What it may have. */
  readonly candidates: CandidateTable;
  readonly provisioning: Provisioning;
}

/** See the file header. */
export interface ClaimPlan {
  /** Volumes of bound claims in their order; `undefined` = gone. */
  readonly boundVolumes: readonly (PersistentVolume | undefined)[];
  /** Claims that wait for a node, in their order. */
  readonly unbound: readonly UnboundClaim[];
  /** The claims of {@link unbound} without a selected node, smallest first. */
  readonly toMatch: readonly UnboundClaim[];
}

/** Why there is no plan. */
export interface PlanProblem {
  readonly text: string;
  /** A fault of the cluster's objects rather than a pod that has to wait. */
  readonly isFault: boolean;
}

const WAITS_FOR_IMMEDIATE = 'pod has unbound immediate PersistentVolumeClaims';
const NO_CANDIDATES = new CandidateTable([]);
const NO_TOPOLOGIES: readonly core.TopologySelectorTerm[] = [];

/** The claims must all be there before anything else is asked. */
export function findClaimProblem(listers: VolumeListers, pod: Pod): string | undefined {
  for (const { claimName, isEphemeral } of claimUsesOf(pod)) {
    const claim = listers.claim(pod.metadata.namespace ?? '', claimName);
    if (claim === undefined) {
      if (!isEphemeral) return claimNotFound(claimName);
      return `waiting for ephemeral volume controller to create the persistentvolumeclaim "${claimName}"`;
    }
    const { name, deletionTimestamp } = claim.metadata;
    if (claim.status.phase === 'Lost') {
      const volumeName = claim.spec.volumeName ?? '';
      return `persistentvolumeclaim "${name}" bound to non-existent persistentvolume "${volumeName}"`;
    }
    if (deletionTimestamp !== undefined) return `persistentvolumeclaim "${name}" is being deleted`;
    const problem = isEphemeral ? ownershipProblem(pod, claim) : undefined;
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** Sorts the pod's claims, all of which exist, and gathers what the unbound ones may have. */
export function planClaims(listers: VolumeListers, caches: BindingCaches, pod: Pod): ClaimPlan | PlanProblem {
  const boundVolumes: (PersistentVolume | undefined)[] = [];
  const delayed: PersistentVolumeClaim[] = [];
  let waitsForImmediate = false;
  for (const { claimName } of claimUsesOf(pod)) {
    const key = `${pod.metadata.namespace ?? ''}/${claimName}`;
    const claim = caches.claims.get(key);
    if (claim === undefined) return { text: `error getting PVC "${key}"`, isFault: true };
    if (isFullyBound(claim)) {
      boundVolumes.push(caches.volumes.get(claim.spec.volumeName ?? ''));
      continue;
    }
    const mode = bindingMode(listers, claim);
    if (mode === undefined) {
      return { text: `VolumeBindingMode not set for StorageClass "${claimClass(claim)}"`, isFault: true };
    }
    if (mode === 'WaitForFirstConsumer' && (claim.spec.volumeName ?? '') === '') delayed.push(claim);
    else waitsForImmediate = true;
  }
  if (waitsForImmediate) return { text: WAITS_FOR_IMMEDIATE, isFault: false };
  const unbound = delayed.map((claim) => unboundClaim(listers, caches, claim));
  // Upstream: `sort.Sort(byPVCSize(claimsToBind))`, which does not say what becomes of equals.
  const toMatch = sortAsGo(
    unbound.filter(({ selectedNode }) => selectedNode === undefined),
    (a, b) => compareQuantities(requestedStorage(a.claim), requestedStorage(b.claim)) < 0,
  );
  return { boundVolumes, unbound, toMatch };
}

/** A claim without a class, or with one that is not there, does not wait; `undefined` when its class does not say. */
function bindingMode(listers: VolumeListers, claim: PersistentVolumeClaim): string | undefined {
  const storageClass = listers.storageClass(claimClass(claim));
  return storageClass === undefined ? 'Immediate' : storageClass.volumeBindingMode;
}

function unboundClaim(listers: VolumeListers, caches: BindingCaches, claim: PersistentVolumeClaim): UnboundClaim {
  const selectedNode = claim.metadata.annotations?.[SELECTED_NODE];
  const className = claimClass(claim);
  return {
    claim,
    selectedNode,
    candidates: selectedNode === undefined ? candidatesOf(listers, caches, claim, className) : NO_CANDIDATES,
    provisioning: provisioningOf(listers, claim, className),
  };
}

/** Even a volume that is set aside for the claim is looked for in the claim's class only. */
function candidatesOf(
  listers: VolumeListers,
  { volumes }: BindingCaches,
  claim: PersistentVolumeClaim,
  className: string,
): CandidateTable {
  const ofClass: PersistentVolume[] = [];
  for (const volume of volumes.latestOf(listers.volumesFor(claim))) {
    if (volumeClass(volume) === className) ofClass.push(volume);
  }
  return new CandidateTable(volumeCandidates(claim, ofClass));
}

function provisioningOf(listers: VolumeListers, claim: PersistentVolumeClaim, className: string): Provisioning {
  const { provisioner = '', allowedTopologies = NO_TOPOLOGIES } = listers.storageClass(className) ?? {};
  const isPossible = provisioner !== '' && provisioner !== NO_PROVISIONER;
  const isTold = isPossible && listers.csiDriver(provisioner)?.spec.storageCapacity === true;
  const request = claim.spec.resources?.requests?.['storage'];
  if (!isTold || request === undefined) return { isPossible, allowedTopologies, capacities: undefined };
  const bytes = value(knownQuantity(request));
  const capacities: Selector[] = [];
  for (const capacity of listers.list('CSIStorageCapacity')) {
    if (capacity.storageClassName !== className || capacity.nodeTopology === undefined) continue;
    if ((volumeLimit(capacity) ?? -1) >= bytes) capacities.push(compileLabelSelector(capacity.nodeTopology));
  }
  return { isPossible, allowedTopologies, capacities };
}

/** Bytes of the largest volume that can be had; `undefined` = unknown. */
export function volumeLimit({ maximumVolumeSize, capacity }: CSIStorageCapacity): number | undefined {
  const limit = maximumVolumeSize ?? capacity;
  return limit === undefined ? undefined : value(knownQuantity(limit));
}
