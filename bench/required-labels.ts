import type { Pod } from '../src/api/objects/objects.js';
import type { RequiredLabels } from '../src/workload/scheduler-perf/operations.js';

/** Whether a pod has all of these labels. */
export function matchesLabels({ metadata }: Pod, required: RequiredLabels): boolean {
  const { labels = {} } = metadata;
  return Object.entries(required).every(([key, value]) => labels[key] === value);
}
