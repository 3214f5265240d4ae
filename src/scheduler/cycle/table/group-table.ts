import type { NodeGroups, NodePart } from '../../framework/node-groups.js';

/** Groups that are told apart at most: one less than an entry has numbers for (block-sums.ts). */
export const MAX_GROUPS = 63;
/** Parts at most; with more, those that were asked for last are kept. */
const MAX_PARTS = 8;

/** In place of a group's number: there are more groups than can be told apart. */
export const TOO_MANY_GROUPS = -1;

/** The groups of a pod shape: combinations of values of parts, with numbers in the order of their appearance. */
export class GroupTable implements NodeGroups {
  count = 0;
  /** Feasible nodes of the attempt by group. */
  readonly nodes = new Int32Array(MAX_GROUPS);
  #parts: NodePart[] = [];
  /** By part, then by group. */
  readonly #values: Float64Array[] = [];
  readonly #current = new Float64Array(MAX_PARTS);

  nodesIn(group: number): number {
    return this.nodes[group] as number;
  }

  valuesOf(part: NodePart): Float64Array {
    return this.#values[this.#parts.indexOf(part)] as Float64Array;
  }

  /** Whether nodes are told apart by all of these parts. */
  has(parts: readonly NodePart[]): boolean {
    for (const part of parts) if (!this.#parts.includes(part)) return false;
    return true;
  }

  /** Tells nodes apart by these parts from now on, too, and forgets all groups; `false` when they are too many. */
  add(parts: readonly NodePart[]): boolean {
    if (parts.length > MAX_PARTS) return false;
    const missing = parts.filter((part) => !this.#parts.includes(part));
    if (this.#parts.length + missing.length > MAX_PARTS) this.#parts = [...parts];
    else this.#parts.push(...missing);
    while (this.#values.length < this.#parts.length) this.#values.push(new Float64Array(MAX_GROUPS));
    this.count = 0;
    return true;
  }

  /** Forgets all groups and parts. */
  clear(): void {
    this.#parts = [];
    this.count = 0;
  }

  /** Forgets all groups. */
  empty(): void {
    this.count = 0;
  }

  refresh(attempt: object): void {
    for (const part of this.#parts) part.refresh?.(attempt);
  }

  /** The group of all nodes, where no part tells them apart. */
  theOne(): number {
    this.count = 1;
    return 0;
  }

  /** The group of the node in a slot; {@link TOO_MANY_GROUPS} when it would be one too many. */
  groupOf(slot: number): number {
    const parts = this.#parts;
    const current = this.#current;
    for (let index = 0; index < parts.length; index += 1) current[index] = (parts[index] as NodePart).valueAt(slot);
    for (let group = 0; group < this.count; group += 1) if (this.#isCurrent(group)) return group;
    if (this.count === MAX_GROUPS) return TOO_MANY_GROUPS;
    for (let index = 0; index < parts.length; index += 1) {
      (this.#values[index] as Float64Array)[this.count] = current[index] as number;
    }
    this.count += 1;
    return this.count - 1;
  }

  #isCurrent(group: number): boolean {
    for (let index = 0; index < this.#parts.length; index += 1) {
      if ((this.#values[index] as Float64Array)[group] !== this.#current[index]) return false;
    }
    return true;
  }
}
