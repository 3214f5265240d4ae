/**
 * One scan over the table of a shape (node-table.ts): whole blocks are passed in one
 * step, single nodes are looked at where the scan begins and ends. Equal in everything to a walk from node
 * to node, which {@link GroupWalk.spellOut} writes down.
 */
import type { RandomStream } from '../../../kernel/random.js';
import type { NodeColumns } from '../../framework/node-columns.js';
import type { GroupFilter, NodePart } from '../../framework/node-groups.js';
import {
  BEST,
  BLOCK_MASK,
  BLOCK_SHIFT,
  groupOf,
  MAX_GROUPS,
  NO_GROUP,
  NODES,
  StaleNodes,
  SUM_LENGTH,
  TIES,
  totalOf,
  type GroupTable,
  type NodeTable,
} from './node-table.js';
import { walkRing } from '../attempt/ring.js';
import { REJECTED } from '../attempt/outline.js';
import type { NodeChoice } from '../attempt/select-host.js';

const NO_PARTS: readonly NodePart[] = [];
/** The best score of a group without nodes: below all. */
const NO_BEST = -1;
/** A special node that was not looked at yet; no verdict is that low. */
const UNJUDGED = Number.NEGATIVE_INFINITY;

/** No node has such a score. */
const NOT_WANTED = -2;
/** The verdict on {@link NO_GROUP}. */
const NEVER_FITS = -1;

/** A filter that judges groups, and what its verdicts are made of. */
export interface WalkedFilter {
  readonly filter: GroupFilter;
  /** The verdict is this and the filter's code. */
  readonly base: number;
}

/** Nodes that are judged one by one, because pods are nominated to them. */
export interface SpecialNodes {
  readonly slots: readonly number[];
  /** The verdict on one of them; `undefined` when it is that of its like. */
  judge(slot: number): number | undefined;
}

/** What is walked over. */
export interface GroupWalkRequest {
  readonly columns: NodeColumns;
  readonly nodes: NodeTable;
  readonly filters: readonly WalkedFilter[];
  readonly special: SpecialNodes | undefined;
  /** Position at which the walk begins. */
  readonly start: number;
  /** It ends before the feasible node after this many. */
  readonly target: number;
  /** Identifies the attempt. */
  readonly attempt: object;
}

/** Where a walk is written down node by node, in the order of the walk. */
export interface SpelledWalk {
  readonly slots: Int32Array;
  readonly rejected: Int32Array;
  readonly rejectedVerdicts: Int32Array;
}

/** See the file header. The result stands in the object until the next walk. */
export class GroupWalk {
  /** Nodes that were visited. */
  visited = 0;
  /** Feasible ones among them. */
  feasible = 0;
  #request: GroupWalkRequest | undefined;
  /** By group: what the filters say, for the groups that were judged; what is rejected never fits. */
  readonly #verdicts = new Int32Array(MAX_GROUPS + 1).fill(NEVER_FITS, NO_GROUP);
  #judged = 0;
  /** By group: the best score, and how many nodes have it. */
  readonly #best = new Int32Array(MAX_GROUPS);
  readonly #ties = new Int32Array(MAX_GROUPS);
  /** By group: the score that one of the best nodes of all has; {@link NOT_WANTED} where these are of other groups. */
  readonly #wanted = new Int32Array(MAX_GROUPS);
  #isCrowded = false;
  /** By block: 1 = special nodes are in it. */
  #special = new Uint8Array(0);
  /** Verdicts on special nodes by position, as they were needed. */
  readonly #own = new Map<number, number | undefined>();
  #hasSpecial = false;
  readonly #stale = new StaleNodes();
  /** Of the search for the best node: those with its score that are still to be passed by, and feasible ones that were. */
  #skip = 0;
  #passed = 0;
  /** Made once: a function for each walk would be garbage. */
  readonly #walkStretch = (from: number, to: number): number => this.#walkOver(from, to);
  readonly #findStretch = (from: number, to: number): number => this.#findIn(from, to);

  /** The groups of the nodes that were walked over. */
  get groups(): GroupTable {
    return this.#nodes.groups;
  }

