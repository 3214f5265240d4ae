import { isApiError } from '../../api/api-error.js';
import { keyOf, type Pod, type ReplicaSet } from '../../api/objects.js';
import type { ControllerContext } from '../runtime/controller-definition.js';
import type { Expectations } from '../runtime/expectations.js';
import { RetryError } from '../runtime/retry-error.js';
import { isNamespaceTerminating } from '../runtime/session.js';
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
  const create = (done: CallDone): void =>
    context.client.create('Pod', draft, (error, pod) => {
      if (error === undefined) {
        context.recorder.record(replicaSet, 'Normal', 'SuccessfulCreate', `Created pod: ${pod?.metadata.name}`);
        done(undefined);
      } else if (isNamespaceTerminating(error)) {
        // Nothing can be created there any more: no event, no failure, and no further attempt either.
        done(undefined);
      } else {
        context.recorder.record(replicaSet, 'Warning', 'FailedCreate', `Error creating: ${error.message}`);
        done(error);
      }
    });
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
    context.client.delete('Pod', pod.metadata, {}, (error) => {
      if (error === undefined) {
        context.recorder.record(replicaSet, 'Normal', 'SuccessfulDelete', `Deleted pod: ${pod.metadata.name}`);
        done(undefined);
        return;
      }
      expectations.deletionObserved(key, keyOf(pod));
      if (isApiError(error, 'NotFound')) {
        done(undefined);
        return;
      }
      context.recorder.record(replicaSet, 'Warning', 'FailedDelete', `Error deleting: ${error.message}`);
      done(new RetryError(`unable to delete pods: ${error.message}`));
    });
  });
  return failures[0];
}
