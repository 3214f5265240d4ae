/** Resource quotas as they are stored, and which objects their scopes take in (apiserver/pkg/quota/v1, v1.34). */
import type { KubeObject } from '../objects/kube-object.js';
import { writeAmounts, type QuotaAmounts } from './quota-amounts.js';
import type { core } from '../objects/objects.js';

/** A quota. */
export interface ResourceQuota extends KubeObject {
  readonly spec?: core.ResourceQuotaSpec;
  readonly status?: core.ResourceQuotaStatus;
}

/** The quota with another use. */
export function withUsage<T extends ResourceQuota>(quota: T, used: QuotaAmounts): T {
  return { ...quota, status: { ...quota.status, used: writeAmounts(used) } };
}

/** One condition on objects that a quota counts. */
export type ScopeRequirement = core.ScopedResourceSelectorRequirement;

/** All of a quota's conditions: an object must meet each. */
export function scopesOf({ spec = {} }: ResourceQuota): readonly ScopeRequirement[] {
  const { scopes = [], scopeSelector } = spec;
  const plain = scopes.map((scopeName): ScopeRequirement => ({ scopeName, operator: 'Exists' }));
  return [...plain, ...(scopeSelector?.matchExpressions ?? [])];
}

/** Whether a name, or the lack of one, meets a condition on it. */
export function meets({ operator, values = [] }: ScopeRequirement, name: string | undefined): boolean {
  switch (operator) {
    case 'In':
      return name !== undefined && values.includes(name);
    case 'NotIn':
      return name === undefined || !values.includes(name);
    case 'Exists':
      return name !== undefined;
    default:
      return name === undefined;
  }
}
