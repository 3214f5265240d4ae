/**
 * The nodes in the order of the scan as pods of one shape see them, kept from attempt to attempt: who is in
 * which group, with which score, summed up by blocks of nodes. What was written since is judged anew where
 * a walk comes by. It holds kept verdicts and the scores that count as they are; all else that is said of
 * nodes is said of groups, attempt by attempt (group-walk.ts).
 */
import { Follower, type FollowedNodes } from '../../framework/follower.js';
import type { NodeColumns } from '../../framework/node-columns.js';
import type { NodePart } from '../../framework/node-groups.js';
import { BLOCK_SHIFT, BlockSums, NO_GROUP, OLD_GROUP } from './block-sums.js';
import { GroupTable, TOO_MANY_GROUPS } from './group-table.js';
import type { EvaluationBuffers } from './evaluation-buffers.js';

/** What judges nodes for a shape and keeps it by slot. */
export interface GroupedSource {
  readonly buffers: EvaluationBuffers;
  filter(slots: Int32Array, count: number, columns: NodeColumns): void;
  score(slots: Int32Array, count: number, columns: NodeColumns): void;
}

/** States of a block: nothing is known, all is, all but nodes of {@link OLD_GROUP} is, the same without sums. */
const UNKNOWN = 0;
const CURRENT = 1;
const OLD = 2;
const UNSUMMED = 3;

/** Attempts that do without after there were too many groups. */
const PAUSE = 256;

/** See the file header. */
export class GroupedNodes implements FollowedNodes {
  readonly groups = new GroupTable();
  /** Number of nodes. */
  size = 0;
  /** By position in the scan order: the group, {@link NO_GROUP} for nodes that a kept filter rejects. */
  groupAt = new Uint8Array(0);
  /** By position: the sum of the scores that count as they are. */
  scoreAt = new Float64Array(0);
  sums = new BlockSums(0);
  readonly #evaluation: GroupedSource;
  #filterParts: readonly NodePart[] = [];
  readonly #follower = new Follower();
  #pause = 0;
  /** By block. */
  #states = new Uint8Array(0);
  #stale = new Int32Array(0);
  #fitting = new Int32Array(0);

  constructor(evaluation: GroupedSource) {
    this.#evaluation = evaluation;
  }

  /** Forgets everything. */
  reset(): void {
    this.groups.clear();
    this.#follower.forget();
    this.#pause = 0;
  }