  /** Walks; `false` when there are too many groups. */
  run(request: GroupWalkRequest): boolean {
    this.#request = request;
    const { nodes, filters, columns, attempt } = request;
    nodes.catchUp(columns);
    nodes.tellApart(filters.length === 0 ? NO_PARTS : filters.flatMap(({ filter }) => filter.parts));
    nodes.groups.refresh(attempt);
    if (this.#walk(request)) return true;
    // Perhaps most of the groups are of the past.
    nodes.forget();
    if (this.#walk(request)) return true;
    nodes.pause();
    return false;
  }

  /**
   * Chooses as among single nodes in the order of the walk.
   *
   * @param additions - by group: what counts besides the score
   */
  choose(additions: Float64Array, random: RandomStream): NodeChoice {
    const { count, nodes } = this.groups;
    let total = Number.NEGATIVE_INFINITY;
    let ties = 0;
    for (let group = 0; group < count; group += 1) {
      if (nodes[group] === 0) continue;
      const each = (this.#best[group] as number) + (additions[group] as number);
      if (each > total) {
        total = each;
        ties = this.#ties[group] as number;
      } else if (each === total) ties += this.#ties[group] as number;
    }
    for (let group = 0; group < count; group += 1) {
      const best = this.#best[group] as number;
      this.#wanted[group] = best + (additions[group] as number) === total ? best : NOT_WANTED;
    }
    const drawn = ties === 1 ? 0 : random.int(0, ties - 1);
    this.#skip = drawn;
    this.#passed = 0;
    const slot = this.#find();
    return { total, ties, drawn, position: this.#passed, slot };
  }

  /** Writes the walk down node by node. @param kept - verdicts of the kept filters by slot */
  spellOut(kept: Int32Array, { slots, rejected, rejectedVerdicts }: SpelledWalk): void {
    const { order } = this.#columns.arrays;
    const { size } = this.#nodes;
    let fit = 0;
    let unfit = 0;
    walkRing(this.#start, this.visited, size, (from, to) => {
      for (let position = from; position < to; position += 1) {
        const slot = order[position] as number;
        const verdict = this.verdictAt(position, slot, kept);
        if (verdict === 0) slots[fit++] = slot;
        else {
          rejected[unfit] = slot;
          rejectedVerdicts[unfit++] = verdict;
        }
      }
      return to;
    });
  }

  /** Finds the positions of the nodes that were visited and rejected, in the order of the walk; returns how many. */
  findRejected(found: Int32Array): number {
    const { sums, groups, size } = this.#nodes;
    const { entries } = sums;
    let count = 0;
    walkRing(this.#start, this.visited, size, (from, to) => {
      for (let position = from; position < to;) {
        const block = position >> BLOCK_SHIFT;
        const blockEnd = Math.min((block + 1) << BLOCK_SHIFT, size);
        const end = Math.min(blockEnd, to);
        let left = blockEnd - (block << BLOCK_SHIFT);
        for (let group = 0; group < groups.count; group += 1)
          if (this.#verdicts[group] === 0) left -= sums.sums[sums.indexOf(block, group) + NODES] as number;
        // All nodes of most blocks fit.
        if (left > 0) {
          for (; position < end; position += 1)
            if (!this.#fits(position, entries[position] as number)) found[count++] = position;
        }
        position = end;
      }
      return to;
    });
    return count;
  }

  /** What was walked over last. */
  get request(): GroupWalkRequest {
    return this.#request as GroupWalkRequest;
  }

  /** The verdict of the filters on a group; 0 = it fits. */
  verdictOn(group: number): number {
    return this.#verdicts[group] as number;
  }

  /** Whether nodes of a block are judged one by one. */
  isSpecial(block: number): boolean {
    return this.#special[block] === 1;
  }

  /** The verdict on a node that was visited. @param kept - verdicts of the kept filters by slot */
  verdictAt(position: number, slot: number, kept: Int32Array): number {
    const entry = this.#nodes.sums.entries[position] as number;
    const ofLike = entry === REJECTED ? (kept[slot] as number) : (this.#verdicts[groupOf(entry)] as number);
    return this.#ownVerdict(position) ?? ofLike;
  }

  get #nodes(): NodeTable {
    return this.request.nodes;
  }

  get #columns(): NodeColumns {
    return this.request.columns;
  }

  get #start(): number {
    return this.request.start;
  }

  #walk({ nodes, start }: GroupWalkRequest): boolean {
    this.feasible = 0;
    this.#isCrowded = false;
    this.#judged = 0;
    this.#markSpecial();
    this.#judgeGroups();
    this.visited = walkRing(start, nodes.size, nodes.size, this.#walkStretch);
    return !this.#isCrowded;
  }

  /** Walks over the positions `from..to-1`; returns where it ended, at once when there are too many groups. */
  #walkOver(from: number, to: number): number {
    const nodes = this.#nodes;
    let position = from;
    while (position < to) {
      const block = position >> BLOCK_SHIFT;
      if (!nodes.isCurrent(block) && !this.#refresh(block)) return position;
      const taken = (position & BLOCK_MASK) === 0 ? this.#takeBlocks(block, to) : block;
      if (taken > block) {
        position = Math.min(taken << BLOCK_SHIFT, nodes.size);
        continue;
      }
      const end = Math.min((block + 1) << BLOCK_SHIFT, nodes.size, to);
      const stop = this.#takeNodes(position, end);
      if (stop < end) return stop;
      position = end;
    }
    return to;
  }

  /** The block after which `to` lies, or in which: only whole blocks are passed in one step. */
  #lastWhole(to: number): number {
    const { size, sums } = this.#nodes;
    return to === size ? sums.blockCount : to >> BLOCK_SHIFT;
  }

  /** Makes blocks current as far as the walk will probably come. */
  #refresh(from: number): boolean {
    const { nodes, target, columns } = this.request;
    const ahead = ((target - this.feasible) >> BLOCK_SHIFT) + 2;
    this.#isCrowded = !nodes.refresh(columns, from, Math.min(from + ahead, nodes.sums.blockCount), this.#stale);
    this.#judgeGroups();
    return !this.#isCrowded;
  }

