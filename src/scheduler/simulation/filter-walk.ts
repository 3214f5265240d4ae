import { assert } from '../../kernel/assert.js';
import { CycleState } from '../framework/cycle-state.js';
import { filterVerdict, type Framework } from '../framework/framework.js';
import type { ColumnFilter, FilterPlugin, Snapshot } from '../framework/interface.js';
import type { NodeInfo } from '../framework/node-info.js';
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
    const columnFilters = filters.flatMap(({ column }) => column ?? []);
    const others = filters.filter(({ column }) => column === undefined);
    for (let visited = 0; visited < size; visited += WINDOW) {
      const count = Math.min(WINDOW, size - visited);
      for (let index = 0; index < count; index += 1) {
        const slot = order[(this.#start + visited + index) % size] as number;
        this.#window[index] = slot;
        this.#verdicts[slot] = 0;
      }
      // Most nodes are full: what columns say costs less than to ask whether a node is accepted.
      for (const column of columnFilters) column.filter(this.#window, count, this.#verdicts, REJECTED);
      for (let index = 0; index < count; index += 1) {
        const slot = this.#window[index] as number;
        if (this.#verdicts[slot] !== 0) continue;
        const info = snapshot.nodeAt(slot);
        const { name, node } = info;
        if (nodeNames !== undefined && !nodeNames.has(name)) continue;
        if (node?.spec.unschedulable === true || !accepts(name)) continue;
        if (others.some(({ plugin }) => isRejectedBy(plugin, state, pod, info))) continue;
        this.#start = (this.#start + visited + index + 1) % size;
        return name;
      }
    }
    return undefined;
  }

  /** Of nodes that all have a place the one that the walk comes to first. @param slots - at least one */
  nextOf(slots: readonly number[], snapshot: Snapshot): string {
    const { order, size } = snapshot;
    const start = this.#start % size;
    let steps = size;
    for (const slot of slots) {
      const place = order.indexOf(slot);
      assert(place !== -1 && place < size, `a node with a place is in the snapshot, got slot ${slot}`);
      steps = Math.min(steps, (place - start + size) % size);
    }
    const place = (start + steps) % size;
    this.#start = (place + 1) % size;
    return snapshot.nodeAt(order[place] as number).name;
  }

  #compile(state: CycleState, pod: PodInfo, snapshot: Snapshot): readonly Compiled[] {
    return this.#framework
      .activeFilters(state)
      .all.filter((plugin) => plugin.passesAll?.(state, pod) !== true)
      .map((plugin) => ({ plugin, column: plugin.compileFilter?.(state, pod, snapshot.columns) }));
  }
}

function isRejectedBy(plugin: FilterPlugin, state: CycleState, pod: PodInfo, info: NodeInfo): boolean {
  const verdict = plugin.filter(state, pod, info);
  return verdict !== undefined && filterVerdict(plugin, verdict) !== undefined;
}

interface Compiled {
  readonly plugin: FilterPlugin;
  readonly column: ColumnFilter | undefined;
}
