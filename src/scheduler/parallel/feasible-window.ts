import type { ShapeEvaluation } from '../cycle/shape-evaluation.js';
import type { NodeList } from '../framework/interface.js';
import type { NodeColumns } from '../framework/node-columns.js';

/** Which nodes are judged. */
export interface WindowOptions {
  /** Position in the scan order. */
  readonly start: number;
  /** Feasible nodes that a scan looks for. */
  readonly target: number;
  /** Nodes judged beyond those that are needed: the start is a guess. */
  readonly slack: number;
}

/**
 * Judges the nodes from `start` on until more than `target` of them fit, and `slack` nodes beyond:
 * about what a scan that begins near `start` will ask for. Returns those that fit.
 */
export function feasibleWindow(
  evaluation: ShapeEvaluation,
  columns: NodeColumns,
  { start, target, slack }: WindowOptions,
): NodeList {
  const { order } = columns.arrays;
  const { nodeCount } = columns;
  const feasible = new Int32Array(nodeCount);
  const window = new Int32Array(nodeCount);
  let count = 0;
  let visited = 0;
  while (visited < nodeCount && count <= target) {
    const size = Math.min(nodeCount - visited, target + 1 - count + slack);
    for (let index = 0; index < size; index += 1)
      window[index] = order[(start + visited + index) % nodeCount] as number;
    evaluation.filter(window, size, columns);
    for (let index = 0; index < size; index += 1) {
      const slot = window[index] as number;
      if (evaluation.buffers.verdicts[slot] !== 0) continue;
      feasible[count] = slot;
      count += 1;
    }
    visited += size;
  }
  return { count, slots: feasible, nodes: [] };
}
