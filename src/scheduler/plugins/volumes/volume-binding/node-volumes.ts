/** Whether a pod's claims can be satisfied on a node, and with what. Upstream: `FindPodVolumes` of kube-scheduler v1.34. */
import type { core, Node, StringMap } from '../../../../api/objects/objects.js';
import type { PersistentVolume, PersistentVolumeClaim } from '../../../../api/objects/storage-objects.js';
import { isReachable } from '../../../../api/volumes/volume-rules.js';
import { volumeOnNode } from '../in-tree-volumes.js';
import type { VolumeListers } from '../volume-listers.js';
import type { ClaimPlan, UnboundClaim } from './claim-plan.js';

/** A volume for a claim. */
export interface VolumeBindingInfo {
  readonly volume: PersistentVolume;
  readonly claim: PersistentVolumeClaim;
}

/** What a node has for the claims that are not bound. */
export interface PodVolumes {
  readonly bindings: readonly VolumeBindingInfo[];
  /** Claims with volumes that are to be provisioned. */
  readonly provisions: readonly PersistentVolumeClaim[];
}

/** A node that does not do. */
export interface Refusal {
  readonly reasons: readonly string[];
}

/** Of nodes from which a bound volume cannot be reached. */
export const WRONG_NODE = "node(s) didn't match PersistentVolume's node affinity";
const NOTHING_TO_BIND = "node(s) didn't find available persistent volumes to bind";
const NO_SPACE = 'node(s) did not have enough free storage';
const VOLUME_GONE = 'node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)';

/** Judges one node. */
export function findNodeVolumes(listers: VolumeListers, plan: ClaimPlan, node: Node): PodVolumes | Refusal {
  const boundProblem = findBoundProblem(listers, plan, node);
  const found = findUnbound(plan, node);
  if (boundProblem === undefined) return typeof found === 'string' ? { reasons: [found] } : found;
  if (typeof found !== 'string') return { reasons: [boundProblem] };
  return { reasons: boundProblem === VOLUME_GONE ? [found, boundProblem] : [boundProblem, found] };
}

/** The first bound claim that has a problem decides which. */
function findBoundProblem(listers: VolumeListers, { boundVolumes }: ClaimPlan, node: Node): string | undefined {
  if (boundVolumes.length === 0) return undefined;
  const { name, labels } = node.metadata;
  const csiNode = listers.csiNode(name);
  for (const volume of boundVolumes) {
    if (volume === undefined) return VOLUME_GONE;
    if (!isReachable(volumeOnNode(volume, csiNode), labels)) return WRONG_NODE;
  }
  return undefined;
}

/** Matches what can be matched; the rest is provisioned, if it can be. */
function findUnbound({ unbound, toMatch }: ClaimPlan, { metadata }: Node): PodVolumes | string {
  const toProvision: UnboundClaim[] = [];
  for (const each of unbound) {
    if (each.selectedNode === undefined) continue;
    if (each.selectedNode !== metadata.name) return NOTHING_TO_BIND;
    toProvision.push(each);
  }
  const bindings: VolumeBindingInfo[] = [];
  const taken = new Set<string>();
  for (const each of toMatch) {
    const volume = each.candidates.findBest(metadata.labels, taken);
    if (volume === undefined) {
      toProvision.push(each);
      continue;
    }
    taken.add(volume.metadata.name);
    bindings.push({ volume, claim: each.claim });
  }
  for (const { provisioning } of toProvision) {
    if (!provisioning.isPossible || !isAllowed(provisioning.allowedTopologies, metadata.labels)) return NOTHING_TO_BIND;
    if (provisioning.capacities?.some((capacity) => capacity.matches(metadata.labels)) === false) return NO_SPACE;
  }
  return { bindings, provisions: toProvision.map(({ claim }) => claim) };
}

/** No terms allow every node; a term without requirements allows none. */
function isAllowed(terms: readonly core.TopologySelectorTerm[], labels: StringMap | undefined): boolean {
  if (terms.length === 0) return true;
  return terms.some(({ matchLabelExpressions = [] }) => {
    if (matchLabelExpressions.length === 0) return false;
    return matchLabelExpressions.every(({ key, values }) => {
      const label = labels?.[key];
      return label !== undefined && values.includes(label);
    });
  });
}
