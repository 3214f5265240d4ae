/**
 * Replaces the pods of old templates, a few at a time. Without surge old pods are deleted and the next
 * sync creates new ones in their places; with surge new pods are created beside old ones, which go when
 * the new ones are available. Mirrors rollingUpdate, kube-controller-manager v1.34 pkg/controller/daemon.
 */
import type { Pod } from '../../api/objects/objects.js';
import { RetryError } from '../runtime/retry-error.js';
import { updateTest } from './daemon-pod.js';
import type { DaemonNode } from './daemon-roster.js';
import type { DaemonSetSync } from './daemon-set-sync.js';
import type { NodeFit } from './node-fitness.js';
import { rollingLimitsOf } from './rolling-limits.js';

/** The old and the new pod of a node. */
interface NodePods {
  readonly node: string;
  /** Absent when the node is not there. */
  readonly fit: NodeFit | undefined;
  readonly newest: Pod | undefined;
  readonly old: Pod | undefined;
  /** Whether there are several of one sort, which the next sync sees to first. */
  readonly isCrowded: boolean;
}

/** One step of a rolling update. @throws the first refusal */
export async function rollOut(sync: DaemonSetSync, hash: string): Promise<void> {
  const isUpdated = updateTest(sync.set, hash);
  const nodes: NodePods[] = [];
  let desired = 0;
  for (const node of sync.nodes) {
    const isWanted = node.fit?.shouldRun === true;
    if (isWanted) desired += 1;
    if (isWanted || node.pods.length > 0) nodes.push(sortPods(node, isUpdated));
  }
  const { maxSurge, maxUnavailable } = rollingLimitsOf(sync.set, desired);
  if (maxSurge === 0) await sync.write([], podsToReplace(sync, nodes, maxUnavailable), hash);
  else await surge(sync, nodes, maxSurge, desired, hash);
}

/** At most one live pod of each sort. */
function sortPods({ name: node, fit, pods }: DaemonNode, isUpdated: (pod: Pod) => boolean): NodePods {
  let newest: Pod | undefined;
  let old: Pod | undefined;
  for (const pod of pods) {
    if (pod.metadata.deletionTimestamp !== undefined) continue;
    const isNew = isUpdated(pod);
    if ((isNew ? newest : old) !== undefined) return { node, fit, newest, old, isCrowded: true };
    if (isNew) newest = pod;
    else old = pod;
  }
  return { node, fit, newest, old, isCrowded: false };
}

/** Old pods that are not available, and of the others as many as may be missing. */
function podsToReplace(sync: DaemonSetSync, nodes: readonly NodePods[], maxUnavailable: number): Pod[] {
  const broken: Pod[] = [];
  const candidates: Pod[] = [];
  let unavailable = 0;
  for (const { newest, old, isCrowded } of nodes) {
    if (isCrowded || (newest === undefined) === (old === undefined)) unavailable += 1;
    else if (newest !== undefined) unavailable += sync.isAvailable(newest) ? 0 : 1;
    else if (old !== undefined && sync.isAvailable(old)) candidates.push(old);
    else if (old !== undefined) {
      broken.push(old);
      unavailable += 1;
    }
  }
  return [...broken, ...candidates.slice(0, Math.max(0, maxUnavailable - unavailable))];
}

async function surge(
  sync: DaemonSetSync,
  nodes: readonly NodePods[],
  maxSurge: number,
  desired: number,
  hash: string,
): Promise<void> {
  const remove: Pod[] = [];
  const unwanted: Pod[] = [];
  const broken: string[] = [];
  const candidates: string[] = [];
  let surging = 0;
  let available = 0;
  for (const each of nodes) {
    const { node, newest, old, isCrowded } = each;
    if (isCrowded) {
      surging += 1;
      continue;
    }
    const oldest = old ?? newest;
    if (oldest !== undefined && sync.isAvailable(oldest)) available += 1;
    if (old === undefined) continue;
    if (newest !== undefined) {
      if (sync.isAvailable(newest)) remove.push(old);
      else surging += 1;
      continue;
    }
    const isWanted = wants(each);
    const isAvailable = sync.isAvailable(old);
    if (isWanted) (isAvailable ? candidates : broken).push(node);
    else (isAvailable ? unwanted : remove).push(old);
  }
  // Where the set moves from some nodes to others, old pods stay until new ones can stand in for them.
  remove.push(...unwanted.slice(0, Math.max(0, available - desired)));
  await sync.write([...broken, ...candidates.slice(0, Math.max(0, maxSurge - surging))], remove, hash);
}

function wants({ node, fit }: NodePods): boolean {
  if (fit === undefined) throw new RetryError(`couldn't get node for nodeName "${node}": node "${node}" not found`);
  return fit.shouldRun;
}
