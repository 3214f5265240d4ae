import type { StringMap } from '../../../api/objects/objects.js';
import type { PodShape } from '../../framework/pod-shape.js';
import { matchesTerm, type AffinityTerm } from './affinity-terms.js';
import type { DomainSum } from './domain-sum.js';
import { SelectorBuckets } from './label-buckets.js';
import type { Namespaces } from './namespaces.js';

interface TermSum {
  readonly term: AffinityTerm;
  readonly sum: DomainSum;
}

/** What is known of an incoming shape; holds for one state of its namespace's labels. */
interface Matching {
  readonly namespaceLabels: StringMap | undefined;
  /** Terms looked at so far. */
  checked: number;
  readonly sums: DomainSum[];
}

/** The distinct terms of one sort that existing pods have, with a sum each, and those that match a shape of pod. */
export class TermSums {
  readonly #createSum: (topologyKey: string) => DomainSum;
  readonly #all: TermSum[] = [];
  readonly #byText = new Map<string, DomainSum>();
  readonly #byPair = new SelectorBuckets<TermSum>();
  readonly #matching = new WeakMap<PodShape, Matching>();
  #selectsNamespaces = false;

  constructor(createSum: (topologyKey: string) => DomainSum) {
    this.#createSum = createSum;
  }

  /** Number of distinct terms. */
  get size(): number {
    return this.#all.length;
  }

  /** The sum of a term, which pods with an equal term share. */
  sumOf(term: AffinityTerm): DomainSum {
    let sum = this.#byText.get(term.text);
    if (sum === undefined) {
      sum = this.#createSum(term.topologyKey);
      this.#byText.set(term.text, sum);
      const termSum: TermSum = { term, sum };
      this.#all.push(termSum);
      this.#byPair.add(term.pairs, termSum);
      if (term.namespaceSelector !== undefined) this.#selectsNamespaces = true;
    }
    return sum;
  }

  /** Sums of the terms that match an incoming pod; some may have no record left. */
  matching(shape: PodShape, namespaces: Namespaces): readonly DomainSum[] {
    const namespaceLabels = this.#selectsNamespaces ? namespaces.labelsOf(shape.namespace) : undefined;
    let known = this.#matching.get(shape);
    if (known === undefined || known.namespaceLabels !== namespaceLabels) {
      known = this.#match(shape, namespaceLabels);
      this.#matching.set(shape, known);
    }
    for (; known.checked < this.#all.length; known.checked += 1) {
      const { term, sum } = this.#all[known.checked] as TermSum;
      if (matchesTerm(term, shape, namespaceLabels)) known.sums.push(sum);
    }
    return known.sums;
  }

  #match(shape: PodShape, namespaceLabels: StringMap | undefined): Matching {
    const sums: DomainSum[] = [];
    this.#byPair.visit(shape.labels, ({ term, sum }) => {
      if (matchesTerm(term, shape, namespaceLabels)) sums.push(sum);
    });
    return { namespaceLabels, checked: this.#all.length, sums };
  }
}
