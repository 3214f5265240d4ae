import type { ColumnScore } from '../framework/interface.js';
import { AMOUNTS_SHIFT, COUNTED_CPU, COUNTED_MEMORY, TOTAL_CPU, TOTAL_MEMORY } from '../framework/node-amounts.js';
import type { NodeColumns } from '../framework/node-columns.js';
import { leastAllocatedScore } from '../framework/resource-scores.js';
import { amountIn, isScalarResource, type Resource } from '../framework/resource.js';
import { LEAST_ALLOCATED, weightedMean, type ResourceScorer, type WeightedResource } from './resource-scorer.js';

/** One amount of each node: that of a slot is at the slot shifted, and so much further. */
interface Amounts {
  readonly values: Float64Array;
  readonly shift: number;
  readonly offset: number;
}

/** One resource's capacity and use; `undefined` when no node has it. */
function columnsOf(columns: NodeColumns, name: string): { capacity: Amounts; used: Amounts } | undefined {
  const { amounts, allocatableEphemeralBytes, ephemeralBytes } = columns.arrays;
  switch (name) {
    case 'cpu':
      return { capacity: inRows(amounts, TOTAL_CPU), used: inRows(amounts, COUNTED_CPU) };
    case 'memory':
      return { capacity: inRows(amounts, TOTAL_MEMORY), used: inRows(amounts, COUNTED_MEMORY) };
    case 'ephemeral-storage':
      return { capacity: bySlot(allocatableEphemeralBytes), used: bySlot(ephemeralBytes) };
    default: {
      const scalar = columns.scalars.get(name);
      return scalar === undefined
        ? undefined
        : { capacity: bySlot(scalar.allocatable), used: bySlot(scalar.requested) };
    }
  }
}

function inRows(values: Float64Array, offset: number): Amounts {
  return { values, shift: AMOUNTS_SHIFT, offset };
}

function bySlot(values: Float64Array): Amounts {
  return { values, shift: 0, offset: 0 };
}

function amountAt({ values, shift, offset }: Amounts, slot: number): number {
  return values[(slot << shift) + offset] as number;
}

/** NodeResourcesFit's score over columns. */
export function compileResourceScore(
  requests: Resource,
  resources: readonly WeightedResource[],
  scorer: ResourceScorer,
  columns: NodeColumns,
): ColumnScore {
  const weights = leastAllocatedWeights(resources, scorer);
  if (weights !== undefined) return leastAllocatedCpuAndMemory(requests, weights.cpu, weights.memory, columns);
  return anyStrategy(requests, resources, scorer, columns);
}

/** The weights of cpu and memory where the default strategy goes by these two alone. */
export function leastAllocatedWeights(
  resources: readonly WeightedResource[],
  scorer: ResourceScorer,
): { readonly cpu: number; readonly memory: number } | undefined {
  const [first, second] = resources;
  if (scorer !== LEAST_ALLOCATED || resources.length !== 2) return undefined;
  if (first?.name !== 'cpu' || second?.name !== 'memory') return undefined;
  return { cpu: first.weight, memory: second.weight };
}

/** The default strategy over the default resources in one loop: `idiv((capacity − requested) · 100, capacity)` each. */
function leastAllocatedCpuAndMemory(
  { cpuMillis, memoryBytes }: Resource,
  cpuWeight: number,
  memoryWeight: number,
  columns: NodeColumns,
): ColumnScore {
  return {
    score(slots, count, raw) {
      const { amounts } = columns.arrays;
      for (let index = 0; index < count; index += 1) {
        const slot = slots[index] as number;
        const row = slot << AMOUNTS_SHIFT;
        const cpu = amounts[row + TOTAL_CPU] as number;
        const memory = amounts[row + TOTAL_MEMORY] as number;
        const freeCpu = cpu - (amounts[row + COUNTED_CPU] as number) - cpuMillis;
        const freeMemory = memory - (amounts[row + COUNTED_MEMORY] as number) - memoryBytes;
        raw[slot] = leastAllocatedScore(cpu, freeCpu, cpuWeight, memory, freeMemory, memoryWeight);
      }
    },
  };
}

/** Any strategy over any resources: one pass per resource. */
function anyStrategy(
  requests: Resource,
  resources: readonly WeightedResource[],
  scorer: ResourceScorer,
  columns: NodeColumns,
): ColumnScore {
  const demands = resources
    .map(({ name, weight }) => ({ name, weight, request: amountIn(requests, name) }))
    .filter(({ name, request }) => request > 0 || !isScalarResource(name));
  const { isRatio } = scorer;
  let sums = new Float64Array(0);
  let weights = new Float64Array(0);
  return {
    score(slots, count, raw) {
      if (sums.length < count) {
        sums = new Float64Array(slots.length);
        weights = new Float64Array(slots.length);
      }
      sums.fill(0, 0, count);
      weights.fill(0, 0, count);
      for (const { name, weight, request } of demands) {
        const column = columnsOf(columns, name);
        if (column === undefined) continue;
        const { capacity, used } = column;
        for (let index = 0; index < count; index += 1) {
          const slot = slots[index] as number;
          const total = amountAt(capacity, slot);
          if (total === 0) continue;
          const score = scorer.scoreOf(request + amountAt(used, slot), total);
          if (isRatio && score <= 0) continue;
          sums[index] = (sums[index] as number) + score * weight;
          weights[index] = (weights[index] as number) + weight;
        }
      }
      for (let index = 0; index < count; index += 1) {
        raw[slots[index] as number] = weightedMean(sums[index] as number, weights[index] as number, isRatio);
      }
    },
  };
}
