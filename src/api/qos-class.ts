/** The quality-of-service class of a pod (component-helpers, kubectl util/qos, v1.34). */
import type { Container, PodSpec, ResourceList } from './objects.js';
import { addQuantities, compareQuantities, knownQuantity, type Quantity } from './quantity.js';

/** How early a node that runs short of memory gets rid of a pod. */
export type QosClass = 'Guaranteed' | 'Burstable' | 'BestEffort';

type QosSpec = Pick<PodSpec, 'containers' | 'initContainers' | 'resources'>;

const QOS_RESOURCES = ['cpu', 'memory'] as const;

/**
 * BestEffort asks for neither CPU nor memory; Guaranteed limits both in every container (or for the
 * whole pod) and asks for just that; everything else is Burstable.
 */
export function qosClass({ containers, initContainers = [], resources }: QosSpec): QosClass {
  const hasPodLevel = resources?.requests !== undefined || resources?.limits !== undefined;
  const holders = hasPodLevel ? [resources] : [...containers, ...initContainers].map((each) => each.resources);
  const requests = new Map<string, Quantity>();
  const limits = new Map<string, Quantity>();
  let isLimited = true;
  for (const holder of holders) {
    collect(requests, holder?.requests);
    if (collect(limits, holder?.limits) < QOS_RESOURCES.length) isLimited = false;
  }
  if (requests.size === 0 && limits.size === 0) return 'BestEffort';
  const isGuaranteed =
    isLimited &&
    requests.size === limits.size &&
    [...requests].every(([name, request]) => {
      const limit = limits.get(name);
      return limit !== undefined && compareQuantities(request, limit) === 0;
    });
  return isGuaranteed ? 'Guaranteed' : 'Burstable';
}

/** Adds the positive amounts; returns how many there were. */
function collect(total: Map<string, Quantity>, list: ResourceList | undefined): number {
  let count = 0;
  for (const name of QOS_RESOURCES) {
    const text = list?.[name];
    if (text === undefined) continue;
    const quantity = knownQuantity(text);
    if (quantity.nanos <= 0n) continue;
    count += 1;
    const before = total.get(name);
    total.set(name, before === undefined ? quantity : addQuantities(before, quantity));
  }
  return count;
}

const classes = new WeakMap<readonly Container[], { readonly spec: QosSpec; readonly qos: QosClass }>();

/** {@link qosClass}, remembered per list of containers. */
export function podQosClass(spec: QosSpec): QosClass {
  const known = classes.get(spec.containers);
  if (known !== undefined && isSameSpec(known.spec, spec)) return known.qos;
  const qos = qosClass(spec);
  classes.set(spec.containers, { spec, qos });
  return qos;
}

function isSameSpec(left: QosSpec, right: QosSpec): boolean {
  return left.initContainers === right.initContainers && left.resources === right.resources;
}
