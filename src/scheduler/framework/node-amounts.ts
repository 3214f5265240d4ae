/**
 * What a node has of cpu, memory and places for pods, and what is used of it, in one row of numbers: a decision looks at
 * all of them, and a row is what a processor's cache takes in at once. The row of a slot begins at the slot shifted by
 * {@link AMOUNTS_SHIFT}; `NodeColumns.arrays.amounts` holds the rows.
 */

/** A row has 2 to this power numbers: 64 bytes. */
export const AMOUNTS_SHIFT = 3;

/** Millicores and bytes that pods may ask for, and pods that the node takes. */
export const TOTAL_CPU = 0;
export const TOTAL_MEMORY = 1;
export const PLACES = 2;
/** The pods on the node, and what they ask for. */
export const POD_COUNT = 3;
export const USED_CPU = 4;
export const USED_MEMORY = 5;
/** The same with upstream's defaults for pods that ask for nothing. */
export const COUNTED_CPU = 6;
export const COUNTED_MEMORY = 7;
