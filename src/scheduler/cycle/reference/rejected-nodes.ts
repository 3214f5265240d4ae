/**
 * The rejected nodes of a scan of which only numbers are known: what found the others tells which
 * nodes these are, and they are judged in the column forms of the filters, without a look at the nodes that fit.
 */
import { assert } from '../../../kernel/assert.js';
import type { CycleState } from '../../framework/cycle-state.js';
import type { Framework } from '../../framework/framework.js';
import type { ColumnFilter, FilterPlugin } from '../../framework/interface.js';
import type { NodeColumns } from '../../framework/node-columns.js';
import type { PodInfo } from '../../framework/pod-info.js';
import { tellRejected, type RejectionListener } from '../attempt/rejection-listener.js';
import { baseOf } from './rest-filters.js';
import { VerdictStatuses } from '../attempt/verdict-statuses.js';

/** See the file header. */
export class RejectedNodes {
  /** Positions in the scan order, in the order of the scan; written from outside. */
  positions = new Int32Array(0);
  #expected = 0;
  #slots = new Int32Array(0);
  #verdicts = new Int32Array(0);
  /** By slot. */
  #bySlot = new Int32Array(0);
  readonly #statuses = new VerdictStatuses();

  /** Makes room for all nodes. @param expected - how many are rejected */
  begin({ capacity }: NodeColumns, expected: number): void {
    this.#expected = expected;
    if (this.positions.length >= capacity) return;
    this.positions = new Int32Array(capacity);
    this.#slots = new Int32Array(capacity);
    this.#verdicts = new Int32Array(capacity);
    this.#bySlot = new Int32Array(capacity);
  }

  /** Tells of the first `count` of the positions; `false` when some filter has no column form for the pod. */
  tell(
    { filters }: Framework,
    state: CycleState,
    pod: PodInfo,
    columns: NodeColumns,
    count: number,
    listener: RejectionListener,
  ): boolean {
    if (count !== this.#expected) assert(false, `${this.#expected} nodes are rejected, got ${count}`);
    const compiled = compile(filters, state, pod, columns);
    if (compiled === undefined) return false;
    const { order } = columns.arrays;
    const { positions } = this;
    const slots = this.#slots;
    const verdicts = this.#verdicts;
    const bySlot = this.#bySlot;
    for (let index = 0; index < count; index += 1) {
      const slot = order[positions[index] as number] as number;
      slots[index] = slot;
      bySlot[slot] = 0;
    }
    for (let index = 0; index < compiled.length; index += 1)
      compiled[index]?.filter(slots, count, bySlot, baseOf(index));
    for (let index = 0; index < count; index += 1) {
      const verdict = bySlot[slots[index] as number] as number;
      if (verdict === 0) assert(false, `the node at position ${positions[index]} must be rejected`);
      verdicts[index] = verdict;
    }
    this.#statuses.columnFilters = compiled;
    tellRejected({ slots, verdicts, count }, this.#statuses, listener);
    return true;
  }
}

/** By filter of the profile; absent where the attempt skips it. */
function compile(
  filters: readonly FilterPlugin[],
  state: CycleState,
  pod: PodInfo,
  columns: NodeColumns,
): readonly (ColumnFilter | undefined)[] | undefined {
  const compiled: (ColumnFilter | undefined)[] = [];
  for (const plugin of filters) {
    const isSkipped = state.skippedFilters.has(plugin.name);
    const filter = isSkipped ? undefined : plugin.compileFilter?.(state, pod, columns);
    if (!isSkipped && filter === undefined) return undefined;
    compiled.push(filter);
  }
  return compiled;
}
