import { assert } from '../../../kernel/assert.js';
import type { ColumnFilter } from '../../framework/interface.js';
import type { Status } from '../../framework/status.js';

/** Filter verdicts are `(index of the plugin + 1) << PLUGIN_SHIFT | code`. */
export const PLUGIN_SHIFT = 16;

/** What the verdicts of a scan stand for. */
export class VerdictStatuses {
  /** By filter of the profile, for verdicts above 0. */
  columnFilters: readonly (ColumnFilter | undefined)[] = [];
  /** Statuses of the plain form; verdict -1 is the first. */
  plain: readonly Status[] = [];

  /** The status behind a verdict. */
  of(verdict: number): Status {
    if (verdict < 0) return this.plain[-verdict - 1] as Status;
    const filter = this.columnFilters[(verdict >>> PLUGIN_SHIFT) - 1];
    assert(filter !== undefined, `verdict ${verdict} must come from a column filter`);
    return filter.statusOf(verdict & ((1 << PLUGIN_SHIFT) - 1));
  }

  /** The verdict for a status of the plain form. */
  numberOf(status: Status): number {
    const statuses = this.plain as Status[];
    return statuses.at(-1) === status ? -statuses.length : -statuses.push(status);
  }
}

/** How often each verdict stands among the first `count`; a walk's verdicts come in long runs of one. */
export function tallyOf(verdicts: Int32Array, count: number): ReadonlyMap<number, number> {
  const tally = new Map<number, number>();
  let begin = 0;
  for (let index = 1; index <= count; index += 1) {
    const verdict = verdicts[begin] as number;
    if (index < count && verdicts[index] === verdict) continue;
    tally.set(verdict, (tally.get(verdict) ?? 0) + index - begin);
    begin = index;
  }
  return tally;
}
