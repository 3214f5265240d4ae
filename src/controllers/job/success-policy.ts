import type { JobSpec } from '../../api/objects/batch-objects.js';
import { IndexIntervals } from './index-intervals.js';

/** Which rule of a job's success policy is met by the indexes that have succeeded, in words; `undefined` when none is. */
export function metSuccessRule(
  { successPolicy, completions = 0 }: JobSpec,
  succeeded: IndexIntervals,
): string | undefined {
  if (successPolicy === undefined || succeeded.total === 0) return undefined;
  const index = successPolicy.rules.findIndex(({ succeededIndexes, succeededCount }) => {
    if (succeededIndexes === undefined) return succeededCount !== undefined && succeeded.total >= succeededCount;
    const wanted = IndexIntervals.parse(succeededIndexes, completions);
    if (wanted.total === 0) return false;
    const done = wanted.overlap(succeeded);
    return done === wanted.total || (succeededCount !== undefined && done >= succeededCount);
  });
  return index === -1 ? undefined : `Matched rules at index ${index}`;
}
