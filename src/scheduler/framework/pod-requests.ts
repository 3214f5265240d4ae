/**
 * What a pod requests, in the several ways in which the scheduler counts it. Mirrors Kubernetes v1.34
 * `component-helpers/resource.PodRequests` with sidecars, pod-level resources and in-place resize.
 */
import type { core, Pod, PodSpec } from '../../api/objects/objects.js';
import { addAmounts, amountOf, isGreater, unitsAmount, type Amount } from './amount.js';
import type { AmountList } from './resource.js';

/** Requests assumed for containers without a key in scores, where no pod should weigh nothing. */
const DEFAULT_CPU_MILLIS = 100;
const DEFAULT_MEMORY_BYTES = 200 * 1024 * 1024;

/** {@link DEFAULT_CPU_MILLIS} and {@link DEFAULT_MEMORY_BYTES} as amounts. */
export const NON_ZERO_DEFAULTS: AmountList = new Map([
  ['cpu', amountOf(`${DEFAULT_CPU_MILLIS}m`)],
  ['memory', unitsAmount(DEFAULT_MEMORY_BYTES)],
]);

/** How {@link podRequests} counts. */
export interface RequestOptions {
  /** Also counts what the status says is allocated or actual. */
  readonly status?: Pod['status'] | undefined;
  /** Filled in per container where a key is missing. */
  readonly defaults?: AmountList | undefined;
  /** Leaves `spec.resources` aside. */
  readonly ignorePodLevel?: boolean | undefined;
}

type Amounts = Map<string, Amount>;
type Requests = core.ResourceRequirements['requests'];

/** The pod's total per resource, not yet rounded. */
export function podRequests(spec: PodSpec, options: RequestOptions = {}): AmountList {
  const statuses = options.status === undefined ? undefined : resizableStatuses(options.status);
  const [first, ...others] = spec.containers;
  const total: Amounts = first === undefined ? new Map() : containerRequests(first, options, statuses);
  for (const container of others) addAll(total, containerRequests(container, options, statuses));
  if (spec.initContainers !== undefined && spec.initContainers.length > 0) {
    addInitContainers(total, spec.initContainers, options, statuses);
  }
  if (options.ignorePodLevel !== true) replaceByPodLevel(total, spec.resources?.requests);
  if (spec.overhead !== undefined) addAll(total, amountsOf(spec.overhead));
  return total;
}

/** Whether pod-level requests name a resource that may be requested there. */
export function hasPodLevelRequests(spec: PodSpec): boolean {
  const requests = spec.resources?.requests;
  return requests !== undefined && Object.keys(requests).some(isPodLevelResource);
}

/** Whether the status may make the pod count for something else than its spec. */
export function hasStatusResources(status: Pod['status']): boolean {
  return hasResources(status.containerStatuses) || hasResources(status.initContainerStatuses);
}

function hasResources(statuses: readonly core.ContainerStatus[] | undefined): boolean {
  if (statuses === undefined) return false;
  for (const status of statuses) if (status.resources !== undefined) return true;
  return false;
}

function isPodLevelResource(name: string): boolean {
  return name === 'cpu' || name === 'memory' || name.startsWith('hugepages-');
}

/** Sidecars add to the running sum; a plain init container competes with it together with the sidecars before it. */
function addInitContainers(
  total: Amounts,
  containers: readonly core.Container[],
  options: RequestOptions,
  statuses: ResizableStatuses | undefined,
): void {
  const sidecars: Amounts = new Map();
  const peak: Amounts = new Map();
  for (const container of containers) {
    if (container.restartPolicy === 'Always') {
      const requests = containerRequests(container, options, statuses);
      addAll(total, requests);
      addAll(sidecars, requests);
      raiseTo(peak, sidecars);
    } else {
      const together: Amounts = new Map(containerRequests(container, options, undefined));
      addAll(together, sidecars);
      raiseTo(peak, together);
    }
  }
  raiseTo(total, peak);
}

function replaceByPodLevel(total: Amounts, requests: Requests): void {
  if (requests === undefined) return;
  for (const [name, quantity] of Object.entries(requests)) {
    if (isPodLevelResource(name)) total.set(name, amountOf(quantity));
  }
}

function containerRequests(
  container: core.Container,
  options: RequestOptions,
  statuses: ResizableStatuses | undefined,
): Amounts {
  const status = statuses?.byName.get(container.name);
  const spec = container.resources?.requests;
  const requests: Amounts = status === undefined || statuses?.isInfeasible !== true ? amountsOf(spec) : new Map();
  if (status !== undefined) {
    raiseTo(requests, amountsOf(status.resources?.requests));
    raiseTo(requests, amountsOf(status.allocatedResources));
  }
  if (options.defaults !== undefined) {
    for (const [name, amount] of options.defaults) if (!requests.has(name)) requests.set(name, amount);
  }
  return requests;
}

interface ResizableStatuses {
  readonly byName: ReadonlyMap<string, core.ContainerStatus>;
  /** The resize that the spec asks for will not happen: the spec does not count. */
  readonly isInfeasible: boolean;
}

function resizableStatuses(status: Pod['status']): ResizableStatuses {
  const byName = new Map<string, core.ContainerStatus>();
  for (const list of [status.containerStatuses, status.initContainerStatuses]) {
    for (const entry of list ?? []) if (entry.resources !== undefined) byName.set(entry.name, entry);
  }
  const resize = status.conditions?.find((condition) => condition.type === 'PodResizePending');
  return { byName, isInfeasible: resize?.reason === 'Infeasible' };
}

function amountsOf(list: Requests): Amounts {
  const amounts: Amounts = new Map();
  if (list !== undefined) for (const name in list) amounts.set(name, amountOf(list[name] as string));
  return amounts;
}

function addAll(target: Amounts, list: AmountList): void {
  for (const [name, amount] of list) {
    const present = target.get(name);
    target.set(name, present === undefined ? amount : addAmounts(present, amount));
  }
}

function raiseTo(target: Amounts, list: AmountList): void {
  for (const [name, amount] of list) {
    const present = target.get(name);
    if (present === undefined || isGreater(amount, present)) target.set(name, amount);
  }
}
