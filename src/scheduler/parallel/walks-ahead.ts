import type { Pod } from '../../api/objects/objects.js';
import type { EvaluationPool } from '../cycle/table/evaluation-pool.js';
import { noDemand, type PodDemand } from '../cycle/attempt/pod-demand.js';
import type { OneOffWalk, WalkSource } from '../cycle/walk/one-off-walk.js';
import type { ForeseenWalk } from '../cycle/walk/walk.js';
import { WalkMemory } from '../cycle/walk/walk-memory.js';
import type { NodeColumns } from '../framework/node-columns.js';
import type { PodInfo } from '../framework/pod-info.js';
import { Claim } from './claim.js';
import type { WalkTask } from './judge-task.js';
import { MAX_UNDER_WAY } from './tuning.js';
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

/** Memory for a walk, with the claim to it. */
interface Block {
  readonly memory: WalkMemory;
  readonly claim: Claim;
  /** Of the columns that it is for. */
  readonly capacity: number;
}

/** A walk that is open to the workers, and what it builds on: the columns as they were when it was sent. */
interface OpenWalk extends ForeseenWalk {
  readonly block: Block;
  readonly ticket: number;
  readonly layout: number;
  readonly orderRevision: number;
}

/**
 * One profile's walks over all nodes on their way through the workers. Those that come back in time are taken
 * over by the decisions, which put right what has happened since.
 */
export class WalksAhead implements WalkSource {
  /** Walks that came back so far. */
  taken = 0;
  readonly #options: WalksAheadOptions;
  /** By shape id, oldest first. */
  readonly #underWay = new Map<number, OpenWalk>();
  /** Used again last in, first out: what was read last is the likeliest to be in a cache. */
  #free: Block[] = [];
  #capacity = 0;
  /** Workers have every plugin that a walk stands for. */
  readonly #isPossible: boolean;
  readonly #demand: PodDemand = noDemand();
  /** The walk that was taken last. */
  #last: OpenWalk | undefined;

  constructor(options: WalksAheadOptions) {
    this.#options = options;
    this.#isPossible = hasAll(options.walks, options.profile);
    options.walks.setSource(this);
  }

  has(shapeId: number): boolean {
    return this.#underWay.has(shapeId);
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
    if (this.#underWay.size >= MAX_UNDER_WAY) this.#giveUpOldest();
    const { capacity, layout, orderRevision, written } = columns();
    const block = this.#block(capacity);
    const { memory, claim } = block;
    memory.writeDemand(this.#demand);
    const ticket = claim.open();
    this.#underWay.set(shape.id, { block, memory, ticket, layout, orderRevision, written: written.end });
    const outline = { id: shape.outlineId, pod };
    return { outline, memory: memory.memory, claim: claim.memory, ticket };
  }

  take(shapeId: number): ForeseenWalk | undefined {
    const { columns, onNewShape, onTaken, patienceMs } = this.#options;
    onNewShape();
    if (this.#last !== undefined) this.#release(this.#last);
    this.#last = undefined;
    const walk = this.#underWay.get(shapeId);
    if (walk === undefined) return undefined;
    this.#underWay.delete(shapeId);
    if (!this.#isDone(walk, patienceMs())) return undefined;
    this.#last = walk;
    const { layout, orderRevision, written } = columns();
    if (walk.layout !== layout || walk.orderRevision !== orderRevision || walk.written < written.begin)
      return undefined;
    this.taken += 1;
    onTaken();
    return walk;
  }

  /** Takes back everything that no worker has begun with. */
  close(): void {
    for (const { block, ticket } of this.#underWay.values()) block.claim.settle(ticket, 0);
    this.#underWay.clear();
    this.#options.walks.setSource(undefined);
  }

  #giveUpOldest(): void {
    for (const [shapeId, walk] of this.#underWay) {
      this.#underWay.delete(shapeId);
      if (this.#isDone(walk, 0)) this.#release(walk);
      return;
    }
  }

  /** Whether a worker has made the walk. A block that it still writes to is lost; one that no thread came to is free again. */
  #isDone(walk: OpenWalk, waitMs: number): boolean {
    const outcome = walk.block.claim.settle(walk.ticket, waitMs);
    if (outcome === 'left') this.#release(walk);
    return outcome === 'done';
  }

  /** Memory that was used before holds what was told then: all of it is written anew. */
  #block(capacity: number): Block {
    if (capacity !== this.#capacity) {
      this.#capacity = capacity;
      this.#free = [];
    }
    return this.#free.pop() ?? { memory: new WalkMemory(capacity), claim: new Claim(), capacity };
  }

  /** The block is free for another walk. */
  #release({ block }: OpenWalk): void {
    if (block.capacity === this.#capacity) this.#free.push(block);
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
