/**
 * What a pod asks of a node's cpu and memory, as far as that decides and nothing else of its resources: read from the
 * plugins once, and exact over the columns of nodes, as the plugins are.
 */
import { hasPlace, isShort, neededOf } from '../../framework/free-resources.js';
import type { FilterPlugin, ResourceScore } from '../../framework/interface.js';
import type { ColumnArrays } from '../../framework/node-columns.js';
import type { PodInfo } from '../../framework/pod-info.js';
import { balancedScore, leastAllocatedScore } from '../../framework/resource-scores.js';

/** What a pod asks for, and how its scores weigh; millicores and bytes. */
export interface PodDemand {
  /** What has to be free, see {@link neededOf}. */
  freeCpu: number;
  freeMemory: number;
  /** Of the score by free resources, with defaults counted; weight 0 = it is not asked. */
  leastCpu: number;
  leastMemory: number;
  leastWeight: number;
  cpuWeight: number;
  memoryWeight: number;
  /** Of the score by balance; weight 0 = it is not asked. */
  balancedCpu: number;
  balancedMemory: number;
  balancedWeight: number;
}

/** The filter by free resources. */
export type FitPlugin = FilterPlugin & Required<Pick<FilterPlugin, 'demandOf'>>;

/** Whether a filter goes by nothing but free resources. */
export function isFit(filter: FilterPlugin | undefined): filter is FitPlugin {
  return filter?.demandOf !== undefined;
}

/** To be filled in. */
export function noDemand(): PodDemand {
  return {
    freeCpu: 0,
    freeMemory: 0,
    leastCpu: 0,
    leastMemory: 0,
    leastWeight: 0,
    cpuWeight: 0,
    memoryWeight: 0,
    balancedCpu: 0,
    balancedMemory: 0,
    balancedWeight: 0,
  };
}

/** Takes down what a pod needs, without scores; `false` when it needs more than cpu and memory. */
export function readNeed(fit: FitPlugin, pod: PodInfo, demand: PodDemand): boolean {
  const { cpuMillis, memoryBytes, ephemeralBytes, scalars } = fit.demandOf(pod);
  if (ephemeralBytes > 0 || scalars.length > 0) return false;
  demand.freeCpu = neededOf(cpuMillis);
  demand.freeMemory = neededOf(memoryBytes);
  demand.leastWeight = 0;
  demand.balancedWeight = 0;
  return true;
}

/** Takes a score in; `false` for a second one of its kind. */
export function takeScore(demand: PodDemand, score: ResourceScore, weight: number): boolean {
  if (score.formula === 'least-allocated') {
    if (demand.leastWeight > 0) return false;
    demand.leastWeight = weight;
    demand.leastCpu = score.cpuMillis;
    demand.leastMemory = score.memoryBytes;
    demand.cpuWeight = score.cpuWeight;
    demand.memoryWeight = score.memoryWeight;
  } else {
    if (demand.balancedWeight > 0) return false;
    demand.balancedWeight = weight;
    demand.balancedCpu = score.cpuMillis;
    demand.balancedMemory = score.memoryBytes;
  }
  return true;
}

/** Whether the node in a slot has room. */
export function fitsSlot(arrays: ColumnArrays, slot: number, demand: PodDemand): boolean {
  return (
    hasPlace((arrays.allocatablePods[slot] as number) - (arrays.podCount[slot] as number)) &&
    !isShort(demand.freeCpu, (arrays.allocatableCpuMillis[slot] as number) - (arrays.cpuMillis[slot] as number)) &&
    !isShort(demand.freeMemory, (arrays.allocatableMemoryBytes[slot] as number) - (arrays.memoryBytes[slot] as number))
  );
}

/** The weighted sum of the scores of the node in a slot, exact. */
export function scoreSlot(arrays: ColumnArrays, slot: number, demand: PodDemand): number {
  const totalCpu = arrays.allocatableCpuMillis[slot] as number;
  const totalMemory = arrays.allocatableMemoryBytes[slot] as number;
  let total = 0;
  if (demand.leastWeight !== 0) {
    const freeCpu = totalCpu - (arrays.nonZeroCpuMillis[slot] as number) - demand.leastCpu;
    const freeMemory = totalMemory - (arrays.nonZeroMemoryBytes[slot] as number) - demand.leastMemory;
    const { cpuWeight, memoryWeight } = demand;
    total =
      demand.leastWeight * leastAllocatedScore(totalCpu, freeCpu, cpuWeight, totalMemory, freeMemory, memoryWeight);
  }
  if (demand.balancedWeight !== 0) {
    const usedCpu = (arrays.cpuMillis[slot] as number) + demand.balancedCpu;
    const usedMemory = (arrays.memoryBytes[slot] as number) + demand.balancedMemory;
    total += demand.balancedWeight * balancedScore(totalCpu, usedCpu, totalMemory, usedMemory);
  }
  return total;
}
