/** Which resources exist and how lists of them are kept (pkg/apis/core/helper, v1.34). */
import { qualifiedName } from '../../values/names.js';
import type { ResourceList } from '../../objects/objects.js';
import { canonicalQuantity, knownQuantity, type Quantity } from '../../values/quantity.js';

const HUGE_PAGES_PREFIX = 'hugepages-';
const NATIVE_DOMAIN = 'kubernetes.io/';
const QUOTA_PREFIX = 'requests.';

const CONTAINER_RESOURCES: ReadonlySet<string> = new Set(['cpu', 'memory', 'ephemeral-storage']);
const STANDARD_RESOURCES: ReadonlySet<string> = new Set([
  ...CONTAINER_RESOURCES,
  'requests.cpu',
  'requests.memory',
  'requests.ephemeral-storage',
  'limits.cpu',
  'limits.memory',
  'limits.ephemeral-storage',
  'pods',
  'resourcequotas',
  'services',
  'replicationcontrollers',
  'secrets',
  'configmaps',
  'persistentvolumeclaims',
  'storage',
  'requests.storage',
  'services.nodeports',
  'services.loadbalancers',
]);
const COUNTED_RESOURCES: ReadonlySet<string> = new Set([
  'pods',
  'resourcequotas',
  'services',
  'replicationcontrollers',
  'secrets',
  'configmaps',
  'persistentvolumeclaims',
  'services.nodeports',
  'services.loadbalancers',
]);

/** `hugepages-2Mi` and the like. */
export function isHugePages(name: string): boolean {
  return name.startsWith(HUGE_PAGES_PREFIX);
}

/** The size of the pages that a resource of them counts; undefined for one that does not say it. */
export function pageSizeOf(name: string): Quantity | undefined {
  try {
    return knownQuantity(name.slice(HUGE_PAGES_PREFIX.length));
  } catch {
    return undefined;
  }
}

/** A resource that Kubernetes itself knows, or that a plugin of its own names. */
export function isNativeResource(name: string): boolean {
  return !name.includes('/') || name.includes(NATIVE_DOMAIN);
}

/** A resource of a vendor, such as `nvidia.com/gpu`: whole numbers, never overcommitted. */
export function isExtendedResource(name: string): boolean {
  if (isNativeResource(name) || name.startsWith(QUOTA_PREFIX)) return false;
  return qualifiedName(QUOTA_PREFIX + name).length === 0;
}

/** Resources of which containers may together use more than there is. */
export function isOvercommitAllowed(name: string): boolean {
  return isNativeResource(name) && !isHugePages(name);
}

/** Resources that come in whole numbers only. */
export function isIntegerResource(name: string): boolean {
  return COUNTED_RESOURCES.has(name) || isExtendedResource(name);
}

/** A name without a domain that means something. */
export function isStandardResource(name: string): boolean {
  return STANDARD_RESOURCES.has(name) || isHugePages(name) || isRequestedHugePages(name);
}

/** As a quota counts huge pages: `requests.hugepages-2Mi`. */
function isRequestedHugePages(name: string): boolean {
  return name.startsWith(`${QUOTA_PREFIX}${HUGE_PAGES_PREFIX}`);
}

/** A name without a domain that a quota may limit. */
export function isStandardQuotaResource(name: string): boolean {
  if (name === 'storage') return false;
  return isStandardResource(name);
}

/** A name without a domain that a container may ask for. */
export function isContainerResource(name: string): boolean {
  return CONTAINER_RESOURCES.has(name) || isHugePages(name);
}

/** The list as the server keeps it: canonical texts, rounded up to thousandths. */
export function canonicalResourceList(list: ResourceList): ResourceList {
  let canonical: Record<string, string> | undefined;
  for (const name in list) {
    const text = list[name] as string;
    const kept = canonicalQuantity(text);
    if (kept === text) continue;
    canonical ??= { ...list };
    canonical[name] = kept;
  }
  return canonical ?? list;
}
