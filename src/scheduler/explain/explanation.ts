/** What a scheduler tells about its decisions: plain data, built on request. */
import type { TakenWay } from '../cycle/attempt/way.js';
import type { PreemptionExplanation } from '../framework/interface.js';
import type { codeName } from '../framework/status.js';

/** A plugin's refusal. */
export interface VerdictExplanation {
  /** The plugin that refused; empty when the framework did. */
  readonly plugin: string;
  /** Kubernetes' name of the code, such as `Unschedulable`. */
  readonly code: ReturnType<typeof codeName>;
  readonly reasons: readonly string[];
}

/** Nodes that were rejected alike. */
export interface RejectionGroup extends VerdictExplanation {
  readonly count: number;
  /**
   * The nodes in the order of the scan; a few of them once the details of the attempt are forgotten, and
   * none where a verdict on the pod as a whole spoke for nodes that were not looked at.
   */
  readonly nodes: readonly string[];
}

/** One plugin's part in a node's score. */
export interface PluginScoreExplanation {
  readonly plugin: string;
  /** As the plugin computed it. */
  readonly raw: number;
  /** 0..100. */
  readonly normalized: number;
  readonly weight: number;
  /** normalized × weight: the part of the total. */
  readonly weighted: number;
}

/** A node's score. */
export interface NodeScoreExplanation {
  readonly node: string;
  readonly total: number;
  /** In the order of the profile; plugins that skipped the pod are not among them. */
  readonly plugins: readonly PluginScoreExplanation[];
}

/** How one of several best nodes was chosen. */
export interface TieBreak {
  /** Number of nodes with the best total. */
  readonly tied: number;
  /** Which of them was drawn, from 0, in the order of the scan. */
  readonly drawn: number;
}

/**
 * One attempt to place a pod. With `detail: 'full'` every node that was looked at is in `scores` or in
 * `rejections` (a single feasible node, or a nominated one that takes the pod, is not scored).
 * With `detail: 'summary'` the attempt is older than what is kept of single nodes: `scores` has the
 * chosen node only, `best` is empty when there was a tie, rejections name a few nodes of each group, and
 * of a preemption's candidates the nominated one is left.
 */
export interface AttemptExplanation {
  /** `namespace/name`. */
  readonly pod: string;
  /** Simulated time of the decision, milliseconds. */
  readonly atMs: number;
  /** Number of the attempt, from 1. */
  readonly attempt: number;
  readonly outcome: 'placed' | 'unschedulable' | 'error';
  /** The chosen node; present as well when Reserve, Permit or the binding refused it afterwards. */
  readonly node?: string;
  /** What the choice was by. */
  readonly chosenBy?: 'scores' | 'only-feasible-node' | 'nominated-node';
  /** How the engine came to the decision and why so: a matter of cost, every way gives the same one. */
  readonly way: TakenWay;
  /** Kubernetes' text for a pod that stays without a node. */
  readonly message?: string;
  /** Nodes of the cluster, nodes that were looked at, and those that fit. */
  readonly nodes: { readonly total: number; readonly visited: number; readonly feasible: number };
  readonly detail: 'full' | 'summary';
  /** Largest group first. */
  readonly rejections: readonly RejectionGroup[];
  /** Best first, nodes with equal totals in the order of the scan. */
  readonly scores: readonly NodeScoreExplanation[];
  /** The nodes with the best total, in the order of the scan. */
  readonly best: readonly string[];
  /** Present when chance decided among the best. */
  readonly tieBreak?: TieBreak;
  /** Why the chosen node did not get the pod after all. */
  readonly refusal?: VerdictExplanation;
  readonly preemption?: PreemptionExplanation;
}

/** The attempts to place a pod. */
export interface PodExplanation {
  /** `namespace/name`. */
  readonly pod: string;
  /** Latest last; at most the last 16. */
  readonly attempts: readonly AttemptExplanation[];
}

/** Pods with attempts that are to be kept in full, however many others there are. */
export interface PodFocus {
  /** @defaultValue any */
  readonly namespace?: string | undefined;
  readonly namePrefix: string;
}