  /** Makes ready for the groups that have come up. */
  #judgeGroups(): void {
    const { filters } = this.request;
    const { groups } = this;
    for (; this.#judged < groups.count; this.#judged += 1) {
      groups.nodes[this.#judged] = 0;
      this.#best[this.#judged] = NO_BEST;
      this.#ties[this.#judged] = 0;
      let verdict = 0;
      for (let index = 0; index < filters.length && verdict === 0; index += 1) {
        const { filter, base } = filters[index] as WalkedFilter;
        const code = filter.judge(groups, this.#judged);
        if (code !== 0) verdict = base + code;
      }
      this.#verdicts[this.#judged] = verdict;
    }
  }

  /**
   * Takes all nodes of blocks from one on, up to a block that has to be looked at first, or node by node, or in which
   * the walk ends; returns that block.
   */
  #takeBlocks(from: number, to: number): number {
    const nodes = this.#nodes;
    const blocks = nodes.sums;
    const { sums, width } = blocks;
    const { count, nodes: nodesOf } = nodes.groups;
    const { target } = this.request;
    const verdicts = this.#verdicts;
    const bests = this.#best;
    const ties = this.#ties;
    const end = this.#lastWhole(to);
    let { feasible } = this;
    let block = from;
    for (; block < end && nodes.isCurrent(block) && this.#special[block] !== 1; block += 1) {
      const first = block * width * SUM_LENGTH;
      if (feasible + BLOCK_MASK >= target) {
        let fit = 0;
        for (let group = 0, index = first; group < count; group += 1, index += SUM_LENGTH)
          if (verdicts[group] === 0) fit += sums[index + NODES] as number;
        if (feasible + fit > target) break;
      }
      for (let group = 0, index = first; group < count; group += 1, index += SUM_LENGTH) {
        const fit = sums[index + NODES] as number;
        if (fit === 0 || verdicts[group] !== 0) continue;
        feasible += fit;
        nodesOf[group] = (nodesOf[group] as number) + fit;
        const best = bests[group] as number;
        if ((sums[index + BEST] as number) > best && sums[index + TIES] === 0) blocks.findBest(block, group);
        const score = sums[index + BEST] as number;
        if (score > best) {
          bests[group] = score;
          ties[group] = sums[index + TIES] as number;
        } else if (score === best) ties[group] = (ties[group] as number) + (sums[index + TIES] as number);
      }
    }
    this.feasible = feasible;
    return block;
  }

  /** Takes single nodes; returns where it ended. */
  #takeNodes(from: number, to: number): number {
    const { sums, groups } = this.#nodes;
    const { entries } = sums;
    const verdicts = this.#verdicts;
    const best = this.#best;
    const ties = this.#ties;
    const nodes = groups.nodes;
    const { target } = this.request;
    const isSpecial = this.#special[from >> BLOCK_SHIFT] === 1;
    let { feasible } = this;
    let position = from;
    for (; position < to; position += 1) {
      const entry = entries[position] as number;
      const group = groupOf(entry);
      if (isSpecial ? !this.#fits(position, entry) : verdicts[group] !== 0) continue;
      if (feasible === target) break;
      feasible += 1;
      nodes[group] = (nodes[group] as number) + 1;
      const score = totalOf(entry);
      if (score > (best[group] as number)) {
        best[group] = score;
        ties[group] = 1;
      } else if (score === best[group]) ties[group] = (ties[group] as number) + 1;
    }
    this.feasible = feasible;
    return position;
  }

