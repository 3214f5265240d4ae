/** The filters whose verdicts are not kept by shape: they are run for each attempt, after those that are. */
import type { FilterPlugin } from '../framework/interface.js';
import type { ScanRequest } from './scan-request.js';
import { PLUGIN_SHIFT } from './shape-evaluation.js';

/** A filter that is run for each attempt. */
export interface RestFilter {
  readonly plugin: FilterPlugin;
  /** In the profile. */
  readonly index: number;
}

const NONE: readonly RestFilter[] = [];

/** Those of a scan, in the profile's order; filters that the attempt skips are left out. */
export function restFiltersOf({ framework, state, evaluation }: ScanRequest): readonly RestFilter[] {
  let rest: RestFilter[] | undefined;
  for (let index = evaluation?.filters.length ?? 0; index < framework.filters.length; index += 1) {
    const plugin = framework.filters[index] as FilterPlugin;
    if (!state.skippedFilters.has(plugin.name)) (rest ??= []).push({ plugin, index });
  }
  return rest ?? NONE;
}

/** What the codes of a filter are added to for verdicts. */
export function baseOf(index: number): number {
  return (index + 1) << PLUGIN_SHIFT;
}
