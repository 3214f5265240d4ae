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
  /** Shapes of which nothing can be kept. */
  readonly #unkept = new Set<PodShape>();

  /** @param isOn - whether all plugins are known: one of a user may look at more than a shape */
  constructor(framework: Framework, isOn: boolean) {
    this.#framework = framework;
    this.#isOn = isOn;
  }

  of({ shape }: PodInfo): KeptPreFilter | undefined {
    return this.#byShape.get(shape);
  }

  /** Whether it is worth to ask what PreFilters say of a shape. */
  mayKeep({ shape }: PodInfo): boolean {
    if (!this.#isOn || this.#unkept.has(shape)) return false;
    const { resourceClaims, topologySpreadConstraints } = shape.spec;
    return (resourceClaims ?? topologySpreadConstraints) === undefined && !hasPlacedVolumes(shape.spec);
  }

  /** @param state - absent = they do not let all nodes be looked at @returns what is kept of it */
  keep({ shape }: PodInfo, state: CycleState | undefined): KeptPreFilter | undefined {
    const active = state === undefined ? undefined : this.#framework.activeFilters(state);
    if (state === undefined || active?.areNodeScoped !== true || active.countsPods) {
      this.#unkept.add(shape);
      return undefined;
    }
    const kept = { state, filters: active.all };
    this.#byShape.set(shape, kept);
    return kept;
  }

  /** A pod comes to a node, or leaves it. */
  noteChange({ shape }: PodInfo): void {
    if (shape.hasPodTerms) this.clear();
  }

  clear(): void {
    this.#byShape.clear();
    this.#unkept.clear();
  }
}
