/**
 * The numbers by which ways are tuned: none of them changes a decision, all of them change what one costs. Each has
 * its unit and its reason; `npm run bench -- NAME --mode algorithm --percentage 0,100` measures what is named with it.
 */

/**
 * Feasible nodes up to which a walk is over sooner than what is kept for the shape could be looked through: pods that
 * differ, `DifferentPods/5000Nodes_10000Pods`, adaptive (500 nodes are enough), are 2.4 to 8.8 times faster by walks.
 */
export const MAX_SHORT_WALK = 1000;

/**
 * Nodes that are judged at once by a scan that needs fewer, where to judge too many costs nothing but time: a plugin is
 * called once for all of them, and what lies beyond is kept for the next scan.
 */
export const NODES_AT_ONCE = 64;

/** Entries (nodes of one shape, or outline) that are kept for all of them together: some 200 shapes over 5,000 nodes, 50 MiB. */
const ENTRIES_KEPT = 1 << 20;
/** Shapes that are kept however many nodes there are, and however few: more than a cluster has templates in use at once. */
const MIN_SHAPES_KEPT = 64;
const MAX_SHAPES_KEPT = 1024;

/** Shapes, and outlines, that are kept over so many nodes. */
export function shapesKept(nodeCount: number): number {
  return Math.min(Math.max(Math.floor(ENTRIES_KEPT / Math.max(nodeCount, 1)), MIN_SHAPES_KEPT), MAX_SHAPES_KEPT);
}

/** Shapes, or outlines, of which it is remembered that they came up: a number each, and most never come back. */
export const SEEN_REMEMBERED = 4096;

/** Shapes that came up once and are kept: few, so that their memory stays in the processor's cache. */
export const FRESH_SHAPES_KEPT = 4;

/** Kinds of pods (shape and priority) of which results by node are kept: those that fail or preempt at one time. */
export const KINDS_KEPT = 16;

/** Statuses of which one object stands for all that are equal: more than filters have reasons. */
export const STATUSES_SHARED = 256;

/**
 * Attempts that do without something that did not work, until it is tried again: what it costs in vain is spread over
 * so many that it cannot be seen.
 */
export const PAUSE_ATTEMPTS = 256;

/** Writes since a walk was made elsewhere from which a walk of one's own is the shorter way: a tenth of 5,000 nodes. */
export const MAX_AMENDED_WRITES = 512;

/**
 * Nodes that a walk made elsewhere tells of at least, and from which it tells of too many: so that the writes of
 * {@link MAX_AMENDED_WRITES} hardly ever leave none of them.
 */
export const MIN_TOLD = 512;
export const MANY_TOLD = 8 * MIN_TOLD;
/** Points below the best score at which it stops to look for more. */
export const MAX_TOLD_DEPTH = 127;
