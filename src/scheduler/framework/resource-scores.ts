/**
 * The default scores of cpu and memory as formulas over numbers, exact as upstream counts them: whole
 * numbers that are divided and cut. Upstream: `leastResourceScorer` and `balancedResourceScorer` of
 * kube-scheduler v1.34.
 */

/** 0..100: the mean, by weight, of the free parts; a resource of which there is none takes no part. */
export function leastAllocatedScore(
  totalCpu: number,
  freeCpu: number,
  cpuWeight: number,
  totalMemory: number,
  freeMemory: number,
  memoryWeight: number,
): number {
  let sum = 0;
  let weights = 0;
  if (totalCpu !== 0) {
    if (freeCpu > 0) sum += Math.floor((freeCpu * 100) / totalCpu) * cpuWeight;
    weights += cpuWeight;
  }
  if (totalMemory !== 0) {
    if (freeMemory > 0) sum += Math.floor((freeMemory * 100) / totalMemory) * memoryWeight;
    weights += memoryWeight;
  }
  return weights === 0 ? 0 : Math.floor(sum / weights);
}

/** 0..100: 100 for equal used parts; with fewer than two resources nothing can be out of balance. */
export function balancedScore(totalCpu: number, usedCpu: number, totalMemory: number, usedMemory: number): number {
  let deviation = 0;
  if (totalCpu !== 0 && totalMemory !== 0) {
    deviation = Math.abs((Math.min(1, usedCpu / totalCpu) - Math.min(1, usedMemory / totalMemory)) / 2);
  }
  return Math.trunc((1 - deviation) * 100);
}
