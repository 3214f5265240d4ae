/**
 * The ways in which a pod is decided. All give the same decision; which one is taken is a matter of cost alone.
 *
 * - `table`: what is known of the pod's shape, verdicts and scores by node, kept up as nodes change.
 * - `walk`: one pass over rows of resources, for a shape that comes up once or finds its nodes soon.
 * - `reference`: the plugins, node by node.
 */

/** See the file header. */
export type Way = 'reference' | 'table' | 'walk';

/** A way and why it was taken. */
export interface TakenWay {
  readonly way: Way;
  /** In words fit for a metric's label. */
  readonly reason: string;
}

/** Every way with each of its reasons. */
export const WAYS = {
  /** Nothing counts but the nodes, one by one: totals are kept. */
  knownTotals: { way: 'table', reason: 'totals are kept' },
  /** Verdicts and scores are kept, and what is said of nodes besides is said of groups of them. */
  knownGroups: { way: 'table', reason: 'nodes are kept by group' },
  /** No node took a pod of this kind before, and few have changed since. */
  knownRejections: { way: 'table', reason: 'all nodes refused before' },
  /** The shape comes up for the first time. */
  firstOfShape: { way: 'walk', reason: 'first of its shape' },
  /** The walk is over sooner than kept results could be looked through. */
  shortWalk: { way: 'walk', reason: 'few nodes are enough' },
  /** Something has to be said of each node for this pod alone, or for the first time. */
  pluginsByNode: { way: 'reference', reason: 'nodes are looked at one by one' },
  /** PreFilter has named the nodes, or refused the pod. */
  decidedByPreFilter: { way: 'reference', reason: 'PreFilter has decided' },
  /** The nominated node took the pod. */
  nominatedNode: { way: 'reference', reason: 'its nominated node fits' },
  /** A pod that names a node shares nothing with its shape. */
  namesNode: { way: 'reference', reason: 'it names a node' },
  /** Asked for, to compare with. */
  asked: { way: 'reference', reason: 'asked for' },
  /** There is nothing to decide between. */
  noNodes: { way: 'reference', reason: 'no nodes' },
} as const satisfies Readonly<Record<string, TakenWay>>;

/** How often each way was taken, for each reason. */
export class WayCounts {
  readonly #counts = new Map<TakenWay, number>();

  count(taken: TakenWay): void {
    this.#counts.set(taken, (this.#counts.get(taken) ?? 0) + 1);
  }

  /** Those that were taken, in the order of {@link WAYS}. */
  *entries(): Generator<readonly [taken: TakenWay, count: number]> {
    for (const taken of Object.values(WAYS)) {
      const count = this.#counts.get(taken);
      if (count !== undefined) yield [taken, count];
    }
  }
}
