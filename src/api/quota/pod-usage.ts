/** What quotas count of pods (pkg/quota/v1/evaluator/core/pods.go, v1.34). */
import type { AnyObject, Container, core, Pod, ResourceList } from '../objects/objects.js';
import { exactPodLimits, exactPodRequests } from '../pods/pod-resources.js';
import { qosClass } from '../pods/qos-class.js';
import { addQuantities, knownQuantity, type Quantity } from '../values/quantity.js';
import type { QuotaAmounts } from './quota-amounts.js';
import type { QuotaEvaluator, QuotaTime } from './quota-rules.js';
import { meets, type ScopeRequirement } from './quota-object.js';

const ONE = knownQuantity('1');
const COUNT = 'count/pods';
const COMPUTE = ['cpu', 'memory', 'ephemeral-storage'];
const COUNTED: ReadonlySet<string> = new Set([
  COUNT,
  'pods',
  ...COMPUTE.flatMap((name) => [name, `requests.${name}`, `limits.${name}`]),
]);
/** What each container must say where a quota limits it: upstream's validationSet. */
const REQUIRED: ReadonlySet<string> = new Set(
  ['cpu', 'memory'].flatMap((name) => [name, `requests.${name}`, `limits.${name}`]),
);
const REQUESTS = 'requests.';
const HUGE_PAGES = 'hugepages-';
const SECOND_MS = 1000;

export const podEvaluator: QuotaEvaluator = {
  handles({ operation, subresource, object, previous }) {
    if (subresource === 'resize') return operation === 'UPDATE';
    if (subresource !== '') return false;
    if (operation !== 'UPDATE') return operation === 'CREATE';
    return hasDeadline(object as Pod) !== hasDeadline(previous as Pod);
  },
  counts: (name) =>
    COUNTED.has(name) ||
    name.startsWith(HUGE_PAGES) ||
    name.startsWith(REQUESTS + HUGE_PAGES) ||
    (name.startsWith(REQUESTS) && !isNative(name)),
  isInScope: (scope, object) => isInScope(scope, object as Pod),
  missing: (resources, object) => missingText(resources, object as Pod),
  usage: (object, time) => usageOf(object as Pod, time),
};

function isNative(name: string): boolean {
  return !name.includes('/') || name.includes('kubernetes.io/');
}

/** Whether a pod ends by a deadline: upstream calls that terminating. */
function hasDeadline({ spec }: Pod): boolean {
  return (spec.activeDeadlineSeconds ?? -1) >= 0;
}

/** Whether a pod uses what it asks for: it has not ended, and its grace is not over. */
function isActivePod({ status, metadata }: Pod, { nowMs, toMs }: QuotaTime): boolean {
  if (status?.phase === 'Failed' || status?.phase === 'Succeeded') return false;
  const { deletionTimestamp, deletionGracePeriodSeconds } = metadata;
  if (deletionTimestamp === undefined || deletionGracePeriodSeconds === undefined) return true;
  return nowMs <= toMs(deletionTimestamp) + deletionGracePeriodSeconds * SECOND_MS;
}

function isInScope(scope: ScopeRequirement, pod: Pod): boolean {
  const { spec } = pod;
  switch (scope.scopeName) {
    case 'Terminating':
      return hasDeadline(pod);
    case 'NotTerminating':
      return !hasDeadline(pod);
    case 'BestEffort':
      return qosClass(spec) === 'BestEffort';
    case 'NotBestEffort':
      return qosClass(spec) !== 'BestEffort';
    case 'PriorityClass':
      return meets(scope, spec.priorityClassName || undefined);
    case 'CrossNamespacePodAffinity':
      return looksElsewhere(spec.affinity);
    default:
      return false;
  }
}

/** Whether a pod wants to be with, or away from, pods of other namespaces. */
function looksElsewhere({ podAffinity, podAntiAffinity }: core.Affinity = {}): boolean {
  const terms = [podAffinity, podAntiAffinity].flatMap((affinity) => [
    ...(affinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []),
    ...(affinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(({ podAffinityTerm }) => podAffinityTerm),
  ]);
  return terms.some(
    ({ namespaces = [], namespaceSelector }) => namespaces.length > 0 || namespaceSelector !== undefined,
  );
}

function missingText(resources: readonly string[], { spec }: Pod): string {
  if (
    spec.resources !== undefined &&
    Object.keys({ ...spec.resources.requests, ...spec.resources.limits }).length > 0
  ) {
    return '';
  }
  const required = resources.filter((name) => REQUIRED.has(name)).sort();
  const containers = [...spec.containers, ...(spec.initContainers ?? [])];
  const texts = required.flatMap((name) => {
    const lacking = containers.filter((each) => !containerNames(each).has(name)).map((each) => each.name);
    return lacking.length === 0 ? [] : [`${name} for: ${[...new Set(lacking)].sort().join(',')}`];
  });
  return texts.length === 0 ? '' : `must specify ${texts.join('; ')}`;
}

function containerNames({ resources }: Container): ReadonlySet<string> {
  return new Set(computeUsage(amountsOf(resources?.requests), amountsOf(resources?.limits)).keys());
}

function amountsOf(list: ResourceList = {}): QuotaAmounts {
  return new Map(Object.entries(list).map(([name, text]) => [name, knownQuantity(text)]));
}

function usageOf(pod: Pod, time: QuotaTime): QuotaAmounts {
  const count = [COUNT, ONE] as const;
  if (!isActivePod(pod, time)) return new Map([count]);
  const { spec } = pod;
  return new Map([
    count,
    ...computeUsage(withOverhead(exactPodRequests(spec), spec), withOverhead(exactPodLimits(spec), spec, true)),
  ]);
}

/** @param onlyLimited - whether what has no limit keeps having none */
function withOverhead(amounts: QuotaAmounts, { overhead }: Pod['spec'], onlyLimited = false): QuotaAmounts {
  if (overhead === undefined) return amounts;
  const sum = new Map(amounts);
  for (const [name, quantity] of amountsOf(overhead)) {
    const own = sum.get(name);
    if (own !== undefined && (!onlyLimited || own.nanos !== 0n)) sum.set(name, addQuantities(own, quantity));
    else if (!onlyLimited) sum.set(name, quantity);
  }
  return sum;
}

function computeUsage(requests: QuotaAmounts, limits: QuotaAmounts): QuotaAmounts {
  const usage = new Map<string, Quantity>([['pods', ONE]]);
  for (const [name, quantity] of requests) {
    const isCompute = COMPUTE.includes(name) || name.startsWith(HUGE_PAGES);
    if (isCompute) usage.set(name, quantity);
    if (isCompute || (!isNative(name) && !name.startsWith(REQUESTS))) usage.set(REQUESTS + name, quantity);
  }
  for (const [name, quantity] of limits) if (COMPUTE.includes(name)) usage.set(`limits.${name}`, quantity);
  return usage;
}

/** Whether a change of a pod can set something free that its quotas count. */
export function isPodFreed(previous: AnyObject, next: AnyObject, time: QuotaTime): boolean {
  const [before, after] = [previous as Pod, next as Pod];
  if (hasDeadline(before) !== hasDeadline(after) || before.spec.containers !== after.spec.containers) return true;
  return isActivePod(before, time) && !isActivePod(after, time);
}
