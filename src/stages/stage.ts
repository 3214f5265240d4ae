/**
 * Stages of kwok (kwok.x-k8s.io/v1alpha1 Stage): which objects of a kind come into one, after what time, and what
 * becomes of them then. A stage is data that was read and checked; expressions are read, templates are texts.
 * Mirrors kwok v0.8, pkg/apis/v1alpha1/stage_types.go and pkg/utils/lifecycle.
 */
import type { Json, JsonObject } from './jq/jq-values.js';

/** An object as stages see it, at a time. */
export interface StageView {
  readonly object: JsonObject;
  /** Simulated time, milliseconds since 1970. */
  readonly nowMs: number;
  /** In [0, 1), for expressions that draw. */
  readonly draw: () => number;
}

/** Whether an object has what a stage asks for. @throws StageFailure where it cannot be told */
export type StageTest = (view: StageView) => boolean;

/** A number that a stage says, or that an object does; undefined = there is none. @throws StageFailure */
export type StageNumber = (view: StageView) => number | undefined;

/** How a patch is meant; absent = strategic for pods and nodes, a merge for all else. */
export type StagePatchType = 'json' | 'merge' | 'strategic';

export interface StagePatch {
  readonly template: string;
  readonly root: string;
  readonly subresource: string;
  readonly type: StagePatchType | undefined;
}

export interface StageApply {
  readonly template: string;
  readonly subresource: string;
  readonly type: 'apply' | 'merge' | 'strategic';
}

export interface StageEvent {
  readonly type: string;
  readonly reason: string;
  readonly message: string;
}

export interface StageFinalizers {
  readonly add: readonly string[];
  readonly remove: readonly string[];
  readonly isEmptied: boolean;
}

/** One thing after the other that becomes of an object. */
export interface StageStep {
  readonly event: StageEvent | undefined;
  readonly finalizers: StageFinalizers | undefined;
  readonly deletes: boolean;
  readonly patch: StagePatch | undefined;
  readonly apply: StageApply | undefined;
}

/** See the file header. */
export interface Stage {
  readonly name: string;
  /** Such as `v1` or `shop.example.com/v1`. */
  readonly apiVersion: string;
  readonly kind: string;
  /** All of these; a stage without a selector is none. */
  readonly tests: readonly StageTest[];
  readonly weight: StageNumber;
  /** Milliseconds. */
  readonly delay: StageNumber;
  /** Milliseconds up to which the delay is drawn, or that take its place where they are fewer. */
  readonly jitter: StageNumber;
  readonly steps: readonly StageStep[];
  readonly isImmediate: boolean;
  /** As it was written. */
  readonly source: Json;
}

/** A stage cannot say something of an object: an expression or a template fails. */
export class StageFailure extends Error {
  override readonly name = 'StageFailure';
}
