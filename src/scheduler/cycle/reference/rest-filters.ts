/** The filters whose verdicts are not kept by shape: they are run for each attempt, after those that are. */
import type { ColumnFilter, FilterPlugin } from '../../framework/interface.js';
import type { ScanRequest } from '../table/requests.js';
import { PLUGIN_SHIFT } from '../attempt/verdict-statuses.js';
import type { VerdictStatuses } from '../attempt/verdict-statuses.js';

/** A filter that is run for each attempt. */
export interface RestFilter {
  readonly plugin: FilterPlugin;
  /** In the profile. */
  readonly index: number;
}

/** A filter in its column form, where it has one. */
export interface CompiledFilter extends RestFilter {
  readonly column: ColumnFilter | undefined;
  /** Of its verdicts. */
  readonly base: number;
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

/** The column forms of these filters, which are noted beside those that are kept. */
export function compileRest(
  { state, pod, snapshot, evaluation }: ScanRequest,
  rest: readonly RestFilter[],
  statuses: VerdictStatuses,
): readonly CompiledFilter[] {
  if (rest.length === 0) return [];
  const columnFilters = [...statuses.columnFilters];
  const compiled = rest.map(({ plugin, index }): CompiledFilter => {
    const column = evaluation === undefined ? undefined : plugin.compileFilter?.(state, pod, snapshot.columns);
    columnFilters[index] = column;
    return { plugin, index, column, base: baseOf(index) };
  });
  statuses.columnFilters = columnFilters;
  return compiled;
}