  #fits(position: number, entry: number): boolean {
    if (entry === REJECTED) return false;
    return ((this.#hasSpecial ? this.#ownVerdict(position) : undefined) ?? this.#verdicts[groupOf(entry)]) === 0;
  }

  /** The verdict on a special node, if it is another one than that on its like. */
  #ownVerdict(position: number): number | undefined {
    if (this.#special[position >> BLOCK_SHIFT] !== 1) return undefined;
    const own = this.#own.get(position);
    if (own === undefined || own !== UNJUDGED) return own;
    const { special, columns } = this.request;
    const verdict = special?.judge(columns.arrays.order[position] as number);
    this.#own.set(position, verdict);
    return verdict;
  }

  #markSpecial(): void {
    const { special, columns, nodes } = this.request;
    const { blockCount } = nodes.sums;
    if (this.#special.length < blockCount) this.#special = new Uint8Array(blockCount);
    else if (this.#hasSpecial) this.#special.fill(0);
    // Even the clearing of an empty map makes garbage.
    if (this.#hasSpecial) this.#own.clear();
    this.#hasSpecial = special !== undefined;
    if (special === undefined) return;
    for (const slot of special.slots) {
      const position = columns.arrays.position[slot] as number;
      if (position < 0) continue;
      this.#special[position >> BLOCK_SHIFT] = 1;
      this.#own.set(position, UNJUDGED);
    }
  }

  /** Finds the slot of the node with that total after so many others that have it. */
  #find(): number {
    const { nodes, start, columns } = this.request;
    const steps = walkRing(start, this.visited, nodes.size, this.#findStretch);
    return columns.arrays.order[(start + steps) % nodes.size] as number;
  }

  /** Looks among the positions `from..to-1`; returns where it ended. */
  #findIn(from: number, to: number): number {
    const { size } = this.#nodes;
    let position = from;
    while (position < to) {
      const block = position >> BLOCK_SHIFT;
      const skipped = (position & BLOCK_MASK) === 0 ? this.#skipBlocks(block, to) : block;
      if (skipped > block) {
        position = Math.min(skipped << BLOCK_SHIFT, size);
        continue;
      }
      const end = Math.min((block + 1) << BLOCK_SHIFT, size, to);
      const found = this.#findNode(position, end);
      if (found < end) return found;
      position = end;
    }
    return to;
  }

  /** Passes blocks from one on by, up to one that has to be looked at node by node; returns that block. */
  #skipBlocks(from: number, to: number): number {
    const { sums: blocks, groups } = this.#nodes;
    const { sums, width } = blocks;
    const { count } = groups;
    const verdicts = this.#verdicts;
    const wanted = this.#wanted;
    const end = this.#lastWhole(to);
    let skip = this.#skip;
    let passed = this.#passed;
    let block = from;
    for (; block < end && this.#special[block] !== 1; block += 1) {
      const first = block * width * SUM_LENGTH;
      let ties = 0;
      let fit = 0;
      for (let group = 0, index = first; group < count; group += 1, index += SUM_LENGTH) {
        const nodes = sums[index + NODES] as number;
        if (nodes === 0 || verdicts[group] !== 0) continue;
        fit += nodes;
        if (sums[index + BEST] === wanted[group]) ties += sums[index + TIES] as number;
      }
      if (skip < ties) break;
      skip -= ties;
      passed += fit;
    }
    this.#skip = skip;
    this.#passed = passed;
    return block;
  }

  #findNode(from: number, to: number): number {
    const { entries } = this.#nodes.sums;
    const verdicts = this.#verdicts;
    const wanted = this.#wanted;
    const isSpecial = this.#special[from >> BLOCK_SHIFT] === 1;
    let skip = this.#skip;
    let passed = this.#passed;
    let position = from;
    for (; position < to; position += 1) {
      const entry = entries[position] as number;
      const group = groupOf(entry);
      if (isSpecial ? !this.#fits(position, entry) : verdicts[group] !== 0) continue;
      if (totalOf(entry) === wanted[group]) {
        if (skip === 0) break;
        skip -= 1;
      }
      passed += 1;
    }
    this.#skip = skip;
    this.#passed = passed;
    return position;
  }
}
