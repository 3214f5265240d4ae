/**
 * LimitRanger (plugin/pkg/admission/limitranger, v1.34): the containers of new pods get the requests and limits that
 * the limit ranges of their namespace have for those that say none; what is outside of a range is refused.
 */
import { exactPodLimits, exactPodRequests } from '../../api/pods/pod-resources.js';
import type { Container, Kind, Pod, ResourceList } from '../../api/objects/objects.js';
import type { PersistentVolumeClaim } from '../../api/objects/storage-objects.js';
import { formatQuantity, knownQuantity, type Quantity } from '../../api/values/quantity.js';
import type { VersionedStore } from '../store/store.js';
import type { AdmissionPlugin } from './chain/admission-plugin.js';
import type { Attributes } from './chain/attributes.js';

const ANNOTATION = 'kubernetes.io/limit-ranger';
const NANOS_PER_MILLI = 1_000_000n;
const MILLIS_PER_UNIT = 1000;
/** Digits of Go's `%f`. */
const RATIO_DIGITS = 6;

interface LimitRangeItem {
  readonly type: string;
  readonly min?: ResourceList;
  readonly max?: ResourceList;
  readonly default?: ResourceList;
  readonly defaultRequest?: ResourceList;
  readonly maxLimitRequestRatio?: ResourceList;
}

interface LimitRange {
  readonly spec?: { readonly limits?: readonly LimitRangeItem[] };
}

type Amounts = ReadonlyMap<string, Quantity>;

/** See the file header. */
export function limitRanger(store: Pick<VersionedStore, 'shelf'>): AdmissionPlugin {
  const shelf = store.shelf('LimitRange');
  const rangesOf = ({ namespace, previous }: Attributes<Kind>): readonly (readonly LimitRangeItem[])[] => {
    if (previous?.metadata.deletionTimestamp !== undefined) return [];
    return shelf.table.sorted(namespace).map((each) => (each as unknown as LimitRange).spec?.limits ?? []);
  };
  return {
    name: 'LimitRanger',
    sources: [shelf],
    handles: ({ operation, resource, subresource }) => {
      if (shelf.table.size === 0 || (operation !== 'CREATE' && operation !== 'UPDATE')) return false;
      if (resource.storedAs === 'PersistentVolumeClaim') return subresource === '';
      const isChange = operation === 'CREATE' ? subresource === '' : subresource === 'resize';
      return resource.storedAs === 'Pod' && isChange;
    },
    mutate: (attributes) => {
      if (attributes.resource.storedAs !== 'Pod') return;
      for (const limits of rangesOf(attributes)) attributes.object = withDefaults(attributes.object as Pod, limits);
    },
    validate: (attributes) => {
      const { resource, object } = attributes;
      for (const limits of rangesOf(attributes)) {
        const faults =
          resource.storedAs === 'Pod'
            ? limits.flatMap((limit) => podFaults(object as Pod, limit))
            : limits.flatMap((limit) => claimFaults(object as PersistentVolumeClaim, limit));
        if (faults.length > 0) throw attributes.refusal(joined(faults));
      }
    },
  };
}

/** As apimachinery's errors.Aggregate is printed. */
function joined(texts: readonly string[]): string {
  const different = [...new Set(texts)];
  return different.length === 1 ? (different[0] ?? '') : `[${different.join(', ')}]`;
}

function withDefaults(pod: Pod, limits: readonly LimitRangeItem[]): Pod {
  const ofContainers = limits.filter(({ type }) => type === 'Container');
  const defaults = {
    requests: merged(ofContainers.map(({ defaultRequest }) => defaultRequest)),
    limits: merged(ofContainers.map((each) => each.default)),
  };
  const said: string[] = [];
  const fill = (what: string) => (container: Container) => withDefaultResources(container, defaults, what, said);
  const containers = pod.spec.containers.map(fill('container'));
  const initContainers = pod.spec.initContainers?.map(fill('init container'));
  if (said.length === 0) return pod;
  const annotations = { ...pod.metadata.annotations, [ANNOTATION]: `LimitRanger plugin set: ${said.join('; ')}` };
  const spec = { ...pod.spec, containers, ...(initContainers === undefined ? {} : { initContainers }) };
  return { ...pod, metadata: { ...pod.metadata, annotations }, spec };
}

function merged(lists: readonly (ResourceList | undefined)[]): ResourceList {
  return Object.assign({}, ...lists) as ResourceList;
}

function withDefaultResources(
  container: Container,
  defaults: { readonly requests: ResourceList; readonly limits: ResourceList },
  what: string,
  said: string[],
): Container {
  const { requests = {}, limits = {} } = container.resources ?? {};
  const missing = {
    request: Object.keys(defaults.requests).filter((name) => !Object.hasOwn(requests, name)),
    limit: Object.keys(defaults.limits).filter((name) => !Object.hasOwn(limits, name)),
  };
  for (const [of, names] of Object.entries(missing)) {
    if (names.length > 0) said.push(`${names.sort().join(', ')} ${of} for ${what} ${container.name}`);
  }
  if (missing.request.length + missing.limit.length === 0) return container;
  const resources = {
    ...container.resources,
    ...filledList('limits', limits, defaults.limits),
    ...filledList('requests', requests, defaults.requests),
  };
  return { ...container, resources };
}

