import { CycleState } from '../framework/cycle-state.js';
import { filterVerdict, type Framework } from '../framework/framework.js';
import type { ColumnFilter, FilterPlugin, Snapshot } from '../framework/interface.js';
import type { PodInfo } from '../framework/pod-info.js';

/** Nodes that are judged together. */
const WINDOW = 256;
/** Any verdict but 0 keeps a pod from a node: which one is not asked. */
const REJECTED = 1 << 20;

/** Walks the nodes in circles, each walk from where the one before has found a place. */
export class FilterWalk {
  readonly #framework: Framework;
  readonly #window = new Int32Array(WINDOW);
  #verdicts = new Int32Array(0);
  #start = 0;

  constructor(framework: Framework) {
    this.#framework = framework;
  }

  /** The next node that is accepted, not cordoned, and that no filter keeps the pod from. */
  next(pod: PodInfo, snapshot: Snapshot, accepts: (nodeName: string) => boolean): string | undefined {
    const { order, size, columns } = snapshot;
    if (size === 0) return undefined;
    const state = new CycleState();
    const { status, nodeNames } = this.#framework.runPreFilter(state, pod, snapshot);
    if (status !== undefined) return undefined;
    if (this.#verdicts.length < columns.capacity) this.#verdicts = new Int32Array(columns.capacity);
    const filters = this.#compile(state, pod, snapshot);
    let visited = 0;
    while (visited < size) {
      const places: number[] = [];
      let count = 0;
      for (; visited < size && count < WINDOW; visited += 1) {
        const place = (this.#start + visited) % size;
        const slot = order[place] as number;
        const { name, node } = snapshot.nodeAt(slot);
        if (nodeNames !== undefined && !nodeNames.has(name)) continue;
        if (node?.spec.unschedulable === true || !accepts(name)) continue;
        this.#window[count] = slot;
        this.#verdicts[slot] = 0;
        places.push(place);
        count += 1;
      }
      this.#judge(filters, state, pod, snapshot, count);
      for (let index = 0; index < count; index += 1) {
        const slot = this.#window[index] as number;
        if (this.#verdicts[slot] !== 0) continue;
        this.#start = ((places[index] as number) + 1) % size;
        return snapshot.nodeAt(slot).name;
      }
    }
    return undefined;
  }

  #compile(state: CycleState, pod: PodInfo, snapshot: Snapshot): readonly Compiled[] {
    return this.#framework
      .activeFilters(state)
      .all.filter((plugin) => plugin.passesAll?.(state, pod) !== true)
      .map((plugin) => ({ plugin, column: plugin.compileFilter?.(state, pod, snapshot.columns) }));
  }

  #judge(filters: readonly Compiled[], state: CycleState, pod: PodInfo, snapshot: Snapshot, count: number): void {
    for (const { plugin, column } of filters) {
      if (column !== undefined) {
        column.filter(this.#window, count, this.#verdicts, REJECTED);
        continue;
      }
      for (let index = 0; index < count; index += 1) {
        const slot = this.#window[index] as number;
        if (this.#verdicts[slot] !== 0) continue;
        const verdict = plugin.filter(state, pod, snapshot.nodeAt(slot));
        if (verdict !== undefined && filterVerdict(plugin, verdict) !== undefined) this.#verdicts[slot] = REJECTED;
      }
    }
  }
}

interface Compiled {
  readonly plugin: FilterPlugin;
  readonly column: ColumnFilter | undefined;
}
