import type { TakenWay } from '../cycle/attempt/way.js';
import type { PostFilterResult } from '../framework/interface.js';
import type { Code, Status } from '../framework/status.js';
import { floatsFor, type DetailPage } from './detail-pages.js';
import type { AttemptExplanation } from './explanation.js';
import type { Rejections } from './rejection-groups.js';

/** A plugin that scored, as it is written down once for many attempts. */
export interface ScoredPlugin {
  readonly name: string;
  readonly weight: number;
  /** Whether it has normalised scores beside its raw ones. */
  readonly isNormalized: boolean;
}

/**
 * What is kept of an attempt: plain values, made readable on request. Its nodes are written down
 * on a page, for as long as that is not needed for later attempts: slots of the feasible nodes; raw and,
 * where they differ, normalised scores of each plugin; slots of the rejected nodes; the index of each
 * one's group. Each part begins at a whole index of the page's `floats`.
 */
export interface AttemptRecord {
  readonly uid: string;
  readonly pod: string;
  /** The attempt before this one; cut off where there would be too many. */
  previous: AttemptRecord | undefined;
  readonly atMs: number;
  readonly attempt: number;
  readonly nodeName: string | undefined;
  readonly chosenBy: AttemptExplanation['chosenBy'];
  readonly way: TakenWay;
  /** How it ended when it failed. */
  failedWith: Code | undefined;
  message: string | undefined;
  refusal: Status | undefined;
  preemption: PostFilterResult['explanation'];
  readonly totalNodes: number;
  readonly visited: number;
  /** Nodes on the page that fit. */
  readonly feasibleCount: number;
  readonly groups: readonly Rejections[];
  /** Plugins that scored; empty when there was nothing to choose. */
  readonly plugins: readonly ScoredPlugin[];
  readonly chosenTotal: number;
  /** Raw and normalised score of each plugin for the chosen node. */
  readonly chosen: readonly number[];
  readonly ties: number;
  readonly drawn: number;
  /** Names by slot, as they were. */
  readonly names: readonly string[];
  readonly page: DetailPage;
  /** {@link DetailPage.use} for which the page tells of this attempt. */
  readonly pageUse: number;
  /** Where on the page it begins. */
  readonly at: number;
  readonly rejectedCount: number;
  /** The nominated node if it refused and was not met again in the scan, and the index of its group. */
  readonly extraNode: string | undefined;
  readonly extraGroup: number;
}

/** Whether every node of the attempt is still written down. */
export function hasDetails({ page, pageUse }: AttemptRecord): boolean {
  return page.use === pageUse;
}

/** Entries of `floats` that an attempt takes, with so many scores altogether. */
export function detailLength(feasibleCount: number, rejectedCount: number, scoreCount: number): number {
  return floatsFor(feasibleCount) + scoreCount + 2 * floatsFor(rejectedCount);
}
