import type { GroupScore, NodeGroups, NodePart } from '../../framework/node-groups.js';
import type { ConstraintReading } from './constraint-part.js';
import type { ConstraintCounts } from './spread-counts.js';
import { normalized, weightOf } from './spread-score.js';
import { NO_VALUE } from '../topology-column.js';

/** The soft constraints of an attempt for groups of nodes: the same sums in the same order as node by node. */
export class GroupSpread implements GroupScore {
  readonly parts: readonly NodePart[];
  readonly #read: readonly ConstraintReading[];
  readonly #constraints: readonly ConstraintCounts[];
  readonly #requiresAllKeys: boolean;

  constructor(read: readonly ConstraintReading[], constraints: readonly ConstraintCounts[], requiresAllKeys: boolean) {
    this.parts = read.map(({ part }) => part);
    this.#read = read;
    this.#constraints = constraints;
    this.#requiresAllKeys = requiresAllKeys;
  }

  score(groups: NodeGroups, scores: Float64Array): void {
    const weights = this.#weights(groups);
    let least = Number.MAX_SAFE_INTEGER;
    let most = 0;
    for (let group = 0; group < groups.count; group += 1) {
      if (groups.nodesIn(group) === 0 || this.#isIgnored(groups, group)) continue;
      const pods = this.#podsOf(groups, group, weights);
      scores[group] = pods;
      if (pods < least) least = pods;
      if (pods > most) most = pods;
    }
    for (let group = 0; group < groups.count; group += 1) {
      if (groups.nodesIn(group) === 0) continue;
      scores[group] = this.#isIgnored(groups, group) ? 0 : normalized(scores[group] as number, least, most);
    }
  }

  #podsOf(groups: NodeGroups, group: number, weights: readonly number[]): number {
    let pods = 0;
    for (let index = 0; index < this.#read.length; index += 1) {
      const matching = (this.#read[index] as ConstraintReading).podsAt(groups, group);
      const { constraint } = this.#constraints[index] as ConstraintCounts;
      pods += matching === NO_VALUE ? 0 : matching * (weights[index] as number) + (constraint.maxSkew - 1);
    }
    return Math.round(pods);
  }

  #weights(groups: NodeGroups): readonly number[] {
    return this.#constraints.map(({ domains }, index) =>
      weightOf(domains === undefined ? this.#countNodes(groups) : this.#countDomains(groups, index)),
    );
  }

  #countNodes(groups: NodeGroups): number {
    let nodes = 0;
    for (let group = 0; group < groups.count; group += 1) {
      if (!this.#isIgnored(groups, group)) nodes += groups.nodesIn(group);
    }
    return nodes;
  }

  /** Nodes without the key share the domain of the empty value. */
  #countDomains(groups: NodeGroups, index: number): number {
    const { topology } = this.#constraints[index] as ConstraintCounts;
    const none = topology.idOf('');
    const seen = new Set<number>();
    for (let group = 0; group < groups.count; group += 1) {
      if (groups.nodesIn(group) === 0 || this.#isIgnored(groups, group)) continue;
      const domain = (this.#read[index] as ConstraintReading).domainAt(groups, group);
      seen.add(domain === NO_VALUE ? none : domain);
    }
    return seen.size;
  }

  /** Whether the nodes of a group lack a key that they must have to be scored. */
  #isIgnored(groups: NodeGroups, group: number): boolean {
    if (!this.#requiresAllKeys) return false;
    for (const reading of this.#read) if (reading.podsAt(groups, group) === NO_VALUE) return true;
    return false;
  }
}
