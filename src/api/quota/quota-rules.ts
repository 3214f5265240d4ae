import type { AnyObject } from '../objects/objects.js';
import type { QuotaAmounts } from './quota-amounts.js';
import type { ScopeRequirement } from './quota-object.js';

/** What of a request decides whether it changes a usage. */
export interface QuotaChange {
  readonly operation: string;
  readonly subresource: string;
  readonly object: AnyObject | undefined;
  readonly previous: AnyObject | undefined;
}

/** How quotas count the objects of one kind. */
export interface QuotaEvaluator {
  /** Whether a request can change what is used. */
  handles(change: QuotaChange): boolean;
  /** Whether it counts a resource that a quota names. */
  counts(resource: string): boolean;
  /** Whether an object meets a scope. */
  isInScope(scope: ScopeRequirement, object: AnyObject): boolean;
  /** What an object must say and does not, where a quota limits these resources; empty = nothing. */
  missing(resources: readonly string[], object: AnyObject): string;
  /** What an object uses of each resource. */
  usage(object: AnyObject, time: QuotaTime): QuotaAmounts;
}

/** The present, for pods whose grace is over. */
export interface QuotaTime {
  readonly nowMs: number;
  readonly toMs: (timestamp: string) => number;
}
