/**
 * Nodes that a pod's plugins cannot tell apart, kept together: what depends on an attempt as a whole, such
 * as the pods in a zone or the best score of all, is then worked out once for a group and not for each
 * node. A plugin says by which facts about a node it judges; a group is one combination of their values.
 */

/**
 * A fact about nodes that takes few values. The value of a node holds until its slot is written, whatever
 * happens on other nodes.
 */
export interface NodePart {
  /** Makes the values current. @param attempt - for which the columns are fixed */
  refresh?(attempt: object): void;
  valueAt(slot: number): number;
}

/** The groups of one attempt, numbered from 0. */
export interface NodeGroups {
  readonly count: number;
  /** Feasible nodes of a group; groups without any take no part in scores. */
  nodesIn(group: number): number;
  /** The value of a part by group. */
  valuesOf(part: NodePart): Float64Array;
}

/** A filter that judges whole groups. */
export interface GroupFilter {
  /** What it judges by. */
  readonly parts: readonly NodePart[];
  /** The code of the column form for the nodes of a group; 0 = they pass. */
  judge(groups: NodeGroups, group: number): number;
}

/** A score that is the same for all nodes of a group. */
export interface GroupScore {
  readonly parts: readonly NodePart[];
  /** Writes the normalised score of each group with nodes to `scores[group]`. */
  score(groups: NodeGroups, scores: Float64Array): void;
}
