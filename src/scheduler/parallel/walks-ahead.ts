import type { Pod } from '../../api/objects/objects.js';
import type { EvaluationPool } from '../cycle/table/evaluation-pool.js';
import { noDemand, type PodDemand } from '../cycle/attempt/pod-demand.js';
import type { OneOffWalk, WalkSource } from '../cycle/walk/one-off-walk.js';
import type { ForeseenWalk } from '../cycle/walk/walk.js';
import { WalkMemory } from '../cycle/walk/walk-memory.js';
import type { NodeColumns } from '../framework/node-columns.js';
import type { PodInfo } from '../framework/pod-info.js';
import { BlocksAhead, type Block } from './blocks-ahead.js';
import type { WalkTask } from './judge-task.js';
import type { WorkerProfile } from './worker-profile.js';

/** How a profile's walks get ahead. */
export interface WalksAheadOptions {
  readonly columns: () => NodeColumns;
  /** Told of each shape that the decisions come to and know nothing of. */
  readonly onNewShape: () => void;
  /** Told after it of a walk that came back from a worker. */
  readonly onTaken: () => void;
  /** How long the engine waits for a worker that is at it, real milliseconds. */
  readonly patienceMs: () => number;
  readonly walks: OneOffWalk;
  readonly evaluations: EvaluationPool;
  readonly profile: WorkerProfile;
}

/**
 * One profile's walks over all nodes on their way through the workers. Those that come back in time are taken
 * over by the decisions, which put right what has happened since.
 */
export class WalksAhead implements WalkSource {
  /** Walks that came back so far. */
  taken = 0;
  readonly #options: WalksAheadOptions;
  readonly #blocks = new BlocksAhead((capacity) => new WalkMemory(capacity));
  /** Workers have every plugin that a walk stands for. */
  readonly #isPossible: boolean;
  readonly #demand: PodDemand = noDemand();
  /** The walk that was taken last. */
  #last: Block<WalkMemory> | undefined;

  constructor(options: WalksAheadOptions) {
    this.#options = options;
    this.#isPossible = hasAll(options.walks, options.profile);
    options.walks.setSource(this);
  }

  has(shapeId: number): boolean {
    return this.#blocks.has(shapeId);
  }

  /** Whether it makes sense to send the pod: its shape is new, and the last pods of its outline were decided by walks. */
  isEligible({ pod, shape }: PodInfo): boolean {
    const { walks, evaluations } = this.#options;
    return this.#isPossible && canGo(pod) && evaluations.isUnseen(shape.id) && walks.isWalked(shape.outlineId);
  }

  /** Opens a walk to the workers; `undefined` when the pod asks for more than a walk looks at. */
  open(podInfo: PodInfo): WalkTask | undefined {
    const { walks, columns } = this.#options;
    const { pod, shape } = podInfo;
    if (walks.plan?.readDemand(podInfo, this.#demand) !== true) return undefined;
    const { buffers, claim, ticket } = this.#blocks.open(shape.id, columns(), (memory) =>
      memory.writeDemand(this.#demand),
    );
    const outline = { id: shape.outlineId, pod };
    return { outline, memory: buffers.memory, claim: claim.memory, ticket };
  }

  take(shapeId: number): ForeseenWalk | undefined {
    const { columns: columnsNow, onNewShape, onTaken, patienceMs } = this.#options;
    onNewShape();
    if (this.#last !== undefined) this.#blocks.release(this.#last);
    const columns = columnsNow();
    const block = this.#blocks.take(shapeId, columns, patienceMs());
    this.#last = block;
    if (block === undefined || block.ground.orderRevision !== columns.orderRevision) return undefined;
    this.taken += 1;
    onTaken();
    return { memory: block.buffers, written: block.ground.written };
  }

  /** Takes back everything that no worker has begun with. */
  close(): void {
    this.#blocks.close();
    this.#options.walks.setSource(undefined);
  }
}

/** Whether workers have all plugins that a walk goes by. */
function hasAll({ plan }: OneOffWalk, { plugins, order }: WorkerProfile): boolean {
  if (plan === undefined) return false;
  const { fit, outlineFilters, outlineScores } = plan;
  return (
    [fit.name, ...outlineFilters].every((name) => order.names.filter.includes(name)) &&
    outlineScores.every((score) => plugins.some(({ name }) => name === score))
  );
}

/** Whether columns say all about a pod: node names are known on the engine thread only. */
function canGo({ spec }: Pod): boolean {
  if ((spec.nodeName ?? '') !== '') return false;
  const nodeAffinity = spec.affinity?.nodeAffinity;
  if (nodeAffinity === undefined) return true;
  const terms = [
    ...(nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? []),
    ...(nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(({ preference }) => preference),
  ];
  return terms.every(({ matchFields }) => (matchFields ?? []).length === 0);
}
