import type { StringMap } from '../../../../api/objects/objects.js';
import type { PersistentVolume } from '../../../../api/objects/storage-objects.js';
import { isReachable, type VolumeCandidate } from '../../../../api/volumes/volume-rules.js';

const NO_PLACES: readonly number[] = [];

/**
 * The volumes that a claim may have, asked node by node for the best in reach. Local volumes, of which
 * each belongs to the nodes with one label, are looked up by that label: a node is spared the others.
 */
export class CandidateTable {
  readonly #candidates: readonly VolumeCandidate[];
  /** The label by which volumes are looked up: that of the first one that can be. */
  #key: string | undefined;
  /** Places of the candidates that need the label to have this value. */
  readonly #byValue = new Map<string, number[]>();
  /** Places of all other candidates. */
  readonly #others: number[] = [];

  /** @param candidates - best first */
  constructor(candidates: readonly VolumeCandidate[]) {
    this.#candidates = candidates;
    for (const [place, { volume }] of candidates.entries()) this.#file(place, volume);
  }

  /** The best volume in reach that is not taken; one that is set aside for the claim is taken or nothing is. */
  findBest(labels: StringMap | undefined, taken: ReadonlySet<string>): PersistentVolume | undefined {
    const value = this.#key === undefined ? undefined : labels?.[this.#key];
    const own = (value === undefined ? undefined : this.#byValue.get(value)) ?? NO_PLACES;
    const others = this.#others;
    let [ownIndex, otherIndex] = [0, 0];
    while (ownIndex < own.length || otherIndex < others.length) {
      const ownPlace = own[ownIndex] ?? Number.POSITIVE_INFINITY;
      const otherPlace = others[otherIndex] ?? Number.POSITIVE_INFINITY;
      if (ownPlace < otherPlace) ownIndex += 1;
      else otherIndex += 1;
      const { volume, isPreBound } = this.#candidates[Math.min(ownPlace, otherPlace)] as VolumeCandidate;
      if (taken.has(volume.metadata.name)) continue;
      if (isReachable(volume, labels)) return volume;
      if (isPreBound) return undefined;
    }
    return undefined;
  }

  /** Those that are set aside for the claim count on every node, in reach or not. */
  #file(place: number, { spec }: PersistentVolume): void {
    const terms = spec.nodeAffinity?.required?.nodeSelectorTerms ?? [];
    const [requirement, ...rest] = terms[0]?.matchExpressions ?? [];
    const isSimple = terms.length === 1 && rest.length === 0 && requirement?.operator === 'In';
    if (
      !isSimple ||
      this.#candidates[place]?.isPreBound === true ||
      requirement.key !== (this.#key ?? requirement.key)
    ) {
      this.#others.push(place);
      return;
    }
    this.#key = requirement.key;
    for (const value of new Set(requirement.values)) {
      const places = this.#byValue.get(value);
      if (places === undefined) this.#byValue.set(value, [place]);
      else places.push(place);
    }
  }
}
