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

/** What one may wait for. */
type NodeWord = 'ready' | 'schedulable';

const CLOSING_TAINTS: ReadonlySet<string> = new Set(['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable']);

/** Counts nodes as they change, so that asking costs nothing however many there are. */
export class NodeCensus {
  readonly #schedulable = new Set<string>();
  readonly #ready = new Set<string>();
  /** Nodes that the cluster was taken over with and that took no pods, or were not ready: it is not for them to come up. */
  readonly #takenOver: Readonly<Record<NodeWord, readonly string[]>>;

  constructor(
    private readonly server: ApiServer,
    lookout: Lookout,
  ) {
    const there = server.list('Node').items;
    this.#takenOver = {
      schedulable: namesOf(there.filter((node) => !isSchedulable(node) || isDown(node))),
      ready: namesOf(there.filter(isDown)),
    };
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

  /** How many nodes are as one waits for them: as the word says, or as they were when the cluster was taken over. */
  countSettled(word: NodeWord): number {
    const present = word === 'ready' ? this.#ready : this.#schedulable;
    return present.size + this.#takenOver[word].filter((name) => !present.has(name)).length;
  }

  counts(): NodeCounts {
    return { total: this.server.count('Node'), schedulable: this.#schedulable.size };
  }
}

function namesOf(nodes: readonly Node[]): readonly string[] {
  return nodes.map(({ metadata }) => metadata.name);
}

function isReady({ status }: Node): boolean {
  return (status?.conditions ?? []).some(({ type, status: holds }) => type === 'Ready' && holds === 'True');
}

/** Of a node that was never up nothing is told. */
function isDown({ status }: Node): boolean {
  return (status?.conditions ?? []).some(({ type, status: holds }) => type === 'Ready' && holds !== 'True');
}

function isSchedulable({ spec }: Node): boolean {
  return spec.unschedulable !== true && !(spec.taints ?? []).some(({ key }) => CLOSING_TAINTS.has(key));
}
