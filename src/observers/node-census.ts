import type { Node } from '../api/objects/objects.js';
import type { ApiServer } from '../apiserver/store/server-types.js';
import type { Lookout } from '../bus/bus-types.js';
import { listen } from '../bus/rx/listen.js';

/** How many nodes there are. */
export interface NodeCounts {
  /** Registered nodes. */
  readonly total: number;
  /** Those that take pods: not cordoned, and without the taints of a node that is not ready or unreachable. */
  readonly schedulable: number;
}

const CLOSING_TAINTS: ReadonlySet<string> = new Set(['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable']);

/** Counts nodes as they change, so that asking costs nothing however many there are. */
export class NodeCensus {
  readonly #schedulable = new Set<string>();
  readonly #ready = new Set<string>();

  constructor(
    private readonly server: ApiServer,
    lookout: Lookout,
  ) {
    listen(lookout.watch('Node'), (event) => {
      const { name } = event.object.metadata;
      if (event.type !== 'DELETED' && isSchedulable(event.object)) this.#schedulable.add(name);
      else this.#schedulable.delete(name);
      if (event.type !== 'DELETED' && isReady(event.object)) this.#ready.add(name);
      else this.#ready.delete(name);
    });
  }

  /** Nodes whose kubelets say that they are ready, whatever taints they have. */
  get ready(): number {
    return this.#ready.size;
  }

  /** Nodes that take pods. */
  get schedulable(): number {
    return this.#schedulable.size;
  }

  counts(): NodeCounts {
    return { total: this.server.count('Node'), schedulable: this.#schedulable.size };
  }
}

function isReady({ status }: Node): boolean {
  return (status?.conditions ?? []).some(({ type, status: holds }) => type === 'Ready' && holds === 'True');
}

function isSchedulable({ spec }: Node): boolean {
  return spec.unschedulable !== true && !(spec.taints ?? []).some(({ key }) => CLOSING_TAINTS.has(key));
}
