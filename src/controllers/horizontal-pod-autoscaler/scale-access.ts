import type { ObjectName } from '../../api/objects/objects.js';
import { isApiError } from '../../api/errors/api-error.js';
import type { Scale, ScaleTarget } from '../../apiserver/store/server-types.js';
import type { PromisedClient } from '../../bus/bus-types.js';
import type { Kernel } from '../../kernel/engine/kernel.js';
import type { AutoscalerSpec } from './autoscaler.js';

/** client-go's DefaultRetry, without its jitter. */
const MOST_ATTEMPTS = 5;
const RETRY_MS = 10;

/** What a reference means, whatever version of its group it names. */
export function targetOf({ apiVersion = '', kind }: AutoscalerSpec['scaleTargetRef']): ScaleTarget {
  const slash = apiVersion.indexOf('/');
  return { group: slash < 0 ? '' : apiVersion.slice(0, slash), kind };
}

/** Sets the replicas of what was read; a scale that has changed since is read again. @throws ApiError, LinkDownError */
export async function writeScale(
  { scales, clock }: { readonly scales: PromisedClient; readonly clock: Kernel['clock'] },
  target: ScaleTarget,
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
      ({ resourceVersion } = (await scales.getScale(target, name)).metadata);
      await new Promise<void>((resolve) => {
        clock.schedule(RETRY_MS, () => {
          clock.settle();
          resolve();
        });
      });
    }
  }
}
