/**
 * Creating and deleting the pods of a workload, with the events that tell of it. Mirrors
 * kube-controller-manager v1.34 controller.RealPodControl.
 */
import { isApiError } from '../../api/errors/api-error.js';
import type { Draft, KubeObject, Pod } from '../../api/objects/objects.js';
import type { ControllerContext } from '../runtime/controller-definition.js';
import { RetryError } from '../runtime/retry-error.js';
import { isNamespaceTerminating } from '../runtime/session.js';

type Done = (error: Error | undefined) => void;

/** Creates one pod of `owner`. */
export function createPod(context: ControllerContext, owner: KubeObject, draft: Draft, done: Done): void {
  context.client.create('Pod', draft, (error, pod) => {
    if (error === undefined) {
      context.recorder.record(owner, 'Normal', 'SuccessfulCreate', `Created pod: ${pod?.metadata.name}`);
      done(undefined);
    } else if (isNamespaceTerminating(error)) {
      // Nothing can be created there any more: no event, no failure, and no further attempt either.
      done(undefined);
    } else {
      context.recorder.record(owner, 'Warning', 'FailedCreate', `Error creating: ${error.message}`);
      done(error);
    }
  });
}

/**
 * Deletes one pod of `owner`; one that is gone already is no failure.
 *
 * @param missed - told when no deletion will follow, because the pod is gone or the request was refused
 */
export function deletePod(
  context: ControllerContext,
  owner: KubeObject,
  { metadata }: Pod,
  missed: () => void,
  done: Done,
): void {
  context.client.delete('Pod', metadata, {}, (error) => {
    if (error === undefined) {
      context.recorder.record(owner, 'Normal', 'SuccessfulDelete', `Deleted pod: ${metadata.name}`);
      done(undefined);
      return;
    }
    missed();
    if (isApiError(error, 'NotFound')) {
      done(undefined);
      return;
    }
    context.recorder.record(owner, 'Warning', 'FailedDelete', `Error deleting: ${error.message}`);
    done(new RetryError(`unable to delete pods: ${error.message}`));
  });
}
