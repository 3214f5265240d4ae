/**
 * Containers of a running pod that are given more or less CPU and memory: what the node has set aside for them, what
 * their runtime gives them, and what is still asked for. Mirrors the kubelet's allocation manager
 * (pkg/kubelet/allocation, v1.34) and the runtime manager's computePodResizeAction. A pod that was never resized has
 * none of this.
 */
import type { Container, ContainerStatus, Pod, PodSpec } from '../../api/objects/objects.js';
import { isSidecar } from '../../api/pods/pod-resources.js';
import { canonicalJson, isSameJson } from '../../api/values/canonical-json.js';
import type { ContainerRecord } from '../containers/container-record.js';
import type { ContainerInstance } from '../containers/container-runtime.js';
import type { WantedCondition } from '../status/pod-conditions.js';
import type { PodRecords } from '../containers/container-record.js';

type Resources = NonNullable<Container['resources']>;

const NONE: Resources = {};
/** A resize that does not fit, now or ever. */
export interface PendingResize {
  readonly reason: 'Deferred' | 'Infeasible';
  readonly message: string;
  readonly generation: number | undefined;
  /** Its place among those that wait. */
  readonly sinceMs: number;
}

/** See the file header. */
export class PodResize {
  /** The spec with what the node has set aside. */
  allocated: PodSpec;
  pending: PendingResize | undefined;
  /** The generation of the spec that is being put into effect; `undefined` = none is. */
  progress: { readonly generation: number | undefined } | undefined;
  /** Runs that must end for their container to be resized. */
  readonly restarting = new Set<ContainerInstance>();
  /** What containers have, by name. */
  readonly #actual = new Map<string, Resources>();
  readonly #shown = new Map<string, { readonly of: ContainerStatus; readonly as: ContainerStatus }>();
  #conditions: readonly WantedCondition[] = [];
  #conditionKey = '';

  constructor(allocated: PodSpec) {
    this.allocated = allocated;
    for (const { name, resources = NONE } of resizable(allocated)) this.#actual.set(name, resources);
  }

  /** What is set aside for a container. */
  allocatedOf(name: string): Resources | undefined {
    return resizable(this.allocated).find((container) => container.name === name)?.resources;
  }

  actualOf(name: string): Resources {
    return this.#actual.get(name) ?? NONE;
  }

  actuate(name: string): void {
    this.#actual.set(name, this.allocatedOf(name) ?? NONE);
  }

  /** Whether a spec asks for what is set aside. */
  isAllocated(spec: PodSpec): boolean {
    return resizable(spec).every(({ name, resources = NONE }) => isSameJson(this.allocatedOf(name) ?? NONE, resources));
  }

  /** Whether a container has what is set aside for it. */
  isActual(name: string): boolean {
    return isSameJson(this.actualOf(name), this.allocatedOf(name) ?? NONE);
  }

  /** Whether what has changed of a container is something for which it asks to be restarted. */
  needsRestart({ name, resizePolicy = [] }: Container): boolean {
    const [actual, wanted] = [this.actualOf(name), this.allocatedOf(name) ?? NONE];
    return resizePolicy.some(({ resourceName, restartPolicy }) => {
      const isSame = isSameJson(partOf(actual, resourceName), partOf(wanted, resourceName));
      return restartPolicy === 'RestartContainer' && !isSame;
    });
  }

  /** Notes what has been put into effect by now. Returns whether that is all, and was not before. */
  settle(records: PodRecords): boolean {
    if (this.progress === undefined) return false;
    for (const { slot, spec } of resizableRecords(records)) {
      const { current } = slot;
      if (current === undefined || !slot.isRunning || this.isActual(spec.name)) continue;
      // Only a run that began in the place of one that was ended for it has what is set aside.
      if (this.restarting.has(current) || this.restarting.size === 0) return false;
      this.actuate(spec.name);
    }
    for (const { spec } of resizableRecords(records)) this.actuate(spec.name);
    this.restarting.clear();
    this.progress = undefined;
    return true;
  }

  /** The spec as its containers run by: with what is set aside, and not what is merely asked for. */
  ruling(spec: PodSpec): PodSpec {
    return this.pending === undefined ? spec : withResources(spec, this.allocated);
  }

  /** Conditions that tell how far it is. */
  conditions(): readonly WantedCondition[] {
    const { pending, progress } = this;
    const key = canonicalJson([pending ?? null, progress ?? null]);
    if (key === this.#conditionKey) return this.#conditions;
    this.#conditionKey = key;
    this.#conditions = [
      ...(pending === undefined ? [] : [pendingCondition(pending)]),
      ...(progress === undefined ? [] : [{ type: 'PodResizeInProgress', status: 'True', ...progress } as const]),
    ];
    return this.#conditions;
  }

