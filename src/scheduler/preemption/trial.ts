import { filterBeside } from '../cycle/attempt/nominated-filter.js';
import type { CycleState } from '../framework/cycle-state.js';
import type { Framework } from '../framework/framework.js';
import type { FilterPlugin } from '../framework/interface.js';
import type { NodeInfo } from '../framework/node-info.js';
import type { PodInfo } from '../framework/pod-info.js';
import type { Status } from '../framework/status.js';
import type { LesserPods } from './lesser-pods.js';

/** Pods come and go on one node, to see whether the incoming one would fit. Nothing outside is changed. */
export interface Trial {
  /**
   * Begins with a node without its lesser pods; why the incoming one does not fit even then.
   *
   * @param nominated - the pods nominated to the node that count
   */
  begin(node: NodeInfo, lesser: LesserPods, nominated: readonly PodInfo[]): Status | undefined;
  /** Puts a pod back if the incoming one fits beside it; whether it did, or an error. */
  letStay(other: PodInfo): boolean | Status;
}

/** The plain form: on a copy of the node, and of the attempt's state where plugins keep count of pods in it. */
export class PlainTrial implements Trial {
  readonly #framework: Framework;
  readonly #attempt: CycleState;
  readonly #pod: PodInfo;
  readonly #countsPods: boolean;
  readonly #filters: readonly FilterPlugin[];
  /** Those with verdicts that may change with the pods on the node. */
  readonly #heedful: readonly FilterPlugin[];
  #state: CycleState;
  #node: NodeInfo | undefined;
  #nominated: readonly PodInfo[] = [];

  constructor(framework: Framework, state: CycleState, pod: PodInfo) {
    const { all, heedful, countsPods } = framework.activeFilters(state);
    this.#framework = framework;
    this.#attempt = state;
    this.#state = state;
    this.#pod = pod;
    this.#filters = all;
    this.#heedful = heedful;
    this.#countsPods = countsPods;
  }

  begin(original: NodeInfo, lesser: LesserPods, nominated: readonly PodInfo[]): Status | undefined {
    const node = original.clone();
    this.#node = node;
    this.#state = this.#countsPods ? this.#attempt.clone() : this.#attempt;
    this.#nominated = nominated;
    const leaving = new Set(lesser.infos.slice(0, lesser.count));
    if (!this.#countsPods) node.removePods((other) => leaving.has(other));
    else {
      // In the order in which they stand on the node: what plugins count may depend on it.
      for (const other of original.pods) {
        const status = leaving.has(other) ? this.#remove(other, node) : undefined;
        if (status !== undefined) return status;
      }
    }
    return this.#filter(this.#filters, node);
  }

  letStay(other: PodInfo): boolean | Status {
    const node = this.#node as NodeInfo;
    node.addPod(other);
    if (this.#countsPods) {
      const status = this.#framework.runAddPod(this.#state, this.#pod, other, node);
      if (status !== undefined) return status;
    }
    if (this.#filter(this.#heedful, node) === undefined) return true;
    return this.#remove(other, node) ?? false;
  }

  #filter(filters: readonly FilterPlugin[], node: NodeInfo): Status | undefined {
    return filterBeside(this.#framework, this.#nominated, this.#state, this.#pod, node, filters);
  }

  #remove(other: PodInfo, node: NodeInfo): Status | undefined {
    node.removePod(other);
    return this.#countsPods ? this.#framework.runRemovePod(this.#state, this.#pod, other, node) : undefined;
  }
}
