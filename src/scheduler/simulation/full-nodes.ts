import type { PodShape } from '../framework/pod-shape.js';
import type { KeptPreFilter } from './kept-pre-filters.js';

interface Search {
  /** Under which the nodes were judged. */
  readonly kept: KeptPreFilter;
  /** Nodes that have not been judged since something changed there. */
  readonly open: Set<string>;
}

/**
 * Which nodes are known to have no place for pods of a shape: all of them, once a walk has found none, but for those that
 * pods have left since. It holds for searches among nodes of which fewer and fewer are accepted.
 */
export class FullNodes {
  readonly #searches = new Map<PodShape, Search>();

  /** A walk over all nodes has found none that is accepted and has a place. */
  noteAll(shape: PodShape, kept: KeptPreFilter): void {
    this.#searches.set(shape, { kept, open: new Set() });
  }

  /** Nodes that may have a place, to be taken out when they have none; `undefined` = any may. */
  openTo(shape: PodShape, kept: KeptPreFilter | undefined): Set<string> | undefined {
    const search = this.#searches.get(shape);
    return search !== undefined && search.kept === kept ? search.open : undefined;
  }

  /** A node may have a place again. */
  reopen(node: string): void {
    for (const { open } of this.#searches.values()) open.add(node);
  }

  forget(): void {
    this.#searches.clear();
  }
}
