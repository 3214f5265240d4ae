import type { CycleState } from '../framework/cycle-state.js';
import type { Framework } from '../framework/framework.js';
import { hasPlace, isShort, neededOf } from '../framework/free-resources.js';
import type { FilterPlugin, ResourceDemand } from '../framework/interface.js';
import type { NodeInfo } from '../framework/node-info.js';
import type { PodInfo } from '../framework/pod-info.js';
import { Code, codeOf, type Status } from '../framework/status.js';
import type { LesserPods } from './lesser-pods.js';
import type { Trial } from './trial.js';

/**
 * A trial of a pod for which nothing counts on a node but what is free: amounts are added and compared,
 * and no node is copied. Where the pod does not fit, the plain form says why.
 */
export class DemandTrial implements Trial {
  readonly #state: CycleState;
  readonly #pod: PodInfo;
  readonly #plain: Trial;
  /** Filters that the pods on a node do not matter to. */
  readonly #heedless: readonly FilterPlugin[];
  /** What is not asked for can never be short. */
  readonly #cpuMillis: number;
  readonly #memoryBytes: number;
  readonly #ephemeralBytes: number;
  readonly #scalars: ResourceDemand['scalars'];
  #freePods = 0;
  #freeCpuMillis = 0;
  #freeMemoryBytes = 0;
  #freeEphemeralBytes = 0;
  readonly #freeScalars: number[] = [];

  /** The trial of a pod, if it can be tried like this. @param plain - says why the pod does not fit */
  static of(framework: Framework, state: CycleState, pod: PodInfo, plain: Trial): DemandTrial | undefined {
    const { heedful, heedless, countsPods } = framework.activeFilters(state);
    const demand = heedful.length === 1 && !countsPods ? heedful[0]?.demandOf?.(pod) : undefined;
    return demand === undefined ? undefined : new DemandTrial(state, pod, heedless, demand, plain);
  }

  private constructor(
    state: CycleState,
    pod: PodInfo,
    heedless: readonly FilterPlugin[],
    demand: ResourceDemand,
    plain: Trial,
  ) {
    this.#state = state;
    this.#pod = pod;
    this.#heedless = heedless;
    this.#plain = plain;
    this.#cpuMillis = neededOf(demand.cpuMillis);
    this.#memoryBytes = neededOf(demand.memoryBytes);
    this.#ephemeralBytes = neededOf(demand.ephemeralBytes);
    this.#scalars = demand.scalars;
  }

  begin(node: NodeInfo, lesser: LesserPods, nominated: readonly PodInfo[]): Status | undefined {
    const { allocatable } = node;
    this.#freePods = allocatable.pods - node.pods.length;
    this.#freeCpuMillis = allocatable.cpuMillis - node.cpuMillis;
    this.#freeMemoryBytes = allocatable.memoryBytes - node.memoryBytes;
    this.#freeEphemeralBytes = allocatable.ephemeralBytes - node.ephemeralBytes;
    for (let index = 0; index < this.#scalars.length; index += 1) {
      const name = (this.#scalars[index] as readonly [string, number])[0];
      this.#freeScalars[index] = (allocatable.scalars.get(name) ?? 0) - (node.scalars.get(name) ?? 0);
    }
    for (let index = 0; index < lesser.count; index += 1) this.#free(lesser.infos[index] as PodInfo, 1);
    // A pod that fits beside the nominated pods fits without them as well.
    for (const other of nominated) this.#free(other, -1);
    return this.#hasRoom() && this.#passesHeedless(node) ? undefined : this.#plain.begin(node, lesser, nominated);
  }

  letStay(other: PodInfo): boolean {
    this.#free(other, -1);
    if (this.#hasRoom()) return true;
    this.#free(other, 1);
    return false;
  }

  #free({ usage: { requests } }: PodInfo, sign: 1 | -1): void {
    this.#freePods += sign;
    this.#freeCpuMillis += sign * requests.cpuMillis;
    this.#freeMemoryBytes += sign * requests.memoryBytes;
    this.#freeEphemeralBytes += sign * requests.ephemeralBytes;
    for (let index = 0; index < this.#scalars.length; index += 1) {
      const amount = requests.scalars.get((this.#scalars[index] as readonly [string, number])[0]) ?? 0;
      this.#freeScalars[index] = (this.#freeScalars[index] as number) + sign * amount;
    }
  }

  #hasRoom(): boolean {
    if (
      !hasPlace(this.#freePods) ||
      isShort(this.#cpuMillis, this.#freeCpuMillis) ||
      isShort(this.#memoryBytes, this.#freeMemoryBytes) ||
      isShort(this.#ephemeralBytes, this.#freeEphemeralBytes)
    ) {
      return false;
    }
    for (let index = 0; index < this.#scalars.length; index += 1) {
      const [, needed] = this.#scalars[index] as readonly [string, number];
      if (isShort(needed, this.#freeScalars[index] as number)) return false;
    }
    return true;
  }

  #passesHeedless(node: NodeInfo): boolean {
    for (const plugin of this.#heedless) {
      if (codeOf(plugin.filter(this.#state, this.#pod, node)) !== Code.Success) return false;
    }
    return true;
  }
}
