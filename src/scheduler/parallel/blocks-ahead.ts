import type { NodeColumns } from '../framework/node-columns.js';
import { Claim } from './claim.js';
import { MAX_UNDER_WAY } from './tuning.js';

/** Memory for a result, with the claim to it. */
export interface Block<T> {
  readonly buffers: T;
  readonly claim: Claim;
  /** Of the columns that it is for. */
  readonly capacity: number;
}

/** What a worker's judgement builds on, as it was when the shape was sent. */
export interface Ground {
  readonly layout: number;
  readonly nodeCount: number;
  readonly orderRevision: number;
  /** Position in the log of written slots. */
  readonly written: number;
}

/** A block that is open to the workers. */
export interface OpenBlock<T> extends Block<T> {
  readonly ticket: number;
  readonly ground: Ground;
}

/** Shapes on their way through the workers, and the memory for their results. */
export class BlocksAhead<T> {
  readonly #create: (capacity: number) => T;
  /** By shape id, oldest first. */
  readonly #underWay = new Map<number, OpenBlock<T>>();
  /** Used again last in, first out: what was read last is the likeliest to be in a cache. */
  #free: Block<T>[] = [];
  #capacity = 0;

  /** @param create - memory for columns of a capacity */
  constructor(create: (capacity: number) => T) {
    this.#create = create;
  }

  has(shapeId: number): boolean {
    return this.#underWay.has(shapeId);
  }

  /** Opens a block for a shape; `write` puts into it what the worker has to know. */
  open(shapeId: number, columns: NodeColumns, write?: (buffers: T) => void): OpenBlock<T> {
    if (this.#underWay.size >= MAX_UNDER_WAY) this.#giveUpOldest();
    const block = this.#block(columns.capacity);
    write?.(block.buffers);
    const { layout, nodeCount, orderRevision, written } = columns;
    const ground = { layout, nodeCount, orderRevision, written: written.end };
    const { buffers, claim, capacity } = block;
    const opened = { buffers, claim, capacity, ticket: claim.open(), ground };
    this.#underWay.set(shapeId, opened);
    return opened;
  }

  /** The block of a shape, if a worker has judged it and that still tells about most of the nodes. */
  take(shapeId: number, columns: NodeColumns, waitMs: number): OpenBlock<T> | undefined {
    const opened = this.#underWay.get(shapeId);
    if (opened === undefined) return undefined;
    this.#underWay.delete(shapeId);
    if (this.#settle(opened, waitMs) !== 'done') return undefined;
    const { layout, nodeCount, written } = opened.ground;
    if (layout === columns.layout && nodeCount === columns.nodeCount && written >= columns.written.begin) return opened;
    this.release(opened);
    return undefined;
  }

  /** The block is free for another shape. */
  release({ buffers, claim, capacity }: Block<T>): void {
    if (capacity === this.#capacity) this.#free.push({ buffers, claim, capacity });
  }

  /** Takes back everything that no worker has begun with. */
  close(): void {
    for (const { claim, ticket } of this.#underWay.values()) claim.settle(ticket, 0);
    this.#underWay.clear();
  }

  #giveUpOldest(): void {
    for (const [shapeId, opened] of this.#underWay) {
      this.#underWay.delete(shapeId);
      if (this.#settle(opened, 0) === 'done') this.release(opened);
      return;
    }
  }

  /** A block that a worker still writes to is lost; one that no thread has judged is free again. */
  #settle(opened: OpenBlock<T>, waitMs: number): 'done' | 'left' | 'late' {
    const outcome = opened.claim.settle(opened.ticket, waitMs);
    if (outcome === 'left') this.release(opened);
    return outcome;
  }

  /** Memory that was used before holds what was told then: all of it is written anew. */
  #block(capacity: number): Block<T> {
    if (capacity !== this.#capacity) {
      this.#capacity = capacity;
      this.#free = [];
    }
    return this.#free.pop() ?? { buffers: this.#create(capacity), claim: new Claim(), capacity };
  }
}
