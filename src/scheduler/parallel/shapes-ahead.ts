import type { Pod } from '../../api/objects.js';
import type { EvaluationPool, EvaluationSource } from '../cycle/evaluation-pool.js';
import { createEvaluationBuffers, ShapeEvaluation, type EvaluationBuffers } from '../cycle/shape-evaluation.js';
import type { NodeColumns } from '../framework/node-columns.js';
import type { PodInfo } from '../framework/pod-info.js';
import { BlocksAhead, type Block } from './blocks-ahead.js';
import { bareShape, type ShapeTask } from './judge-task.js';

/** How anything gets ahead. */
export interface AheadOptions {
  readonly columns: () => NodeColumns;
  /** Told of each shape that the decisions come to and know nothing of. */
  readonly onNewShape: () => void;
  /** Told after it of a shape that came back from a worker. */
  readonly onTaken: () => void;
  /** How long the engine waits for a worker that is judging, real milliseconds. */
  readonly patienceMs: () => number;
}

/** How a profile's shapes get ahead. */
export interface ShapesAheadOptions extends AheadOptions {
  readonly evaluations: EvaluationPool;
  readonly scoreCount: number;
}

/** Where a scan will begin and end, probably. */
export interface ScanGuess {
  readonly start: number;
  readonly target: number;
}

/**
 * One profile's shapes on their way through the workers. What comes back in time goes over to the profile's
 * evaluations; all else is left to the engine thread.
 */
export class ShapesAhead implements EvaluationSource {
  /** Shapes that came back so far. */
  taken = 0;
  readonly #options: ShapesAheadOptions;
  readonly #blocks: BlocksAhead<EvaluationBuffers>;
  readonly #blockOf = new WeakMap<EvaluationBuffers, Block<EvaluationBuffers>>();

  constructor(options: ShapesAheadOptions) {
    this.#options = options;
    this.#blocks = new BlocksAhead((capacity) => createEvaluationBuffers(capacity, options.scoreCount));
    options.evaluations.setSource(this);
  }

  /** Whether it makes sense to send the pod's shape: it is new, and columns say all about it. */
  isEligible({ pod, shape }: PodInfo): boolean {
    return !this.has(shape.id) && !this.#options.evaluations.has(shape.id) && canGo(pod);
  }

  /** Opens a shape to the workers. */
  open({ pod, shape }: PodInfo, { start, target }: ScanGuess): ShapeTask {
    const { buffers, claim, ticket } = this.#blocks.open(shape.id, this.#options.columns(), start);
    const { memory } = buffers;
    return { pod: JSON.stringify(bareShape(pod)), memory, claim: claim.memory, ticket, start, target };
  }

  has(shapeId: number): boolean {
    return this.#blocks.has(shapeId);
  }

  take(shapeId: number): ShapeEvaluation | undefined {
    this.#options.onNewShape();
    const columns = this.#options.columns();
    const block = this.#blocks.take(shapeId, columns, this.#options.patienceMs());
    if (block === undefined) return undefined;
    const { buffers, ground } = block;
    this.#blockOf.set(buffers, block);
    this.taken += 1;
    this.#options.onTaken();
    const evaluation = new ShapeEvaluation(buffers);
    evaluation.adopt(columns, ground.written);
    return evaluation;
  }

  giveBack({ buffers }: ShapeEvaluation): void {
    const block = this.#blockOf.get(buffers);
    if (block !== undefined) this.#blocks.release(block);
  }

  /** Takes back everything that no worker has begun with. */
  close(): void {
    this.#blocks.close();
    this.#options.evaluations.setSource(undefined);
  }
}

/** Whether columns say all about a pod: host ports and node names are known on the engine thread only. */
export function canGo({ spec }: Pod): boolean {
  if ((spec.nodeName ?? '') !== '') return false;
  const nodeAffinity = spec.affinity?.nodeAffinity;
  if (nodeAffinity === undefined) return true;
  const terms = [
    ...(nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? []),
    ...(nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(({ preference }) => preference),
  ];
  return terms.every(({ matchFields }) => (matchFields ?? []).length === 0);
}
