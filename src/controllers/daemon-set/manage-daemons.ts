/**
 * A pod on every node that should have one, none on those that should not, and no second one unless a
 * rolling update wants it. Mirrors manage and podsShouldBeOnNode, kube-controller-manager v1.34
 * pkg/controller/daemon.
 */
import { isPodReady, isPodTerminal } from '../../api/objects/conditions.js';
import type { Pod } from '../../api/objects/objects.js';
import { REVISION_LABEL } from './daemon-pod.js';
import type { DaemonNode } from './daemon-roster.js';
import type { DaemonSetSync } from './daemon-set-sync.js';
import { allowsSurge } from './rolling-limits.js';

/** What is to be done. */
interface Plan {
  readonly create: string[];
  readonly remove: Pod[];
}

/** Creates what is missing and deletes what is too much. @throws the first refusal */
export async function manage(sync: DaemonSetSync, hash: string): Promise<void> {
  const plan: Plan = { create: [], remove: [] };
  const surgeHash = allowsSurge(sync.set) ? hash : undefined;
  for (const node of sync.nodes) planNode(sync, node, surgeHash, plan);
  await sync.write(plan.create, plan.remove, hash);
}

/** @param surgeHash - the hash of new pods, if there may be an old and a new one at once */
function planNode(
  sync: DaemonSetSync,
  { name, fit, pods }: DaemonNode,
  surgeHash: string | undefined,
  plan: Plan,
): void {
  if (fit === undefined) {
    // A pod that waits for a node that is gone is never scheduled, and no other controller would delete it.
    plan.remove.push(...pods.filter((pod) => !isBound(pod)));
    return;
  }
  if (pods.length === 0) {
    if (fit.shouldRun) plan.create.push(name);
    return;
  }
  if (!fit.shouldContinue) {
    plan.remove.push(...pods.filter(isLive));
    return;
  }
  const running = withoutEnded(sync, name, pods, plan);
  if (surgeHash === undefined) {
    if (running.length > 1) plan.remove.push(...oldestFirst(running).slice(1));
    return;
  }
  if (running.length === 0 && fit.shouldRun) plan.create.push(name);
  if (running.length > 1) pruneSurge(sync, oldestFirst(running), surgeHash, plan);
}

/** Live pods that have not ended; those that have are deleted, failed ones with a back-off. */
function withoutEnded(sync: DaemonSetSync, node: string, pods: readonly Pod[], plan: Plan): readonly Pod[] {
  if (pods.every((pod) => isLive(pod) && !isPodTerminal(pod))) return pods;
  const { context, set } = sync;
  return pods.filter((pod) => {
    const { phase } = pod.status;
    if (!isLive(pod)) return false;
    if (phase !== 'Failed' && phase !== 'Succeeded') return true;
    const subject = `daemon pod ${pod.metadata.namespace}/${pod.metadata.name} on node ${node}`;
    if (phase === 'Succeeded') {
      const message = `Found succeeded ${subject}, will try to delete it`;
      context.recorder.record(set, 'Normal', 'SucceededDaemonPod', message);
      plan.remove.push(pod);
    } else if (mayDeleteFailed(sync, node)) {
      const message = `Found failed ${subject}, will try to kill it`;
      context.recorder.record(set, 'Warning', 'FailedDaemonPod', message);
      plan.remove.push(pod);
    }
    return false;
  });
}

function mayDeleteFailed({ context, memory, key, set, nowMs }: DaemonSetSync, node: string): boolean {
  const entry = `${set.metadata.uid}/${set.status.observedGeneration ?? 0}/${node}`;
  const delayMs = memory.failedPods.delayOf(entry, nowMs);
  if (delayMs === undefined) memory.failedPods.next(entry, nowMs);
  else context.queue.addAfter(key, delayMs);
  return delayMs === undefined;
}

/** Two pods may be there while the new one is not available and the old one is ready. */
function pruneSurge(sync: DaemonSetSync, running: readonly Pod[], hash: string, plan: Plan): void {
  const isNew = ({ metadata }: Pod): boolean => metadata.labels?.[REVISION_LABEL] === hash;
  const newest = running.find(isNew);
  const old = running.find((pod) => !isNew(pod));
  plan.remove.push(...running.filter((pod) => pod !== newest && pod !== old));
  if (newest === undefined || old === undefined) return;
  if (!isPodReady(old) || sync.isAvailable(newest)) plan.remove.push(old);
}

function isLive({ metadata }: Pod): boolean {
  return metadata.deletionTimestamp === undefined;
}

function isBound({ spec: { nodeName } }: Pod): boolean {
  return nodeName !== undefined && nodeName !== '';
}

/** Bound pods first, then by age, then by name. */
export function oldestFirst(pods: readonly Pod[]): Pod[] {
  return [...pods].sort((left, right) => {
    if (isBound(left) !== isBound(right)) return isBound(left) ? -1 : 1;
    const [leftText, rightText] = [left.metadata.creationTimestamp, right.metadata.creationTimestamp];
    if (leftText !== rightText) return leftText < rightText ? -1 : 1;
    return left.metadata.name < right.metadata.name ? -1 : 1;
  });
}
