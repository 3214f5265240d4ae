import type { Pod } from '../../api/objects.js';
import type { EvaluationPool, EvaluationSource } from '../cycle/evaluation-pool.js';
import { createEvaluationBuffers, ShapeEvaluation, type EvaluationBuffers } from '../cycle/shape-evaluation.js';
import type { NodeColumns } from '../framework/node-columns.js';
import type { PodInfo } from '../framework/pod-info.js';
import { Claim } from './claim.js';
import { bareShape, type ShapeTask } from './judge-task.js';

/** Shapes under way beyond which the oldest is given up: its pod was never decided. */
const MAX_UNDER_WAY = 256;

/** Memory for an evaluation, with the claim to it. */
interface Block {
  readonly buffers: EvaluationBuffers;
  readonly claim: Claim;
}

/** What a worker's judgement builds on, as it was when the shape was sent. */
interface Ground {
  readonly layout: number;
  readonly nodeCount: number;
  /** Position in the log of written slots. */
  readonly written: number;
}

interface UnderWay extends Block {
  readonly ticket: number;
  readonly ground: Ground;
}

/** How a profile's shapes get ahead. */
export interface ShapesAheadOptions {
  readonly columns: () => NodeColumns;
  readonly evaluations: EvaluationPool;
  readonly scoreCount: number;
  /** Told of each shape that the decisions come to and know nothing of. */
  readonly onNewShape: () => void;
  /** Told after it of a shape that came back from a worker. */
  readonly onTaken: () => void;
  /** How long the engine waits for a worker that is judging, real milliseconds. */
  readonly patienceMs: () => number;
}

/** Where a scan will begin and end, probably. */
export interface ScanGuess {
  readonly start: number;
  readonly target: number;
}

/**
 * One profile's shapes on their way through the workers, and the memory for their results. What comes
 * back in time goes over to the profile's evaluations; all else is left to the engine thread.
 */
export class ShapesAhead implements EvaluationSource {
  /** Shapes that came back so far. */
  taken = 0;
  readonly #options: ShapesAheadOptions;
  /** By shape id, oldest first. */
  readonly #underWay = new Map<number, UnderWay>();
  /** Used again last in, first out: what was read last is the likeliest to be in a cache. */
  #free: Block[] = [];
  readonly #claims = new WeakMap<EvaluationBuffers, Claim>();
  #capacity = 0;

  constructor(options: ShapesAheadOptions) {
    this.#options = options;
    options.evaluations.setSource(this);
  }

  /** Whether it makes sense to send the pod's shape: it is new, and columns say all about it. */
  isEligible({ pod, shape }: PodInfo): boolean {
    return !this.#underWay.has(shape.id) && !this.#options.evaluations.has(shape.id) && canGo(pod);
  }

  /** Opens a shape to the workers. */
  open({ pod, shape }: PodInfo, { start, target }: ScanGuess): ShapeTask {
    if (this.#underWay.size >= MAX_UNDER_WAY) this.#giveUpOldest();
    const columns = this.#options.columns();
    const block = this.#block(columns.capacity);
    const { buffers, claim } = block;
    const ticket = claim.open();
    const { layout, nodeCount, written } = columns;
    this.#underWay.set(shape.id, { ...block, ticket, ground: { layout, nodeCount, written: written.end } });
    const { memory } = buffers;
    return { pod: JSON.stringify(bareShape(pod)), memory, claim: claim.memory, ticket, start, target };
  }

  has(shapeId: number): boolean {
    return this.#underWay.has(shapeId);
  }

  take(shapeId: number): ShapeEvaluation | undefined {
    this.#options.onNewShape();
    const shape = this.#underWay.get(shapeId);
    if (shape === undefined) return undefined;
    this.#underWay.delete(shapeId);
    if (this.#settle(shape, this.#options.patienceMs()) !== 'done') return undefined;
    const { buffers, ground } = shape;
    const columns = this.#options.columns();
    if (
      ground.layout !== columns.layout ||
      ground.nodeCount !== columns.nodeCount ||
      ground.written < columns.written.begin
    ) {
      this.#release(shape);
      return undefined;
    }
    this.taken += 1;
    this.#options.onTaken();
    const evaluation = new ShapeEvaluation(buffers);
    evaluation.adopt(columns, ground.written);
    return evaluation;
  }

  giveBack({ buffers }: ShapeEvaluation): void {
    this.#release({ buffers, claim: this.#claims.get(buffers) ?? new Claim() });
  }

  /** Takes back everything that no worker has begun with. */
  close(): void {
    for (const shape of this.#underWay.values()) shape.claim.settle(shape.ticket, 0);
    this.#underWay.clear();
    this.#options.evaluations.setSource(undefined);
  }

  #giveUpOldest(): void {
    for (const [shapeId, shape] of this.#underWay) {
      this.#underWay.delete(shapeId);
      if (this.#settle(shape, 0) === 'done') this.#release(shape);
      return;
    }
  }

  /** A block that a worker still writes to is lost; one that nobody has judged is free again. */
  #settle(shape: UnderWay, waitMs: number): 'done' | 'left' | 'late' {
    const outcome = shape.claim.settle(shape.ticket, waitMs);
    if (outcome === 'left') this.#release(shape);
    return outcome;
  }

  #release({ buffers, claim }: Block): void {
    if (buffers.verdicts.length === this.#capacity) this.#free.push({ buffers, claim });
  }

  /** Whoever judges into it clears it first. */
  #block(capacity: number): Block {
    if (capacity !== this.#capacity) {
      this.#capacity = capacity;
      this.#free = [];
    }
    const free = this.#free.pop();
    if (free !== undefined) return free;
    const block = { buffers: createEvaluationBuffers(capacity, this.#options.scoreCount), claim: new Claim() };
    this.#claims.set(block.buffers, block.claim);
    return block;
  }
}

/** Host ports and node names are known on the engine thread only. */
function canGo({ spec }: Pod): boolean {
  const { nodeAffinity } = spec.affinity ?? {};
  const terms = [
    ...(nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? []),
    ...(nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(({ preference }) => preference),
  ];
  return (spec.nodeName ?? '') === '' && terms.every(({ matchFields }) => (matchFields ?? []).length === 0);
}
