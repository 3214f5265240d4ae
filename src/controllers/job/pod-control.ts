/** What a job does to its pods: makes them, lets them go, deletes them. All requests of a call go out together. */
import { isApiError } from '../../api/errors/api-error.js';
import type { Job } from '../../api/objects/batch-objects.js';
import { isPodReady } from '../../api/objects/conditions.js';
import type { Draft, Pod } from '../../api/objects/objects.js';
import type { ControllerContext } from '../runtime/controller-definition.js';
import { RetryError } from '../runtime/retry-error.js';
import { isNamespaceTerminating } from '../runtime/session.js';
import { callTogether, slowStart, type CallDone } from '../replica-set/slow-start.js';
import { isTracked, untracked } from './job-pods.js';

/** What came of several requests. */
export interface Outcome {
  /** Pods for which it went well; those that were gone already among them. */
  readonly done: number;
  /** Ready ones among the pods. */
  readonly ready: number;
  /** The first refusal. */
  readonly error: Error | undefined;
}

/** Makes pods in batches of 1, 2, 4 …, as long as none is refused. */
export async function createPods(
  { kernel, client, recorder }: ControllerContext,
  job: Job,
  drafts: readonly Draft[],
): Promise<Outcome> {
  let next = 0;
  const create = (done: CallDone): void => {
    const draft = drafts[next] as Draft;
    next += 1;
    client.create('Pod', draft, (error, pod) => {
      if (error === undefined) {
        recorder.record(job, 'Normal', 'SuccessfulCreate', `Created pod: ${pod?.metadata.name}`);
        done(undefined);
      } else if (isNamespaceTerminating(error)) {
        // Nothing can be created there any more: no event, no failure, and no further attempt either.
        done(undefined);
      } else {
        recorder.record(job, 'Warning', 'FailedCreate', `Error creating: ${error.message}`);
        done(error);
      }
    });
  };
  const { successes, error } = await slowStart(kernel.clock, drafts.length, create);
  return { done: successes, ready: 0, error };
}

/** Deletes pods, after their finalizer if they are not to be counted. */
export async function deletePods(
  context: ControllerContext,
  job: Job,
  pods: readonly Pod[],
  options: { readonly isCounted: boolean; readonly onFailure?: (pod: Pod) => void },
): Promise<Outcome> {
  let ready = 0;
  const failures = await callTogether(context.kernel.clock, pods.length, (done, index) => {
    const pod = pods[index] as Pod;
    const ended = (error: Error | undefined, wasAsked: boolean): void => {
      if (wasAsked && isPodReady(pod)) ready += 1;
      if (error !== undefined) options.onFailure?.(pod);
      done(isApiError(error, 'NotFound') ? undefined : error);
    };
    const remove = (): void => deletePod(context, job, pod, (error) => ended(error, true));
    if (options.isCounted || !isTracked(pod)) remove();
    else releasePod(context, pod, (error) => (error === undefined ? remove() : ended(error, false)));
  });
  return { done: pods.length - failures.length, ready, error: failures[0] };
}

/** Takes the tracking finalizer off pods. @returns which pods have none any more, and the first refusal */
export async function releasePods(
  context: ControllerContext,
  pods: readonly Pod[],
  onFailure: (pod: Pod) => void,
): Promise<{ readonly released: readonly Pod[]; readonly error: Error | undefined }> {
  const released: Pod[] = [];
  const failures = await callTogether(context.kernel.clock, pods.length, (done, index) => {
    const pod = pods[index] as Pod;
    releasePod(context, pod, (error) => {
      const isGone = isApiError(error, 'NotFound');
      if (error !== undefined) onFailure(pod);
      if (error === undefined || isGone) released.push(pod);
      done(isGone ? undefined : error);
    });
  });
  return { released, error: failures[0] };
}

/** Takes the tracking finalizer off one pod. */
function releasePod({ client }: ControllerContext, pod: Pod, answer: CallDone): void {
  client.change('Pod', pod.metadata, untracked, { preconditions: { uid: pod.metadata.uid } }, (error) => answer(error));
}

function deletePod({ client, recorder }: ControllerContext, job: Job, pod: Pod, answer: CallDone): void {
  client.delete('Pod', pod.metadata, {}, (error) => {
    if (error === undefined) {
      recorder.record(job, 'Normal', 'SuccessfulDelete', `Deleted pod: ${pod.metadata.name}`);
      answer(undefined);
    } else if (isApiError(error, 'NotFound')) answer(error);
    else {
      recorder.record(job, 'Warning', 'FailedDelete', `Error deleting: ${error.message}`);
      answer(new RetryError(`unable to delete pods: ${error.message}`));
    }
  });
}
