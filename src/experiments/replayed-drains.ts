/**
 * Drains of a history: a node that is cordoned, and of which pods are evicted. Other pods may stand on the node of that
 * name here, and as many as there, or not: all that a drain takes are taken off it, budgets included.
 */
import type { Cluster } from '../cluster/cluster.js';
import type { HistoricRequest } from '../transfer/history/history.js';

const EVICTION = /^\/api\/v1\/namespaces\/[^/]+\/pods\/[^/]+\/eviction(?:\?|$)/;
/** What users tell kubectl where they want a node to be empty. */
const EVERYTHING = { force: true, ignoreDaemonSets: true, deleteEmptyDirData: true };

function ignore(): void {}

/** See the file header. */
export class ReplayedDrains {
  readonly #drained = new Set<string>();

  constructor(private readonly cluster: Pick<Cluster, 'drain' | 'list'>) {}

  /** Whether a request is one of a drain, which is made as a whole, with the first of its evictions. */
  take({ method, path, drawn }: HistoricRequest): boolean {
    const node = drawn?.node;
    if (node === undefined || method !== 'POST' || !EVICTION.test(path)) return false;
    const [found] = this.cluster.list('Node', { fieldSelector: `metadata.name=${node}` });
    if (found?.spec.unschedulable !== true) {
      this.#drained.delete(node);
      return false;
    }
    if (!this.#drained.has(node)) {
      this.#drained.add(node);
      // A pod that cannot go keeps its place, as it would there.
      this.cluster.drain(node, EVERYTHING).subscribe({ error: ignore });
    }
    return true;
  }
}
