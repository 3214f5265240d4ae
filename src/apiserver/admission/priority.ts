/** Priority (plugin/pkg/admission/priority, v1.34): resolves a pod's class to a number, guards the classes. */
import type { Filling } from '../../api/kinds/rules/filling.js';
import type { PodSpec, PriorityClass } from '../../api/objects/objects.js';
import { forbidden, type ResourceNames } from '../store/api-errors.js';
import type { Shelf } from '../store/store.js';

/** Classes that exist from the start and cannot be deleted. */
export const SYSTEM_PRIORITY_CLASSES: readonly {
  readonly name: string;
  readonly value: number;
  readonly description: string;
}[] = [
  {
    name: 'system-cluster-critical',
    value: 2_000_000_000,
    description:
      'Used for system critical pods that must run in the cluster, but can be moved to another node if necessary.',
  },
  {
    name: 'system-node-critical',
    value: 2_000_001_000,
    description: 'Used for system critical pods that must not be moved from their current node.',
  },
];

const DEFAULT_POLICY = 'PreemptLowerPriority';

/** Gives a new pod its priority by its class, or by the default class. @throws ApiError 403 */
export function setPriority(
  filling: Filling<PodSpec>,
  podName: string,
  pods: ResourceNames,
  classes: Shelf<'PriorityClass'>,
): void {
  const spec = filling.object;
  const resolved = resolve(spec.priorityClassName, podName, pods, classes);
  const { name, priority, preemptionPolicy } = resolved;
  if (spec.priority !== undefined && spec.priority !== priority) {
    const why = `the integer value of priority (${spec.priority}) must not be provided in pod spec`;
    throw forbidden(
      pods,
      podName,
      `${why}; priority admission controller computed ${priority} from the given PriorityClass name`,
    );
  }
  if (
    preemptionPolicy !== undefined &&
    spec.preemptionPolicy !== undefined &&
    spec.preemptionPolicy !== preemptionPolicy
  ) {
    const why = `the string value of PreemptionPolicy (${spec.preemptionPolicy}) must not be provided in pod spec`;
    throw forbidden(
      pods,
      podName,
      `${why}; priority admission controller computed ${preemptionPolicy} from the given PriorityClass name`,
    );
  }
  if (name !== '') filling.set('priorityClassName', name);
  filling
    .set('priority', priority)
    .set('preemptionPolicy', spec.preemptionPolicy ?? preemptionPolicy ?? DEFAULT_POLICY);
}

/** An update keeps the priority and policy that it leaves out. */
export function withPreviousPriority(next: PodSpec, previous: PodSpec): PodSpec {
  const { priority = previous.priority, preemptionPolicy = previous.preemptionPolicy } = next;
  if (priority === next.priority && preemptionPolicy === next.preemptionPolicy) return next;
  return {
    ...next,
    ...(priority === undefined ? {} : { priority }),
    ...(preemptionPolicy === undefined ? {} : { preemptionPolicy }),
  };
}

/** Only one class may be the default. @throws ApiError 403 */
export function guardDefaultClass(next: PriorityClass, classes: Shelf<'PriorityClass'>): void {
  if (next.globalDefault !== true) return;
  const present = defaultClass(classes);
  if (present === undefined || present.metadata.name === next.metadata.name) return;
  const why = `PriorityClass ${present.metadata.name} is already marked as default. Only one default can exist`;
  throw forbidden(classes.resource, next.metadata.name, why);
}

/** @throws ApiError 403 for a class of the system */
export function guardSystemClass(name: string, classes: ResourceNames): void {
  if (!SYSTEM_PRIORITY_CLASSES.some((each) => each.name === name)) return;
  throw forbidden(classes, name, 'this is a system priority class and cannot be deleted');
}

interface ResolvedPriority {
  readonly name: string;
  readonly priority: number;
  readonly preemptionPolicy: string | undefined;
}

function resolve(
  className: string | undefined,
  podName: string,
  pods: ResourceNames,
  classes: Shelf<'PriorityClass'>,
): ResolvedPriority {
  const isNamed = className !== undefined && className !== '';
  const found = isNamed ? classes.table.get(undefined, className) : defaultClass(classes);
  if (found !== undefined) {
    return { name: found.metadata.name, priority: found.value, preemptionPolicy: found.preemptionPolicy };
  }
  if (isNamed) throw forbidden(pods, podName, `no PriorityClass with name ${className} was found`);
  return { name: '', priority: 0, preemptionPolicy: DEFAULT_POLICY };
}

/** Of several defaults the one with the lowest value counts. */
function defaultClass({ table }: Shelf<'PriorityClass'>): PriorityClass | undefined {
  let found: PriorityClass | undefined;
  for (const each of table.values()) {
    if (each.globalDefault === true && (found === undefined || each.value < found.value)) found = each;
  }
  return found;
}
