/**
 * ResourceQuota (apiserver/pkg/admission/plugin/resourcequota/controller.go, v1.34), the last of all plugins: what an
 * object adds to the use of a quota that counts it must fit, and is written into the quota's status before the object
 * is stored. Requests are applied one after the other, so that no write of a status meets another.
 */
import type { AnyObject, Kind } from '../../api/objects/objects.js';
import {
  amountsText,
  exceeding,
  growthOf,
  isSameAmounts,
  onlyNamed,
  readAmounts,
  sumOf,
  withoutZeros,
  type QuotaAmounts,
} from '../../api/quota/quota-amounts.js';
import { isCountedBy, quotaEvaluator } from '../../api/quota/quota-evaluator.js';
import type { ResourceQuota } from '../../api/quota/quota-object.js';
import type { QuotaEvaluator, QuotaTime } from '../../api/quota/quota-rules.js';
import type { Kernel } from '../../kernel/engine/kernel.js';
import type { VersionedStore } from '../store/store.js';
import type { AdmissionPlugin } from './chain/admission-plugin.js';
import type { Attributes } from './chain/attributes.js';

/** Writes what is used of a quota, in the name of the API server. */
export type WriteUsage = (quota: ResourceQuota, used: QuotaAmounts) => void;

/** See the file header. */
export function resourceQuota(
  store: Pick<VersionedStore, 'shelf'>,
  { clock, timestamps }: Pick<Kernel, 'clock' | 'timestamps'>,
  write: WriteUsage,
): AdmissionPlugin {
  const shelf = store.shelf('ResourceQuota');
  const time = (): QuotaTime => ({ nowMs: clock.now(), toMs: (text) => timestamps.toMs(text) });
  return {
    name: 'ResourceQuota',
    sources: [shelf],
    handles: ({ operation, resource }) => {
      if (shelf.table.size === 0 || !resource.isNamespaced) return false;
      return (operation === 'CREATE' || operation === 'UPDATE') && quotaEvaluator(resource) !== undefined;
    },
    validate: (attributes) => {
      const { resource, namespace } = attributes;
      const evaluator = quotaEvaluator(resource);
      if (evaluator?.handles(attributes) !== true) return;
      const quotas = shelf.table.sorted(namespace) as unknown as readonly ResourceQuota[];
      if (quotas.length === 0) return;
      const charged = charges(attributes, evaluator, quotas, time());
      if (!attributes.isDryRun) for (const { quota, used } of charged) write(quota, used);
    },
  };
}

interface Charge {
  readonly quota: ResourceQuota;
  /** What is used of it with the object. */
  readonly used: QuotaAmounts;
}

/** @throws ApiError 403 */
function charges(
  attributes: Attributes<Kind>,
  evaluator: QuotaEvaluator,
  quotas: readonly ResourceQuota[],
  time: QuotaTime,
): readonly Charge[] {
  const object = attributes.object as AnyObject;
  const counting = quotas.filter((quota) => isCountedBy(quota, evaluator, object));
  for (const quota of counting) checkCountable(attributes, evaluator, quota, object);
  if (counting.length === 0) return [];
  const usage = evaluator.usage(object, time);
  const previous = attributes.operation === 'UPDATE' ? attributes.previous : undefined;
  const growth = previous === undefined ? usage : growthOf(usage, evaluator.usage(previous, time));
  return counting.flatMap((quota) => {
    const wasCounted = previous !== undefined && isCountedBy(quota, evaluator, previous);
    const added = withoutZeros(wasCounted ? growth : usage);
    const { hard, used } = statusOf(quota);
    const requested = onlyNamed(added, new Set(hard.keys()));
    const next = sumOf(used, requested);
    if (attributes.subresource !== 'status') checkLimits(attributes, quota, requested, next);
    return isSameAmounts(next, used) ? [] : [{ quota, used: next }];
  });
}

function statusOf({ status = {} }: ResourceQuota): { readonly hard: QuotaAmounts; readonly used: QuotaAmounts } {
  return { hard: readAmounts(status.hard), used: readAmounts(status.used) };
}

/** @throws ApiError 403 for an object that does not say what is limited, or a quota whose use is not known yet */
function checkCountable(
  attributes: Attributes<Kind>,
  evaluator: QuotaEvaluator,
  quota: ResourceQuota,
  object: AnyObject,
): void {
  const { name } = quota.metadata;
  const { hard, used } = statusOf(quota);
  const counted = [...hard.keys()].filter((each) => evaluator.counts(each));
  const missing = evaluator.missing(counted, object);
  if (missing !== '') throw attributes.refusal(`failed quota: ${name}: ${missing}`);
  if (counted.every((each) => used.has(each))) return;
  throw attributes.refusal(`status unknown for quota: ${name}, resources: ${counted.sort().join(',')}`);
}

/** @throws ApiError 403 */
function checkLimits(
  attributes: Attributes<Kind>,
  quota: ResourceQuota,
  requested: QuotaAmounts,
  next: QuotaAmounts,
): void {
  const { hard, used } = statusOf(quota);
  const exceeded = exceeding(onlyNamed(next, new Set(requested.keys())), hard);
  if (exceeded.size === 0) return;
  const text = (amounts: QuotaAmounts): string => amountsText(onlyNamed(amounts, exceeded));
  throw attributes.refusal(
    `exceeded quota: ${quota.metadata.name}, requested: ${text(requested)}, used: ${text(used)}, limited: ${text(hard)}`,
  );
}
