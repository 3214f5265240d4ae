/**
 * What a machine has, and what of it pods may use. Pure. Mirrors GetNodeAllocatableReservation of the kubelet's
 * container manager with MachineInfo of its node status (pkg/kubelet/cm/node_container_manager_linux.go,
 * pkg/kubelet/nodestatus/setters.go, v1.34).
 */
import { isHugePages } from '../../api/kinds/rules/resource-lists.js';
import type { ResourceList } from '../../api/objects/objects.js';
import {
  addQuantities,
  formatQuantity,
  isNegative,
  knownQuantity,
  parseQuantity,
  subtractQuantities,
  wholeValue,
  ZERO_QUANTITY,
  type Quantity,
} from '../../api/values/quantity.js';
import { amountOf } from '../configuration/threshold.js';
import { KubeletConfigurationError, type KubeletSettings } from '../configuration/kubelet-configuration.js';

/** What is said of a machine. */
export interface DeclaredResources {
  /** What it has; `pods` defaults to 110. */
  readonly capacity: ResourceList;
  /** What pods may use, said outright. @defaultValue computed from the capacity */
  readonly allocatable?: ResourceList | undefined;
}

const DEFAULT_MAX_PODS = '110';
/** Hard thresholds that keep something from being scheduled, and of what; the others only lead to evictions. */
const KEPT_FREE: Readonly<Record<string, string>> = {
  'memory.available': 'memory',
  'nodefs.available': 'ephemeral-storage',
};

/** With the number of pods that the kubelet allows. */
export function capacityOf({ capacity }: DeclaredResources, { maxPods }: KubeletSettings): ResourceList {
  return withPods(capacity, maxPods);
}

/** What the node's description says outright; else the capacity, less what is reserved and what hard thresholds keep free. */
export function allocatableOf(
  { allocatable }: DeclaredResources,
  capacity: ResourceList,
  settings: KubeletSettings,
): ResourceList {
  return allocatable === undefined
    ? allocationOf(capacity, settings).allocatable
    : withPods(allocatable, settings.maxPods);
}

/** A kubelet that would have to reserve more than there is does not start. @throws KubeletConfigurationError */
export function checkReservation(
  node: string,
  { capacity, allocatable }: DeclaredResources,
  settings: KubeletSettings,
): void {
  const excess = allocatable === undefined ? allocationOf(capacity, settings).excess : undefined;
  if (excess !== undefined) {
    const { resource, reserved } = excess;
    const least = `at least ${reserved}, which is reserved or kept free by a hard eviction threshold`;
    const got = JSON.stringify(capacity[resource]);
    throw new KubeletConfigurationError(`capacity.${resource} of node ${node} must be ${least}, got ${got}`);
  }
}

function withPods(resources: ResourceList, maxPods: number | undefined): ResourceList {
  if (maxPods === undefined && resources['pods'] !== undefined) return resources;
  return { ...resources, pods: maxPods === undefined ? DEFAULT_MAX_PODS : String(maxPods) };
}

/** What comes of a capacity under some settings. */
interface Allocation {
  readonly allocatable: ResourceList;
  /** The first resource of which more is reserved than there is. */
  readonly excess: { readonly resource: string; readonly reserved: string } | undefined;
}

/** Thousands of machines have one capacity: the arithmetic (some 40 µs) is done once for all of them. */
const known = new WeakMap<KubeletSettings, Map<string, Allocation>>();
/** Machines of that many capacities at once pay for it. */
const CACHE_LIMIT = 1024;

function allocationOf(capacity: ResourceList, settings: KubeletSettings): Allocation {
  let allocations = known.get(settings);
  if (allocations === undefined) {
    allocations = new Map<string, Allocation>();
    known.set(settings, allocations);
  }
  const key = JSON.stringify(capacity);
  let allocation = allocations.get(key);
  if (allocation === undefined) {
    if (allocations.size >= CACHE_LIMIT) allocations.clear();
    allocations.set(key, (allocation = computed(capacity, settings)));
  }
  return allocation;
}

function computed(capacity: ResourceList, settings: KubeletSettings): Allocation {
  const free: Record<string, string> = { ...capacity };
  let excess: Allocation['excess'];
  const takeOff = (resource: string, quantity: Quantity): void => {
    const before = free[resource];
    if (before === undefined) return;
    const left = subtractQuantities(knownQuantity(before), quantity);
    if (isNegative(left)) excess ??= { resource, reserved: formatQuantity(quantity) };
    free[resource] = formatQuantity(isNegative(left) ? ZERO_QUANTITY : left);
  };
  for (const [name, quantity] of reservations(capacity, settings)) takeOff(name, quantity);
  const reservedInVain = excess;
  // What is set aside in huge pages is no memory for others.
  for (const [name, text] of Object.entries(capacity)) if (isHugePages(name)) takeOff('memory', knownQuantity(text));
  return { allocatable: free, excess: reservedInVain };
}

/** By resource, in the order in which they are said. */
function reservations(
  capacity: ResourceList,
  { reserved, thresholds }: KubeletSettings,
): ReadonlyMap<string, Quantity> {
  const sums = new Map<string, Quantity>();
  const add = (name: string, quantity: Quantity): void =>
    void sums.set(name, addQuantities(sums.get(name) ?? ZERO_QUANTITY, quantity));
  for (const list of reserved) for (const [name, text] of Object.entries(list)) add(name, parseQuantity(text));
  for (const { signal, value, graceMs } of thresholds) {
    const name = graceMs > 0 ? undefined : KEPT_FREE[signal];
    const total = name === undefined ? undefined : capacity[name];
    if (name === undefined || total === undefined) continue;
    add(name, parseQuantity('text' in value ? value.text : amountOf(value, wholeValue(total))));
  }
  return sums;
}
