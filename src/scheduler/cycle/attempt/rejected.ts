/** What stands for a node that is rejected, where a sum, a total or an entry (table/block-sums.ts) stands for others: these are never below 0. */
export const REJECTED = -1;
