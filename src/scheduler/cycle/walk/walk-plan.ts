/** Which plugins of a profile a walk stands for, and what is left to be checked attempt by attempt. */
import type { CycleState } from '../../framework/cycle-state.js';
import type { Framework, WeightedScore } from '../../framework/framework.js';
import type { FilterPlugin } from '../../framework/interface.js';
import type { PodInfo } from '../../framework/pod-info.js';
import { isFit, readNeed, takeScore, type FitPlugin, type PodDemand } from '../attempt/pod-demand.js';

/** See the file header. */
export class WalkPlan {
  /** The filter by free resources. */
  readonly fit: FitPlugin;
  /** Names of the plugins that go by the outline. */
  readonly outlineFilters: readonly string[];
  readonly outlineScores: readonly string[];
  readonly #resourceScores: readonly WeightedScore[];
  /** Those that must have nothing to say. */
  readonly #otherFilters: readonly FilterPlugin[];
  readonly #otherScores: readonly string[];
  #skippedFilters: CycleState['skippedFilters'] | undefined;
  #isFitAsked = false;
  /** Those of the other filters that do not skip. */
  #left: readonly FilterPlugin[] = [];

  private constructor(framework: Framework, fit: FitPlugin) {
    const { filters, scores } = framework;
    this.fit = fit;
    this.outlineFilters = filters.filter(isOfOutline).map(({ name }) => name);
    this.#otherFilters = filters.filter((plugin) => plugin !== fit && !isOfOutline(plugin));
    this.outlineScores = scores.filter(({ plugin }) => plugin.goesByOutline === true).map(({ plugin }) => plugin.name);
    this.#resourceScores = scores.filter(({ plugin }) => plugin.resourceScore !== undefined);
    this.#otherScores = scores
      .filter(({ plugin }) => plugin.goesByOutline !== true && plugin.resourceScore === undefined)
      .map(({ plugin }) => plugin.name);
  }

  /** `undefined` for profiles without the filter by free resources. */
  static of(framework: Framework): WalkPlan | undefined {
    const [fit, ...others] = framework.filters.filter(isFit);
    return fit === undefined || others.length > 0 ? undefined : new WalkPlan(framework, fit);
  }

  /** Whether PreFilter has left nothing to filters that a walk does not stand for. */
  coversFilters(state: CycleState, pod: PodInfo): boolean {
    const { skippedFilters } = state;
    // From attempt to attempt it tends to be the same set, and the same object.
    if (this.#skippedFilters !== skippedFilters) {
      this.#skippedFilters = skippedFilters;
      this.#isFitAsked = !skippedFilters.has(this.fit.name);
      this.#left = this.#otherFilters.filter(({ name }) => !skippedFilters.has(name));
    }
    if (!this.#isFitAsked) return false;
    const left = this.#left;
    for (let index = 0; index < left.length; index += 1)
      if (left[index]?.passesAll?.(state, pod) !== true) return false;
    return true;
  }

  /** Takes down what a pod asks for; `false` when that is more than a walk looks at. */
  readDemand(pod: PodInfo, demand: PodDemand): boolean {
    if (!readNeed(this.fit, pod, demand)) return false;
    for (const { plugin, weight } of this.#resourceScores) {
      const score = plugin.resourceScore?.(pod);
      if (score !== undefined && !takeScore(demand, score, weight)) return false;
    }
    return demand.leastWeight > 0;
  }

  /** Whether PreScore agrees about which scores by cpu and memory count, and has left nothing to others. */
  coversScores({ skippedScores }: CycleState, pod: PodInfo): boolean {
    return (
      this.#otherScores.every((name) => skippedScores.has(name)) &&
      this.#resourceScores.every(
        ({ plugin }) => skippedScores.has(plugin.name) === (plugin.resourceScore?.(pod) === undefined),
      )
    );
  }
}

function isOfOutline({ filterScope, goesByOutline }: FilterPlugin): boolean {
  return filterScope === 'node' && goesByOutline === true;
}
