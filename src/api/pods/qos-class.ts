/** The quality-of-service class of a pod (component-helpers, kubectl util/qos, v1.34). */
import { RecentMap } from '../../kernel/recent-map.js';
import type { Container, PodSpec } from '../objects/objects.js';
import { knownQuantity } from '../values/quantity.js';

/** How early a node that runs short of memory gets rid of a pod. */
export type QosClass = 'Guaranteed' | 'Burstable' | 'BestEffort';

type QosSpec = Pick<PodSpec, 'containers' | 'initContainers' | 'resources'>;

const LISTS_REMEMBERED = 512;

/**
 * BestEffort asks for neither CPU nor memory; Guaranteed limits both in every container (or for the
 * whole pod) and asks for just that; everything else is Burstable.
 */
export function qosClass({ containers, initContainers = [], resources }: QosSpec): QosClass {
  const hasPodLevel = resources?.requests !== undefined || resources?.limits !== undefined;
  const holders = hasPodLevel ? [{ resources }] : withInit(containers, initContainers);
  const cpu = totalOf('cpu', holders);
  const memory = totalOf('memory', holders);
  if (isNothing(cpu) && isNothing(memory)) return 'BestEffort';
  return isGuaranteed(cpu) && isGuaranteed(memory) ? 'Guaranteed' : 'Burstable';
}

function withInit(containers: readonly Container[], initContainers: readonly Container[]): readonly Container[] {
  return initContainers.length === 0 ? containers : [...containers, ...initContainers];
}

/** What is asked for of one resource, in units of 10⁻⁹. */
interface Total {
  readonly requestNanos: bigint;
  readonly limitNanos: bigint;
  /** Every holder has a limit. */
  readonly isLimited: boolean;
}

function totalOf(name: string, holders: readonly Pick<Container, 'resources'>[]): Total {
  let requestNanos = 0n;
  let limitNanos = 0n;
  let isLimited = true;
  for (const { resources } of holders) {
    const limit = positiveNanos(resources?.limits?.[name]);
    if (limit === 0n) isLimited = false;
    limitNanos += limit;
    requestNanos += positiveNanos(resources?.requests?.[name]);
  }
  return { requestNanos, limitNanos, isLimited };
}

function isNothing({ requestNanos, limitNanos }: Total): boolean {
  return requestNanos === 0n && limitNanos === 0n;
}

function isGuaranteed({ requestNanos, limitNanos, isLimited }: Total): boolean {
  return isLimited && requestNanos === limitNanos;
}

/** Amounts that are not above zero count as absent. */
function positiveNanos(text: string | undefined): bigint {
  if (text === undefined) return 0n;
  const { nanos } = knownQuantity(text);
  return nanos > 0n ? nanos : 0n;
}

interface KnownClass {
  readonly spec: QosSpec;
  readonly qos: QosClass;
}

const classes = new RecentMap<readonly Container[], KnownClass>(LISTS_REMEMBERED);

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
