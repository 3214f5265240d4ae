/**
 * What a pod asks of a node's cpu and memory, as far as that decides and nothing else of its resources: read from the
 * plugins once, and exact over the columns of nodes, as the plugins are.
 */
import { hasPlace, isShort, neededOf } from '../../framework/free-resources.js';
import type { FilterPlugin, ResourceScore } from '../../framework/interface.js';
import {
  COUNTED_CPU,
  COUNTED_MEMORY,
  PLACES,
  POD_COUNT,
  TOTAL_CPU,
  TOTAL_MEMORY,
  USED_CPU,
  USED_MEMORY,
} from '../../framework/node-amounts.js';
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

/** Whether a node has room. @param amounts - rows of nodes (node-amounts.ts) @param at - where its row begins */
export function fitsRow(amounts: Float64Array, at: number, demand: PodDemand): boolean {
  return (
    hasPlace((amounts[at + PLACES] as number) - (amounts[at + POD_COUNT] as number)) &&
    !isShort(demand.freeCpu, (amounts[at + TOTAL_CPU] as number) - (amounts[at + USED_CPU] as number)) &&
    !isShort(demand.freeMemory, (amounts[at + TOTAL_MEMORY] as number) - (amounts[at + USED_MEMORY] as number))
  );
}

/** The weighted sum of the scores of a node, exact. See {@link fitsRow}. */
export function scoreRow(amounts: Float64Array, at: number, demand: PodDemand): number {
  const totalCpu = amounts[at + TOTAL_CPU] as number;
  const totalMemory = amounts[at + TOTAL_MEMORY] as number;
  let total = 0;
  if (demand.leastWeight !== 0) {
    const freeCpu = totalCpu - (amounts[at + COUNTED_CPU] as number) - demand.leastCpu;
    const freeMemory = totalMemory - (amounts[at + COUNTED_MEMORY] as number) - demand.leastMemory;
    const { cpuWeight, memoryWeight } = demand;
    total =
      demand.leastWeight * leastAllocatedScore(totalCpu, freeCpu, cpuWeight, totalMemory, freeMemory, memoryWeight);
  }
  if (demand.balancedWeight !== 0) {
    const usedCpu = (amounts[at + USED_CPU] as number) + demand.balancedCpu;
    const usedMemory = (amounts[at + USED_MEMORY] as number) + demand.balancedMemory;
    total += demand.balancedWeight * balancedScore(totalCpu, usedCpu, totalMemory, usedMemory);
  }
  return total;
}
