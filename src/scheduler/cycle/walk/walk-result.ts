import type { WalkPlan } from './walk-plan.js';
import type { WalkBuffers } from './walk-buffers.js';

/** What a direct walk has found. */
export interface WalkResult {
  /** Nodes that were visited, and feasible ones among them. */
  readonly visited: number;
  readonly feasible: number;
  /** The best score, without what all nodes get alike, and how many nodes have it. */
  readonly best: number;
  readonly ties: number;
  /** Position in the scan order of one of the best nodes, by its number among them in the order of the walk. */
  positionOf(tie: number): number;
  /** Its place among the feasible nodes. */
  placeOf(tie: number): number;
}

/** A walk over all nodes that somebody else has made. */
export interface ForeseenWalk {
  readonly buffers: WalkBuffers;
  /** Position at which it began. */
  readonly start: number;
  /** Position in the log of written slots: nodes written since may have been seen as they never were. */
  readonly written: number;
}

/** Walks that others have made, such as worker threads; see parallel/. */
export interface WalkSource {
  /** Asked before each walk over all nodes. What it gives is void when it is asked again. */
  take(shapeId: number): ForeseenWalk | undefined;
}

/** Who can do with walks that others have made. */
export interface WalkTaker {
  /** What such a walk goes by; absent where no walk could be made. */
  readonly plan: WalkPlan | undefined;
  /** Whether the last pods of an outline were decided by such walks; `undefined` when there were none lately. */
  isWalked(outlineId: number): boolean | undefined;
  /** From now on walks are asked for there first. */
  setWalkSource(source: WalkSource | undefined): void;
}
