/**
 * The TTL controller: writes on each node for how long its kubelet may go on with a ConfigMap or Secret before it reads
 * it anew, the longer the more nodes there are. Mirrors kube-controller-manager v1.34 pkg/controller/ttl.
 *
 * A change of the cluster's size is brought to a node by the next update of the node, as upstream; since the reports of
 * nodes that are well cause no writes here, every node is looked at once more after the time in which each would have
 * sent one.
 */
import type { Node } from '../../api/objects/objects.js';
import { isApiError } from '../../api/errors/api-error.js';
import type { Lister } from '../../bus/bus-types.js';
import { defineController, type ControllerContext } from '../runtime/controller-definition.js';

const ANNOTATION = 'node.alpha.kubernetes.io/ttl';

/** Numbers of nodes that overlap, so that a node more or less does not change all of them; and what holds there. */
const STEPS = [
  { min: 0, max: 100, ttlSeconds: 0 },
  { min: 90, max: 500, ttlSeconds: 15 },
  { min: 450, max: 1000, ttlSeconds: 30 },
  { min: 900, max: 2000, ttlSeconds: 60 },
  { min: 1800, max: Infinity, ttlSeconds: 300 },
] as const;

/** How often a kubelet reports although nothing has changed (nodeStatusReportFrequency). */
const REPORT_FREQUENCY_MS = 300_000;

/** A key of no node: all of them are looked at. */
const EVERY_NODE = '*';

/** See the file header. */
export const ttlController = defineController({
  name: 'ttl-controller',
  setup: (context) => new ClusterSize(context),
  async reconcile({ api }, key, size) {
    if (key === EVERY_NODE) return size.lookAtAll();
    const node = size.nodes.getByKey(key);
    if (node === undefined || size.isRight(node)) return;
    const value = size.annotation;
    try {
      await api.change('Node', node.metadata, (current) => annotated(current, value));
    } catch (error) {
      if (!isApiError(error, 'NotFound')) throw error;
    }
  },
});

function annotated(node: Node, value: string): Node {
  const { metadata } = node;
  return { ...node, metadata: { ...metadata, annotations: { ...metadata.annotations, [ANNOTATION]: value } } };
}

/** How many nodes there are, and what follows for each. */
class ClusterSize {
  readonly nodes: Lister<'Node'>;
  readonly #queue: ControllerContext['queue'];
  #count = 0;
  #step = 0;

  constructor(context: ControllerContext) {
    this.#queue = context.queue;
    this.nodes = context.watch('Node', {
      onAdd: (node) => {
        this.#count += 1;
        if (this.#count > this.#bounds.max) this.#moveTo(this.#step + 1);
        this.#look(node);
      },
      onUpdate: (_previous, node) => this.#look(node),
      onDelete: () => {
        this.#count -= 1;
        if (this.#count < this.#bounds.min) this.#moveTo(this.#step - 1);
      },
    });
  }

  /** What belongs on every node. */
  get annotation(): string {
    return String(this.#bounds.ttlSeconds);
  }

  isRight({ metadata }: Node): boolean {
    return metadata.annotations?.[ANNOTATION] === this.annotation;
  }

  lookAtAll(): void {
    for (const node of this.nodes.list()) this.#look(node);
  }

  get #bounds(): (typeof STEPS)[number] {
    return STEPS[this.#step] as (typeof STEPS)[number];
  }

  #look(node: Node): void {
    if (!this.isRight(node)) this.#queue.add(node.metadata.name);
  }

  #moveTo(step: number): void {
    this.#step = step;
    this.#queue.addAfter(EVERY_NODE, REPORT_FREQUENCY_MS);
  }
}
