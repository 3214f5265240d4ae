import type { CycleState } from '../framework/cycle-state.js';
import {
  MAX_NODE_SCORE,
  type ColumnScore,
  type PreScorePlugin,
  type ResourceScore,
  type ScorePlugin,
} from '../framework/interface.js';
import { AMOUNTS_SHIFT, TOTAL_CPU, TOTAL_MEMORY, USED_CPU, USED_MEMORY } from '../framework/node-amounts.js';
import type { NodeColumns } from '../framework/node-columns.js';
import type { NodeInfo } from '../framework/node-info.js';
import type { PodInfo } from '../framework/pod-info.js';
import { balancedScore } from '../framework/resource-scores.js';
import { amountIn, isScalarResource, type Resource } from '../framework/resource.js';
import { Code, createStatus, type Status } from '../framework/status.js';
import { weightedResourcesOf, type ScoringStrategy } from './resource-scorer.js';

const NAME = 'NodeResourcesBalancedAllocation';
const SKIP = createStatus(Code.Skip, NAME);

/** NodeResourcesBalancedAllocationArgs; weights are not looked at. */
export interface BalancedAllocationArgs {
  readonly resources?: ScoringStrategy['resources'] | undefined;
}

/** Prefers nodes with evenly used resources (plugin NodeResourcesBalancedAllocation of kube-scheduler v1.34). */
export class NodeResourcesBalancedAllocation implements PreScorePlugin, ScorePlugin {
  readonly name = NAME;
  readonly scoreScope = 'node';
  readonly #resources: readonly string[];

  constructor({ resources = [] }: BalancedAllocationArgs = {}) {
    this.#resources = weightedResourcesOf({ resources }).map(({ name }) => name);
  }

  answersByShape(): boolean {
    return true;
  }

  preScore(_state: CycleState, { shape }: PodInfo): Status | undefined {
    const { requests } = shape.usage;
    return this.#resources.every((name) => amountIn(requests, name) === 0) ? SKIP : undefined;
  }

  score(_state: CycleState, { shape }: PodInfo, node: NodeInfo): number {
    const { requests } = shape.usage;
    const fractions: number[] = [];
    for (const name of this.#resources) {
      const request = amountIn(requests, name);
      const capacity = amountIn(node.allocatable, name);
      if (capacity === 0 || (request === 0 && isScalarResource(name))) continue;
      fractions.push(Math.min(1, (usedOn(node, name) + request) / capacity));
    }
    return balanceOf(fractions);
  }

  compileScore(_state: CycleState, { shape }: PodInfo, columns: NodeColumns): ColumnScore | undefined {
    return this.#isCpuAndMemory() ? compileCpuAndMemory(shape.usage.requests, columns) : undefined;
  }

  resourceScore({ shape }: PodInfo): ResourceScore | undefined {
    const { cpuMillis, memoryBytes } = shape.usage.requests;
    if (!this.#isCpuAndMemory() || (cpuMillis === 0 && memoryBytes === 0)) return undefined;
    return { formula: 'balanced', cpuMillis, memoryBytes };
  }

  #isCpuAndMemory(): boolean {
    return this.#resources.length === 2 && this.#resources[0] === 'cpu' && this.#resources[1] === 'memory';
  }
}

/** 100 for equal fractions, less the further they lie apart. */
function balanceOf(fractions: readonly number[]): number {
  const count = fractions.length;
  let deviation = 0;
  if (count === 2) {
    deviation = Math.abs(((fractions[0] as number) - (fractions[1] as number)) / 2);
  } else if (count > 2) {
    let sum = 0;
    for (const fraction of fractions) sum += fraction;
    const mean = sum / count;
    let squares = 0;
    for (const fraction of fractions) squares += (fraction - mean) * (fraction - mean);
    deviation = Math.sqrt(squares / count);
  }
  return Math.trunc((1 - deviation) * MAX_NODE_SCORE);
}

/** The default resources in one loop. */
function compileCpuAndMemory({ cpuMillis, memoryBytes }: Resource, columns: NodeColumns): ColumnScore {
  return {
    score(slots, count, raw) {
      const { amounts } = columns.arrays;
      for (let index = 0; index < count; index += 1) {
        const slot = slots[index] as number;
        const row = slot << AMOUNTS_SHIFT;
        const cpu = (amounts[row + USED_CPU] as number) + cpuMillis;
        const memory = (amounts[row + USED_MEMORY] as number) + memoryBytes;
        raw[slot] = balancedScore(
          amounts[row + TOTAL_CPU] as number,
          cpu,
          amounts[row + TOTAL_MEMORY] as number,
          memory,
        );
      }
    },
  };
}

/** What is really requested on the node, without defaults. */
function usedOn(node: NodeInfo, name: string): number {
  if (name === 'cpu') return node.cpuMillis;
  if (name === 'memory') return node.memoryBytes;
  if (name === 'ephemeral-storage') return node.ephemeralBytes;
  return node.scalars.get(name) ?? 0;
}