  /** Statuses with what is set aside for their containers, and what these have; the very same for the same. */
  shown(statuses: ContainerStatus[]): ContainerStatus[] {
    return statuses.map((status) => {
      const { name, state } = status;
      const allocated = this.allocatedOf(name);
      if (allocated === undefined) return status;
      const resources = state?.running === undefined ? allocated : this.actualOf(name);
      const allocatedResources = allocated.requests;
      if (status.resources === resources && status.allocatedResources === allocatedResources) return status;
      const known = this.#shown.get(name);
      const isKnown = known?.as.resources === resources && known.as.allocatedResources === allocatedResources;
      if (known?.of === status && isKnown) return known.as;
      const as: ContainerStatus = {
        ...status,
        ...(allocatedResources === undefined ? {} : { allocatedResources }),
        resources,
      };
      this.#shown.set(name, { of: status, as });
      return as;
    });
  }
}

function pendingCondition({ reason, message, generation }: PendingResize): WantedCondition {
  return { type: 'PodResizePending', status: 'True', reason, message, generation };
}

/** Containers that can be resized: those that run beside each other. */
function resizable({ containers, initContainers = [] }: PodSpec): readonly Container[] {
  return [...containers, ...initContainers.filter(isSidecar)];
}

function withResources(spec: PodSpec, allocated: PodSpec): PodSpec {
  const own = new Map(resizable(allocated).map((container) => [container.name, container.resources]));
  const given = (container: Container): Container => {
    const resources = own.get(container.name);
    return resources === undefined || resources === container.resources ? container : { ...container, resources };
  };
  const { initContainers } = spec;
  return {
    ...spec,
    containers: spec.containers.map(given),
    ...(initContainers === undefined ? {} : { initContainers: initContainers.map(given) }),
  };
}

/** What the node has set aside for a pod, as a spec says it. */
export function allocatedSpec({ resize, pod }: { readonly resize: PodResize | undefined; readonly pod: Pod }): PodSpec {
  return resize?.allocated ?? pod.spec;
}

/** Whether a change of a pod's spec is one of its containers' resources. */
export function hasOtherResources(previous: Pod, { spec }: Pod): boolean {
  if (previous.spec === spec || previous.spec.containers === spec.containers) return false;
  const before = new Map(resizable(previous.spec).map((container) => [container.name, container.resources]));
  return resizable(spec).some(({ name, resources }) => {
    const own = before.get(name);
    return before.has(name) && own !== resources && !isSameJson(own ?? NONE, resources ?? NONE);
  });
}

/** A resize that another process of the kubelet had begun, or had put off. */
export function resumedResize({ spec, status }: Pod): PodResize | undefined {
  const shown = [...(status.containerStatuses ?? []), ...(status.initContainerStatuses ?? [])];
  const known = new Map(shown.filter(({ resources }) => resources !== undefined).map((each) => [each.name, each]));
  if (known.size === 0) return undefined;
  const set = (container: Container): Container => {
    const { resources, allocatedResources: requests } = known.get(container.name) ?? {};
    if (resources === undefined) return container;
    return { ...container, resources: { ...resources, ...(requests === undefined ? {} : { requests }) } };
  };
  const { initContainers } = spec;
  const allocated: PodSpec = {
    ...spec,
    containers: spec.containers.map(set),
    ...(initContainers === undefined ? {} : { initContainers: initContainers.map(set) }),
  };
  return new PodResize(allocated);
}

/** Records of containers that can be resized. */
export function resizableRecords({ app, init }: PodRecords): readonly ContainerRecord[] {
  return [...app, ...init.filter(({ role }) => role === 'sidecar')];
}

function partOf({ requests, limits }: Resources, name: string): unknown {
  return [requests?.[name] ?? null, limits?.[name] ?? null];
}

/** What an Event tells of a resize that is over. */
export function resizeSummary({ initContainers = [], containers }: PodSpec): string {
  return JSON.stringify({
    ...(initContainers.length === 0 ? {} : { initContainers: initContainers.map(summaryOf) }),
    containers: containers.map(summaryOf),
  });
}

function summaryOf({ name, resources = NONE }: Container): object {
  const { limits, requests } = resources;
  const own = { ...(limits === undefined ? {} : { limits }), ...(requests === undefined ? {} : { requests }) };
  return { name, resources: own };
}
