/**
 * Whether a pod finds what it asks for on a node: the arithmetic of free resources, once for plugins, tables, walks
 * and dry runs. Amounts are whole numbers of one unit each. Upstream: `fitsRequest` of `noderesources/fit.go`,
 * kube-scheduler v1.34.
 */

/** Need of a resource that is not asked for: no node is short of it, but for one that has no place. */
const NOT_NEEDED = -Number.MAX_VALUE;
/** Stands for what is free where no pod has a place any more: short of every need. */
export const NO_PLACE = Number.NEGATIVE_INFINITY;

/** What has to be free of a resource for a pod that asks for so much of it. */
export function neededOf(requested: number): number {
  return requested > 0 ? requested : NOT_NEEDED;
}

/** Whether so much is too little for a need. */
export function isShort(needed: number, free: number): boolean {
  return needed > free;
}

/** Whether there is a place for one more pod. @param places - pods that a node takes, less those that it has */
export function hasPlace(places: number): boolean {
  return places >= 1;
}