function filledList(field: string, own: ResourceList, defaults: ResourceList): object {
  const all = { ...defaults, ...own };
  return Object.keys(all).length === 0 ? {} : { [field]: all };
}

function podFaults({ spec }: Pod, limit: LimitRangeItem): readonly string[] {
  if (limit.type === 'Pod') return faultsOf(limit, exactPodRequests(spec), exactPodLimits(spec));
  if (limit.type !== 'Container') return [];
  return [...spec.containers, ...(spec.initContainers ?? [])].flatMap(({ resources }) =>
    faultsOf(limit, amountsOf(resources?.requests), amountsOf(resources?.limits)),
  );
}

function amountsOf(list: ResourceList = {}): Amounts {
  return new Map(Object.entries(list).map(([name, text]) => [name, knownQuantity(text)]));
}

const NO_AMOUNTS: Amounts = new Map();

function claimFaults({ spec }: PersistentVolumeClaim, limit: LimitRangeItem): readonly string[] {
  if (limit.type !== 'PersistentVolumeClaim') return [];
  const requests = amountsOf(spec.resources?.requests);
  return [
    ...inOrder(limit.min).flatMap(([name, bound]) => minimumFault(limit.type, name, bound, requests, NO_AMOUNTS)),
    ...inOrder(limit.max).flatMap(([name, bound]) => {
      const request = requests.get(name);
      const rule = `maximum ${name} usage per ${limit.type} is ${formatQuantity(bound)}`;
      if (request === undefined) return [`${rule}.  No request is specified`];
      return isMore(request, bound) ? [`${rule}, but request is ${formatQuantity(request)}`] : [];
    }),
  ];
}

/** By name: upstream goes through a map in no order. */
function inOrder(list: ResourceList = {}): readonly (readonly [string, Quantity])[] {
  const names = Object.keys(list).sort();
  return names.map((name) => [name, knownQuantity(list[name] ?? '0')]);
}

function faultsOf(limit: LimitRangeItem, requests: Amounts, limits: Amounts): readonly string[] {
  const { type } = limit;
  return [
    ...inOrder(limit.min).flatMap(([name, bound]) => minimumFault(type, name, bound, requests, limits)),
    ...inOrder(limit.max).flatMap(([name, bound]) => maximumFault(type, name, bound, requests, limits)),
    ...inOrder(limit.maxLimitRequestRatio).flatMap(([name, bound]) => ratioFault(type, name, bound, requests, limits)),
  ];
}

function minimumFault(type: string, name: string, bound: Quantity, requests: Amounts, limits: Amounts): string[] {
  const [request, limit] = [requests.get(name), limits.get(name)];
  const rule = `minimum ${name} usage per ${type} is ${formatQuantity(bound)}`;
  if (request === undefined) return [`${rule}.  No request is specified`];
  if (isMore(bound, request)) return [`${rule}, but request is ${formatQuantity(request)}`];
  return limit !== undefined && isMore(bound, limit) ? [`${rule}, but limit is ${formatQuantity(limit)}`] : [];
}

function maximumFault(type: string, name: string, bound: Quantity, requests: Amounts, limits: Amounts): string[] {
  const [request, limit] = [requests.get(name), limits.get(name)];
  const rule = `maximum ${name} usage per ${type} is ${formatQuantity(bound)}`;
  if (limit === undefined) return [`${rule}.  No limit is specified`];
  if (isMore(limit, bound)) return [`${rule}, but limit is ${formatQuantity(limit)}`];
  return request !== undefined && isMore(request, bound) ? [`${rule}, but request is ${formatQuantity(request)}`] : [];
}

function ratioFault(type: string, name: string, bound: Quantity, requests: Amounts, limits: Amounts): string[] {
  const [request, limit] = [millisOf(requests.get(name)), millisOf(limits.get(name))];
  const rule = `${name} max limit to request ratio per ${type} is ${formatQuantity(bound)}`;
  if (request === 0) return [`${rule}, but no request is specified or request is 0`];
  if (limit === 0) return [`${rule}, but no limit is specified or limit is 0`];
  const ratio = limit / request;
  const isWithin = ratio * MILLIS_PER_UNIT <= millisOf(bound);
  return isWithin ? [] : [`${rule}, but provided ratio is ${ratio.toFixed(RATIO_DIGITS)}`];
}

/** In thousandths, as upstream compares what is not too large for them. */
function millisOf(quantity: Quantity | undefined): number {
  return quantity === undefined ? 0 : Number(roundedUp(quantity));
}

function isMore(left: Quantity, right: Quantity): boolean {
  return roundedUp(left) > roundedUp(right);
}

/** What is finer than a thousandth counts as one. */
function roundedUp({ nanos }: Quantity): bigint {
  return (nanos + NANOS_PER_MILLI - 1n) / NANOS_PER_MILLI;
}
