/**
 * What a pod asks for, in plain whole numbers: CPU in millicores, everything else in units (bytes,
 * devices), added exactly and rounded up once per pod. Answers are remembered per spec and per list of
 * containers, as pods of one template share them. Mirrors component-helpers' resource package, kubelet
 * qos and the scheduler's non-zero requests (v1.34).
 */
import {
  addQuantities,
  compareQuantities,
  knownQuantity,
  milliValue,
  value,
  type Quantity,
} from '../values/quantity.js';
import type { Container, PodSpec, ResourceList } from '../objects/objects.js';

/** Resource name to amount: `cpu` in millicores, others in whole units. */
export type ResourceAmounts = ReadonlyMap<string, number>;

/** CPU that scoring assumes of a container that asks for none, in millicores. */
const DEFAULT_MILLI_CPU_REQUEST = 100;
/** Memory that scoring assumes of a container that asks for none, in bytes. */
const DEFAULT_MEMORY_REQUEST_BYTES = 200 * 1024 * 1024;

const DEFAULT_CPU = knownQuantity(`${DEFAULT_MILLI_CPU_REQUEST}m`);
const DEFAULT_MEMORY = knownQuantity(DEFAULT_MEMORY_REQUEST_BYTES);

/** The parts of a spec that requests depend on. */
type RequestSpec = Pick<PodSpec, 'containers' | 'initContainers' | 'overhead' | 'resources'>;

type Amounts = Map<string, Quantity>;

const EMPTY: ResourceList = Object.freeze({});

/**
 * A function of a spec that remembers its answers by `containers` and checks the other parts: pods of
 * one template differ in their specs but share these.
 */
function rememberedBySpec<T>(compute: (spec: RequestSpec) => T): (spec: RequestSpec) => T {
  const answers = new WeakMap<readonly Container[], { readonly spec: RequestSpec; readonly answer: T }>();
  return (spec) => {
    const last = answers.get(spec.containers);
    if (last !== undefined && isSameRequest(last.spec, spec)) return last.answer;
    const answer = compute(spec);
    answers.set(spec.containers, { spec, answer });
    return answer;
  };
}

function isSameRequest(left: RequestSpec, right: RequestSpec): boolean {
  return (
    left === right ||
    (left.initContainers === right.initContainers &&
      left.overhead === right.overhead &&
      left.resources === right.resources)
  );
}

/**
 * A pod's requests: its containers and sidecars together, or the peak of its init phase if that is
 * more; pod-level requests in their place; overhead on top.
 */
export const podRequests: (spec: RequestSpec) => ResourceAmounts = rememberedBySpec((spec) => {
  const total = withPodLevel(aggregate(spec, requestsOf), spec.resources?.requests);
  return rounded(withOverhead(total, spec.overhead));
});

/**
 * Requests as scoring sees an incoming pod: each container that does not say is taken to ask for
 * 100m CPU and 200Mi memory (an explicit 0 stays 0); pod-level requests are ignored, as in 1.34.
 */
export const podScoreRequests: (spec: RequestSpec) => ResourceAmounts = rememberedBySpec((spec) =>
  rounded(withOverhead(aggregate(spec, nonZeroRequestsOf), spec.overhead)),
);

/** A pod's limits, aggregated as requests are; containers without a limit count as nothing. */
export const podLimits: (spec: RequestSpec) => ResourceAmounts = rememberedBySpec((spec) =>
  rounded(withPodLevel(aggregate(spec, limitsOf), spec.resources?.limits)),
);

/**
 * The exact requests of the containers alone, without pod-level ones and overhead: what the defaults
 * of pod-level requests build on.
 */
export function aggregatedContainerRequests(spec: RequestSpec): ReadonlyMap<string, Quantity> {
  return aggregate(spec, requestsOf);
}

/** As {@link aggregatedContainerRequests}, of limits. */
export function aggregatedContainerLimits(spec: RequestSpec): ReadonlyMap<string, Quantity> {
  return aggregate(spec, limitsOf);
}

/** What admission counts of a pod, exactly: its containers and sidecars or its init phase, and pod-level ones instead. */
export function exactPodRequests(spec: RequestSpec): ReadonlyMap<string, Quantity> {
  return withPodLevel(aggregate(spec, requestsOf), spec.resources?.requests);
}

/** As {@link exactPodRequests}, of limits. */
export function exactPodLimits(spec: RequestSpec): ReadonlyMap<string, Quantity> {
  return withPodLevel(aggregate(spec, limitsOf), spec.resources?.limits);
}

function withPodLevel(total: Amounts, stated: ResourceList = EMPTY): Amounts {
  for (const [name, text] of Object.entries(stated)) {
    if (isPodLevelResource(name)) total.set(name, knownQuantity(text));
  }
  return total;
}

/** Resources that may be requested for a pod as a whole. */
export function isPodLevelResource(name: string): boolean {
  return name === 'cpu' || name === 'memory' || name.startsWith('hugepages-');
}

type NamedQuantity = readonly [name: string, quantity: Quantity];

function known([name, text]: readonly [string, string]): NamedQuantity {
  return [name, knownQuantity(text)];
}

function requestsOf({ resources }: Container): readonly NamedQuantity[] {
  return Object.entries(resources?.requests ?? EMPTY).map(known);
}

function limitsOf({ resources }: Container): readonly NamedQuantity[] {
  return Object.entries(resources?.limits ?? EMPTY).map(known);
}

function nonZeroRequestsOf(container: Container): readonly NamedQuantity[] {
  const { requests = EMPTY } = container.resources ?? {};
  return [
    ...requestsOf(container),
    ...(requests['cpu'] === undefined ? [['cpu', DEFAULT_CPU] as const] : []),
    ...(requests['memory'] === undefined ? [['memory', DEFAULT_MEMORY] as const] : []),
  ];
}

/** Whether an init container keeps running beside the others. */
export function isSidecar({ restartPolicy }: Container): boolean {
  return restartPolicy === 'Always';
}

function aggregate(
  { containers, initContainers = [] }: RequestSpec,
  amountsOf: (container: Container) => readonly NamedQuantity[],
): Amounts {
  const running: Amounts = new Map();
  for (const container of containers) add(running, amountsOf(container));
  const sidecars: Amounts = new Map();
  const peak: Amounts = new Map();
  for (const container of initContainers) {
    const amounts = amountsOf(container);
    if (isSidecar(container)) {
      add(running, amounts);
      add(sidecars, amounts);
      raise(peak, sidecars);
    } else {
      const phase = new Map(sidecars);
      add(phase, amounts);
      raise(peak, phase);
    }
  }
  raise(running, peak);
  return running;
}

function add(total: Amounts, amounts: Iterable<NamedQuantity>): void {
  for (const [name, quantity] of amounts) {
    const before = total.get(name);
    total.set(name, before === undefined ? quantity : addQuantities(before, quantity));
  }
}

function raise(total: Amounts, amounts: Iterable<NamedQuantity>): void {
  for (const [name, quantity] of amounts) {
    const before = total.get(name);
    if (before === undefined || compareQuantities(quantity, before) > 0) total.set(name, quantity);
  }
}

function withOverhead(total: Amounts, overhead: ResourceList | undefined): Amounts {
  if (overhead !== undefined) add(total, Object.entries(overhead).map(known));
  return total;
}

function rounded(total: Amounts): ResourceAmounts {
  const amounts = new Map<string, number>();
  for (const [name, quantity] of total) amounts.set(name, name === 'cpu' ? milliValue(quantity) : value(quantity));
  return amounts;
}
