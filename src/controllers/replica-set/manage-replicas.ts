import { keyOf, type Pod, type ReplicaSet } from '../../api/objects/objects.js';
import { createPod, deletePod } from '../shared/pod-control.js';
import type { ControllerContext } from '../runtime/controller-definition.js';
import type { Expectations } from '../runtime/expectations.js';
import type { PodLedger } from './pod-ledger.js';
import { callTogether, slowStart, type CallDone } from './slow-start.js';

/** Pods that one sync creates or deletes at most. */
export const BURST_REPLICAS = 500;

/** Creates pods that are missing; answers with the first refusal. */
export async function createPods(
  context: ControllerContext,
  expectations: Expectations,
  replicaSet: ReplicaSet,
  ledger: PodLedger,
  missing: number,
): Promise<Error | undefined> {
  const key = keyOf(replicaSet);
  const count = Math.min(missing, BURST_REPLICAS);
  const draft = ledger.draftOf(replicaSet);
  expectations.expectCreations(key, count);
  const create = (done: CallDone): void => createPod(context, replicaSet, draft, done);
  const { successes, error } = await slowStart(context.kernel.clock, count, create);
  if (successes < count) expectations.creationObserved(key, count - successes);
  return error;
}

/** Deletes these pods, all at once; answers with the first refusal. */
export async function deletePods(
  context: ControllerContext,
  expectations: Expectations,
  replicaSet: ReplicaSet,
  pods: readonly Pod[],
): Promise<Error | undefined> {
  const key = keyOf(replicaSet);
  expectations.expectDeletions(key, pods.map(keyOf));
  const failures = await callTogether(context.kernel.clock, pods.length, (done, index) => {
    const pod = pods[index] as Pod;
    deletePod(context, replicaSet, pod, () => expectations.deletionObserved(key, keyOf(pod)), done);
  });
  return failures[0];
}
