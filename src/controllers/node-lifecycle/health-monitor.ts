/**
 * One pass over the nodes that may need one: those that are silent become Unknown, those that are not
 * ready wait for their NoExecute taint, those that are ready lose it, and the zones' rates follow. Reads
 * in the order of upstream's monitorNodeHealth (pkg/controller/nodelifecycle, v1.34).
 */
import { ApiError } from '../../api/errors/api-error.js';
import type { Node } from '../../api/objects/objects.js';
import { LinkDownError } from '../../bus/bus-types.js';
import type { ControllerContext } from '../runtime/controller-definition.js';
import { handleDisruption } from './disruption.js';
import type { LifecycleMemory } from './lifecycle-memory.js';
import { markPodsNotReady } from './mark-pods.js';
import { READ_FIRST, taintFit, withNoExecuteTaint, type ReadyStatus } from './no-execute-taints.js';
import type { NodeRecord } from './node-record.js';
import { withUnknownConditions } from './unknown-conditions.js';

/** Nodes looked at at once. */
const WORKERS = 8;
/** Upstream's NodeHealthUpdateRetry and retrySleepTime. */
const ATTEMPTS = 5;
const ATTEMPT_GAP_MS = 20;

/** See the file header. */
export class HealthMonitor {
  readonly #context: ControllerContext;
  readonly #memory: LifecycleMemory;
  #passMs = 0;

  constructor(context: ControllerContext, memory: LifecycleMemory) {
    this.#context = context;
    this.#memory = memory;
  }

  /** @param passMs - the present */
  async pass(passMs: number): Promise<void> {
    this.#passMs = passMs;
    const names = this.#memory.takeDue(passMs);
    for (const name of names) this.#meet(name);
    this.#missRemoved();
    const next = names[Symbol.iterator]();
    await Promise.all(Array.from({ length: Math.min(WORKERS, names.length) }, () => this.#work(next)));
    await handleDisruption(this.#context, this.#memory, passMs);
  }

  async #work(names: Iterator<string>): Promise<void> {
    for (let next = names.next(); next.done !== true; next = names.next()) {
      const record = this.#memory.records.get(next.value);
      const work = record === undefined ? undefined : this.#look(record);
      if (work !== undefined) await work;
    }
  }

  /** A node that no pass has met before is told of. */
  #meet(name: string): void {
    const record = this.#memory.records.get(name);
    if (record === undefined) return;
    const { node, isKnown } = record;
    this.#memory.zoneOf(record);
    if (isKnown) return;
    record.isKnown = true;
    const { timestamps } = this.#context.kernel;
    const isHeard = record.ready !== undefined || this.#memory.hasLease(name);
    record.floorMs = isHeard ? this.#passMs : timestamps.toMs(node.metadata.creationTimestamp);
    if (this.#wasMetBefore(node)) return;
    this.#tell(node, 'RegisteredNode', `Node ${name} event: Registered Node ${name} in Controller`);
  }

  /** A cluster that was taken over has nodes from before its time, and a manager that has told of them. */
  #wasMetBefore({ metadata }: Node): boolean {
    const { kernel, settings } = this.#context;
    return this.#passMs < settings.nodeMonitorPeriod && kernel.timestamps.toMs(metadata.creationTimestamp) < 0;
  }

  #missRemoved(): void {
    for (const [name, node] of this.#memory.removed) {
      this.#tell(node, 'RemovingNode', `Node ${name} event: Removing Node ${name} from Controller`);
    }
    this.#memory.removed.clear();
  }

