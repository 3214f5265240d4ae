import type { GroupKind } from '../../api/kinds/group-kind.js';
import type { ObjectName } from '../../api/objects/objects.js';
import { parseLabelSelector } from '../../api/selectors/labels.js';
import { ApiError, isApiError } from '../../api/errors/api-error.js';
import type { Scale } from '../../apiserver/store/server-types.js';
import type { PromisedClient } from '../../bus/bus-types.js';
import type { Kernel } from '../../kernel/engine/kernel.js';
import { RetryError } from '../runtime/retry-error.js';

/** client-go's DefaultRetry, without its jitter. */
const MOST_ATTEMPTS = 5;
const RETRY_MS = 10;
const UNCONVERTIBLE = 'received an object from a /scale endpoint which was not convertible to autoscaling Scale';

/**
 * Reads a scale, and takes it apart as the client of Go does.
 *
 * @throws ApiError, LinkDownError; RetryError for a selector that is none
 */
export async function readScale(scales: PromisedClient, target: GroupKind, name: ObjectName): Promise<Scale> {
  const scale = await scales.getScale(target, name);
  const { selector = '' } = scale.status;
  try {
    parseLabelSelector(selector);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const told = `couldn't parse the selector string ${JSON.stringify(selector)}: ${error.message}`;
    throw new RetryError(`${UNCONVERTIBLE}: failed to parse target selector: ${told}`);
  }
  return scale;
}

/** Sets the replicas of what was read; a scale that has changed since is read again. @throws ApiError, LinkDownError */
export async function writeScale(
  { scales, clock }: { readonly scales: PromisedClient; readonly clock: Kernel['clock'] },
  target: GroupKind,
  name: ObjectName,
  { scale, replicas }: { readonly scale: Scale; readonly replicas: number },
): Promise<void> {
  let { resourceVersion } = scale.metadata;
  for (let attempt = 1; ; attempt += 1) {
    try {
      await scales.setScale(target, name, replicas, { resourceVersion });
      return;
    } catch (error) {
      if (!isApiError(error, 'Conflict') || attempt >= MOST_ATTEMPTS) throw error;
      ({ resourceVersion } = (await readScale(scales, target, name)).metadata);
      await new Promise<void>((resolve) => {
        clock.schedule(RETRY_MS, () => {
          clock.settle();
          resolve();
        });
      });
    }
  }
}
