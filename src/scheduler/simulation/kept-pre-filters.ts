import type { CycleState } from '../framework/cycle-state.js';
import type { Framework } from '../framework/framework.js';
import type { FilterPlugin } from '../framework/interface.js';
import type { PodInfo } from '../framework/pod-info.js';
import type { PodShape } from '../framework/pod-shape.js';
import { hasPlacedVolumes } from '../plugins/volumes/placed-volumes.js';

/** What the PreFilters have left to be asked of a single node. */
export interface KeptPreFilter {
  readonly state: CycleState;
  readonly filters: readonly FilterPlugin[];
}

/**
 * What PreFilters have said of a shape, for as long as they would say the same of its other pods: where the filters that
 * are left look at the pod's shape and at a single node alone. It holds until pods come or go that mind other pods.
 */
export class KeptPreFilters {
  readonly #framework: Framework;
  readonly #isOn: boolean;
  readonly #byShape = new Map<PodShape, KeptPreFilter>();

  /** @param isOn - whether all plugins are known: one of a user may look at more than a shape */
  constructor(framework: Framework, isOn: boolean) {
    this.#framework = framework;
    this.#isOn = isOn;
  }

  of({ shape }: PodInfo): KeptPreFilter | undefined {
    return this.#byShape.get(shape);
  }

  keep({ shape }: PodInfo, state: CycleState): void {
    const { resourceClaims, topologySpreadConstraints } = shape.spec;
    const minds = (resourceClaims ?? topologySpreadConstraints) !== undefined || hasPlacedVolumes(shape.spec);
    if (!this.#isOn || minds) return;
    const { all, areNodeScoped, countsPods } = this.#framework.activeFilters(state);
    if (areNodeScoped && !countsPods) this.#byShape.set(shape, { state, filters: all });
  }

  /** A pod comes to a node, or leaves it. */
  noteChange({ shape }: PodInfo): void {
    if (shape.hasPodTerms) this.#byShape.clear();
  }

  clear(): void {
    this.#byShape.clear();
  }
}
