/**
 * The nodes as a ring: a scan begins where the last one ended, goes round once at most, and ends when enough nodes
 * fit. Upstream: `nextStartNodeIndex` and `numFeasibleNodesToFind` of `schedule_one.go`, kube-scheduler v1.34.
 */

/** Below this number of nodes every one is looked at. */
const MIN_FEASIBLE_NODES = 100;
const MAX_ADAPTIVE_PERCENTAGE = 50;
const NODES_PER_PERCENT = 125;
const MIN_ADAPTIVE_PERCENTAGE = 5;

/** Where a scan begins and ends. */
export interface RingRange {
  /** Position at which it begins. */
  readonly start: number;
  /** It ends before the feasible node after this many. */
  readonly target: number;
}

/** Where the next scan begins; it may lie beyond the end of the ring. */
export interface RingStart {
  index: number;
}

/**
 * How many feasible nodes are enough among `nodeCount`.
 *
 * @param percentage - 1..100, or 0 = fewer the more nodes there are
 */
export function feasibleTarget(nodeCount: number, percentage: number): number {
  if (nodeCount < MIN_FEASIBLE_NODES || percentage >= 100) return nodeCount;
  const adaptive = Math.max(
    MAX_ADAPTIVE_PERCENTAGE - Math.trunc(nodeCount / NODES_PER_PERCENT),
    MIN_ADAPTIVE_PERCENTAGE,
  );
  const wanted = Math.trunc((nodeCount * (percentage === 0 ? adaptive : percentage)) / 100);
  return Math.max(wanted, MIN_FEASIBLE_NODES);
}

/** The range of the next scan over so many nodes. @param percentage - see {@link feasibleTarget} */
export function nextRange({ index }: RingStart, size: number, percentage: number): RingRange {
  return { start: size === 0 ? 0 : index % size, target: feasibleTarget(size, percentage) };
}

/** The next scan begins so many nodes further on. @param size - number of all nodes; above 0 */
export function advance(start: RingStart, visited: number, size: number): void {
  start.index = (start.index + visited) % size;
}

/**
 * Goes along a ring of `size` positions in rising stretches, two at most.
 *
 * @param count - positions that are visited at most; 0..size
 * @param visit - visits the positions `from..to-1`; returns where it stopped, `to` to go on
 * @returns how many positions were visited
 */
export function walkRing(
  start: number,
  count: number,
  size: number,
  visit: (from: number, to: number) => number,
): number {
  const end = Math.min(start + count, size);
  const stop = visit(start, end);
  const left = start + count - size;
  return stop < end || left <= 0 ? stop - start : end - start + visit(0, left);
}

/** How far along a walk from `start` a position is visited, from 0. */
export function stepOf(position: number, start: number, size: number): number {
  return position < start ? position - start + size : position - start;
}

/** Copies `count` entries, `size` at most, of a ring of `size`, from an index on and round its end. */
export function copyRing(ring: Int32Array, size: number, from: number, copy: Int32Array, count: number): void {
  const before = Math.min(count, size - from);
  copy.set(ring.subarray(from, from + before));
  if (before < count) copy.set(ring.subarray(0, count - before), before);
}
