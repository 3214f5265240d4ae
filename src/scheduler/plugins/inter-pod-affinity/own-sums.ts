import type { PodShape } from '../../framework/pod-shape.js';
import { podTermsOf, type AffinityTerm } from './affinity-terms.js';
import type { DomainSum } from './domain-sum.js';
import type { Namespaces } from './namespaces.js';
import type { PodIndex } from './pod-index.js';
import { matcherOfAll, resolveTerm, type PodMatcher } from './pod-matcher.js';

/** Pods that match, by value of a topology key. */
export interface OwnSum {
  readonly matcher: PodMatcher;
  readonly sum: DomainSum;
}

/** What an incoming pod's own terms say about existing pods. */
export interface OwnSums {
  /** Pods that match all required affinity terms, once per distinct topology key. */
  readonly affinity: readonly OwnSum[];
  /** Pods that match a required anti-affinity term, for each. */
  readonly antiAffinity: readonly OwnSum[];
  /** Pods that match a preferred term, for each; negative for anti-affinity. */
  readonly preferred: readonly { readonly sum: DomainSum; readonly weight: number }[];
}

const NO_SUMS: OwnSums = { affinity: [], antiAffinity: [], preferred: [] };

/** Finds the sums of incoming pods' own terms in an index; those of a shape are looked for once, if namespaces allow. */
export class OwnSumsOfShapes {
  readonly #index: PodIndex;
  readonly #namespaces: Namespaces;
  readonly #known = new WeakMap<PodShape, OwnSums>();

  constructor(index: PodIndex, namespaces: Namespaces) {
    this.#index = index;
    this.#namespaces = namespaces;
  }

  /** The sums for pods of a shape. */
  of(shape: PodShape): OwnSums {
    const { affinity } = shape.spec;
    if (affinity?.podAffinity === undefined && affinity?.podAntiAffinity === undefined) return NO_SUMS;
    const known = this.#known.get(shape);
    if (known !== undefined) return known;
    const sums = this.#find(shape);
    if (!podTermsOf(shape).selectsNamespaces) this.#known.set(shape, sums);
    return sums;
  }

  #find(shape: PodShape): OwnSums {
    const { requiredAffinity, requiredAntiAffinity, preferred } = podTermsOf(shape);
    const all = matcherOfAll(requiredAffinity.map((term) => this.#matcherOf(term)));
    const keys = new Set(requiredAffinity.map(({ topologyKey }) => topologyKey));
    return {
      affinity: all === undefined ? [] : [...keys].map((key) => this.#sumOf(all, key)),
      antiAffinity: requiredAntiAffinity.map((term) => this.#sumOf(this.#matcherOf(term), term.topologyKey)),
      preferred: preferred.map(({ term, weight }) => ({
        sum: this.#sumOf(this.#matcherOf(term), term.topologyKey).sum,
        weight,
      })),
    };
  }

  #matcherOf(term: AffinityTerm): PodMatcher {
    return resolveTerm(term, this.#namespaces);
  }

  #sumOf(matcher: PodMatcher, topologyKey: string): OwnSum {
    return { matcher, sum: this.#index.matchesOf(matcher, topologyKey) };
  }
}