  #tell(node: Node, reason: string, message: string): void {
    this.#context.recorder.record(node, 'Normal', reason, message);
  }

  /** Most nodes need nothing: they are done with at once. */
  #look(record: NodeRecord): Promise<void> | undefined {
    const { unmarked } = this.#memory;
    const { ready, node } = record;
    // Passes follow each other by a little more than their period: a deadline that falls on one is past.
    const isLate = ready !== 'Unknown' && this.#memory.lateMs(record) <= this.#passMs;
    if (isLate) return this.#declareUnknown(record);
    record.passedReady = ready;
    if (ready === undefined) return undefined;
    const needsMarks = unmarked.has(node.metadata.name) && ready !== 'True';
    if (taintFit(node, ready) !== 'right' || needsMarks) return this.#follow(record, ready, needsMarks);
    this.#memory.zoneOf(record).queue.remove(node.metadata.name);
    unmarked.delete(node.metadata.name);
    return undefined;
  }

  /** Nothing was heard of the node for too long. */
  async #declareUnknown(record: NodeRecord): Promise<void> {
    const observed = record.ready;
    if (!(await this.#writeUnknown(record))) return this.#memory.lookAt(record.node.metadata.name);
    record.passedReady = record.ready;
    if (record.ready !== 'Unknown') return;
    await this.#followTaints(record, 'Unknown');
    if (observed !== 'True') return;
    this.#tell(record.node, 'NodeNotReady', `Node ${record.node.metadata.name} status is now: NodeNotReady`);
    await this.#markPods(record);
  }

  /** Tries again from the stored node when it was written meanwhile; `false` = the node is passed over. */
  async #writeUnknown(record: NodeRecord): Promise<boolean> {
    const { api, kernel } = this.#context;
    const { metadata } = record.node;
    let node = record.node;
    for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
      try {
        const preconditions = { resourceVersion: node.metadata.resourceVersion };
        const change = (current: Node): Node => withUnknownConditions(current, this.#context.timestamp());
        record.written(await api.change('Node', metadata, change, { subresource: 'status', preconditions }));
        return true;
      } catch (error) {
        if (!isRefusal(error)) throw error;
      }
      try {
        node = await api.get('Node', metadata);
      } catch (error) {
        if (!isRefusal(error)) throw error;
        return false;
      }
      if (this.#memory.lateMs(record) > this.#passMs) return true;
      await new Promise<void>((resolve) => {
        kernel.clock.schedule(ATTEMPT_GAP_MS, () => {
          kernel.clock.settle();
          resolve();
        });
      });
    }
    return false;
  }

  async #follow(record: NodeRecord, ready: ReadyStatus, needsMarks: boolean): Promise<void> {
    await this.#followTaints(record, ready);
    if (needsMarks) await this.#markPods(record);
    else this.#memory.unmarked.delete(record.node.metadata.name);
  }

  /** A node that loses its pods waits for its zone; one that has a taint already changes it at once. */
  async #followTaints(record: NodeRecord, ready: ReadyStatus): Promise<void> {
    const { name } = record.node.metadata;
    const { queue } = this.#memory.zoneOf(record);
    const fit = taintFit(record.node, ready);
    if (ready === 'True') queue.remove(name);
    if (fit === 'missing') {
      queue.add(name, this.#passMs);
      this.#memory.armZone(record.zone);
    } else if (fit !== 'right') await this.#writeTaint(record, ready);
  }

  async #writeTaint({ node: { metadata } }: NodeRecord, ready: ReadyStatus): Promise<void> {
    try {
      const timestamp = this.#context.timestamp();
      await this.#context.api.change(
        'Node',
        metadata,
        (node) => withNoExecuteTaint(node, ready, timestamp),
        READ_FIRST,
      );
    } catch (error) {
      if (!isRefusal(error)) throw error;
      this.#memory.lookAt(metadata.name);
    }
  }

  async #markPods({ node }: NodeRecord): Promise<void> {
    const { name } = node.metadata;
    const { unmarked } = this.#memory;
    try {
      await markPodsNotReady(this.#context, this.#memory.podsOn(name));
      unmarked.delete(name);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      unmarked.add(name);
    }
  }
}

/** Whether it may go well the next time. */
function isRefusal(error: unknown): boolean {
  return error instanceof ApiError || error instanceof LinkDownError;
}