  /** Whether it is better to do without for a while; to be asked once per attempt. */
  isPaused(): boolean {
    if (this.#pause === 0) return false;
    this.#pause -= 1;
    return true;
  }

  pause(): void {
    this.#pause = PAUSE;
    this.groups.clear();
    this.forget();
  }

  /** Tells nodes apart by what the filters of an attempt judge by. */
  tellApart(filterParts: readonly NodePart[]): void {
    this.#filterParts = filterParts;
    if (!this.groups.has(filterParts)) this.#add(filterParts);
  }

  /** Tells nodes apart by what its scores go by as well, from the next attempt on. */
  want(scoreParts: readonly NodePart[]): void {
    this.#add([...new Set([...this.#filterParts, ...scoreParts])]);
  }

  /** Forgets the groups of all nodes. */
  forget(): void {
    this.#states.fill(UNKNOWN);
  }

  /** Takes notice of what was written. */
  catchUp(columns: NodeColumns): void {
    this.#follower.catchUp(columns, this);
  }

  /** @internal */
  onAll({ nodeCount }: NodeColumns): void {
    this.#resize(nodeCount);
    this.forget();
  }

  /** @internal */
  onNode(_columns: NodeColumns, position: number): void {
    const block = position >> BLOCK_SHIFT;
    if (this.#states[block] !== UNKNOWN) this.#takeOut(block, position);
  }

  isCurrent(block: number): boolean {
    return this.#states[block] === CURRENT;
  }

  /** Judges what is not current in the blocks `from..to-1`; `false` when there are too many groups. */
  refresh(columns: NodeColumns, from: number, to: number): boolean {
    const evaluation = this.#evaluation;
    const stale = this.#stale;
    const count = this.#collectStale(columns, from, to);
    evaluation.filter(stale, count, columns);
    const { verdicts, settled } = evaluation.buffers;
    const fitting = this.#fitting;
    let fit = 0;
    for (let index = 0; index < count; index += 1) {
      const slot = stale[index] as number;
      if (verdicts[slot] === 0) fitting[fit++] = slot;
    }
    evaluation.score(fitting, fit, columns);
    const { position } = columns.arrays;
    const { groupAt, scoreAt, groups } = this;
    for (let index = 0; index < count; index += 1) {
      const slot = stale[index] as number;
      const at = position[slot] as number;
      if (verdicts[slot] !== 0) {
        groupAt[at] = NO_GROUP;
        continue;
      }
      const group = groups.groupOf(slot);
      if (group === TOO_MANY_GROUPS) return false;
      groupAt[at] = group;
      scoreAt[at] = settled[slot] as number;
    }
    if (this.sums.reserve(groups.count)) this.#sumAllUp(from, to);
    this.#sumUp(from, to, position, count);
    return true;
  }

  /** A node was written: what was known of it leaves the sums of its block. */
  #takeOut(block: number, at: number): void {
    const group = this.groupAt[at] as number;
    if (group === OLD_GROUP) return;
    this.groupAt[at] = OLD_GROUP;
    const isLost = group !== NO_GROUP && this.sums.remove(block, group, this.scoreAt[at] as number);
    if (isLost || this.#states[block] === UNSUMMED) this.#states[block] = UNSUMMED;
    else this.#states[block] = OLD;
  }

  #add(parts: readonly NodePart[]): void {
    if (this.groups.add(parts)) this.forget();
    else this.pause();
  }

  #resize(size: number): void {
    if (this.groupAt.length < size) {
      this.groupAt = new Uint8Array(size);
      this.scoreAt = new Float64Array(size);
      this.#stale = new Int32Array(size);
      this.#fitting = new Int32Array(size);
    }
    if (this.size !== size) {
      this.size = size;
      this.sums = new BlockSums(size);
      this.#states = new Uint8Array(this.sums.blockCount);
    }
  }

  #collectStale({ arrays }: NodeColumns, from: number, to: number): number {
    const { order } = arrays;
    const { groupAt } = this;
    const stale = this.#stale;
    let count = 0;
    for (let block = from; block < to; block += 1) {
      const state = this.#states[block];
      if (state === CURRENT) continue;
      const end = Math.min((block + 1) << BLOCK_SHIFT, this.size);
      for (let at = block << BLOCK_SHIFT; at < end; at += 1) {
        if (state === UNKNOWN || groupAt[at] === OLD_GROUP) stale[count++] = order[at] as number;
      }
    }
    return count;
  }

  /** No sum has been kept, as there is room for more groups now. All is known in the blocks `from..to-1`. */
  #sumAllUp(from: number, to: number): void {
    const states = this.#states;
    for (let block = 0; block < this.sums.blockCount; block += 1) {
      if (states[block] === UNKNOWN) continue;
      this.sums.sum(block, this.groupAt, this.scoreAt);
      if (block >= from && block < to) states[block] = CURRENT;
      else if (states[block] === UNSUMMED) states[block] = OLD;
    }
  }

  /** Brings the sums of the blocks `from..to-1` up to date, in which the first `count` stale nodes are known now. */
  #sumUp(from: number, to: number, position: Int32Array, count: number): void {
    const { sums, groupAt, scoreAt } = this;
    const states = this.#states;
    for (let index = 0; index < count; index += 1) {
      const at = position[this.#stale[index] as number] as number;
      const group = groupAt[at] as number;
      const block = at >> BLOCK_SHIFT;
      if (states[block] === OLD && group !== NO_GROUP) sums.add(block, group, scoreAt[at] as number);
    }
    for (let block = from; block < to; block += 1) {
      if (states[block] === UNKNOWN || states[block] === UNSUMMED) sums.sum(block, groupAt, scoreAt);
      states[block] = CURRENT;
    }
  }
}
