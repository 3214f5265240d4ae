/**
 * What quotas count of objects, by kind: pods, services and claims have rules of their own, of all other kinds the
 * objects are counted. Mirrors pkg/quota/v1/evaluator/core and apiserver/pkg/quota/v1/generic (v1.34).
 */
import type { AnyObject } from '../objects/objects.js';
import type { ResourceKind } from '../objects/resource-kind.js';
import { knownQuantity } from '../values/quantity.js';
import type { QuotaAmounts } from './quota-amounts.js';
import type { QuotaEvaluator } from './quota-rules.js';
import { claimEvaluator } from './claim-usage.js';
import { podEvaluator } from './pod-usage.js';
import { scopesOf, type ResourceQuota } from './quota-object.js';
import { serviceEvaluator } from './service-usage.js';

type Names = Pick<ResourceKind, 'group' | 'plural'>;

const ONE = knownQuantity('1');
/** Kinds that no quota counts. */
const UNCOUNTED: ReadonlySet<string> = new Set(['events', 'events.events.k8s.io']);
/** Kinds that a quota may also name without `count/`. */
const ALIASES: ReadonlySet<string> = new Set(['configmaps', 'resourcequotas', 'replicationcontrollers', 'secrets']);
const OWN_RULES: Readonly<Record<string, QuotaEvaluator>> = {
  pods: podEvaluator,
  services: serviceEvaluator,
  persistentvolumeclaims: claimEvaluator,
};

const evaluators = new Map<string, QuotaEvaluator>();

/** The evaluator of a kind of objects in namespaces; undefined = none counts it. */
export function quotaEvaluator({ group, plural }: Names): QuotaEvaluator | undefined {
  const resource = group === '' ? plural : `${plural}.${group}`;
  if (UNCOUNTED.has(resource)) return undefined;
  const own = OWN_RULES[resource];
  if (own !== undefined) return own;
  let found = evaluators.get(resource);
  if (found === undefined) evaluators.set(resource, (found = objectCounter(resource)));
  return found;
}

function objectCounter(resource: string): QuotaEvaluator {
  const name = `count/${resource}`;
  const names = ALIASES.has(resource) ? [name, resource] : [name];
  const usage: QuotaAmounts = new Map(names.map((each) => [each, ONE]));
  return {
    handles: ({ operation, subresource }) => operation === 'CREATE' && subresource === '',
    counts: (each) => names.includes(each),
    isInScope: () => false,
    missing: () => '',
    usage: () => usage,
  };
}

/** Whether a quota counts an object. */
export function isCountedBy(quota: ResourceQuota, evaluator: QuotaEvaluator, object: AnyObject): boolean {
  if (!Object.keys(quota.status?.hard ?? {}).some((name) => evaluator.counts(name))) return false;
  return scopesOf(quota).every((scope) => evaluator.isInScope(scope, object));
}
