/**
 * The fencing controller: finds nodes without a sign of life, decides by policy whether that is worth a fence,
 * has them fenced, waits until that is certain, and only then releases their pods and volumes, by the taint
 * out-of-service. It never removes a pod itself. Upstream has no such controller: the shape follows the pod
 * safety proposal, and the release is that of a non-graceful node shutdown (v1.34).
 *
 * What it has decided stands in the API, so that it can crash between any two steps.
 */
import { getCondition } from '../../api/objects/conditions.js';
import type { Node } from '../../api/objects/objects.js';
import type { Indexers, Informer } from '../../bus/bus-types.js';
import {
  defineController,
  type ControllerContext,
  type ControllerDefinition,
} from '../runtime/controller-definition.js';
import { RetryError } from '../runtime/retry-error.js';
import { decide, isUnreachable } from './fencing-decision.js';
import {
  recordOf,
  withBrokenFence,
  withFence,
  withFencing,
  withoutFence,
  type FencingRecord,
} from './fencing-record.js';
import type { FencingSettings } from './fencing-settings.js';

/** Back-off of a node's retries: pods and volumes wait for its fence, so it never grows to many minutes. */
const [FIRST_RETRY_MS, LONGEST_RETRY_MS] = [1000, 30_000];

const BY_NODE = {
  node: ({ spec }) => (spec.nodeName === undefined ? [] : [spec.nodeName]),
} satisfies Indexers<'Pod'>;

/** See the file header. */
export function fencingController(settings: FencingSettings): ControllerDefinition {
  return defineController({
    name: 'fencing-controller',
    retryDelays: { baseDelayMs: FIRST_RETRY_MS, maxDelayMs: LONGEST_RETRY_MS },
    // Fencing confirms in simulated time, by whatever an action does.
    holdsClock: false,
    setup: (context) => new FencingMemory(context),
    reconcile: (context, name, memory) => new NodeFencing(context, settings, memory, name).sync(),
  });
}

/** What a run of the controller knows; all of it comes from the API. */
class FencingMemory {
  readonly nodes: Informer<'Node'>;
  readonly pods: Informer<'Pod'>;
  readonly budgets: Informer<'PodDisruptionBudget'>;
  readonly #unreachable = new Set<string>();

  constructor(context: ControllerContext) {
    const { queue } = context;
    this.pods = context.informer('Pod', BY_NODE);
    this.budgets = context.informer('PodDisruptionBudget');
    const note = (node: Node): void => {
      const { name } = node.metadata;
      const isLost = isUnreachable(node);
      const wasLost = this.#unreachable.has(name);
      if (isLost) this.#unreachable.add(name);
      else this.#unreachable.delete(name);
      if (isLost || wasLost || recordOf(node) !== undefined) queue.add(name);
      // Nodes that were not fenced because too many are lost may be fenced now.
      if (wasLost && !isLost) for (const other of this.#unreachable) queue.add(other);
    };
    this.nodes = context.watch('Node', {
      onAdd: note,
      onUpdate: (_previous, node) => note(node),
      onDelete: ({ metadata }) => this.#unreachable.delete(metadata.name),
    });
  }

  get unreachable(): number {
    return this.#unreachable.size;
  }
}

/** One look at one node. */
class NodeFencing {
  readonly #context: ControllerContext;
  readonly #settings: FencingSettings;
  readonly #memory: FencingMemory;
  readonly #name: string;

  constructor(context: ControllerContext, settings: FencingSettings, memory: FencingMemory, name: string) {
    this.#context = context;
    this.#settings = settings;
    this.#memory = memory;
    this.#name = name;
  }

  async sync(): Promise<void> {
    const node = this.#memory.nodes.getByKey(this.#name);
    if (node === undefined) return;
    const record = recordOf(node);
    if (record === undefined) return this.#consider(node);
    if (record.state === 'fencing') return this.#fence(node);
    const isBack = getCondition(node.status.conditions, 'Ready')?.status === 'True';
    if (isBack && record.state === 'fenced') await this.#lift(node, record);
  }

  async #consider(node: Node): Promise<void> {
    const { kernel, queue, api } = this.#context;
    const { nodes, pods, budgets, unreachable } = this.#memory;
    const decision = decide(
      {
        node,
        pods: pods.byIndex('node', this.#name),
        budgets: [...budgets.list()],
        nodes: { total: nodes.size, unreachable },
        nowMs: kernel.clock.now(),
        toMs: (timestamp) => kernel.timestamps.toMs(timestamp),
      },
      this.#settings,
    );
    if (decision.verdict === 'wait') return queue.addAfter(this.#name, decision.waitMs);
    if (decision.verdict === 'refuse') {
      return this.#tell(node, 'Warning', 'FencingRefused', `Node ${this.#name} is not fenced: ${decision.reason}`);
    }
    if (decision.verdict === 'none') return;
    // The cache may be old: a node that has come back meanwhile, or has a record by now, ends it here.
    const fresh = await api.get('Node', { name: this.#name });
    if (!isUnreachable(fresh) || recordOf(fresh) !== undefined) return;
    const recorded = await this.#write(fresh, withFencing);
    const why = `unreachable for ${Math.round(decision.unreachableMs / 1000)}s with pods ${decision.pods.join(', ')}`;
    this.#tell(node, 'Normal', 'Fencing', `Fencing node ${this.#name} by ${this.#settings.action.name}: ${why}`);
    await this.#fence(recorded);
  }

  async #fence(node: Node): Promise<void> {
    const { action } = this.#settings;
    if (!(await this.#isConfirmed())) {
      this.#tell(node, 'Warning', 'FencingFailed', `Node ${this.#name} could not be fenced by ${action.name}`);
      throw new RetryError(`fencing of ${this.#name} by ${action.name} was not confirmed`);
    }
    await this.#write(await this.#context.api.get('Node', { name: this.#name }), withFence);
    const done = `Node ${this.#name} is fenced by ${action.name}: its pods and volumes are released`;
    this.#tell(node, 'Normal', 'Fenced', done);
  }

  #isConfirmed(): Promise<boolean> {
    const { clock } = this.#context.kernel;
    return new Promise((resolve) => {
      this.#settings.action.fence(this.#name, (isConfirmed) => {
        clock.settle();
        resolve(isConfirmed);
      });
    });
  }

  /** The node is back: the fence goes once it is certain that what was fenced is over. */
  async #lift(node: Node, { bootId }: FencingRecord): Promise<void> {
    const { action } = this.#settings;
    if (action.endsProcesses && node.status.nodeInfo?.bootID === bootId) {
      await this.#write(await this.#context.api.get('Node', { name: this.#name }), withBrokenFence);
      const message = `Node ${this.#name} is back without a boot: ${action.name} has not ended its processes`;
      return this.#tell(node, 'Warning', 'FencingBroken', message);
    }
    action.lift?.(this.#name);
    await this.#write(await this.#context.api.get('Node', { name: this.#name }), withoutFence);
    this.#tell(node, 'Normal', 'FencingLifted', `Node ${this.#name} is back, its fence is lifted`);
  }

  /** Compare and swap: a node that was changed since is looked at anew. */
  #write(node: Node, change: (node: Node) => Node): Promise<Node> {
    const { resourceVersion } = node.metadata;
    return this.#context.api.change('Node', node.metadata, change, { preconditions: { resourceVersion } });
  }

  #tell(node: Node, type: 'Normal' | 'Warning', reason: string, message: string): void {
    this.#context.recorder.record(node, type, reason, message);
  }
}
