import { isSameJson } from '../../api/values/canonical-json.js';
import { keyOf, type Node, type Pod, type Taint } from '../../api/objects/objects.js';
import type { Lister } from '../../bus/bus-types.js';
import { BY_NODE } from '../../bus/object-index.js';
import type { ControllerContext } from '../runtime/controller-definition.js';
import { noExecuteTaints, toleratedMs } from './toleration-time.js';

/** Which nodes send pods away, and which pods wait for their time. A key in the queue is a pod to delete. */
export class TaintEvictionMemory {
  readonly pods: Lister<'Pod'>;
  readonly #context: ControllerContext;
  readonly #taints = new Map<string, readonly Taint[]>();
  /** When each waiting pod is to go, ms. */
  readonly #dueMs = new Map<string, number>();

  constructor(context: ControllerContext) {
    this.#context = context;
    // Handlers hear of what the caches hold already while they are registered.
    this.pods = context.informer('Pod', BY_NODE);
    context.watch('Node', {
      onAdd: (node) => this.#nodeSeen(node),
      onUpdate: (previous, node) => {
        if (!isSameJson(noExecuteTaints(previous), noExecuteTaints(node))) this.#nodeSeen(node);
      },
      onDelete: ({ metadata }) => this.#taints.delete(metadata.name),
    });
    context.watch('Pod', {
      onAdd: (pod) => this.#podSeen(pod),
      onUpdate: (previous, pod) => {
        const { nodeName, tolerations } = previous.spec;
        if (nodeName !== pod.spec.nodeName || tolerations !== pod.spec.tolerations) this.#podSeen(pod);
      },
      onDelete: (pod) => this.#spare(pod),
    });
  }

  /** The deletion of a pod begins. @returns when it was due, ms */
  taken(key: string): number {
    const dueMs = this.#dueMs.get(key) ?? this.#context.kernel.clock.now();
    this.#dueMs.delete(key);
    return dueMs;
  }

  #nodeSeen(node: Node): void {
    const { name } = node.metadata;
    const taints = noExecuteTaints(node);
    if (taints.length === 0) {
      if (!this.#taints.delete(name)) return;
      for (const pod of this.pods.byIndex('node', name)) this.#spare(pod);
      return;
    }
    this.#taints.set(name, taints);
    for (const pod of this.pods.byIndex('node', name)) this.#judge(pod, taints);
  }

  #podSeen(pod: Pod): void {
    const taints = this.#taints.get(pod.spec.nodeName ?? '');
    if (taints !== undefined) this.#judge(pod, taints);
  }

  /** A pod that waits already goes on waiting for the time that it was given first. */
  #judge(pod: Pod, taints: readonly Taint[]): void {
    const leftMs = toleratedMs(pod, taints);
    if (leftMs === Number.POSITIVE_INFINITY) return this.#spare(pod);
    const { queue, kernel } = this.#context;
    const key = keyOf(pod);
    if (leftMs > 0 && queue.isWaiting(key)) return;
    this.#spare(pod);
    this.#dueMs.set(key, kernel.clock.now() + leftMs);
    queue.addAfter(key, leftMs);
  }

  #spare(pod: Pod): void {
    const { queue, recorder } = this.#context;
    const key = keyOf(pod);
    if (!queue.isWaiting(key)) return;
    queue.cancel(key);
    this.#dueMs.delete(key);
    recorder.record(pod, 'Normal', 'TaintManagerEviction', `Cancelling deletion of Pod ${key}`);
  }
}
