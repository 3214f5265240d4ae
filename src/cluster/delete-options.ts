import type { Kind } from '../api/objects/objects.js';
import type { DeleteOptions } from '../apiserver/store/server-types.js';
import { OptionError } from '../options/option-error.js';
import { deleteOptions } from './request-options.js';

/** How an object is deleted: as a DELETE of the API says, and by force as `kubectl delete --force` does. */
export interface ClusterDeleteOptions extends DeleteOptions {
  /**
   * Removes the object at once, without waiting for a confirmation that what it stands for has
   * ended: processes may run on, and a successor of the same name beside them. @defaultValue false
   */
  readonly force?: boolean;
}

/** What kubectl says of a forced deletion. */
export const FORCE_WARNING =
  'Warning: Immediate deletion does not wait for confirmation that the running resource has been terminated. ' +
  'The resource may continue to run on the cluster indefinitely.';

/** What the API server says of a job's deletion that does not name its pods' fate. */
const ORPHANS_WARNING =
  'Warning: child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove ' +
  'them or set propagationPolicy=Orphan to suppress this warning';

/** What a user is told of a deletion. */
export function deletionWarnings(kind: Kind, { force = false, propagationPolicy }: ClusterDeleteOptions): string[] {
  const warnings = force ? [FORCE_WARNING] : [];
  return kind === 'Job' && propagationPolicy === undefined ? [...warnings, ORPHANS_WARNING] : warnings;
}

/** The request that is sent. @throws OptionError when it is to be immediate and graceful at once */
export function deletionRequest(given: ClusterDeleteOptions): DeleteOptions {
  const { force = false, ...options } = deleteOptions(given);
  if (!force) return options;
  const { gracePeriodSeconds = 0 } = options;
  if (gracePeriodSeconds > 0) {
    throw new OptionError('gracePeriodSeconds', 'absent or 0 beside force', gracePeriodSeconds);
  }
  return { ...options, gracePeriodSeconds: 0 };
}
